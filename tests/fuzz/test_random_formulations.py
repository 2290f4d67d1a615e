"""Formulations of one's own: the rewritten ones are taken, and the summary says why none proved."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from suite import one_in

import treemip

from .cases import Case
from .formulation_models import UNIVARIATE, random_formulation
from .formulations import ENGINE, OPEN, SOLVER, kind_of, summary
from .rewritten import NEW, rewritten


@pytest.mark.parametrize("name", sorted(set(UNIVARIATE)))
def test_none_of_the_librarys_names_is_left(name: str) -> None:
    made = rewritten(np.random.default_rng(0), name, spare=True)
    assert len(made.names) > 5
    text = re.sub(r'"[^"]*"', "", made.text)
    assert not {word for word in made.names if re.search(rf"\b{word}\b", text)}


@pytest.mark.parametrize("number", one_in(7, range(40)))
def test_every_case_is_a_spec(number: int, tmp_path: Path) -> None:
    made = random_formulation(Case("formulations", 9, number).rng())
    if made.module is not None:
        (tmp_path / f"{NEW}.tree").write_text(made.module)
    treemip.loads(made.model.text, data=made.model.table.columns, base=tmp_path).compile()


def test_lines_are_counted_by_what_they_say_of_any_spec() -> None:
    one, other = ("a leaf's value is 'f[%s]', of 3 leaves", "a leaf's value is 'g', of 12 leaves")
    assert kind_of(one) == kind_of(other) == "a leaf's value is '...', of N leaves"


def test_the_summary_says_how_many_and_why() -> None:
    counts = {ENGINE: 2, SOLVER: 1, OPEN: 1, "with f1: open": 1, "with splits: open": 1}
    counts |= {"why its rows are odd: open": 1, "case its rows are odd: formulations:1.7": 1}
    counts |= {f"with splits: {ENGINE}": 2}
    said = summary(counts).splitlines()
    assert said[0].startswith(f"formulations: 4; 2 {ENGINE}, 1 {SOLVER}, 1 {OPEN}")
    assert "50.0 %" in said[1]
    assert said[3].split(None, 5)[5] == "its rows are odd (formulations:1.7)"
    assert [line.split()[-1] for line in said[-2:]] == ["f1", "splits"]
