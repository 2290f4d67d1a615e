"""The forms that a tree may have in a formulation: which branches have splits, and where its
hyperplanes are between the points."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.answers.search.candidate import Candidate, canonical, weighted
from treemip.core.tree.inputs import Inputs

FILLERS = 6
"""Features tried for splits that part nothing, where a formulation wants one at every branch."""


def shapes(
    tree: Candidate, x: np.ndarray, unsplit: bool, inputs: Inputs
) -> Iterator[tuple[Candidate, bool]]:
    """The forms that a tree may have in a formulation: without splits that part nothing, as it is,
    and with a split everywhere, of one feature or another. Each with whether it is taken as soon as
    it is a solution, or compared with the next ones.

    x float64 (N, p): the points of the table. unsplit: whether no split sends points left.
    """
    bare = canonical(tree, x, unsplit)
    yield bare, True
    if (bare.weights != tree.weights).any():
        yield tree, True
    if bare.weights[tree.topology.branches].any(axis=1).all():
        return
    varied = x.min(axis=0) < x.max(axis=0)
    varied[inputs.features + inputs.offsets[-1] :] = False  # no split can tell these
    used = tree.weights.any(axis=0)
    fillers = np.concatenate([np.flatnonzero(varied & used), np.flatnonzero(varied & ~used)])
    for feature in fillers[:FILLERS]:
        yield filled(bare, x, int(feature), inputs), False


def filled(tree: Candidate, x: np.ndarray, feature: int, inputs: Inputs) -> Candidate:
    """The tree with a split at every branch: the added ones are at the middle of a feature, which
    makes no difference if all leaves below have one class."""
    tree = tree.copy()
    bare = tree.topology.branches[~tree.weights[tree.topology.branches].any(axis=1)]
    if feature >= inputs.features:
        for node in bare:
            tree.send_left(int(node), np.array([feature]))
        return tree
    values = np.unique(x[:, feature])
    middle = len(values) // 2
    tree.weights[bare, feature] = 1.0
    tree.threshold[bare] = (values[middle - 1] + values[middle]) / 2
    return tree


def with_idle_splits(tree: Candidate, x: np.ndarray, features: int) -> Candidate:
    """The tree with a split at every branch, which parts no points at those without one, as far as
    a feature has values on one side of all of the branch's points: leaves are no more, and none is
    smaller. x float64 (N, features or more)."""
    tree, rows = tree.copy(), {0: np.arange(len(x))}
    values = [np.unique(column) for column in x.T[:features]]
    varied = [j for j, own in enumerate(values) if len(own) > 1]
    used = [j for j in varied if tree.weights[:, j].any()]
    for node in tree.topology.branches.tolist():
        here = x[rows[node]]
        if not tree.weights[node].any():
            for feature in (*used, *varied):
                own, column = values[feature], here[:, feature]
                high, low = column.max(initial=own[0]), column.min(initial=own[-1])
                if high < own[-1] or low > own[0]:
                    tree.weights[node, feature] = 1.0
                    at = int(np.searchsorted(own, high)) if high < own[-1] else 0
                    tree.threshold[node] = (own[at] + own[at + 1]) / 2
                    break
        left = tree.goes_left(node, here)
        rows[int(tree.topology.left[node])] = rows[node][left]
        rows[int(tree.topology.right[node])] = rows[node][~left]
    return tree


def placements(tree: Candidate, x: np.ndarray, inputs: Inputs) -> Iterator[Candidate]:
    """The tree with each hyperplane at the right end, the left end and in the middle of its gap.

    Formulations differ in which side may touch the hyperplane, and how far the other one stays.
    Sets of categories have no such place.
    """
    by_set = inputs.is_by_set(tree.weights)
    edges = {node: edge for node, edge in _edges(tree, x).items() if not by_set[node]}
    for share in (0.0, 1.0, 0.5):
        placed = tree.copy()
        for node, (low, high) in edges.items():
            placed.threshold[node] = low + share * (high - low)
        yield placed


def _edges(tree: Candidate, x: np.ndarray) -> dict[int, tuple[float, float]]:
    """For each branch, the greatest value of a point that goes left and the least of the others."""
    edges, rows = {}, {0: np.arange(len(x))}
    for node in tree.topology.branches:
        here = rows[int(node)]
        value = weighted(x, tree.weights[node], here)
        left = tree.on_left(int(node), value)
        rows[int(tree.topology.left[node])] = here[left]
        rows[int(tree.topology.right[node])] = here[~left]
        if tree.weights[node].any() and left.any() and not left.all():
            edges[int(node)] = float(value[left].max()), float(value[~left].min())
    return edges
