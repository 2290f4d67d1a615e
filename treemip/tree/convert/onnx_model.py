"""A tree as an ONNX model over raw columns, in double precision.

Every product, sum and comparison is an operator of its own, in the order in which `routing`
computes, so that a runtime gives each row the class that the tree gives it. Operators that add in
an order of their own, as `Gemm` does, are used for sums of small whole numbers only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treemip.instance.encoder import Feature
from treemip.instance.encodings import MinMax
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.tree.convert.marks import number_of_mark
from treemip.tree.convert.onnx_graph import ML, Graph, demand_onnx
from treemip.tree.convert.raw_splits import (
    Branch,
    Leaf,
    Limit,
    RawTree,
    Sum,
    Term,
    Values,
    encoder_of,
    origins,
    scaling,
    takes_unseen,
    term_of,
)
from treemip.tree.convert.source_text import level_names
from treemip.tree.randomized import RandomizedTree
from treemip.tree.routing import FAR, LN2_HIGH, LN2_LOW, PER_LN2, RATIONAL

if TYPE_CHECKING:
    from onnx import ModelProto

COMPARISONS = {"<": "Less", "<=": "LessOrEqual", ">": "Greater", ">=": "GreaterOrEqual"}
UNSEEN, MISSING = -1, -2
"""What stands in place of the position of a level. -1 gathers the last entry of a table."""

NO_NUMBER = np.iinfo(np.int64).min
"""The prediction of a refused row where the classes are whole numbers."""

DESCRIPTION = (
    "A decision tree, written by treemip. Inputs are raw columns (rows, 1): doubles, NaN where "
    'missing, and texts, "" where missing. A row that the tree refuses has no prediction.'
)


def onnx_model(tree: RawTree) -> ModelProto:
    """The tree as a checked model; docs/convert.md describes its inputs and outputs.

    Raises E602 without onnx, E902 for names and categories that are no UTF-8, and for a column
    without a name.
    """
    demand_onnx()
    _require_storable(tree)
    columns = _Columns(Graph([f.column for f in _inputs(tree)]), tree)
    if isinstance(tree.tree, RandomizedTree):
        _add_outputs(columns, *_randomized(columns, tree.tree))
    else:
        _add_outputs(columns, _deterministic(columns), None)
    return columns.graph.model(tree.tree.name or "tree", DESCRIPTION)


def _inputs(tree: RawTree) -> tuple[Feature, ...]:
    """The columns that the tree asks for; some column where it asks for none, for their number."""
    encoder = encoder_of(tree.tree)
    return tree.features or (*encoder.features, *encoder.kept)[:1]


def _require_storable(tree: RawTree) -> None:
    """Raises E902 for leaves that predict no class, and for texts that ONNX, whose strings are
    UTF-8, cannot hold."""
    if tree.tree.answer.kind == "value":
        message = (
            "ONNX models are written of trees that predict classes, and this one predicts values"
        )
        raise TreemipError(Diagnostic.outside("E902", message, "write it as python, c or sql"))
    for feature in _inputs(tree):
        if not feature.column:
            message = "a column without a name cannot be an input of an ONNX model"
            raise TreemipError(Diagnostic.outside("E902", message, "name it in the data"))
    levels = (level for f in _inputs(tree) if f.levels is not None for level in level_names(f))
    for text in (*(f.column for f in _inputs(tree)), *levels, *tree.tree.classes):
        try:
            text.encode()
        except UnicodeEncodeError:
            message = f"{text!a} is not valid UTF-8, which texts in ONNX are"
            remedy = "write the tree as Python: treemip convert tree.json -o tree.py"
            raise TreemipError(Diagnostic.outside("E902", message, remedy)) from None


# ------------------------------------------------------------------------ raw columns


@dataclass
class _Columns:
    """Raw columns as tensors (rows, 1), and truth values `refused` of rows that have no class."""

    graph: Graph
    tree: RawTree
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = {f.column: self._value(f) for f in _inputs(self.tree)}

    @cached_property
    def shape(self) -> str:
        """The shape of a column."""
        return self.graph.apply("Shape", self.graph.inputs[0].name)

    def filled(self, number: object, kind: type) -> str:
        """A constant (1, k) for each row, (rows, k)."""
        return self.graph.apply("Expand", self.graph.constant(number, kind), self.shape)

    def _value(self, feature: Feature) -> str:
        """A double, finite; of a categorical column the position of its level, int64."""
        if feature.levels is None:
            return self._number(feature, 0.0 if feature.fill is None else feature.fill)
        graph = self.graph
        if feature.levels.numeric:
            position = self._position_of_number(feature)
        else:
            position = self._position_of_text(feature)
        missing = graph.apply("Equal", position, graph.constant(MISSING, np.int64))
        if feature.fill is None:
            self.refused.append(missing)
        else:
            fill = graph.constant(int(feature.fill), np.int64)
            position = graph.apply("Where", missing, fill, position)
        if not takes_unseen(feature):
            self.refused.append(graph.apply("Less", position, graph.constant(0, np.int64)))
        return position

    def _number(self, feature: Feature, fill: float) -> str:
        graph = self.graph
        raw = graph.add_input(feature.column, np.float64)
        missing, infinite = self._missing(raw), graph.apply("IsInf", raw)
        self.refused.append(infinite)
        if feature.fill is None:
            self.refused.append(missing)
        # In rows that are refused too a number stands, which no operator stumbles over.
        replaced = graph.apply("Or", missing, infinite)
        return graph.apply("Where", replaced, graph.constant(fill), raw)

    def _missing(self, raw: str) -> str:
        graph = self.graph
        marks = map(number_of_mark, encoder_of(self.tree.tree).marks)
        equal = [graph.apply("Equal", raw, graph.constant(m)) for m in marks if m is not None]
        return graph.fold("Or", [graph.apply("IsNaN", raw), *equal])

    def _position_of_number(self, feature: Feature) -> str:
        graph = self.graph
        raw = graph.add_input(feature.column, np.float64)
        levels = [float(name) for name in level_names(feature)]
        equal = graph.apply("Equal", raw, graph.constant([levels]))
        places = graph.constant(np.arange(1, len(levels) + 1)[:, None], np.float32)
        product = graph.apply("MatMul", graph.apply("Cast", equal, to=1), places)
        place = graph.apply("Cast", product, to=7)
        position = graph.apply("Sub", place, graph.constant(1, np.int64))
        missing = graph.constant(MISSING, np.int64)
        return graph.apply("Where", self._missing(raw), missing, position)

    def _position_of_text(self, feature: Feature) -> str:
        positions = {name: k for k, name in enumerate(level_names(feature))}
        positions |= dict.fromkeys(("", *encoder_of(self.tree.tree).marks), MISSING)
        return self.graph.apply(
            "LabelEncoder",
            self.graph.add_input(feature.column, str),
            domain=ML,
            keys_strings=list(positions),
            values_int64s=list(positions.values()),
            default_int64=UNSEEN,
        )

    # --------------------------------------------------------------------- sums

    def encoded(self, term: Term) -> str:
        """What the raw value becomes before its weight, (rows, 1) or (1, 1)."""
        graph, value = self.graph, self.values[term.feature.column]
        if term.table is not None:
            return graph.apply("Gather", graph.constant(term.table), value)
        if term.edge is not None:
            above = graph.apply("GreaterOrEqual", value, graph.constant(term.edge))
            return graph.apply("Cast", above, to=11)
        how = scaling(term.finish)
        if how is None:
            return value
        if isinstance(how, float):
            return graph.constant([[how]])
        origin, unit = how
        share = graph.apply("Sub", value, graph.constant(origin))
        share = graph.apply("Div", share, graph.constant(unit))
        infinite = graph.apply("IsInf", share)
        self.refused.append(infinite)
        share = graph.apply("Where", infinite, graph.constant(0.0), share)
        finish = term.finish
        if isinstance(finish, MinMax) and (finish.lower, finish.upper) != (0.0, 1.0):
            width = graph.constant(finish.upper - finish.lower)
            scaled = graph.apply("Mul", width, share)
            scaled = graph.apply("Add", graph.constant(finish.lower), scaled)
            whole = graph.apply("Equal", share, graph.constant(1.0))
            return graph.apply("Where", whole, graph.constant(finish.upper), scaled)
        return share

    def sums(self, branches: list[Branch]) -> str:
        """`routing.weighted_sum` of each branch, (rows, branches): weights of 0 change nothing."""
        graph, tree = self.graph, self.tree.tree
        weights = tree.weights[[branch.node for branch in branches]]
        total = self.filled(np.zeros((1, len(branches))), np.float64)
        places = list(origins(encoder_of(tree)))
        for j in np.flatnonzero(weights.any(axis=0)).tolist():
            factor = graph.constant(weights[None, :, j])
            product = graph.apply("Mul", self.encoded(term_of(*places[j], 1.0)), factor)
            total = graph.apply("Add", total, product)
        return total


# ------------------------------------------------------------------------ predictions


def _branches(node: Branch | Leaf) -> Iterator[Branch]:
    if isinstance(node, Branch):
        yield node
        yield from _branches(node.left)
        yield from _branches(node.right)


def _deterministic(columns: _Columns) -> str:
    """The number of each row's class, int64 (rows, 1)."""
    graph, tree = columns.graph, columns.tree
    branches = list(_branches(tree.root))
    one_column = [b for b in branches if not isinstance(b.split, Sum)]
    several = [b for b in branches if isinstance(b.split, Sum)]
    left = [_goes_left(columns, b.split) for b in one_column]
    if several:
        limits = tree.tree.threshold[[b.node for b in several]][None]
        operator = COMPARISONS["<" if tree.tree.strict else "<="]
        left.append(graph.apply(operator, columns.sums(several), graph.constant(limits)))
    signs, wanted, leaves = _paths(tree.root, [b.node for b in (*one_column, *several)])
    classes = graph.constant(tree.tree.leaf_class[leaves], np.int64)
    if not branches:
        return graph.apply("Gather", classes, columns.filled([[0]], np.int64))
    sides = graph.apply("Concat", *(graph.apply("Cast", each, to=1) for each in left), axis=1)
    # 0 at the leaf that a row reaches: all branches above send it there. Others are below 0.
    agreement = graph.apply(
        "Gemm", sides, graph.constant(signs, np.float32), graph.constant(wanted, np.float32)
    )
    return graph.apply("Gather", classes, graph.apply("ArgMax", agreement, axis=1))


def _goes_left(columns: _Columns, split: Limit | Values | Sum) -> str:
    """bool (rows, 1), for a split of one column."""
    assert not isinstance(split, Sum)
    graph, value = columns.graph, columns.values[split.feature.column]
    if isinstance(split, Limit):
        return graph.apply(COMPARISONS[split.operator], value, graph.constant(split.number))
    count = len(level_names(split.feature))
    table = [k in split.left for k in (*range(count), UNSEEN)]
    return graph.apply("Gather", graph.constant(table, bool), value)


def _paths(root: Branch | Leaf, nodes: list[int]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """What a row does at the branches above each leaf, in the order of `nodes`.

    signs (branches, leaves): 1 where the leaf is on the left of a branch, -1 on its right.
    wanted (1, leaves): minus the number of the former. The leaves, by node.
    """
    paths: list[tuple[int, list[tuple[int, int]]]] = []

    def follow(node: Branch | Leaf, path: list[tuple[int, int]]) -> None:
        if isinstance(node, Leaf):
            paths.append((node.node, path))
            return
        follow(node.left, [*path, (node.node, 1)])
        follow(node.right, [*path, (node.node, -1)])

    follow(root, [])
    signs = np.zeros((len(nodes), len(paths)))
    for k, (_, path) in enumerate(paths):
        for node, sign in path:
            signs[nodes.index(node), k] = sign
    return signs, -(signs == 1).sum(axis=0, keepdims=True), [leaf for leaf, _ in paths]


def _add_outputs(columns: _Columns, number: str, chances: str | None) -> None:
    """The class, the classes' probabilities, and which rows are refused."""
    graph, tree = columns.graph, columns.tree.tree
    count = len(tree.classes)
    refused = graph.fold("Or", [columns.filled([[False]], bool), *columns.refused])
    if chances is None:
        table = np.vstack([np.eye(count), np.full((1, count), np.nan)])
    number = graph.apply("Where", refused, graph.constant(count, np.int64), number)
    flat = graph.constant([1], np.int64)
    number = graph.apply("Squeeze", number, flat)
    values = tree.class_values
    kind = str if values.dtype == object else values.dtype.type
    none = {str: "", np.int64: NO_NUMBER}.get(kind, np.nan)
    prediction = graph.apply("Gather", graph.constant([*values.tolist(), none], kind), number)
    if chances is None:
        chances = graph.apply("Gather", graph.constant(table), number)
    else:
        chances = graph.apply("Where", refused, graph.constant(np.nan), chances)
    graph.add_output("prediction", prediction, kind, ["rows"])
    graph.add_output("probabilities", chances, np.float64, ["rows", count])
    graph.add_output("refused", graph.apply("Squeeze", refused, flat), bool, ["rows"])


# ------------------------------------------------------------------------ randomized trees


def _randomized(columns: _Columns, tree: RandomizedTree) -> tuple[str, str]:
    """The number of the most probable class, int64 (rows, 1), and the probability of each class."""
    graph, root = columns.graph, columns.tree.root
    branches = list(_branches(root))
    reached: dict[int, str] = {}
    if branches:
        limits = tree.threshold[[b.node for b in branches]][None]
        sums = columns.sums(branches)
        left = _logistic(graph, graph.apply("Sub", sums, graph.constant(limits)))
        right = graph.apply("Sub", graph.constant(1.0), left)
        places = {b.node: graph.constant([k], np.int64) for k, b in enumerate(branches)}
        sides = {
            node: [graph.apply("Gather", side, place, axis=1) for side in (left, right)]
            for node, place in places.items()
        }
        reached = dict(_reached(graph, root, sides, None))
    else:
        reached[root.node] = columns.filled([[1.0]], np.float64)
    addends = [
        graph.apply("Mul", reached[leaf], graph.constant(tree.distribution[leaf][None]))
        for leaf in sorted(reached)
    ]
    chances = graph.fold("Add", addends)
    return graph.apply("ArgMax", chances, axis=1), chances


def _reached(
    graph: Graph, node: Branch | Leaf, sides: dict[int, list[str]], passed: str | None
) -> Iterator[tuple[int, str]]:
    """The probability of each leaf below a node that is passed with a probability; 1 for None."""
    if isinstance(node, Leaf):
        assert passed is not None
        yield node.node, passed
        return
    for child, side in zip((node.left, node.right), sides[node.node], strict=True):
        yield from _reached(
            graph, child, sides, side if passed is None else graph.apply("Mul", passed, side)
        )


def _logistic(graph: Graph, u: str) -> str:
    """`routing.logistic`, operation by operation; a runtime's `Sigmoid` differs by machine."""
    far, one = graph.constant(FAR), graph.constant(1.0)
    size = graph.apply("Min", graph.apply("Abs", u), far)
    small = _exp(graph, graph.apply("Neg", size))
    positive = graph.apply("GreaterOrEqual", u, graph.constant(0.0))
    above = graph.apply("Where", positive, one, small)
    return graph.apply("Div", above, graph.apply("Add", one, small))


def _exp(graph: Graph, u: str) -> str:
    """`routing`'s exp of u from -FAR to 0."""

    def times(a: str, b: str | float) -> str:
        return graph.apply("Mul", a, b if isinstance(b, str) else graph.constant(b))

    power = graph.apply("Round", times(u, PER_LN2))
    high = graph.apply("Sub", u, times(power, LN2_HIGH))
    low = times(power, LN2_LOW)
    rest = graph.apply("Sub", high, low)
    square = times(rest, rest)
    series = times(square, RATIONAL[-1])
    for coefficient in reversed(RATIONAL[:-1]):
        series = times(square, graph.apply("Add", graph.constant(coefficient), series))
    series = graph.apply("Sub", rest, series)
    quotient = graph.apply(
        "Div", times(rest, series), graph.apply("Sub", graph.constant(2.0), series)
    )
    value = graph.apply("Sub", graph.apply("Sub", low, quotient), high)
    value = graph.apply("Sub", graph.constant(1.0), value)
    # 2^power in two factors: below 2^-1074 it is no double, and the product rounds once.
    places = np.arange(int(FAR * PER_LN2) + 2)
    place = graph.apply("Cast", graph.apply("Neg", power), to=7)
    for part in (places // 2, places - places // 2):
        table = graph.constant(2.0 ** -part.astype(float))
        value = times(value, graph.apply("Gather", table, place))
    return value
