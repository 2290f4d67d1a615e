"""A tree as an ONNX model over raw columns, in double precision.

Every product, sum and comparison is an operator of its own, in the order in which `routing`
computes, so that a runtime gives each row the class or value that the tree gives it. Operators that
add in an order of their own, as `Gemm` does, are used for sums of small whole numbers only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.source.diagnostic import refused
from treemip.core.tree.routing import FAR, LN2_HIGH, LN2_LOW, PER_LN2, RATIONAL
from treemip.writers.convert.onnx_columns import Columns, inputs_of
from treemip.writers.convert.onnx_graph import Graph, demand_onnx
from treemip.writers.convert.raw_splits import (
    UNSEEN,
    Branch,
    Leaf,
    Limit,
    Missing,
    RawTree,
    Sum,
    Values,
    branches,
    level_names,
    paths,
)

if TYPE_CHECKING:
    from onnx import ModelProto

COMPARISONS = {"<": "Less", "<=": "LessOrEqual", ">": "Greater", ">=": "GreaterOrEqual"}
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
    columns = Columns(Graph([f.column for f in inputs_of(tree)]), tree)
    if tree.is_randomized:
        reached = _reached(columns)
        if tree.predicts_values:
            _add_values(columns, _expected(columns, reached))
        else:
            _add_outputs(columns, *_most_probable(columns, reached))
        return columns.graph.model(tree.tree.name or "tree", DESCRIPTION)
    position, leaves = _leaf_reached(columns)
    if tree.predicts_values:
        _add_values(columns, _value(columns, position, leaves))
    else:
        _add_outputs(columns, *_classes(columns, position, leaves))
    return columns.graph.model(tree.tree.name or "tree", DESCRIPTION)


def _require_storable(tree: RawTree) -> None:
    """Raises E902 for texts that ONNX, whose strings are UTF-8, cannot hold."""
    for feature in inputs_of(tree):
        if not feature.column:
            message = "a column without a name cannot be an input of an ONNX model"
            raise refused(message, "name it in the data")
    levels = (level for f in inputs_of(tree) if f.levels is not None for level in level_names(f))
    for text in (*(f.column for f in inputs_of(tree)), *levels, *tree.tree.classes):
        try:
            text.encode()
        except UnicodeEncodeError:
            message = f"{text!a} is not valid UTF-8, which texts in ONNX are"
            remedy = "write the tree as Python: treemip convert tree.json -o tree.py"
            raise refused(message, remedy) from None


# ------------------------------------------------------------------------ predictions


def _leaf_reached(columns: Columns) -> tuple[str, list[int]]:
    """The position of each row's leaf among those that rows can reach, int64 (rows, 1), and these
    by node."""
    graph, tree = columns.graph, columns.tree
    every = list(branches(tree.root))
    one_column = [b for b in every if not isinstance(b.split, Sum)]
    several = [b for b in every if isinstance(b.split, Sum)]
    left = [_goes_left(columns, b.split) for b in one_column]
    if several:
        nodes = [b.node for b in several]
        sums, limits = columns.sums(tree.tree.weights[nodes]), tree.tree.threshold[nodes][None]
        operator = COMPARISONS["<" if tree.tree.strict else "<="]
        left.append(graph.apply(operator, sums, graph.constant(limits)))
    signs, wanted, leaves = _paths(tree.root, [b.node for b in (*one_column, *several)])
    if not every:
        return columns.filled([[0]], np.int64), leaves
    sides = graph.apply("Concat", *(graph.apply("Cast", each, to=1) for each in left), axis=1)
    # 0 at the leaf that a row reaches: all branches above send it there. Others are below 0.
    agreement = graph.apply(
        "Gemm", sides, graph.constant(signs, np.float32), graph.constant(wanted, np.float32)
    )
    return graph.apply("ArgMax", agreement, axis=1), leaves


def _goes_left(columns: Columns, split: Limit | Missing | Values | Sum) -> str:
    """bool (rows, 1), for a split of one column."""
    assert not isinstance(split, Sum)
    graph = columns.graph
    absent = columns.missing.get(split.feature.column, "")
    if isinstance(split, Missing):
        return absent if split.left else graph.apply("Not", absent)
    present = _present_goes_left(columns, split)
    if split.missing is None:
        return present
    # onnxruntime has no Where of truth values.
    if split.missing:
        return graph.apply("Or", absent, present)
    return graph.apply("And", graph.apply("Not", absent), present)


def _present_goes_left(columns: Columns, split: Limit | Values) -> str:
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
    ends = [(node.node, path) for node, path in paths(root) if isinstance(node, Leaf)]
    signs = np.zeros((len(nodes), len(ends)))
    for k, (_, path) in enumerate(ends):
        for branch, left in path:
            signs[nodes.index(branch.node), k] = 1 if left else -1
    return signs, -(signs == 1).sum(axis=0, keepdims=True), [leaf for leaf, _ in ends]


def _classes(columns: Columns, position: str, leaves: list[int]) -> tuple[str, str | None]:
    """The number of each row's class, int64 (rows, 1), and the probability of each class, 0 or 1
    where leaves choose from a group; None where it is not known."""
    graph, tree, shares = columns.graph, columns.tree.tree, columns.tree.shares
    classes = graph.constant(tree.leaf_class[leaves], np.int64)
    number = graph.apply("Gather", classes, position)
    if shares is None and tree.predicts_label:
        return number, None
    table = graph.constant((tree.distribution if shares is None else shares)[leaves])
    at = graph.apply("Squeeze", position, graph.constant([1], np.int64))
    return number, graph.apply("Gather", table, at)


def _add_outputs(columns: Columns, number: str, chances: str | None) -> None:
    """The class, the classes' probabilities where they are known, and which rows are refused."""
    graph, tree = columns.graph, columns.tree.tree
    count = len(tree.classes)
    refused = graph.fold("Or", [columns.filled([[False]], bool), *columns.refused])
    number = graph.apply("Where", refused, graph.constant(count, np.int64), number)
    flat = graph.constant([1], np.int64)
    number = graph.apply("Squeeze", number, flat)
    values = tree.class_values
    kind = str if values.dtype == object else values.dtype.type
    none = {str: "", np.int64: NO_NUMBER}.get(kind, np.nan)
    prediction = graph.apply("Gather", graph.constant([*values.tolist(), none], kind), number)
    graph.add_output("prediction", prediction, kind, ["rows"])
    if chances is not None:
        chances = graph.apply("Where", refused, graph.constant(np.nan), chances)
        graph.add_output("probabilities", chances, np.float64, ["rows", count])
    graph.add_output("refused", graph.apply("Squeeze", refused, flat), bool, ["rows"])


def _add_values(columns: Columns, value: str) -> None:
    """The value (rows, 1), NaN where a row is refused, and which rows these are."""
    graph, flat = columns.graph, columns.graph.constant([1], np.int64)
    refused = graph.fold("Or", [columns.filled([[False]], bool), *columns.refused])
    value = graph.apply("Where", refused, graph.constant(np.nan), value)
    graph.add_output("prediction", graph.apply("Squeeze", value, flat), np.float64, ["rows"])
    graph.add_output("refused", graph.apply("Squeeze", refused, flat), bool, ["rows"])


def _value(columns: Columns, position: str, leaves: list[int]) -> str:
    """What the leaf at a position answers, (rows, 1)."""
    graph, answer = columns.graph, columns.tree.tree.value_answer
    if not answer.slopes[leaves].any():
        return graph.apply("Gather", graph.constant(answer.base[leaves]), position)
    return graph.apply("GatherElements", _values_of(columns, leaves), position, axis=1)


def _values_of(columns: Columns, leaves: list[int]) -> str:
    """What each of these leaves would answer, (rows, leaves)."""
    answer = columns.tree.tree.value_answer
    sums = columns.sums(answer.slopes[leaves])
    return columns.graph.apply("Add", columns.graph.constant(answer.base[leaves][None]), sums)


# ------------------------------------------------------------------------ randomized trees


def _reached(columns: Columns) -> dict[int, str]:
    """The probability (rows, 1) of each leaf by node, in the order of the leaves."""
    graph, root, tree = columns.graph, columns.tree.root, columns.tree.tree
    every = list(branches(root))
    if not every:
        return {root.node: columns.filled([[1.0]], np.float64)}
    nodes = [b.node for b in every]
    sums = columns.sums(tree.weights[nodes])
    left = _logistic(graph, graph.apply("Sub", sums, graph.constant(tree.threshold[nodes][None])))
    right = graph.apply("Sub", graph.constant(1.0), left)
    places = {node: graph.constant([k], np.int64) for k, node in enumerate(nodes)}
    sides = {
        node: [graph.apply("Gather", side, place, axis=1) for side in (left, right)]
        for node, place in places.items()
    }
    return dict(sorted(_passed(graph, root, sides, None)))


def _most_probable(columns: Columns, reached: dict[int, str]) -> tuple[str, str]:
    """The number of the most probable class, int64 (rows, 1), and the probability of each class."""
    graph, shares = columns.graph, columns.tree.tree.distribution
    addends = [
        graph.apply("Mul", passed, graph.constant(shares[leaf][None]))
        for leaf, passed in reached.items()
    ]
    chances = graph.fold("Add", addends)
    return graph.apply("ArgMax", chances, axis=1), chances


def _expected(columns: Columns, reached: dict[int, str]) -> str:
    """The expected value, (rows, 1)."""
    graph = columns.graph
    values = _values_of(columns, list(reached))
    places = [graph.constant([k], np.int64) for k in range(len(reached))]
    each = [graph.apply("Gather", values, place, axis=1) for place in places]
    pairs = zip(reached.values(), each, strict=True)
    return graph.fold("Add", [graph.apply("Mul", passed, value) for passed, value in pairs])


def _passed(
    graph: Graph, node: Branch | Leaf, sides: dict[int, list[str]], passed: str | None
) -> Iterator[tuple[int, str]]:
    """The probability of each leaf below a node that is passed with a probability; 1 for None."""
    if isinstance(node, Leaf):
        assert passed is not None
        yield node.node, passed
        return
    for child, side in zip((node.left, node.right), sides[node.node], strict=True):
        yield from _passed(
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
