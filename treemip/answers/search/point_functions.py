"""Functions that depend on one point or one leaf only, which become plain sums over points.

A point is in one leaf, which has one label. A function of sum over leaves l and labels k of
a[l,k] routed[i,l] given[l,k] is therefore sum of f(a[l,k]) routed[i,l] given[l,k]: an absolute
error, a square, or a loss of any other form is a number for each leaf and label.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treemip.core.instance.trees import Forest
from treemip.core.lower.linear import Linear, Products
from treemip.core.model.sparse_rows import Part
from treemip.core.model.tolerances import EQUAL

MOST_CELLS = 1 << 26
"""Rows times leaves times labels, at most: 0.5 GB."""

FAR = 1e3
"""In place of infinity, times all finite results together: no tree that does without is beyond."""

Apply = Callable[[np.ndarray], np.ndarray]
"""Results (..., results) of a function of arguments (..., rows)."""


@dataclass(frozen=True)
class Layout:
    """Which columns say where points go and what leaves have: routed[i,t] is column i * nodes + t,
    below `given`; given[t,k] is column given + t * labels + k, below `stop`. listed: whether leaves
    choose among listed values, of which some may be infinitely bad for a point."""

    topology: Forest
    labels: int
    given: int
    stop: int
    listed: bool = False

    @property
    def nodes(self) -> int:
        return self.topology.size

    def applied(self, apply: Apply, arguments: Linear, offsets: np.ndarray) -> Linear | None:
        """The results of a function, one for each group of arguments, offsets int64 (results + 1,);
        None where a group is not about one point or one leaf, or the function is not defined."""
        matrix, form = arguments.matrix(), arguments.products
        group = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        cells = arguments.size * len(self.topology.leaves) * self.labels
        if arguments.slots or cells > MOST_CELLS or (matrix.indices >= self.stop).any():
            return None
        if form is not None and not self._is_of_leaves(form):
            return None
        if form is None and len(matrix.indices) and (matrix.indices >= self.given).all():
            return self._of_leaves(apply, arguments, group, len(offsets) - 1)
        point = self._points(matrix.indices, group[matrix.row_of], form, group, len(offsets) - 1)
        if point is None:
            return None
        with np.errstate(all="ignore"):
            results = np.moveaxis(apply(np.moveaxis(self._cells(arguments), 0, -1)), -1, 0)
        if self.listed and np.isinf(results).any():
            results = _without_infinity(results)
        return self._products(results, point) if np.isfinite(results).all() else None

    def always(self, value: Linear, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Rows that hold wherever points go and whatever leaves answer, bool (rows,): of those
        about at most one point and the labels of at most one leaf."""
        no, form = np.zeros(value.size, bool), value.products
        matrix = value.matrix()
        cells = value.size * len(self.topology.leaves) * self.labels
        if value.slots or cells > MOST_CELLS or (form is not None and not self._is_of_leaves(form)):
            return no
        row, column = matrix.row_of, matrix.indices
        of_label = (column >= self.given) & (column < self.stop)
        node, label = np.divmod(column[of_label] - self.given, self.labels)
        points, rows = column[column < self.given] // self.nodes, row[column < self.given]
        if form is not None:
            points = np.concatenate([points, form.first // self.nodes])
            rows = np.concatenate([rows, form.row])
        alone = _has_one(rows, points, value.size) & _has_one(row[of_label], node, value.size)
        alone[row[column >= self.stop]] = False
        leaf = np.full(value.size, -1)
        leaf[row[of_label]] = np.searchsorted(self.topology.leaves, node)
        own = np.zeros((value.size, self.labels))
        np.add.at(own, (row[of_label], label), matrix.data[of_label])
        whole = self._cells(value)
        here = leaf[:, None, None] == np.arange(len(self.topology.leaves))[:, None]
        least, most = (
            (whole + np.where(here, own[:, None], end(own, 1)[:, None, None]))
            for end in (np.min, np.max)
        )
        size = EQUAL * np.maximum(1.0, np.abs(whole).max(axis=(1, 2)))
        holds = (least.min(axis=(1, 2)) >= low - size) & (most.max(axis=(1, 2)) <= high + size)
        return alone & holds

    def _is_of_leaves(self, form: Products) -> bool:
        """Whether each product is that of a point's leaf with a label of the same leaf."""
        if not ((form.first < self.given) & (form.second >= self.given)).all():
            return False
        node = (form.second - self.given) // self.labels
        return bool(
            (form.second < self.stop).all()
            and (form.first % self.nodes == node).all()
            and self.topology.is_leaf[node].all()
        )

    def _points(
        self,
        columns: np.ndarray,
        group_of: np.ndarray,
        form: Products | None,
        group: np.ndarray,
        results: int,
    ) -> np.ndarray | None:
        """The point of each group, int64 (results,), 0 for one without any; None where a group has
        several, or a label whatever its points do."""
        if (columns >= self.given).any():
            return None
        points, groups = columns // self.nodes, group_of
        if form is not None:
            points = np.concatenate([points, form.first // self.nodes])
            groups = np.concatenate([groups, group[form.row]])
        point = np.zeros(results, np.int64)
        point[groups] = points
        return point if (point[groups] == points).all() else None

    def _cells(self, arguments: Linear) -> np.ndarray:
        """The arguments by leaf and label, float64 (rows, L, K), without labels by themselves."""
        leaves, matrix = self.topology.leaves, arguments.matrix()
        passed = np.flatnonzero(matrix.indices < self.given)
        column, row, data = (a[passed] for a in (matrix.indices, matrix.row_of, matrix.data))
        cells = np.zeros((arguments.size, len(leaves), self.labels))
        cells += arguments.constant[:, None, None]
        number = np.full(self.nodes, -1)
        number[leaves] = np.arange(len(leaves))
        under = self.topology.leaves_under.take(column % self.nodes)
        each = np.repeat(np.arange(len(column)), under.lengths)
        at = row[each] * len(leaves) + number[under.items]
        by_leaf = np.bincount(at, data[each], arguments.size * len(leaves))
        cells += by_leaf.reshape(arguments.size, len(leaves), 1)
        if arguments.products is not None:
            form = arguments.products
            node, label = np.divmod(form.second - self.given, self.labels)
            at = (form.row * len(leaves) + number[node]) * self.labels + label
            cells += np.bincount(at, form.coef, cells.size).reshape(cells.shape)
        return cells

    def _products(self, results: np.ndarray, point: np.ndarray) -> Linear:
        """What results (R, L, K) are of the points (R,)."""
        leaves, count = self.topology.leaves, len(results)
        passed = point[:, None] * self.nodes + leaves
        if (results == results[:, :, :1]).all():
            part = Part(len(leaves), passed.ravel().astype(np.int32), results[:, :, 0].ravel())
            return Linear(count, None, (part,))
        given = self.given + leaves[:, None] * self.labels + np.arange(self.labels)
        size = len(leaves) * self.labels
        return Linear(
            count,
            products=Products(
                np.repeat(np.arange(count), size),
                np.repeat(passed, self.labels).astype(np.int32),
                np.tile(given.ravel(), count).astype(np.int32),
                results.ravel(),
            ),
        )

    def _of_leaves(
        self, apply: Apply, arguments: Linear, group: np.ndarray, results: int
    ) -> Linear | None:
        """Results of what one leaf has each, such as the absolute value of its own value."""
        matrix = arguments.matrix()
        node, label = np.divmod(matrix.indices - self.given, self.labels)
        leaf = np.zeros(results, np.int64)
        leaf[group[matrix.row_of]] = node
        alike = (leaf[group[matrix.row_of]] == node).all()
        if not len(node) or not alike or not self.topology.is_leaf[node].all():
            return None
        if len(np.unique(group[matrix.row_of])) < results:
            return None
        cells = np.repeat(arguments.constant[:, None], self.labels, axis=1)
        np.add.at(cells, (matrix.row_of, label), matrix.data)
        with np.errstate(all="ignore"):
            worth = apply(cells.T).T
        if not np.isfinite(worth).all():
            return None
        columns = self.given + leaf[:, None] * self.labels + np.arange(self.labels)
        part = Part(self.labels, columns.ravel().astype(np.int32), worth.ravel())
        return Linear(results, None, (part,))


def _without_infinity(results: np.ndarray) -> np.ndarray:
    """Results with a number in place of infinity that others are far from."""
    finite = np.isfinite(results)
    far = FAR * (1.0 + float(np.abs(results[finite]).sum()))
    limited: np.ndarray = np.where(np.isinf(results), np.sign(results) * far, results)
    return limited


def _has_one(rows: np.ndarray, things: np.ndarray, size: int) -> np.ndarray:
    """Rows that have one thing, or none, bool (size,); things int64 (n,) of rows (n,)."""
    known = np.full(size, -1)
    known[rows] = things
    one = np.ones(size, bool)
    one[rows[known[rows] != things]] = False
    return one
