"""How good treemip's answers are, and how soon they come: one table for each question.

python benchmarks/answers.py                      # every table
python benchmarks/answers.py soct --quick         # one, on its small instances
python benchmarks/answers.py large --data DIR     # tables of data that are not in the repository

A table is a module of `tables/` with a TITLE, its COLUMNS and `rows(request)`, which yields one
dictionary for each row. Every row says what answered, the seconds, and the limit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from report import machine

HERE = Path(__file__).resolve().parent
TABLES = tuple(sorted(file.stem for file in (HERE / "tables").glob("[a-z]*.py")))


@dataclass(frozen=True)
class Request:
    """quick: only the small instances. seeds: of the search. data: a folder of CSV files. python:
    that has the peers installed, if one is given."""

    quick: bool
    seeds: int
    data: Path
    python: Path | None = None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--quick", action="store_true", help="only the small instances")
    parser.add_argument("--seeds", type=int, default=1, help="runs with different seeds")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of CSV files")
    parser.add_argument("--python", type=Path, help="Python that has the peers installed")
    parser.add_argument("--json", type=Path, help="write every row to this file, a line each")
    options = parser.parse_args()
    unknown = sorted(set(options.tables) - set(TABLES))
    if unknown:
        parser.error(f"unknown table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    request = Request(options.quick, options.seeds, options.data, options.python)
    print(machine())
    for name in options.tables or TABLES:
        _print(name, request, options.json)
    return 0


def _print(name: str, request: Request, log: Path | None) -> None:
    table = import_module(f"tables.{name}")
    print(f"\n## {table.TITLE}\n")
    print("| " + " | ".join(table.COLUMNS) + " |")
    print("|" + "---|" * len(table.COLUMNS))
    for row in table.rows(request):
        print("| " + " | ".join(_cell(row.get(column)) for column in table.COLUMNS) + " |")
        sys.stdout.flush()
        if log is not None:
            with log.open("a") as file:
                file.write(json.dumps({"table": name, **row}, default=str) + "\n")


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
