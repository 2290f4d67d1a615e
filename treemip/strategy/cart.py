"""A start from scikit-learn's CART: its routing and labels fixed, the rest left to the solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.build import Building
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.symbolic import Symbolic
from treemip.model.blocks import Index, Rows
from treemip.model.model import Model
from treemip.model.rows import sparse_rows
from treemip.resolve.symbols import Symbol
from treemip.resolve.typed import At, Bound
from treemip.source.diagnostic import Diagnostic, TreemipError


def cart_routes(instance: Instance) -> tuple[np.ndarray, dict[int, int]]:
    """CART grown into the topology: the node each point ends in, int64 (N,), and those nodes' classes.

    A node where CART stops early, or where the topology ends, is where its points end.
    Raises E602 without scikit-learn.
    """
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise TreemipError(
            Diagnostic.outside(
                "E602", "a CART start needs scikit-learn", 'pip install "treemip[cart]"'
            )
        ) from None
    topology, table = instance.topology, instance.table
    assert topology is not None
    depth = int(topology.depth.max())
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0)
    grown = cart.fit(table.x, table.y, sample_weight=table.weight).tree_
    x = table.x.astype(np.float32)
    ends = np.zeros(len(x), np.int64)
    classes: dict[int, int] = {}

    def place(node: int, own: int, rows: np.ndarray) -> None:
        if grown.children_left[own] < 0 or topology.is_leaf[node]:
            ends[rows] = node
            counts = np.bincount(table.y[rows], table.weight[rows], len(table.classes))
            classes[node] = int(counts.argmax())
            return
        left = x[rows, grown.feature[own]] <= grown.threshold[own]
        place(int(topology.left[node]), int(grown.children_left[own]), rows[left])
        place(int(topology.right[node]), int(grown.children_right[own]), rows[~left])

    place(0, 0, np.arange(len(x)))
    return ends, classes


def fixed_model(instance: Instance, model: Model) -> Model:
    """The model with rows added that fix CART's routing and labels.

    Where CART ends at a branch, its points stay under that branch and all leaves below it get
    the class; which of them a point takes is left open. `model` is any model whose first columns
    are those of the lowered spec. Raises E205 where the formulation has no reach.
    """
    ends, classes = cart_routes(instance)
    extra = [_fixed(instance, model, "reach", _reach_tuples(ends))]
    topology = instance.topology
    assert topology is not None
    leaves, numbers = [], []
    for node, number in classes.items():
        below = topology.leaves_under.take(np.array([node])).items
        leaves.append(below)
        numbers.append(np.full(len(below), number))
    if "label" in instance.spec.concepts:
        labels = (np.concatenate(leaves), np.concatenate(numbers))
        extra.append(_fixed(instance, model, "label", labels))
    return replace(model, rows=(*model.rows, *extra))


def _reach_tuples(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(len(ends)), ends


def _fixed(
    instance: Instance, model: Model, concept: str, tuples: tuple[np.ndarray, np.ndarray]
) -> Rows:
    """concept[a,b] = 1 for the tuples, as rows of the lowered model."""
    symbol = instance.spec.concepts.get(concept)
    if symbol is None:
        raise TreemipError(
            Diagnostic.outside(
                "E205", f"a CART start needs the concept '{concept}'", "leave it out"
            )
        )
    building = Building(instance)
    building.starts = {b.name: b.start for b in model.variables}
    evaluator = Evaluator(instance, Symbolic(building))
    frame = Frame(len(tuples[0]), {"first": tuples[0], "second": tuples[1]})
    found = evaluator.linear(_at(symbol), frame)
    one = np.ones(frame.size)
    matrix = sparse_rows(found.row, found.var, found.coef, frame.size)
    index = Index(("row",), ("number",), (np.arange(frame.size) + 1,), frame.size)
    return Rows(
        f"start_{concept}", index, matrix, one - found.constant, one - found.constant, symbol.span
    )


def _at(symbol: Symbol) -> At:
    assert symbol.span is not None
    first = Bound(name="first", of=symbol.sorts[0], span=symbol.span)
    second = Bound(name="second", of=symbol.sorts[1], span=symbol.span)
    return At(symbol=symbol, arguments=(first, second), span=symbol.span)
