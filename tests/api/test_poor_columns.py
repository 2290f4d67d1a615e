"""Tables with next to nothing to split by: one value in a column, or two."""

from __future__ import annotations

from itertools import product

import pytest

import treemip

SAME = {"a": [1.0, 1.0, 1.0], "b": [2.0, 2.0, 2.0], "c": ["x", "y", "x"]}


@pytest.mark.parametrize("solver", ["auto", "highs"])
def test_binoct_splits_by_columns_of_two_values(solver: str) -> None:
    rows = [(a, b, "y" if a and not b else "x") for a, b in product((0, 1), repeat=2)] * 2
    a, b, c = (list(column) for column in zip(*rows, strict=True))
    c[0] = "y"  # beside the same row with "x"
    text = 'data "t" { label c; } topology complete(depth = 2); split univariate by binoct;'
    result = treemip.loads(text, data={"a": a, "b": b, "c": c}).compile().solve(solver)
    assert (result.status, result.objective, result.verdict) == ("optimal", 1.0, "verified")


@pytest.mark.parametrize(
    ("by", "needs"), [("oblique by svm1_odt", "pyscipopt"), ("randomized by mrct", "casadi")]
)
def test_points_that_are_all_one_are_searched(by: str, needs: str) -> None:
    pytest.importorskip(needs)
    text = f'data "t" {{ label c; scale minmax; }} topology complete(depth = 2); split {by};'
    result = treemip.loads(text, data=SAME).compile().solve(time_limit=10, starts=None)
    assert result.verdict == "verified"
    assert result.train_errors == 1
