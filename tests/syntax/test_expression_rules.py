"""What messages say to write instead means what was meant."""

from __future__ import annotations

from itertools import product

import pytest

import treemip
from treemip.core.syntax.faults.expression_rules import BOTH, EITHER


def most(text: str) -> float | None:
    """The greatest v, from 0 to 3, that a text allows; None where it allows none."""
    spec = f"var v >= 0, <= 3; {text}"
    return treemip.loads(spec).compile().solve("highs").objective


@pytest.mark.parametrize(("a", "b"), list(product((0, 1), repeat=2)))
def test_an_implication_of_two_binaries(a: int, b: int) -> None:
    assert "a = 1 and b = 1 ==> row" in BOTH
    text = "var a binary; var b binary; maximize v; subject to"
    fixed = f"is_a: a = {a}; is_b: b = {b};"
    assert most(f"{text} {fixed} then: a = 1 and b = 1 ==> v <= 1;") == (1 if a and b else 3)
    assert most(f"{text} {fixed} then: a = 0 and b = 1 ==> v <= 1;") == (1 if b and not a else 3)


@pytest.mark.parametrize(("sense", "extreme"), [("maximize", 3), ("minimize", 0)])
def test_one_of_two_rows(sense: str, extreme: int) -> None:
    assert "first[t] = 1 ==> one row" in EITHER and "first[t] = 0 ==> the other row" in EITHER
    rows = "one: first = 1 ==> v <= 1; other: first = 0 ==> v >= 2;"
    assert most(f"var first binary; {sense} v; subject to {rows}") == extreme
    gap = f"{rows} least: v >= 1.25; top: v <= 2.5;"
    nearest = {"maximize": 2.5, "minimize": 2}[sense]
    assert most(f"var first binary; {sense} v; subject to {gap}") == nearest
