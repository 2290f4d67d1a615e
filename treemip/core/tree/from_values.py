"""From values to the tree users get: read out, repaired, labelled, its thresholds placed, and empty
leaves given values."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.model.tolerances import RECOMPUTED, VERIFIED
from treemip.core.resolve.typed import Symbol, at_all
from treemip.core.tree.answers import ValueAnswer, apart
from treemip.core.tree.meaning import (
    Recomputed,
    leaf_variables,
    meaning_of,
    on_alike_points,
    recomputed,
)
from treemip.core.tree.placement import placed
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.readout import readout, relabel
from treemip.core.tree.repair import astray, repair
from treemip.core.tree.tree import Tree


class Reading(NamedTuple):
    """A tree read out of values.

    repaired: heap numbers of the splits that were repaired. moved: whether one of them is another
    split than the values' by more than the tolerance of rows, so that they do not speak for it.
    """

    tree: Tree
    repaired: list[int]
    moved: bool


def tree_from_values(
    instance: Instance, values: dict[str, np.ndarray], end: np.ndarray | None
) -> Reading:
    """The tree of values by family.

    end: int64 (N,), the node each point should pass; None where that is not known.
    """
    tree, x = relabel(instance, readout(instance, values)), instance.table.inputs
    repaired: list[int] = []
    moved = False
    if end is not None and astray(tree, x, end).any():
        straightened, repaired = repair(tree, x, end)
        moved = bool(other_nodes(straightened, tree, VERIFIED).any())
        tree = relabel(instance, straightened)
    tree = filled(instance, placed(instance, tree, values), values)
    return Reading(tree, repaired, moved)


def settled_values(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], names: frozenset[str]
) -> dict[str, np.ndarray]:
    """Values that the tree itself gives to families that have a meaning, in place of a solution's.

    A solution leaves values free where nothing depends on them, such as the label of a leaf that
    no point reaches. A family takes its meaning unless another tree would be read out then.
    """
    end = None if isinstance(tree, RandomizedTree) else tree.route(instance.table.inputs)
    meant = [
        symbol
        for symbol in instance.spec.variables
        if symbol.name in names and symbol.means is not None and symbol.name in values
    ]
    points = on_alike_points(instance, tree, [at_all(symbol) for symbol in meant])
    evaluator = Evaluator(points, meaning_of(points, tree, values))
    settled = dict(values)
    for symbol in meant:
        own = values_of(symbol, evaluator)
        if not np.isfinite(own).all():  # it means something that this tree's leaves do not answer
            continue
        tried = {**settled, symbol.name: own}
        if same_tree(tree_from_values(instance, tried, end).tree, tree):
            settled = tried
    return settled


def values_of(symbol: Symbol, evaluator: Evaluator) -> np.ndarray:
    """A variable over its whole domain, float64 (length,)."""
    frame = evaluator.places.domain_frame(symbol)
    return np.asarray(evaluator.known(at_all(symbol), frame), float)


def same_tree(tree: Tree, other: Tree) -> bool:
    return tree.strict == other.strict and not other_nodes(tree, other).any()


def other_nodes(tree: Tree, other: Tree, tolerance: float = RECOMPUTED) -> np.ndarray:
    """Nodes whose split or answer differs by more than a relative tolerance, bool (nodes,).

    The trees have the same nodes, features and classes.
    """
    splits, others = (np.column_stack([t.weights, t.threshold]) for t in (tree, other))
    return tree.answer.differs(other.answer, tolerance) | apart(splits, others, tolerance)


# ---------------------------------------------- values for leaves that no training point reaches
#
# A solution says anything of such a leaf where nothing depends on it, and a new row may reach it.
# It then gets the mean of what the points of the nearest node above it are given.


def filled(instance: Instance, tree: Tree, values: dict[str, np.ndarray]) -> Tree:
    """The tree with values for its empty leaves, where these are free.

    Free: everything that the values are read from has a meaning on the tree, so that what depends
    on them is known, and with the other values neither the objective nor a constraint of the spec
    is worse. values: the solution's, by family.
    """
    answer = tree.answer
    if not isinstance(answer, ValueAnswer) or isinstance(tree, RandomizedTree):
        return tree
    passed = tree.path(instance.table.inputs)
    empty = [leaf for leaf in tree.topology.leaves.tolist() if not passed[:, leaf].any()]
    if not empty or not passed.any() or not _all_meant(instance):
        return tree
    given = tree.values(instance.table.inputs)
    base, slopes = answer.base.copy(), answer.slopes.copy()
    for leaf in empty:
        above = leaf
        while not passed[:, above].any():
            above = int(tree.topology.parent[above])
        here = passed[:, above]
        base[leaf] = np.average(given[here], weights=instance.table.weight[here])
        slopes[leaf] = 0.0
    other = replace(tree, answer=replace(answer, base=base, slopes=slopes))
    before, after = (
        recomputed(instance, meaning_of(instance, each, values), moved=False)
        for each in (tree, other)
    )
    return other if _as_good(instance, before, after) else tree


def _all_meant(instance: Instance) -> bool:
    names = leaf_variables(instance.spec)
    return all(s.means is not None for s in instance.spec.variables if s.name in names)


def _as_good(instance: Instance, before: Recomputed, after: Recomputed) -> bool:
    if len(after.side_violations) > len(before.side_violations):
        return False
    old, new, objective = before.objective, after.objective, instance.spec.objective
    if old is None or new is None or objective is None:
        return True
    worse = new - old if objective.sense == "minimize" else old - new
    return bool(worse <= RECOMPUTED * max(1.0, abs(old)))
