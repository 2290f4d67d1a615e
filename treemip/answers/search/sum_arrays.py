"""Rows over the columns of a tree as arrays over points, leaves and classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treemip.answers.search.folds import Fold
from treemip.answers.search.sums import Family, NoSums, Sums
from treemip.answers.search.tree_columns import STRUCTURE, TreeColumns
from treemip.core.lower.linear import Linear, Products
from treemip.core.model.blocks import SparseRows
from treemip.core.model.sparse_rows import Part, join_parts
from treemip.core.tree.tree_map import TreeMap

MOST_NUMBERS = 1 << 27  # in the largest array: 1 GB


@dataclass(frozen=True)
class Row:
    """Rows over the columns of a tree, float64 low and high (rows,); constraint: the name of the
    spec's constraint that they are, "" for none."""

    value: Linear
    low: np.ndarray
    high: np.ndarray
    constraint: str = ""

    @classmethod
    def free(cls, value: Linear) -> Row:
        far = np.full(value.size, np.inf)
        return cls(value, -far, far)


def squares(columns: TreeColumns, value: Linear) -> bool:
    """Whether rows have products of what splits are, such as squared norms."""
    form = value.products
    return form is not None and bool((form.first >= columns.structure_start).any())


def _names(rows: list[Row]) -> tuple[str, ...]:
    """The constraint that each single row is of."""
    return tuple(row.constraint for row in rows for _ in range(row.value.size))


class Arrays:
    """The entries of all rows as arrays over points, leaves and classes."""

    def __init__(
        self, columns: TreeColumns, of_point: np.ndarray, blocks: list[Row], limits: list[Row]
    ) -> None:
        topology = columns.instance.nodes
        self.columns, self.topology = columns, topology
        self.of_point, self.points = of_point, int(of_point.max()) + 1
        self.classes = columns.answers.count
        self.leaves = len(topology.leaves)
        self.leaf_number = np.full(topology.size, -1)
        self.leaf_number[topology.leaves] = np.arange(self.leaves)
        self.blocks, self.limit_rows = blocks, limits
        self.starts = np.cumsum([0, *(block.value.size for block in blocks)])
        self.rows = int(self.starts[-1])
        if self.rows * self.points * self.leaves * self.classes > MOST_NUMBERS:
            raise NoSums("its rows do not fit into memory")

    @property
    def sums(self) -> Sums:
        row, column, data = self._entries
        worth = self._by_leaf()
        one_for_all = (worth == worth[:, :, :1]).all(axis=(1, 2, 3))
        local = np.flatnonzero(~one_for_all)
        shared = np.where(one_for_all[:, None, None], worth[:, :, 0], 0.0)
        first = self.columns.structure_start
        beyond = column >= first
        added = np.zeros((self.columns.count - first, self.rows))
        np.add.at(added, (column[beyond] - first, row[beyond]), data[beyond])
        scale = np.abs(worth).max(axis=(1, 2, 3), initial=0.0)
        join = np.concatenate
        families, opaque = self._families(added)
        objective = self.columns.instance.spec.objective
        return Sums(
            shared=np.ascontiguousarray(shared.transpose(1, 2, 0)),
            local=np.ascontiguousarray(worth[local].transpose(1, 2, 3, 0)),
            local_rows=local,
            label=self._label_part(),
            constant=join([b.value.constant for b in self.blocks]),
            low=join([b.low for b in self.blocks]),
            high=join([b.high for b in self.blocks]),
            scale=np.where(scale > 0, scale, 1.0),
            folds=self._folds(added),
            sign=-1.0 if objective is not None and objective.sense == "maximize" else 1.0,
            structure=added,
            families=families,
            limits=self._limits(),
            opaque=(*opaque, *self._squared),
            answers=self.columns.answers,
            constraints=_names(self.blocks),
            limiting=_names(self.limit_rows),
        )

    @property
    def _squared(self) -> tuple[str, ...]:
        """A name for products of splits, such as squared norms, where there are any."""
        return ("products",) if any(squares(self.columns, b.value) for b in self.blocks) else ()

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Row, column and coefficient of the affine entries of all rows."""
        matrices = [block.value.matrix() for block in self.blocks]
        row = [m.row_of + s for m, s in zip(matrices, self.starts[:-1], strict=True)]
        join = np.concatenate
        return join(row), join([m.indices for m in matrices]), join([m.data for m in matrices])

    def _by_leaf(self) -> np.ndarray:
        """What a point adds to each row, float64 (R, M, L, K)."""
        row, column, data = self._entries
        here = column < self.columns.label_start
        row, column, data = row[here], column[here], data[here]
        point, node = np.divmod(column, self.topology.size)
        under = self.topology.leaves_under.take(node)
        each = np.repeat(np.arange(len(node)), under.lengths)
        leaf = self.leaf_number[under.items]
        key = (row[each] * self.points + self.of_point[point[each]]) * self.leaves + leaf
        shape = (self.rows, self.points, self.leaves)
        passed = np.bincount(key, data[each], int(np.prod(shape))).reshape(*shape, 1)
        return passed + self._products().reshape(*shape, self.classes)

    def _products(self) -> np.ndarray:
        """What a point adds with a label, flat over rows, points, leaves and classes."""
        start, stop = self.columns.label_start, self.columns.structure_start
        each = self.points * self.leaves * self.classes  # numbers of a row
        total = np.zeros(self.rows * each)
        for block, first_row in zip(self.blocks, self.starts[:-1], strict=True):
            form = block.value.products
            if form is None:
                continue
            of_points = form.first < stop
            form = Products(*(part[of_points] for part in form))
            if not ((form.first < start) & (form.second >= start) & (form.second < stop)).all():
                raise NoSums("it multiplies what points or labels are with numbers of splits")
            point, node = np.divmod(form.first, self.topology.size)
            of_label, label = np.divmod(form.second - start, self.classes)
            if (node != of_label).any():
                raise NoSums("it multiplies a point's node with the label of another one")
            at = form.row * self.points + self.of_point[point]
            key = (at * self.leaves + self.leaf_number[node]) * self.classes + label
            of_block = slice(first_row * each, (first_row + block.value.size) * each)
            total[of_block] += np.bincount(key, form.coef, block.value.size * each)
        return total

    def _label_part(self) -> np.ndarray:
        row, column, data = self._entries
        start = self.columns.label_start
        here = (column >= start) & (column < self.columns.structure_start)
        node, label = np.divmod(column[here] - start, self.classes)
        part = np.zeros((self.leaves, self.classes, self.rows))
        at = self.leaf_number[node] >= 0  # those of branches are 0
        np.add.at(part, (self.leaf_number[node][at], label[at], row[here][at]), data[here][at])
        return part

    def _folds(self, added: np.ndarray) -> tuple[Fold, ...]:
        first, folds = self.columns.structure_start, []
        for one, start in zip(self.columns.applied, self.starts[1:], strict=False):
            rows = start + np.arange(one.arguments.size)
            to = added[one.start - first :][: one.results]
            folds.append(Fold(one.function, rows, one.offsets, to, one.exponent))
        return tuple(folds)

    def _families(self, added: np.ndarray) -> tuple[dict[str, Family], tuple[str, ...]]:
        columns, first = self.columns, self.columns.structure_start
        in_limits = [part.var for row in self.limit_rows for part in row.value.parts]
        mentioned = np.zeros(columns.count - first, bool)
        mentioned |= added.any(axis=1)
        for var in in_limits:
            mentioned[var - first] = True
        form = TreeMap.of(columns.instance).categories
        known = {*STRUCTURE, *(() if form is None else (*form.sets, *form.tests))}
        families, opaque = {}, []
        for name, symbol in columns.symbols.items():
            start, size = columns.families[name]
            if not mentioned[start - first : start - first + size].any():
                continue
            frame = columns.evaluator.places.domain_frame(symbol)
            indices = tuple(frame.column(n) for n in symbol.domain.names)
            families[name] = Family(start - first, size, indices)
            if name not in known:
                opaque.append(name)
        return families, tuple(opaque)

    def _limits(self) -> tuple[SparseRows, np.ndarray, np.ndarray]:
        first, none = self.columns.structure_start, np.zeros(0)
        if not self.limit_rows:
            return join_parts(0, []), none, none
        row, column, data, start = [], [], [], 0
        for block in self.limit_rows:
            matrix = block.value.matrix()
            row.append(matrix.row_of + start)
            column.append(matrix.indices - first)
            data.append(matrix.data)
            start += matrix.count
        lengths = np.bincount(np.concatenate(row), minlength=start)
        part = Part(lengths, np.concatenate(column).astype(np.int32), np.concatenate(data))
        constant = np.concatenate([b.value.constant for b in self.limit_rows])
        low = np.concatenate([b.low for b in self.limit_rows])
        high = np.concatenate([b.high for b in self.limit_rows])
        return join_parts(start, [part]), low - constant, high - constant
