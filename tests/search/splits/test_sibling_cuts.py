"""Pairs of cuts of neighbouring branches, held against all pairs one by one."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest

import treemip
from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.splits.sibling_cuts import SiblingCuts
from treemip.answers.search.sum_builder import sums_of

ASKED = {
    "parity and recall": 'maximize recall["y"]; subject to calm: recall["n"] >= 0.7; '
    "fair: parity(sex, 0.15);",
    "prices": "minimize misclassified + 0.5 * splits; subject to fair: parity(sex, 0.1);",
    "none keeps": 'maximize recall["y"]; subject to calm: misclassified <= -1;',
}


def search_of(asked: str) -> Alternation:
    draw = np.random.default_rng(1)
    x = draw.integers(0, 6, (40, 2))
    y = (x.sum(axis=1) + draw.integers(0, 5, 40)) % 8 > 4
    data = {
        "a": x[:, 0].tolist(),
        "b": x[:, 1].tolist(),
        "sex": ["fm"[int(k)] for k in x[:, 1] > 2],
    }
    data["c"] = ["ny"[int(k)] for k in y]
    text = (
        'data "t" { label c positive "y"; group sex; scale minmax; } topology complete(depth = 2); '
    )
    compiled = treemip.loads(f"{text}split univariate by oct; {asked}", data=data).compile()
    points, of_point = compiled.instance.table.distinct
    sums = sums_of(compiled.instance, of_point)
    search = Alternation(compiled.instance.nodes, points, sums, draw, inf, True)
    search.price = 1e9
    return search


def ways(search: Alternation, tree: Candidate, node: int) -> list[tuple[int, float]]:
    """No split, and each cut of a branch that parts its points."""
    found = [(-1, -1.0)]
    rows = search.members(tree, node)
    for j in range(search.features):
        values = np.unique(search.x[rows, j])
        found += [(j, float(v)) for v in (values[1:] + values[:-1]) / 2]
    return found


def best_of_all(search: Alternation, tree: Candidate) -> float:
    """The least objective of trees that keep the rows, with any splits of the last level."""
    topology = search.topology
    children = [int(c) for c in topology.children(int(topology.branches[0]))]
    least = inf
    for cuts in product(*(ways(search, tree, node) for node in children)):
        other = tree.copy()
        for node, (feature, threshold) in zip(children, cuts, strict=True):
            other.weights[node], other.threshold[node] = 0.0, threshold
            if feature >= 0:
                other.weights[node, feature] = 1.0
        if search.relabelled(other) < least:
            objective, violation = search.worth(other)
            least = min(least, objective) if violation <= 1e-9 else least
    return least


@pytest.mark.parametrize("name", ASKED)
def test_the_best_pair_is_that_of_all_pairs(name: str) -> None:
    search, found = search_of(ASKED[name]), []
    siblings = SiblingCuts(search)
    assert siblings.applies
    for feature, threshold in ((0, 0.5), (1, 0.5), (1, 0.3)):
        tree = search.empty()
        tree.weights[0, feature], tree.threshold[0] = 1.0, threshold
        best, other = best_of_all(search, tree), siblings.improved(tree, inf)
        assert (other is None) == (best == inf)
        if other is not None:
            objective, violation = search.worth(other)
            assert violation <= 1e-9 and objective == pytest.approx(best)
            assert siblings.improved(tree, inf) is None  # looked at already
            siblings.seen.clear()
            assert siblings.improved(tree, objective) is None
            found.append(objective)
    assert bool(found) == (name != "none keeps")


def test_rows_that_no_sum_couples_need_no_pairs() -> None:
    assert not SiblingCuts(search_of("minimize misclassified;")).applies
