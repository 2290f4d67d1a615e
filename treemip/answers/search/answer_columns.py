"""From a tree's splits and leaves to the variables that `route` and `predict` read.

A variable with a meaning needs none of this. One without gets the value that makes `predict` answer
what the leaves do: 0 or 1 where it is the weight of a label, and where it is a part of a leaf's
value, what that part is. No formulation is known by name.
"""

from __future__ import annotations

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.leaf_answers import predict_table
from treemip.core.instance.instance import Instance
from treemip.core.resolve.typed import Symbol
from treemip.core.tree.tree_map import TreeMap


def answer_tables(instance: Instance, tree: Candidate, path: np.ndarray) -> dict[str, np.ndarray]:
    """The tables of the language that hold what a tree's leaves answer, flat.

    path float64 (N, nodes): where points go.
    """
    topology, table, values = tree.topology, instance.table, tree.values
    leaves = topology.leaves
    if values is None:
        predict = instance.spec.predict
        assert predict is not None
        labels = np.zeros((topology.size, _labels(instance)))
        labels[leaves] = tree.shares(_labels(instance))
        return {predict_table(predict): labels.ravel()}
    base, slopes = _base_and_slopes(instance, tree)
    of_leaf = base[leaves] + table.inputs @ slopes[leaves].T
    return {
        "given_value": base,
        "given_slope": slopes[:, : len(table.features)].ravel(),
        "given_prediction": (path[:, leaves] * of_leaf).sum(axis=1),
    }


def _labels(instance: Instance) -> int:
    predict = instance.spec.predict
    assert predict is not None and predict.over is not None
    return len(instance.names(predict.over))


def _base_and_slopes(instance: Instance, tree: Candidate) -> tuple[np.ndarray, np.ndarray]:
    """The constants (nodes,) and coefficients (nodes, inputs) of leaves' values, float64."""
    values, leaves = tree.values, tree.topology.leaves
    assert values is not None
    base = np.zeros(tree.topology.size)
    slopes = np.zeros((tree.topology.size, instance.table.inputs.shape[1]))
    base[leaves] = values[:, 0]
    if values.shape[1] > 1:
        slopes[leaves] = values[:, 1:]
    return base, slopes


def split_values(instance: Instance, tree: Candidate) -> dict[str, np.ndarray]:
    """The variables that a tree's splits determine, float64, by name."""
    return TreeMap.of(instance).split_values(tree.weights, tree.threshold)


def likely_split_values(instance: Instance, tree: Candidate) -> dict[str, np.ndarray]:
    """And those by which the splits may be said, where there are other ways."""
    return TreeMap.of(instance).likely_split_values(tree.weights, tree.threshold)


def answer_values(instance: Instance, tree: Candidate) -> dict[str, np.ndarray]:
    """The variables without a meaning that `predict` reads, float64, by name; those that do not
    follow from the answers are left out."""
    columns = TreeMap.of(instance)
    if tree.values is not None:
        base, slopes = _base_and_slopes(instance, tree)
        whole = np.concatenate([base[:, None], slopes], axis=1)
        parts = columns.parts
        known = {} if parts is None else columns.by_name(columns.solved([(parts, whole)]))
        return {s.name: known[s.name] for s in _without_meaning(instance) if s.name in known}
    symbol = columns.label_weight
    if symbol is None or symbol.means is not None:
        return {}
    leaf, label = columns.indices(symbol)
    chosen = np.zeros((tree.topology.size, _labels(instance)))
    chosen[tree.topology.leaves] = tree.shares(_labels(instance))
    return {symbol.name: chosen[leaf, label]}


def _without_meaning(instance: Instance) -> list[Symbol]:
    return [s for s in instance.spec.variables if s.means is None]
