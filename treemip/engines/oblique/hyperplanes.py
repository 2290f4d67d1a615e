"""The gap and the norm that the stated model demands of hyperplanes, read from its rows.

What a proof rests on is read from the model that is solved, not trusted by name: `Stated` finds
the columns of hyperplanes, routing and labels, `gap_of` the gap; `fits.py` reads what each point
adds to the objective."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from treemip.engines.refusal import Refusal
from treemip.instance.instance import Instance
from treemip.model.blocks import Function, Implications, Kind, Rows, Variables
from treemip.model.model import Model
from treemip.tree.tree_map import TreeMap

NONE = -1


def gap_of(stated: Stated, with_norm: bool = True) -> float:
    """The gap that every branch keeps between the points left and right of it, for |a|_1 <= 1, or
    without `with_norm` for the norm that its hyperplane happens to have.

    A point that passes a node keeps a . x - b <= low on the way left and a . x - b >= high on the
    way right; the gap is the least high less the greatest low. Raises Refusal where a point may
    pass without such a row, or a branch has a greater norm.
    """
    reaches = _reaches(stated)
    if with_norm:
        _demand_norm(stated)
    return reaches.gap()


def hyperplane_rows(stated: Stated, block: Implications) -> np.ndarray:
    """Which of the rows keep a point that passes a child on its side of the parent's hyperplane,
    with the gap of all others; bool (rows,)."""
    reaches = _reaches(stated)
    one = _Reaches(stated)
    one.read(block)
    left, right = np.zeros(block.length, bool), np.zeros(block.length, bool)
    for rows, is_left in one.noted:
        (left if is_left else right)[rows] = True
    body = block.body
    own = left & (body.upper == reaches.low) & np.isneginf(body.lower)
    return own | (right & (body.lower == reaches.high) & np.isposinf(body.upper))


def is_free(stated: Stated) -> bool:
    """Whether hyperplanes may have any norm: their columns have no bounds, and no rows beside the
    implications."""
    branches = stated.topology.branches
    own = np.concatenate([stated.coef[branches].ravel(), stated.bias[branches]])
    model = stated.model
    if np.isfinite(model.lower[own]).any() or np.isfinite(model.upper[own]).any():
        return False
    is_own = np.zeros(model.column_count, bool)
    is_own[own] = True
    blocks = [block.matrix for block in model.rows]
    blocks += [block.arguments for block in model.functions]
    return not any(is_own[matrix.indices].any() for matrix in blocks)


def _reaches(stated: Stated) -> _Reaches:
    reaches = _Reaches(stated)
    for block in stated.model.implications:
        reaches.read(block)
    return reaches


class Stated:
    """The columns of a stated model by what they stand for.

    coef int64 (nodes, p) and bias int64 (nodes,): columns, NONE for leaves. reach int64 (N, nodes):
    NONE where the model has no column for a node. label int64 (nodes, K).
    """

    def __init__(self, instance: Instance, model: Model) -> None:
        assert instance.topology is not None
        self.instance, self.model, self.topology = instance, model, instance.topology
        table = instance.table
        nodes, self.features = self.topology.size, table.inputs.shape[1]
        self.reach = self.table("reach", ("point", "node"), (len(table.y), nodes))
        self.label = self.table("label", ("node", "class"), (nodes, len(table.classes)))
        columns = TreeMap.of(instance)
        for name, cells in (("coef", columns.coef), ("bias", columns.bias)):
            if not cells.is_plain:
                raise Refusal(f"its {name} is no variable for each branch")
        self.coef = columns.coef.table((nodes, self.features))
        self.bias = columns.bias.table((nodes,))
        branches = self.topology.branches
        if (self.coef[branches] == NONE).any() or (self.bias[branches] == NONE).any():
            raise Refusal("its hyperplanes are no variables for each branch")
        leaves = self.topology.leaves
        if (self.reach[:, leaves] == NONE).any() or (self.label[leaves] == NONE).any():
            raise Refusal("its leaves have no variables for each point and class")

    def table(
        self, name: str, sorts: tuple[str, ...], shape: tuple[int, ...], binary: bool = True
    ) -> np.ndarray:
        """The columns of a variable by point, node or class, NONE where it has none."""
        block = self.variable(name)
        if block.index.sorts != sorts or (binary and block.kind is not Kind.BINARY):
            what = "binary" if binary else "variable"
            raise Refusal(f"its '{name}' is no {what} for each {' and '.join(sorts)}")
        columns = np.full(shape, NONE)
        columns[self.places(block)] = block.start + np.arange(block.length)
        return columns

    def variable(self, name: str) -> Variables:
        try:
            return self.model.block(name)
        except KeyError:
            raise Refusal(f"it has no variable '{name}'") from None

    def places(self, block: Variables | Rows) -> tuple[np.ndarray, ...]:
        """The indices of a block's entries as positions of points, nodes, features and classes."""
        names = {
            "point": self.instance.table.row_numbers,
            "node": self.topology.heap,
            "feature": 1 + np.arange(self.features),
            "class": 1 + np.arange(len(self.instance.table.classes)),
        }
        return tuple(
            _positions(names[sort], labels)
            for sort, labels in zip(block.index.sorts, block.index.columns, strict=True)
        )

    @cached_property
    def branch_of(self) -> np.ndarray:
        """The branch whose hyperplane a column belongs to, NONE for others."""
        owner = np.full(self.model.column_count, NONE)
        for node in self.topology.branches:
            owner[self.coef[node]] = owner[self.bias[node]] = node
        return owner

    @cached_property
    def feature_of(self) -> np.ndarray:
        """The feature of a coefficient's column, NONE for others."""
        features = np.full(self.model.column_count, NONE)
        branches = self.topology.branches
        features[self.coef[branches]] = np.arange(self.features)
        return features


def _positions(names: np.ndarray, labels: np.ndarray) -> np.ndarray:
    order = np.argsort(names)
    return order[np.searchsorted(names, labels, sorter=order)]


class _Reaches:
    """held bool (sides, N, nodes): whether a point that passes a node keeps a row of a branch above
    it. low, high: the limits of the weakest such rows. noted: those rows of the blocks that were
    read, each lot with whether it is about the left side."""

    def __init__(self, stated: Stated) -> None:
        self.stated, topology = stated, stated.topology
        self.held: dict[tuple[int, int], np.ndarray] = {}
        for node in topology.branches:
            for child in (topology.left[node], topology.right[node]):
                self.held[int(node), int(child)] = np.zeros(stated.reach.shape, bool)
        self.low, self.high = -np.inf, np.inf
        of_reach = np.flatnonzero(stated.reach.ravel() != NONE)
        self.place = np.full(stated.model.column_count, NONE)
        self.place[stated.reach.ravel()[of_reach]] = of_reach
        self.noted: list[tuple[np.ndarray, bool]] = []
        self.nonzeros = np.count_nonzero(stated.instance.table.inputs, axis=1)

    def read(self, block: Implications) -> None:
        """Notes the rows that a point's passing a node implies, where they are a hyperplane's."""
        body, guard, stated = block.body, block.guard, self.stated
        if body.slots is not None or body.quadratic.count or not body.length:
            return
        if (np.diff(guard.indptr) != 1).any():
            return
        known = (guard.data == 1) & (block.guard_constant == 0) & (block.value == 1)
        place = self.place[guard.indices]
        node = self._hyperplanes(body)
        rows = np.flatnonzero(known & (place != NONE) & (node != NONE))
        point, passed = np.divmod(place[rows], stated.topology.size)
        own = self._has_coordinates(body, rows, point)
        for (above, child), held in self.held.items():
            below = own & (node[rows] == above) & self._under(child)[passed]
            is_left = child == stated.topology.left[above]
            limit = body.upper[rows] if is_left else body.lower[rows]
            below &= np.isfinite(limit)
            if not below.any():
                continue
            held[point[below], passed[below]] = True
            self.noted.append((rows[below], is_left))
            if is_left:
                self.low = max(self.low, float(limit[below].max()))
            else:
                self.high = min(self.high, float(limit[below].min()))

    def _hyperplanes(self, body: Rows) -> np.ndarray:
        """The branch that each row is about, NONE where it holds any other column."""
        owner = self.stated.branch_of[body.matrix.indices]
        low, high = np.full(body.length, len(self.stated.bias)), np.full(body.length, NONE)
        np.minimum.at(low, body.matrix.row_of, owner)
        np.maximum.at(high, body.matrix.row_of, owner)
        return np.where(low == high, high, NONE)

    def _has_coordinates(self, body: Rows, rows: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Whether the rows are a . x - b with the coordinates of their points."""
        x, matrix = self.stated.instance.table.inputs, body.matrix
        number = np.full(body.length, NONE)
        number[rows] = np.arange(len(rows))
        here = number[matrix.row_of] != NONE
        row, column = number[matrix.row_of[here]], matrix.indices[here]
        feature = self.stated.feature_of[column]
        expected = np.where(feature == NONE, -1.0, x[point[row], feature])
        wrong = np.bincount(row, matrix.data[here] != expected, len(rows))
        entries = np.bincount(row, minlength=len(rows))
        return (wrong == 0) & (entries == self.nonzeros[point] + 1)

    def _under(self, node: int) -> np.ndarray:
        """The nodes of the subtree at a node, bool (nodes,)."""
        topology = self.stated.topology
        below = np.zeros(topology.size, bool)
        below[node] = True
        for one in np.argsort(topology.depth, kind="stable"):
            if topology.parent[one] >= 0:
                below[one] |= below[topology.parent[one]]
        return below

    def gap(self) -> float:
        """Raises Refusal where a point gets to a leaf without a row of each branch above it."""
        topology = self.stated.topology
        for (_, child), held in self.held.items():
            for leaf in topology.leaves[self._under(child)[topology.leaves]]:
                kept, node = held[:, leaf].copy(), int(leaf)
                while node != child:
                    node = int(topology.parent[node])
                    kept |= held[:, node]
                if not kept.all():
                    raise Refusal("points may pass a branch without a row of its hyperplane")
        return self.high - self.low


def _demand_norm(stated: Stated) -> None:
    """Raises Refusal unless rows bound the 1-norm of each branch's coefficients by 1."""
    sizes, model = _Sizes(stated), stated.model
    lower, upper, bounded = model.lower, model.upper, set()
    for block in model.rows:
        if block.slots is not None or block.quadratic.count or not block.length:
            continue
        data, column, row = block.matrix.data, block.matrix.indices, block.matrix.row_of
        is_size = (sizes.branch[column] != NONE) & (data >= 1)
        least = np.where(data > 0, data * lower[column], data * upper[column])
        others = np.bincount(row, np.where(is_size, 0.0, least), block.length)
        enough = np.bincount(row, is_size, block.length) >= stated.features
        for r in np.flatnonzero(enough & (block.upper - others <= 1)):
            at = slice(block.matrix.indptr[r], block.matrix.indptr[r + 1])
            mine = column[at][is_size[at]]
            for node in set(sizes.branch[mine].tolist()):
                features = sizes.feature[mine[sizes.branch[mine] == node]]
                if len(np.unique(features)) == stated.features:
                    bounded.add(node)
    if not bounded >= set(stated.topology.branches.tolist()):
        raise Refusal("its rows do not bound the 1-norm of the coefficients by 1")


class _Sizes:
    """Columns that are no less than a coefficient's size: branch and feature of it by column, NONE
    for others. Results of abs are; columns with rows against the coefficient and its opposite too.
    """

    def __init__(self, stated: Stated) -> None:
        self.stated = stated
        count = stated.model.column_count
        self.branch, self.feature = np.full(count, NONE), np.full(count, NONE)
        self._results()
        self._bounded()

    def _results(self) -> None:
        for function in self.stated.model.functions:
            if function.function is not Function.ABS or not function.is_affine:
                continue
            arguments = function.arguments
            single = (np.diff(arguments.indptr) == 1) & (function.constants == 0)
            rows = np.flatnonzero(single)
            entry = arguments.indptr[rows]
            plain = np.abs(arguments.data[entry]) == 1
            result = function.result + function.owner[rows[plain]]
            self._note(result, arguments.indices[entry[plain]])

    def _bounded(self) -> None:
        """size >= coef and size >= -coef, as rows of two entries."""
        pairs: dict[float, set[tuple[int, int]]] = {1.0: set(), -1.0: set()}
        for block in self.stated.model.rows:
            matrix = block.matrix
            rows = np.flatnonzero((np.diff(matrix.indptr) == 2) & (block.lower >= 0))
            if block.slots is not None or block.quadratic.count or not len(rows):
                continue
            at = matrix.indptr[rows][:, None] + np.arange(2)
            column, data = matrix.indices[at], matrix.data[at]
            is_coef = self.stated.feature_of[column] != NONE
            for k in (0, 1):
                some = is_coef[:, k] & ~is_coef[:, 1 - k]
                some &= (data[:, 1 - k] == 1) & (np.abs(data[:, k]) == 1)
                both = column[some][:, [1 - k, k]].tolist()
                for (size, coef), sign in zip(both, data[some, k].tolist(), strict=True):
                    pairs[sign].add((size, coef))
        either = np.array(sorted(pairs[1.0] & pairs[-1.0]), np.int64).reshape(-1, 2)
        self._note(either[:, 0], either[:, 1])

    def _note(self, column: np.ndarray, coef: np.ndarray) -> None:
        is_coef = self.stated.feature_of[coef] != NONE
        column, coef = column[is_coef], coef[is_coef]
        self.branch[column] = self.stated.branch_of[coef]
        self.feature[column] = self.stated.feature_of[coef]
