"""The widest gaps of a tree's hyperplanes beside points that may go either way."""

from __future__ import annotations

import time

import numpy as np
import pytest

import treemip
from treemip.search.gaps import best_gap, own_gap
from treemip.search.tree_search import TreeSearch


def test_points_that_may_go_either_way_do_not_slice_the_gap() -> None:
    """Between the two points that matter the gap is 1 wide, along the first feature, with the two
    others in its middle; along the second it is 0.8, and these are at its ends."""
    x = np.array([[0.0, 0.0], [1.0, 0.8], [0.5, 0.0], [0.5, 0.8]])
    left, matter = np.array([True, False, True, False]), np.array([True, True, False, False])
    weights = np.array([0.3, 0.7])
    assert own_gap(x, left, weights) == pytest.approx(0.56)
    width, weights, middle = best_gap(x, left, matter, weights, time.perf_counter() + 10)
    assert width == pytest.approx(0.8)
    assert weights == pytest.approx([0.0, 1.0])
    assert middle == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(8))
def test_the_gap_is_free_of_all_points_and_no_narrower(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x, weights = draw.random((40, 3)), draw.normal(size=3)
    weights /= np.abs(weights).sum()
    position = x @ weights
    threshold = float(np.sort(position)[18:20].mean())
    left, matter = position <= threshold, draw.random(40) < 0.5
    own = own_gap(x, left, weights)
    width, wide, middle = best_gap(x, left, matter, weights, time.perf_counter() + 10)
    assert width >= own - 1e-9
    assert np.abs(wide).sum() <= 1 + 1e-9
    assert (np.abs(x @ wide - middle) >= width / 2 - 1e-7).all()
    assert ((x @ wide <= middle) == left)[matter].all()


def searched(seed: int, seconds: float = 3.0) -> TreeSearch:
    draw = np.random.default_rng(3)
    x = draw.random((150, 4))
    y = (x[:, 0] + x[:, 1] > 1) ^ (x[:, 2] * x[:, 3] > 0.25)
    columns: dict = {f"f{j}": x[:, j].tolist() for j in range(4)}
    columns["c"] = [f"k{int(k)}" for k in y]
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 2); split oblique by soct;'
    )
    compiled = treemip.loads(text, data=columns).compile()
    return TreeSearch(compiled.instance, compiled.stated, seconds, seed)


def test_the_pool_has_no_tree_twice() -> None:
    search = searched(1)
    for starts in range(40):
        search._visit(starts, -np.inf)
    for pool in search.pools:
        shapes = [search._shape(tree) for _, _, tree, _ in pool]
        assert len(set(shapes)) == len(shapes)
    assert len(search.pools[0]) == 5


def test_restarts_are_different_trees() -> None:
    search = searched(2)
    trees = [search.begin.random_tree(search.classes) for _ in range(30)]
    assert len({search._shape(tree) for tree in trees}) >= 25
    search.search.relabelled(trees[0])
    moved = [search.begin.perturbed(trees[0]) for _ in range(30)]
    assert len({search._shape(tree) for tree in moved}) >= 15
