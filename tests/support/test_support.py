"""docs/support.md covers the library as it is, and some of its cells are as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import support_cells as cells
import support_page as page
from suite import class_formulations
from support_cells import Cell

TEXT = (Path(__file__).parents[2] / "docs" / "support.md").read_text(encoding="utf-8")

KNOWN = page.read(TEXT)
NOTHING = page.Support({}, ())

TERMS = "misclassified", cells.OWN
SAMPLE = [
    (formulation, TERMS[number % 2], cells.sides()[1 + (5 * number) % (len(cells.sides()) - 1)])
    for number, formulation in enumerate(class_formulations())
]
"""A cell of every formulation with classes; `make truth` has all."""


def test_the_page_covers_all_formulations_terms_and_sides() -> None:
    wanted = {place for name in cells.formulations() for place in cells.combinations(name)}
    assert wanted == KNOWN.marks.keys(), "run: make docs"


def test_no_cell_of_the_page_is_a_fault() -> None:
    others = set(KNOWN.marks.values()) - {"yes", "yes*", "found", "found*", "none", "none*"}
    assert [mark for mark in others if not re.fullmatch(r"E\d{3}\*?", mark)] == []


@pytest.mark.parametrize("place", SAMPLE, ids="-".join)
def test_a_sample_is_as_the_page_says(place: tuple[str, str, str]) -> None:
    """`found` for `yes` may be a slower machine; all else is one answer."""
    cell = cells.run(*place)
    assert cell.sound, cell
    now, then = page.added(NOTHING, [cell]).marks[place], KNOWN.marks[place]
    assert now == then or {now, then} <= {"yes", "found"}


def test_a_fault_is_shown_as_one() -> None:
    cell = Cell("soct", cells.OWN, cells.NONE, "unverified", said="row 3")
    text = page.page(page.added(NOTHING, [cell]))
    assert page.read(text).marks["soct", cells.OWN, cells.NONE] == "UNVERIFIED"
    assert "- soct, UNVERIFIED: row 3" in text


def test_a_page_is_read_as_it_was_written() -> None:
    """Of a formulation that is solved again, nothing is kept."""
    assert page.page(KNOWN) == TEXT
    rest = page.without(KNOWN, "mrct")
    assert not [place for place in rest.marks if place[0] == "mrct"]
    assert page.read(page.page(rest)) == rest
