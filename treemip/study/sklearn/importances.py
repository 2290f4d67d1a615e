"""Importances of features: how much worse a tree does on its training points without each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from treemip.core.instance.encoded_table import Table
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.tree import Tree

Loss = Callable[[int], np.ndarray]
"""What each point loses in a leaf, float64 (N,)."""


def importances(tree: Tree, table: Table, columns: Mapping[str, str], loss: Loss) -> np.ndarray:
    """For each column that was given its share of what the tree loses without one of them, float64
    (columns,): 0 or more, and 1 together, or all 0 where nothing is lost. columns: by the name of
    each raw column, of which a date has several.

    Without a column, a split that uses it sends each point both ways, by the shares of the training
    weight that go there; what a point loses is then expected over the leaves that it may reach. The
    loss is the training points', by weight. Deterministic, and no matter of impurity.
    """
    uses = {
        t: {columns.get(name, name) for name in used}
        for t, used in _columns_of_splits(tree).items()
    }
    sides = _sides(tree, table.inputs)
    shares = _shares(tree, sides, table.weight)
    losses = {leaf: loss(leaf) * table.weight for leaf in tree.topology.leaves.tolist()}
    whole = _expected(tree, sides, shares, losses, set())
    names = list(dict.fromkeys(columns.values()))
    without = {
        name: _expected(tree, sides, shares, losses, {t for t in uses if name in uses[t]})
        for name in set(names) & {name for used in uses.values() for name in used}
    }
    worse = np.array([max(without.get(name, whole) - whole, 0.0) for name in names])
    return worse / worse.sum() if worse.sum() > 0 else np.zeros(len(names))


def _columns_of_splits(tree: Tree) -> dict[int, set[str]]:
    """The raw columns that each branch uses, by node."""
    encoder = tree.fitted_encoder()
    origin = [*encoder.origin, *(f.column for f in encoder.kept for _ in f.categories)]
    return {
        t: {origin[j] for j in np.flatnonzero(tree.weights[t])}
        for t in tree.topology.branches.tolist()
    }


def _sides(tree: Tree, x: np.ndarray) -> dict[int, np.ndarray]:
    """The probability with which each point goes left at each branch, float64 (N,) by node."""
    side = tree.chance_left if isinstance(tree, RandomizedTree) else tree.goes_left
    return {t: side(t, x).astype(float) for t in tree.topology.branches.tolist()}


def _shares(tree: Tree, sides: dict[int, np.ndarray], weight: np.ndarray) -> dict[int, float]:
    """The share of the weight at each branch that goes left; 1/2 where no weight comes."""
    topology, here = tree.topology, {0: weight}
    shares = {}
    for t in topology.branches.tolist():
        left, total = float((here[t] * sides[t]).sum()), float(here[t].sum())
        shares[t] = left / total if total else 0.5
        here[int(topology.left[t])] = here[t] * sides[t]
        here[int(topology.right[t])] = here[t] * (1 - sides[t])
    return shares


def _expected(
    tree: Tree,
    sides: dict[int, np.ndarray],
    shares: dict[int, float],
    losses: dict[int, np.ndarray],
    unknown: set[int],
) -> float:
    """The whole loss where some branches go by their shares."""
    topology = tree.topology

    def below(node: int) -> np.ndarray:
        if node in losses:
            return losses[node]
        side = shares[node] if node in unknown else sides[node]
        left, right = below(int(topology.left[node])), below(int(topology.right[node]))
        return np.asarray(side * left + (1 - side) * right)

    return float(below(0).sum())
