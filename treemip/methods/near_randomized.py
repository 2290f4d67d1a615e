"""Randomized trees that are nearly as good as the best: the local solutions of a search.

Each start of the search ends in a local solution of the solver's model. Two of them are the same
tree if every training point most probably ends in the same leaf and branches use the same features.
"""

from __future__ import annotations

import numpy as np

from treemip.answers.search.randomized_trees.randomized_search import RandomizedSearch
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value
from treemip.core.tree.readout import by_name, read_randomized
from treemip.core.tree.tree import Tree
from treemip.methods.near_optimal import NearOptimal, Signature, allowed


def near_randomized(
    instance: Instance,
    stated: Model,
    model: Model,
    best: np.ndarray,
    most: int,
    within: float,
    seconds: float,
) -> NearOptimal:
    """At most `most` trees within a share `within` of the best solution's objective, it included.

    model: the stated one reformulated for its solver; best and the values returned are float64
    (columns of the model,). seconds: of wall clock. Raises NoSums as `RandomizedSearch` does.
    """
    search = RandomizedSearch(instance, stated, model, seconds, seed=0)
    search.run()
    sign = model.objective.sign
    every = [(sign * objective_value(model, best), best)]
    every += [(one.worth, one.values) for one in search.tried]
    every.sort(key=lambda pair: pair[0])
    worst = sign * allowed(sign * every[0][0], within, model.objective.sense)
    trees: dict[Signature, np.ndarray] = {}
    for worth, values in every:
        if worth <= worst:
            trees.setdefault(_signature(instance, stated, values), values)
    return NearOptimal(tuple(trees.values())[:most], len(trees), False, "search")


def _signature(instance: Instance, stated: Model, values: np.ndarray) -> Signature:
    tree = read_randomized(instance, by_name(stated, values[: stated.column_count]))
    return signature_of_randomized(tree, instance.table.inputs)


def signature_of_randomized(tree: Tree, x: np.ndarray) -> Signature:
    """The most probable leaf of each point x (M, p), leaves numbered as points meet them, and the
    features of the branches in any order."""
    _, first, number = np.unique(tree.route(x), return_index=True, return_inverse=True)
    in_order = np.argsort(np.argsort(first))[number.ravel()]
    used = np.packbits(tree.weights[tree.topology.branches] != 0, axis=1)
    return Signature(in_order.tobytes(), b"|".join(sorted(row.tobytes() for row in used)))
