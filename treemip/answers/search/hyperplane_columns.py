"""Which columns of a model are hyperplanes, and which follow from the way of one point.

Coefficients and thresholds are those of the spec's `TreeMap`. Other columns are known by what their
variables mean: where that is affine in the nodes that one point passes, the leaf in which the point
ends settles them. No variable is known by its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treemip.answers.search.sums import NoSums
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear, Value
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.lower.value_sources import Nothing
from treemip.core.model.blocks import Index, SparseRows
from treemip.core.model.model import Model
from treemip.core.resolve.builtins import is_only_on_a_tree
from treemip.core.resolve.typed import At, Bound, Role, Symbol, at_all
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Span
from treemip.core.tree.tree_map import NONE, TreeMap


@dataclass(frozen=True)
class HyperplaneColumns:
    """coef int64 (nodes, p) and bias int64 (nodes,): columns of the model, NONE at leaves.

    unit float64 (columns,): how much a column is of its coefficient or threshold, 1 for others.
    """

    instance: Instance
    model: Model
    topology: Forest
    coef: np.ndarray
    bias: np.ndarray
    unit: np.ndarray

    @classmethod
    def of(cls, instance: Instance, model: Model) -> HyperplaneColumns:
        """Raises NoSums where coefficients or thresholds are not single columns of the model."""
        topology = instance.topology
        if topology is None:
            raise NoSums("it has no topology")
        columns, unit = TreeMap.of(instance), np.ones(model.column_count)
        coef = columns.coef.table((topology.size, instance.table.inputs.shape[1]))
        bias = columns.bias.table((topology.size,))
        own = np.append(coef[topology.branches], bias[topology.branches])
        constant = columns.coef.constant.any() or columns.bias.constant.any()
        if constant or (own == NONE).any() or len(np.unique(own)) < len(own):
            raise NoSums("its hyperplanes are no variables for each branch")
        for cells in (columns.coef, columns.bias):
            unit[cells.column] = 1.0 / cells.rate
        return cls(instance, model, topology, coef, bias, unit)

    @property
    def features(self) -> int:
        return self.coef.shape[1]

    @cached_property
    def branch_of(self) -> np.ndarray:
        """The branch whose hyperplane a column belongs to, int64 (columns,), NONE for others."""
        owner = np.full(self.model.column_count, NONE)
        branches = self.topology.branches
        owner[self.coef[branches]] = branches[:, None]
        owner[self.bias[branches]] = branches
        return owner

    @cached_property
    def entry(self) -> np.ndarray:
        """The feature of a coefficient's column, p for thresholds, NONE for others."""
        entry = np.full(self.model.column_count, NONE)
        branches = self.topology.branches
        entry[self.coef[branches]] = np.arange(self.features)
        entry[self.bias[branches]] = self.features
        return entry

    @cached_property
    def feature_of(self) -> np.ndarray:
        """The feature of a coefficient's column, int64 (columns,), NONE for others."""
        return np.where(self.entry < self.features, self.entry, NONE)


def one_branch(matrix: SparseRows, branch: np.ndarray) -> np.ndarray:
    """The branch whose columns each row has, int64 (rows,), NONE where a row has columns of several
    branches or of none. branch int64 (columns,): NONE for columns of none, which do not count."""
    of = branch[matrix.indices]
    own = of != NONE
    low, high = np.full(matrix.count, len(branch)), np.full(matrix.count, NONE)
    np.minimum.at(low, matrix.row_of[own], of[own])
    np.maximum.at(high, matrix.row_of[own], of[own])
    return np.where(low == high, high, NONE)


def positions(instance: Instance, index: Index, sort: str) -> np.ndarray:
    """The point, node, feature or class of each entry of a block, its first of that sort, int64;
    NONE where it is about none."""
    if sort not in index.sorts:
        return np.full(index.length, NONE)
    labels = index.columns[index.sorts.index(sort)]
    if sort not in ("point", "node"):
        return np.asarray(labels - 1)
    every = instance.table.row_numbers if sort == "point" else instance.nodes.heap
    order = np.argsort(every)
    return np.asarray(order[np.searchsorted(every, labels, sorter=order)])


def reach_rows(instance: Instance) -> SparseRows:
    """The concept `reach` as rows over the model's columns, one for each point and node, the nodes
    of a point one after the other. Raises NoSums where the model does not say it of all nodes."""
    reach, topology = instance.spec.concepts.get("reach"), instance.topology
    if reach is None or topology is None:
        raise NoSums("it has no reach")
    building = ModelBuilder(instance)
    building.starts.update(TreeMap.of(instance).starts)
    nodes, points = topology.size, len(instance.table.y)
    i, t = np.repeat(np.arange(points), nodes), np.tile(np.arange(nodes), points)
    assert reach.span is not None
    names = (("i", reach.sorts[0]), ("t", reach.sorts[1]))
    at = At(
        symbol=reach,
        arguments=tuple(Bound(name=n, of=s, span=reach.span) for n, s in names),
        span=reach.span,
    )
    try:
        evaluator = Evaluator(instance, ModelColumns(building))
        return evaluator.linear(at, Frame(len(i), {"i": i, "t": t})).matrix()
    except (TypeError, TreemipError):
        raise NoSums("its reach is not known at every node") from None


# ------------------------------------------------------------------- the way of a point


class _NotSettled(Exception):
    """A meaning depends on more than ways of points."""


class _Ways(Nothing):
    """The source of values in which a point's passing a node is an unknown."""

    def __init__(self, instance: Instance, nodes: int) -> None:
        self.routed = Linear.variables(np.arange(len(instance.table.y) * nodes))

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        if symbol.name == "routed":
            return self.routed
        if symbol.role is Role.DATA and is_only_on_a_tree(symbol.name):
            raise _NotSettled
        return symbol.means

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        raise _NotSettled


@dataclass(frozen=True)
class Ways:
    """Columns that the way of one point settles: constant + a sum over the nodes it passes.

    point int64 (columns,): whose way, NONE for other columns. constant float64 (columns,). column,
    node int64 and coef float64: the entries of the sums.
    """

    point: np.ndarray
    constant: np.ndarray
    column: np.ndarray
    node: np.ndarray
    coef: np.ndarray
    topology: Forest

    @classmethod
    def of(cls, instance: Instance, model: Model, asked: np.ndarray) -> Ways:
        """asked: bool (columns,); of families without any of these columns nothing is known."""
        topology = instance.nodes
        evaluator = Evaluator(instance, _Ways(instance, topology.size))
        parts, constant = [], np.zeros(model.column_count)
        for symbol in instance.spec.variables:
            block = model.block(symbol.name)
            own = slice(block.start, block.stop)
            value = _settled(symbol, evaluator) if asked[own].any() else None
            if value is not None:
                matrix = value.matrix()
                constant[own] = value.constant
                parts.append((block.start + matrix.row_of, matrix.indices, matrix.data))
        none = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        column, place, coef = map(np.concatenate, zip(none, *parts, strict=True))
        of_entry, node = np.divmod(place, topology.size)
        low = np.full(model.column_count, len(instance.table.y))
        point = np.full(model.column_count, NONE)
        np.minimum.at(low, column, of_entry)
        np.maximum.at(point, column, of_entry)
        point[low != point] = NONE
        return cls(point, constant, column, node, coef, topology)

    def at(self, leaf: int) -> np.ndarray:
        """The columns where their points end in that leaf, float64 (columns,); 0 for others."""
        here = np.isin(self.node, self.topology.upwards(leaf))
        values = np.bincount(self.column[here], self.coef[here], len(self.point)) + self.constant
        return np.where(self.point != NONE, values, 0.0)


def _settled(symbol: Symbol, evaluator: Evaluator) -> Linear | None:
    """A variable as sums of nodes that points pass, None where its meaning says more than that."""
    if symbol.means is None:
        return None
    try:
        value = evaluator.linear(at_all(symbol), evaluator.places.domain_frame(symbol))
    except (_NotSettled, TypeError, TreemipError):
        return None
    return value if value.is_affine else None
