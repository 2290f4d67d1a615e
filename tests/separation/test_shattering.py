"""Each inequality against all ways to route the points of a tiny table."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from random_tree_specs import OF_ANY_NORM, compiled
from scipy.optimize import linprog

import treemip
from treemip.core.source.diagnostic import TreemipError
from treemip.methods.separation.separated_model import SeparatedModel

LAZY = "separate go_left, go_right by shattering;"
MOST = 30
PAPER = "separate shattering(eps = 0);"


def _parted(x: np.ndarray, left: np.ndarray, eps: float | None) -> bool:
    """Whether a hyperplane with |a|_1 <= 1 parts the points by eps; with None, any at all.

    Columns: a+ and a- of each feature, b.
    """
    if left.all() or not left.any():
        return True
    features = x.shape[1]
    sides = np.where(left, 1.0, -1.0)[:, None]
    rows = sides * np.hstack([x, -x, -np.ones((len(x), 1))])
    limits = np.where(left, 0.0, -1.0 if eps is None else -eps)
    bounds = [(0, None)] * (2 * features) + [(None, None)]
    if eps is not None:
        rows = np.vstack([rows, [1.0] * (2 * features) + [0.0]])
        limits = np.append(limits, 1.0)
    answer = linprog(np.zeros(2 * features + 1), rows, limits, bounds=bounds)
    return answer.status == 0


def _point(of, left: np.ndarray) -> np.ndarray:
    """A point of the model of depth 1, float64 (columns,): reach as given, other columns 0."""
    x = np.zeros(of.model.column_count)
    block = of.stated.block("reach")
    node = block.index.columns[1]
    at = np.arange(block.start, block.stop)
    x[at[node == 1]] = 1.0
    x[at[node == 2]] = left
    x[at[node == 3]] = 1.0 - left
    return x


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("strategy", "eps"), [(LAZY, 0.2), (LAZY, 0.02), (PAPER, None)])
def test_inequalities_of_all_routings(seed: int, strategy: str, eps: float | None) -> None:
    """Depth 1: every routing that no hyperplane parts breaks what is found for it, no other routing
    breaks any, and each row has the points of at most p + 2."""
    of = compiled(seed, strategy, eps=eps or 0.02)
    separation = SeparatedModel(of.instance, of.stated, of.model)
    for part in separation.parts:
        part.lazy = True  # user cuts are asked for at integral points as well
    x = of.instance.table.inputs
    routings = [np.array(way) for way in product((0.0, 1.0), repeat=len(x))]
    rng = np.random.default_rng(seed)
    if len(routings) > MOST:
        routings = [routings[k] for k in rng.choice(len(routings), MOST, replace=False)]
    planes = rng.normal(size=(10, x.shape[1])) @ x.T
    routings += [(worth <= np.median(worth)).astype(float) for worth in planes]
    kept = [_point(of, left) for left in routings if _parted(x, left > 0, eps)]
    rest = [_point(of, left) for left in routings if not _parted(x, left > 0, eps)]
    assert kept
    for point in kept:
        assert separation.violated(point, True) is None
    for point in rest:
        broken = separation.violated(point, True)
        assert broken is not None
        dense = np.zeros((broken.count, of.model.column_count))
        dense[broken.matrix.row_of, broken.matrix.indices] = broken.matrix.data
        assert (dense @ point > broken.upper + 0.5).any()
        assert (dense @ np.array(kept).T <= broken.upper[:, None] + 1e-9).all()
        assert (np.diff(broken.matrix.indptr) <= x.shape[1] + 2).all()
        assert (broken.upper == np.diff(broken.matrix.indptr) - 1).all()


def test_fractional_points_break_what_is_found() -> None:
    """Between an inseparable routing and its opposite, near enough to the first."""
    found = 0
    for seed in range(6):
        of = compiled(seed, LAZY, eps=0.2)
        separation = SeparatedModel(of.instance, of.stated, of.model)
        x = of.instance.table.inputs
        left = np.random.default_rng(seed).integers(0, 2, len(x)).astype(float)
        for share in (0.99, 0.8, 0.6):
            point = _point(of, share * left + (1 - share) * (1 - left))
            broken = separation.violated(point, False)
            if broken is not None:
                worth = np.bincount(
                    broken.matrix.row_of, broken.matrix.data * point[broken.matrix.indices]
                )
                assert (worth > broken.upper + 1e-6).any()
                found += 1
    assert found > 2


def test_a_cut_that_says_too_little() -> None:
    """Supports of two points are not cut off, so that nothing forbids to part equal points."""
    text = OF_ANY_NORM.format(depth=1, strategy=LAZY)
    several = "card(left_support(s)) + card(right_support(s)) >= 3"
    text = text.replace("s in supports, t in branches", f"s in supports, t in branches : {several}")
    assert several in text
    with pytest.raises(TreemipError, match="the cut 'shattered' allows a solution that the rows"):
        treemip.loads(text, data={"f": [0, 0, 1], "y": list("aba")}).compile().solve()


def test_fewer_reaches_than_columns_before_them() -> None:
    """OCT-H has no `reach` of branches, and here fewer of leaves than columns before these."""
    spec = """data "t.csv" {{ label y; scale minmax; }}
topology complete(depth = 2);
split oblique by octh;
minimize misclassified;
strategy {{ solver highs; start none; {strategy} }}"""
    data = {"f": [0, 1, 1, 0, 0, 1], "g": [0, 0, 0, 1, 0, 0], "y": list("aaabaa")}
    result = (
        treemip.loads(spec.format(strategy="separate shattering;"), data=data).compile().solve()
    )
    assert (result.status, result.objective, result.verdict) == ("optimal", 0.0, "verified")
