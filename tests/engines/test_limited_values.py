"""Constraints that limit the value of single leaves, against all trees of depth 2."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from suite import one_in

import treemip

HEAD = """data "t" { label price number; scale minmax; }
topology complete(depth = 2);
split univariate by ort(squared = 1);
minimize squared_error + splits;
subject to
"""
FAR = (-np.inf, np.inf)
LIMITS = {
    "cap {l in leaves_under(left(root))}: leaf_value[l] <= 1;": ((FAR[0], 1.0), FAR),
    "far {l in leaves_under(right(root))}: 3 - 2 * leaf_value[l] <= -1;": (FAR, (2.0, FAR[1])),
    "cap {l in leaves_under(left(root))}: leaf_value[l] <= 1;\n"
    "far {l in leaves}: leaf_value[l] >= -2;": ((-2.0, 1.0), (-2.0, FAR[1])),
}


def table(seed: int) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(6, 8))
    x = draw.integers(0, 4, (n, 2)).astype(float)
    x[0], x[1] = 0.0, 3.0
    price = draw.integers(-5, 6, n).astype(float)
    price[:2] = -5.0, 5.0
    return {"a": x[:, 0], "b": x[:, 1], "price": price}


def least(data: dict[str, np.ndarray], left: tuple[float, float], right: tuple[float, float]):
    """The optimum; a branch without a split sends its points right."""
    x, y = np.column_stack([data["a"], data["b"]]), data["price"]
    cuts = [x[:, j] <= v for j, v in product(range(2), range(4))]

    def leaf(rows: np.ndarray, limits: tuple[float, float]) -> float:
        if not rows.any():
            return 0.0
        return float(((y[rows] - np.clip(y[rows].mean(), *limits)) ** 2).sum())

    def stump(rows: np.ndarray, limits: tuple[float, float]) -> float:
        parted = (leaf(rows & cut, limits) + leaf(rows & ~cut, limits) + 1 for cut in cuts)
        return min(leaf(rows, limits), *parted)

    every = np.ones(len(y), bool)
    roots = (stump(cut, left) + stump(~cut, right) + 1 for cut in cuts if not cut.all())
    return min(leaf(every, right), *roots)


@pytest.mark.parametrize(("seed", "rows"), one_in(5, range(4), LIMITS))
def test_limits_of_values_are_kept_at_the_optimum(seed: int, rows: str) -> None:
    data = table(seed)
    result = treemip.loads(HEAD + rows, data).compile().solve(time_limit=30)
    assert result.optimality is not None and result.optimality.by == "an exact engine"
    assert result.objective == pytest.approx(least(data, *LIMITS[rows]), abs=1e-5)
    assert result.verdict == "verified"


def test_limits_that_no_value_keeps_have_no_tree() -> None:
    rows = "low {l in leaves}: leaf_value[l] <= 1;\nhigh {l in leaves}: leaf_value[l] >= 2;"
    result = treemip.loads(HEAD + rows, table(0)).compile().solve(time_limit=30)
    assert result.status == "infeasible"


def test_a_row_about_two_leaves_is_no_limit() -> None:
    """It stands in the way at its place."""
    rows = "rise: leaf_value[left(left(root))] <= leaf_value[right(right(root))];"
    made = treemip.loads(HEAD + rows, table(0)).compile()
    assert "leaf_value" in made.explain(engine=True).split("## frontier")[1]
