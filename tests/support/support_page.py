"""docs/support.md: what works with what, found out by solving every combination.

python tests/support/support_page.py docs/support.md [--workers N] [--missing] [formulation ...]

With formulations, only their sections are made anew; one takes a few minutes. With --missing, only
cells that the page does not have are solved: those of new terms and side constraints.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import support_cells as cells
from support_cells import Cell

HEAD = """# What works with what

<!-- Made by `python tests/support/support_page.py docs/support.md`; do not edit. -->

Each cell below was solved: {points} points of [credit-24.csv](../specs/data/credit-24.csv), two
branches, the formulation of the section, the objective of the column, the side constraint of the
row ([constraints.md](constraints.md) has their texts). The objective "its own" is the
formulation's; else it is `misclassified + 0.1 * term`, with the side's own measure in place of
`misclassified` where it has one.

| in a cell | |
| --- | --- |
| yes | solved to optimality; the tree was verified |
| found | a verified tree without a proof: by a local solver, or in {seconds:g} s ({smooth:g} s*) |
| none | there is no such tree: two solvers prove it |
| E205, … | refused before solving, with the message below the table |
| yes* | solved after a row was added that the error's message asks for (E501) |

(*) Smooth nonlinear terms, `l0_local` and those behind it, whose proofs may take hours.

`python tests/support/support_page.py docs/support.md NAME` makes the section of a formulation
anew. A test compares what is covered with the library and tries some of the cells; `make truth`
tries all of them.
"""

MARKS = {"solved": "yes", "found": "found", "none": "none"}


def section(formulation: str, found: Sequence[Cell], before: str = "") -> str:
    """A formulation's table and the messages of what it refused.

    `before`: a section that has the cells that were not found anew.
    """
    by_place = marks(before) | {(c.term, c.side): _mark(c) for c in found}
    head = ["side constraint", *(f"`{t}`" if t != cells.OWN else t for t in cells.terms())]
    lines = [_row(head), _row(["---"] * len(head))]
    for side in cells.sides():
        row = [by_place.get((term, side), "") for term in cells.terms()]
        lines.append(_row([_title(side), *row]))
    said = dict.fromkeys(line for line in before.splitlines() if line.startswith("- "))
    said |= dict.fromkeys(_messages(found))
    return "\n".join([f"## {formulation}", "", *lines, *([""] if said else []), *said]) + "\n"


def _title(side: str) -> str:
    return side if side == cells.NONE else f"[{side}](../specs/constraints/{side}.tree)"


def _mark(cell: Cell) -> str:
    refused = cell.code if cell.outcome == "refused" else cell.outcome.upper()
    mark = MARKS.get(cell.outcome, refused)
    return mark + "*" if cell.cap else mark


def _messages(found: Sequence[Cell]) -> list[str]:
    said: dict[tuple[str, str], None] = {}
    for cell in found:
        if cell.said:
            said.setdefault((_mark(cell).strip("*"), cell.said))
        if cell.cap:
            said.setdefault(("\\*", f"`{cell.cap.strip()}`"))
    return [f"- {code}: {text}" for code, text in said]


def _row(items: Iterable[str]) -> str:
    return "| " + " | ".join(items) + " |"


def sections(text: str) -> dict[str, str]:
    """The sections of a page by formulation."""
    parts = re.split(r"^## (\w+)\n", text, flags=re.M)[1:]
    names, bodies = parts[::2], parts[1::2]
    return {n: f"## {n}\n{b.rstrip()}\n" for n, b in zip(names, bodies, strict=True)}


def covered(text: str) -> set[tuple[str, str, str]]:
    """The (formulation, term, side) whose cells a page has, filled in."""
    found = set()
    for name, body in sections(text).items():
        found |= {(name, term, side) for (term, side), mark in marks(body).items() if mark}
    return found


def marks(body: str) -> dict[tuple[str, str], str]:
    """What a section's table has for each (term, side)."""
    if not body:
        return {}
    head, _, *rows = [_items(line) for line in body.splitlines() if line.startswith("|")]
    terms = [item.strip("`") for item in head[1:]]
    return {
        (term, re.sub(r"\[(\w+)\].*", r"\1", row[0])): mark
        for row in rows
        for term, mark in zip(terms, row[1:], strict=True)
    }


def _items(line: str) -> list[str]:
    return [item.strip() for item in line.strip()[1:-1].split("|")]


def page(made: dict[str, str]) -> str:
    head = HEAD.format(points=len(cells.ROWS), seconds=cells.SECONDS, smooth=cells.SMOOTH_SECONDS)
    return "\n".join([head, *(made[name] for name in cells.formulations() if name in made)])


def main(path: Path, names: Sequence[str], workers: int | None, missing: bool) -> None:
    text = path.read_text(encoding="utf-8") if path.exists() and (names or missing) else ""
    made = sections(text)
    with ProcessPoolExecutor(workers) as pool:
        for name in names or cells.formulations():
            before = made.get(name, "") if missing else ""
            wanted = [c for c in cells.combinations(name) if not marks(before).get(c[1:])]
            found = list(pool.map(cells.run, *zip(*wanted, strict=True))) if wanted else []
            for cell in (c for c in found if not c.sound):
                print(cell, file=sys.stderr)
            made[name] = section(name, found, before)
            path.write_text(page(made), encoding="utf-8")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("formulations", nargs="*")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--missing", action="store_true")
    asked = parser.parse_args()
    main(asked.path, asked.formulations, asked.workers, asked.missing)
