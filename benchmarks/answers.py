"""How good treemip's answers are, and how soon they come: one table for each question.

python benchmarks/answers.py                      # every table
python benchmarks/answers.py soct --quick         # one, on its small instances
python benchmarks/answers.py proofs --data DIR    # tables of data that are not in the repository
python benchmarks/answers.py peers --data DIR --python PEERS --json peers.jsonl --page peers.md

A table is a module of `tables/` with a TITLE, its COLUMNS and `rows(request)`, which yields one
dictionary for each row. Every row says what answered, the seconds, and the limit. `peers` are the
tables of treemip and its peers in turn (`contest.py`): their rows that the JSON file has are not
run again, and the page has all that it has. Exit code 1: a claim of
treemip was wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from report import installed, machine

HERE = Path(__file__).resolve().parent
TABLES = tuple(sorted(file.stem for file in (HERE / "tables").glob("[a-z]*.py")))
PEERS = ("univariate", "objectives", "oblique", "margin", "fit", "scale")
PACKAGES = ("pytrees-rs", "pycontree", "pystreed", "osrt", "scikit-learn", "ydf", "lifelines")
Row = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """quick: only the small instances. seeds: of the search. data: a folder of CSV files. python:
    that has the peers installed, if one is given. Of the tables beside peers: only the cases in
    whose name `case` is, `known` ones left out, in `limit` seconds, on `cores` (as taskset has
    them), and the largest ones if `large`."""

    quick: bool
    seeds: int
    data: Path
    python: Path | None = None
    case: str = ""
    known: frozenset[tuple[str, str]] = frozenset()
    limit: float | None = None
    cores: str = ""
    large: bool = False

    def wants(self, table: str, case: str) -> bool:
        return self.case in case and (table, case) not in self.known


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join((*TABLES, "peers")))
    parser.add_argument("--quick", action="store_true", help="only the small instances")
    parser.add_argument("--seeds", type=int, default=1, help="runs with different seeds")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of CSV files")
    parser.add_argument("--python", type=Path, help="Python that has the peers installed")
    parser.add_argument("--json", type=Path, help="add every row to this file, a line each")
    parser.add_argument("--page", type=Path, help="write the rows of the JSON file as Markdown")
    peers = parser.add_argument_group("tables beside peers")
    peers.add_argument("--case", default="", help="only cases with this in their name")
    peers.add_argument("--limit", type=float, help="seconds in place of each case's own")
    peers.add_argument("--cores", default="", help="pin contenders to these, as taskset -c")
    peers.add_argument("--large", action="store_true", help="ten million rows, too")
    options = parser.parse_args()
    names = [n for t in options.tables or TABLES for n in (PEERS if t == "peers" else (t,))]
    unknown = sorted(set(names) - set(TABLES))
    if unknown:
        parser.error(f"unknown table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    if options.page and not options.json:
        parser.error("--page is made from the rows of --json")
    kept = _kept(options.json)
    known = frozenset((row["table"], row["case"]) for row in kept if "case" in row)
    given = {key: getattr(options, key) for key in ("python", "case", "limit", "cores", "large")}
    request = Request(options.quick, options.seeds, options.data, known=known, **given)
    where = [machine(), f"cores {options.cores}"] if options.cores else [machine()]
    if set(names) & set(PEERS):
        where.append(installed(str(options.python or sys.executable), PACKAGES))
    print("\n".join(where))
    for name in names:
        kept += _run(name, request, options.json, "; ".join(where))
    if options.page:
        options.page.write_text(_page(options.tables or ["peers"], names, kept))
    wrong = [row for row in kept if row["table"] in names and row.get("WRONG")]
    for row in wrong:
        print(f"WRONG: {row['table']}, {row['case']}: {row['WRONG']}", file=sys.stderr)
    return 1 if any("**" in row["WRONG"] for row in wrong) else 0


def _kept(log: Path | None) -> list[Row]:
    if log is None or not log.is_file():
        return []
    return [json.loads(line) for line in log.read_text().splitlines()]


def _run(name: str, request: Request, log: Path | None, where: str) -> list[Row]:
    """Runs a table's rows, each printed and added to the log at once."""
    where = f"{datetime.now(UTC):%d %B %Y}; {where}"
    table, rows = import_module(f"tables.{name}"), []
    print("\n" + "\n".join(_head(table)))
    for row in table.rows(request):
        print(_line(table, row), flush=True)
        rows.append({"table": name, **row, "where": where})
        if log is not None:
            with log.open("a") as file:
                file.write(json.dumps(rows[-1], default=str) + "\n")
    return rows


def _page(asked: list[str], names: list[str], rows: list[Row]) -> str:
    """The tables' rows, and when and where they ran."""
    shown = [row for row in rows if row["table"] in names]
    lines = ["# Answers", ""]
    lines += [f"Made by `python benchmarks/answers.py {' '.join(asked)} --page ...`; do not edit."]
    lines += ["", *dict.fromkeys(f"* {row.get('where')}" for row in shown)]
    for name in names:
        table = import_module(f"tables.{name}")
        title, *head = _head(table)
        lines += ["", title, "", (table.__doc__ or "").strip(), *head]
        lines += [_line(table, row) for row in shown if row["table"] == name]
    return "\n".join(lines) + "\n"


def _head(table: Any) -> list[str]:
    columns = [f"| {' | '.join(table.COLUMNS)} |", "|" + "---|" * len(table.COLUMNS)]
    return [f"## {table.TITLE}", "", *columns]


def _line(table: Any, row: Mapping[str, object]) -> str:
    return "| " + " | ".join(_cell(row.get(column)) for column in table.COLUMNS) + " |"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_cell(entry)}" for key, entry in value.items())
    return str(value)


if __name__ == "__main__":
    sys.exit(main())
