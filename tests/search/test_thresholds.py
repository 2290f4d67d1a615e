"""Thresholds found anew: no other of one branch is worth more, and gaps asked for are kept."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.tree_values import HARD
from treemip.core.model.tolerances import SAME_WORTH

SPECS = [
    ("univariate by oct", "minimize misclassified;"),
    ("univariate by oct", "maximize accuracy - 0.02 * splits;"),
    ("oblique by soct(eps = 0.001)", "minimize misclassified;"),
    (
        "oblique by soct(eps = 0.001)",
        "minimize misclassified; subject to least {l in leaves}: points_in[l] >= 25 * occupied[l];",
    ),
]
ROUNDS = 5


def search_of(split: str, rest: str) -> Alternation:
    draw = np.random.default_rng(0)
    x = draw.random((120, 3))
    y = np.where((x[:, 0] > 0.4) ^ (x[:, 1] + x[:, 2] > 1.1), "yes", "no")
    text = (
        f'data "t" {{ label c; scale minmax; }} topology complete(depth = 2); split {split}; {rest}'
    )
    columns = {f"f{j}": x[:, j] for j in range(3)} | {"c": y}
    instance = treemip.loads(text, data=columns).instance
    points, of_point = instance.table.distinct
    sums = sums_of(instance, of_point)
    univariate = split.startswith("univariate")
    rng = np.random.default_rng(1)
    search = Alternation(instance.nodes, points, sums, rng, np.inf, univariate)
    search.price = sums.unit * HARD
    return search


def values_at(search: Alternation, tree: Candidate, node: int, gap: float = 0.0) -> list[float]:
    """Values with the threshold of one branch in any gap between its points that is wide enough,
    and with the labels as they are."""
    rows, values = search.members(tree, node), [np.inf]
    position = np.unique(search.x[rows] @ tree.weights[node])
    wanted = gap * np.abs(tree.weights[node]).sum() * (1 + 1e-6)
    for at in np.flatnonzero(np.diff(position) >= wanted):
        other = tree.copy()
        other.threshold[node] = (position[at] + position[at + 1]) / 2
        values.append(float(search.value(search.rows(other))))
    return values


def random_oblique(search: Alternation, draw: np.random.Generator) -> Candidate:
    """A tree of random directions, or features, with thresholds at points and its best labels."""
    tree = Candidate.empty(search.topology, 3)
    for node in search.topology.branches.tolist():
        weights = draw.normal(size=3)
        tree.weights[node] = np.eye(3)[draw.integers(3)] if search.univariate else weights
        tree.threshold[node] = search.x[draw.integers(120)] @ tree.weights[node]
    search.relabelled(tree)
    return tree


@pytest.mark.parametrize(("split", "rest"), SPECS)
def test_a_tree_is_worth_no_less_with_other_thresholds(split: str, rest: str) -> None:
    search, draw, moved = search_of(split, rest), np.random.default_rng(2), 0
    for _ in range(20):
        tree = random_oblique(search, draw)
        before, weights = search.relabelled(tree), tree.weights.copy()
        value = search.rethreshold(tree, ROUNDS)
        assert value <= before + SAME_WORTH
        assert value == pytest.approx(search.relabelled(tree.copy()))
        assert np.array_equal(tree.weights, weights)
        moved += value < before - SAME_WORTH
    assert moved > 10


@pytest.mark.parametrize("gap", [0.0, 0.02])
@pytest.mark.parametrize(("split", "rest"), [SPECS[0], SPECS[2]])
def test_no_other_threshold_with_its_gap_is_worth_more(split: str, rest: str, gap: float) -> None:
    search, draw, kept = search_of(split, rest), np.random.default_rng(3), 0
    search.gap = gap
    for _ in range(30):
        tree = random_oblique(search, draw)
        node = int(draw.choice(search.topology.branches))
        search._move_threshold(tree, node)
        value = float(search.value(search.rows(tree)))
        assert value <= min(values_at(search, tree, node, gap)) + SAME_WORTH
        weights = tree.weights[node]
        position = search.x[search.members(tree, node)] @ weights
        left = position <= tree.threshold[node]
        if left.any() and not left.all():
            width = position[~left].min() - position[left].max()
            assert width >= gap * np.abs(weights).sum() * (1 - 1e-9)
            kept += 1
    assert kept > 10
