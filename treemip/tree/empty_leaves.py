"""Values for leaves that no training point reaches.

A solution says anything of such a leaf where nothing depends on it, and a new row may reach it. It
then gets the mean of what the points of the nearest node above it are given.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.instance.instance import Instance
from treemip.model.tolerances import RECOMPUTED
from treemip.tree.answers import ValueAnswer
from treemip.tree.meaning import Recomputed, leaf_variables, meaning_of, recomputed
from treemip.tree.randomized import RandomizedTree
from treemip.tree.tree import Tree


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
