"""Hyperplanes are moved away from points, and trees grown with the gap that is asked for."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.clearing import cleared, shifted
from treemip.answers.search.complete import complete
from treemip.answers.search.gapped_trees import gapped_trees
from treemip.answers.search.tree_search import TreeSearch

GAP = 0.005  # S-OCT's eps
SPEC = (
    'data "t.csv" { label c; scale minmax; } topology complete(depth = 2); split oblique by soct;'
)


def table(points: int, seed: int) -> dict:
    """Numbers without ties and a column of two words; the answer by two cuts, some of it noise."""
    rng = np.random.default_rng(seed)
    x, member = rng.random((points, 6)), rng.integers(0, 2, points)
    answer = np.where(member == 1, x[:, 0] > 0.5, x[:, 1] > 0.4) ^ (rng.random(points) < 0.05)
    data: dict = {f"x{j}": column for j, column in enumerate(x.T)}
    return data | {"member": np.where(member, "yes", "no"), "c": np.where(answer, "a", "b")}


def searched(points: int, seed: int) -> tuple[treemip.Compiled, TreeSearch]:
    compiled = treemip.loads(SPEC, data=table(points, seed)).compile()
    return compiled, TreeSearch(compiled.instance, compiled.stated, np.inf, 0)


def narrowest(search: TreeSearch, tree: Candidate) -> float:
    """The least distance between the points on the two sides of a hyperplane of 1-norm 1."""
    widths = []
    for node in tree.topology.branches[tree.weights[tree.topology.branches].any(axis=1)]:
        x, weights = search.search.x[search.search.members(tree, int(node))], tree.weights[node]
        position, left = x @ weights, tree.goes_left(int(node), x)
        widths.append((position[~left].min() - position[left].max()) / np.abs(weights).sum())
    return min(widths)


@pytest.mark.parametrize("seed", range(3))
def test_carts_tree_gets_the_gap_for_hardly_more_errors(seed: int) -> None:
    compiled, search = searched(600, seed)
    cart = search.begin.purest_tree()
    assert narrowest(search, cart) < GAP
    tree = cleared(search.search, cart, GAP)
    assert tree is not None
    assert narrowest(search, tree) >= GAP
    assert not complete(compiled.instance, compiled.stated, tree).violations
    fewer, more = -search.search.worth(tree)[0], -search.search.worth(cart)[0]
    assert fewer >= more - 12  # of 600 right answers


def test_a_tree_whose_points_are_too_many_has_no_place_nearby() -> None:
    _, search = searched(2500, 0)
    assert cleared(search.search, search.begin.purest_tree(), 0.05) is None


def test_trees_grown_with_the_gap_have_it_and_are_better_than_cuts_by_single_features() -> None:
    _, search = searched(1500, 1)
    search.search.gap = GAP
    single = search.begin.purest_tree()
    trees = list(gapped_trees(search.search, GAP))
    assert len(trees) == 2
    assert all(narrowest(search, tree) >= GAP * (1 - 1e-9) for tree in trees)
    best = min(search.search.worth(tree)[0] for tree in trees)
    assert best < search.search.worth(single)[0] - 100


@pytest.mark.parametrize("width", [0.001, 0.002, 0.004])
def test_a_threshold_moves_into_the_nearest_gap_that_is_wide_enough(width: float) -> None:
    _, search = searched(400, 0)
    x, tree = search.search.x, search.search.empty()
    tree.weights[0] = np.random.default_rng(1).normal(size=x.shape[1])
    position = np.sort(x @ tree.weights[0])
    tree.threshold[0] = position[200]
    moved = shifted(tree, x, width, search.search.inputs)
    assert moved is not None
    assert narrowest(search, moved) >= width
    left = int((position <= moved.threshold[0]).sum())
    wide = np.flatnonzero(np.diff(position) >= width * np.abs(tree.weights[0]).sum()) + 1
    assert abs(left - 201) == np.abs(wide - 201).min()


def test_no_threshold_is_in_a_gap_that_is_wider_than_any() -> None:
    _, search = searched(400, 0)
    assert shifted(search.begin.purest_tree(), search.search.x, 0.9, search.search.inputs) is None


def test_a_split_beyond_all_points_stays() -> None:
    _, search = searched(50, 0)
    tree = search.begin.purest_tree()
    tree.weights[0], tree.threshold[0] = 1.0, 1e3
    moved = shifted(tree, search.search.x, 0.001, search.search.inputs)
    assert moved is not None
    assert moved.threshold[0] == 1e3
