"""A model with a tree's routing and labels fixed; all that follows is left to the solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.model_columns import ModelBuilder, ModelColumns
from treemip.model.blocks import Index, Rows
from treemip.model.model import Model
from treemip.resolve.sorts import Degree
from treemip.resolve.typed import At, Bound, Role, Symbol
from treemip.strategy.concepts import with_concept

ADDED = "start_"
"""How the names of the rows begin that are added here."""


def fix_tree(
    instance: Instance, model: Model, ends: np.ndarray, classes: Mapping[int, int]
) -> Model:
    """The model with rows added: each point passes its node, and leaves have no other class.

    ends: int64 (N,), a node of the topology for each training point, leaf or branch; below a
    branch its points may go where they like. classes: class number by node; it holds for the node
    or, at a branch, for all leaves below it. `model` is any model whose first columns are those
    of the lowered spec; where the spec does not mention reach, its default is put behind them.
    Where the formulation itself says what each leaf predicts, labels are not fixed, nor to which
    side of a last branch a point goes. Raises NoStart where the formulation has no reach.
    """
    instance, model = with_concept(instance, model, "reach")
    topology, label = instance.topology, instance.spec.concepts.get("label")
    assert topology is not None
    given_labels = label is not None and label.role is Role.LET and label.degree is Degree.KNOWN
    if given_labels:
        ends = np.where(topology.is_leaf[ends], topology.parent[ends], ends)
    ends = _within_reach(instance, ends)
    extra = [_fixed(instance, model, "reach", (np.arange(len(ends)), ends), 1.0)]
    if label is not None and classes and not given_labels:
        below = [topology.leaves_under.take(np.array([node])).items for node in classes]
        leaves = np.concatenate(below)
        given = np.repeat(list(classes.values()), [len(b) for b in below])
        # The other classes are excluded rather than this one demanded, since OCT's leaves
        # without points have no label at all.
        number = np.arange(len(instance.table.classes))
        leaf, other = np.nonzero(number != given[:, None])
        extra.append(_fixed(instance, model, "label", (leaves[leaf], other), 0.0))
    return replace(model, rows=(*model.rows, *extra))


def _within_reach(instance: Instance, ends: np.ndarray) -> np.ndarray:
    """Each point's node, or the first above it that the formulation's reach is declared for."""
    reach, topology = instance.spec.concepts["reach"], instance.topology
    assert topology is not None
    places = Evaluator(instance, ModelColumns(ModelBuilder(instance))).places
    points, found = np.arange(len(ends)), ends.copy()
    while reach.extension is None:
        outside = places.locate(reach, [points, found], Frame(len(found), {})) < 0
        outside &= topology.parent[found] >= 0
        if not outside.any():
            break
        found[outside] = topology.parent[found[outside]]
    return found


def _fixed(
    instance: Instance,
    model: Model,
    concept: str,
    tuples: tuple[np.ndarray, np.ndarray],
    value: float,
) -> Rows:
    """concept[a,b] = value for the tuples, as rows of the lowered model."""
    symbol = instance.spec.concepts[concept]
    building = ModelBuilder(instance)
    building.starts = {b.name: b.start for b in model.variables}
    evaluator = Evaluator(instance, ModelColumns(building))
    frame = Frame(len(tuples[0]), {"first": tuples[0], "second": tuples[1]})
    found = evaluator.linear(_at(symbol), frame)
    side = value - found.constant
    matrix = found.matrix()
    index = Index(("row",), ("number",), (np.arange(frame.size) + 1,), frame.size)
    return Rows(f"{ADDED}{concept}", index, matrix, side, side, symbol.span)


def _at(symbol: Symbol) -> At:
    assert symbol.span is not None
    first = Bound(name="first", of=symbol.sorts[0], span=symbol.span)
    second = Bound(name="second", of=symbol.sorts[1], span=symbol.span)
    return At(symbol=symbol, arguments=(first, second), span=symbol.span)
