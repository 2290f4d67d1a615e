"""From what the leaves of a tree answer to the variables that `predict` reads.

A variable with a meaning needs none of this. One without gets the value that makes `predict` answer
what the leaves do: 0 or 1 where it is the weight of a label, and where it is a part of a leaf's
value, what that part is. No formulation is known by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.value_sources import Solution
from treemip.resolve.other_names import variable_behind
from treemip.resolve.typed import At, Bound, Reduction, Symbol
from treemip.search.candidate import Candidate
from treemip.search.leaf_answers import predict_table
from treemip.tree.meaning import leaf_variables
from treemip.tree.read_answers import leaf_values

KEY = "variables of leaf values"


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
        labels[leaves, tree.labels] = 1.0
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


def answer_values(instance: Instance, tree: Candidate) -> dict[str, np.ndarray]:
    """The variables without a meaning that `predict` reads, float64, by name; those that do not
    follow from the answers are left out."""
    if tree.values is not None:
        return _parts_of_values(instance, tree)
    symbol = _weight_of_labels(instance)
    if symbol is None or symbol.means is not None:
        return {}
    frame = Evaluator(instance, Solution({})).places.domain_frame(symbol)
    leaf, label = (frame.column(name) for name in symbol.domain.names)
    chosen = np.full(tree.topology.size, -1)
    chosen[tree.topology.leaves] = tree.labels
    return {symbol.name: (chosen[leaf] == label).astype(float)}


def _weight_of_labels(instance: Instance) -> Symbol | None:
    """The variable v where `predict` says argmax {k in …} v[l,k]."""
    predict = instance.spec.predict
    value = None if predict is None else predict.value
    if not isinstance(value, Reduction) or value.op != "argmax" or value.guard:
        return None
    body = value.body
    variable = variable_behind(body.symbol) if isinstance(body, At) else None
    if not isinstance(body, At) or variable is None:
        return None
    names = [a.name if isinstance(a, Bound) else "" for a in body.arguments]
    return variable if len(names) == 2 and names[1] == value.binders[0].name else None


@dataclass(frozen=True)
class Places:
    """Where a variable stands in leaves' values: cell (nodes x (1 + inputs)) of each column, int64,
    and by what it is multiplied there, float64."""

    cell: np.ndarray
    rate: np.ndarray


def _parts_of_values(instance: Instance, tree: Candidate) -> dict[str, np.ndarray]:
    base, slopes = _base_and_slopes(instance, tree)
    whole = np.concatenate([base[:, None], slopes], axis=1).ravel()
    places = _places(instance)
    return {name: whole[one.cell] / one.rate for name, one in places.items()}


def _places(instance: Instance) -> dict[str, Places]:
    """The places of the variables that have one each, cached: the parts of the values that change
    where one index of a variable, of all leaves at once, has the value 1."""
    spec, known = instance.learned.get(KEY, (None, None))
    if spec is not instance.spec:
        known = _read(instance)
        instance.learned[KEY] = instance.spec, known
    assert isinstance(known, dict)
    return known


def _read(instance: Instance) -> dict[str, Places]:
    own = leaf_variables(instance.spec)
    symbols = [s for s in instance.spec.variables if s.name in own]
    names = Evaluator(instance, Solution({}))
    frames = {s.name: names.places.domain_frame(s) for s in symbols}
    zero = {name: np.zeros(frame.size) for name, frame in frames.items()}
    places, taken = {}, np.zeros(0, np.int64)
    before = _parts(instance, zero)
    for symbol in symbols:
        frame = frames[symbol.name]
        columns = [frame.column(name) for name in symbol.domain.names]
        if not columns:
            return {}
        rest = np.zeros(frame.size, np.int64)
        if len(columns) > 1:
            rest = np.unique(np.array(columns[1:]), axis=1, return_inverse=True)[1].ravel()
        cell, rate = np.full(frame.size, -1), np.zeros(frame.size)
        for one in np.unique(rest):
            here = np.flatnonzero(rest == one)
            values = {**zero, symbol.name: (rest == one).astype(float)}
            change = _parts(instance, values) - before
            node, part = np.nonzero(change)
            at = dict(zip(node.tolist(), part.tolist(), strict=True))
            leaf = columns[0][here]
            if len(at) < len(node) or not set(leaf.tolist()) <= set(at):
                return {}
            parts = np.array([at[k] for k in leaf.tolist()])
            cell[here], rate[here] = leaf * before.shape[1] + parts, change[leaf, parts]
        taken = np.concatenate([taken, cell])
        places[symbol.name] = Places(cell, rate)
    if before.any() or len(np.unique(taken)) < len(taken):
        return {}
    return {s.name: places[s.name] for s in symbols if s.means is None}


def _parts(instance: Instance, values: dict[str, np.ndarray]) -> np.ndarray:
    """Constants and coefficients of leaves' values, float64 (nodes, 1 + inputs)."""
    answer = leaf_values(instance, values)
    return np.concatenate([answer.base[:, None], answer.slopes], axis=1)
