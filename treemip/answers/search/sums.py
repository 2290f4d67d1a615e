"""The objective and side constraints of a spec as functions of a few sums over points.

With a label for each leaf, a point in a leaf adds a fixed vector to the rows of the spec: to the
objective, to each side constraint, to each argument of a function of sums. A tree's value is a
function of the sums of these vectors, so trees that differ by one point each are evaluated together
by a cumulative sum. Points with equal inputs always go together and count as one. What splits
themselves contribute, features used, branches applied, leaves occupied, is added by `Structure`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treemip.answers.search.curves.curve import ONE_OF, Choice, Curve
from treemip.answers.search.folds import Fold
from treemip.answers.search.leaf_answers import LeafAnswers
from treemip.core.model.arrays import Sparse
from treemip.core.model.blocks import SparseRows

UNDEFINED = 1e30
"""The value and the violation of a tree for which the spec's value is undefined; finite, so that
values may be subtracted."""
Value = Callable[[np.ndarray], np.ndarray]
"""What is to be minimized, (...,), of sums (..., R)."""


@dataclass(frozen=True)
class RowValue:
    """A value that is a sum over rows: constant, linear . sums, and `steep` for each unit that a
    row's sum is below low or above high. float64 (R,) each."""

    linear: np.ndarray
    low: np.ndarray
    high: np.ndarray
    steep: np.ndarray
    constant: float = 0.0

    def __call__(self, sums: np.ndarray) -> np.ndarray:
        value: np.ndarray = self.constant + sums @ self.linear
        if self.steep.any():
            off = np.maximum(self.low - sums, 0.0) + np.maximum(sums - self.high, 0.0)
            value = value + off @ self.steep
        return value


class NoSums(Exception):
    """The spec's value is no function of a few sums over points; the text says why."""


@dataclass(frozen=True)
class Family:
    """Columns that describe splits or leaves: first one, and the index columns they stand for.

    indices: for `uses` the branches (nodes of the topology) and features, both int64 (length,).
    """

    start: int
    length: int
    indices: tuple[np.ndarray, ...]

    @property
    def columns(self) -> slice:
        return slice(self.start, self.start + self.length)


@dataclass(frozen=True)
class Sums:
    """R rows: row 0 is the objective, then arguments of functions and side constraints.

    M distinct points, L leaves, K classes. shared float64 (M, K, R): what a point with label k adds
    in any leaf; local (M, L, K, Q): what it adds to the rows `local_rows` (Q,) beside that in leaf
    l. label (L, K, R): what a leaf's label adds. constant (R,). low, high (R,): bounds of the rows
    that are constraints, infinite elsewhere; scale (R,) is the unit of their violation.
    sign: 1 where the objective is minimized, else -1. structure (columns, R): what the columns of
    `families` add. limits: rows over these columns alone, with low and high; sparse.
    opaque: names of families whose values the sums do not know. answers: what the K labels are.
    constraints (R,) and limiting: the name of the spec's constraint that each row, and each of
    `limits`, is of; "" for none.
    curve: where leaves have any value or shares: the labels are those at which it is known, and
    what a tree has as labels are the values of its leaves, float64 (L,), or shares (L, classes).
    """

    shared: np.ndarray
    local: np.ndarray
    local_rows: np.ndarray
    label: np.ndarray
    constant: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray
    folds: tuple[Fold, ...]
    sign: float
    structure: np.ndarray
    families: dict[str, Family]
    limits: tuple[SparseRows, np.ndarray, np.ndarray]
    opaque: tuple[str, ...]
    answers: LeafAnswers
    constraints: tuple[str, ...] = ()
    limiting: tuple[str, ...] = ()
    curve: Curve | None = None

    @property
    def rows(self) -> int:
        return len(self.constant)

    @property
    def points(self) -> int:
        return self.shared.shape[0]

    @property
    def classes(self) -> int:
        return self.shared.shape[1]

    @cached_property
    def additive(self) -> bool:
        """Whether the value is a sum over leaves of what their points and label add."""
        return self.rows == 1

    @cached_property
    def free_labels(self) -> bool:
        """Whether labels count only in the objective, as sums and in no function: then the best
        label of a leaf does not depend on the other leaves."""
        rows = slice(1, None)
        beside = [self.shared[:, :, rows], self.label[:, :, rows]]
        beside.append(self.local[..., self.local_rows > 0].swapaxes(1, 2))
        alike = all((part == part[:, :1]).all() for part in beside)
        return alike and not any((fold.rows == 0).any() for fold in self.folds)

    @cached_property
    def unit(self) -> float:
        """The most that a point or a split is worth in the objective: the size of its terms,
        including those inside functions; 1 for an objective that is constant."""
        sizes = [np.abs(self.shared[:, :, 0]), np.abs(self.label[..., 0])]
        sizes.append(np.abs(self.local[..., self.local_rows == 0]))
        for family in self.families.values():
            sizes.append(np.abs(self.structure[family.columns, 0]))
        sizes += [np.abs(fold.to[:, 0]) * step for fold, step in self._steps()]
        greatest = max(float(size.max(initial=0.0)) for size in sizes)
        return greatest if greatest > 0 else 1.0

    def _steps(self) -> Iterator[tuple[Fold, np.ndarray]]:
        """How far one more point may move each result of the folds, float64 (results,): for smooth
        functions and products, at sums where every label is as frequent as any other."""
        rows = self.constant + self.shared.mean(axis=1).sum(axis=0)
        for fold in self.folds:
            results = fold.values(rows)
            if fold.is_piecewise:
                step = np.maximum.reduceat(self.scale[fold.rows], fold.offsets[:-1])
            else:
                step = np.abs(fold.values(rows + self.scale) - results)
            yield fold, np.where(np.isfinite(step), step, 0.0)
            rows = rows + np.where(np.isfinite(results), results, 0.0) @ fold.to

    def with_row(self, of: Sums, least: float) -> Sums:
        """With the objective of other sums over the same as a row that is no less than `least`."""

        def both(own: np.ndarray, other: np.ndarray) -> np.ndarray:
            return np.append(own, other[..., :1], axis=-1)

        folds = [
            replace(fold, to=np.append(fold.to, np.zeros((len(fold.to), 1)), axis=1))
            for fold in self.folds
        ]
        return replace(
            self,
            shared=both(self.shared, of.shared),
            label=both(self.label, of.label),
            constant=both(self.constant, of.constant),
            low=np.append(self.low, least),
            high=np.append(self.high, np.inf),
            scale=np.append(self.scale, 1.0),
            folds=tuple(folds),
            structure=both(self.structure, of.structure),
            constraints=(*self.constraints, ""),
        )

    def sampled(self, points: np.ndarray) -> Sums:
        """The sums of some of the points, int64, each of which stands for others too."""
        each = self.points / len(points)
        return replace(self, shared=self.shared[points] * each, local=self.local[points] * each)

    def added(self, points: np.ndarray, leaf: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """What points (m,) add in leaves (m,) with labels (L,): float64 (m, R).

        points and leaf int64; labels int64, or as a curve has them.
        """
        if self.curve is not None:
            weights = self.curve.weights(labels)[leaf]
            rows: np.ndarray = np.einsum("mk,mkr->mr", weights, self.shared[points])
            if len(self.local_rows):
                local = self.local[points, leaf]
                rows[:, self.local_rows] += np.einsum("mk,mkr->mr", weights, local)
            return rows
        label = labels[leaf]
        rows = self.shared[points, label]
        if len(self.local_rows):
            rows[:, self.local_rows] += self.local[points, leaf, label]
        return rows

    def by_label(self, points: np.ndarray, leaf: int) -> np.ndarray:
        """What points int64 (m,) add to the objective in one leaf with each label, (m, K)."""
        worth: np.ndarray = self.shared[points, :, 0]
        for q in np.flatnonzero(self.local_rows == 0):
            worth = worth + self.local[points, leaf, :, q]
        return worth

    def label_part(self, labels: np.ndarray) -> np.ndarray:
        """What the leaves' labels themselves add, float64 (R,)."""
        return self.labelled(self.label, labels).sum(axis=0)

    def labelled(self, by_label: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Of sums for each label float64 (n, K, R) those with the labels (n,), float64 (n, R)."""
        if self.curve is not None:
            return np.einsum("nk,nkr->nr", self.curve.weights(labels), by_label)
        chosen: np.ndarray = by_label[np.arange(len(labels)), labels]
        return chosen

    @property
    def choice(self) -> Choice:
        """How the best label of a leaf is chosen."""
        return ONE_OF if self.curve is None else self.curve

    @property
    def listed(self) -> np.ndarray | None:
        """The values that labels number, as of a Candidate; None where these are classes or the
        values themselves."""
        return None if self.curve is not None else self.answers.table_rows

    @property
    def no_labels(self) -> np.ndarray:
        """The first label for each leaf, (L,), in the form that trees have them in."""
        leaves = self.label.shape[0]
        if self.curve is None:
            return np.zeros(leaves, np.int64)
        default = np.asarray(self.curve.default)
        return np.full((leaves, *default.shape), default)

    def by_leaf(self, leaf: np.ndarray) -> np.ndarray:
        """Sums of the points of each leaf for each label it may have, float64 (L, K, R).

        leaf int64 (M,): the leaf of each point, numbered among the leaves.
        """
        leaves = self.label.shape[0]
        total = self.label.copy()
        flat = self.shared.reshape(self.points, -1)
        for one in range(leaves):
            here = leaf == one
            total[one] += flat[here].sum(axis=0).reshape(self.classes, -1)
            if len(self.local_rows):
                total[one][:, self.local_rows] += self.local[here, one].sum(axis=0)
        return total

    def worth(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The objective, to be minimized, and the violation of side constraints, (...,) each.

        sums float64 (..., R), the constant included. Both are UNDEFINED where a function is taken
        of what it is not defined for, or overflows.
        """
        rows, defined = self.with_results(sums)
        if self.rows == 1:
            return self.sign * rows[..., 0], np.zeros(rows.shape[:-1])
        objective, violation = self.sign * rows[..., 0], self.off(rows).sum(axis=-1)
        if defined.all():
            return objective, violation
        return np.where(defined, objective, UNDEFINED), np.where(defined, violation, UNDEFINED)

    def with_results(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows with what the results of functions add, (..., R), and whether all are defined,
        bool (...,)."""
        rows = sums
        defined = np.ones(sums.shape[:-1], bool)
        for fold in self.folds:
            results = fold.values(rows)
            if not fold.is_piecewise:
                finite = np.isfinite(results)
                defined &= finite.all(axis=-1)
                results = np.where(finite, results, 0.0)
            rows = rows + fold.sparse.times(results)
        return rows, defined

    def off(self, rows: np.ndarray) -> np.ndarray:
        """How far each row is from its bounds, in units of its scale."""
        off: np.ndarray = np.maximum(self.low - rows, 0.0) + np.maximum(rows - self.high, 0.0)
        return off / self.scale

    def on_structure(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the structure's columns add to the rows and then to `limits`, float64 (columns + 1,
        rows), nothing in the last one, UNKNOWN; and the bounds of all these rows, (rows,)."""
        matrix, low, high = self.limits
        limits = np.zeros((matrix.count, len(self.structure)))
        np.add.at(limits, (matrix.row_of, matrix.indices), matrix.data)
        added = np.concatenate([self.structure, limits.T], axis=1)
        ends = np.concatenate([self.low, low]), np.concatenate([self.high, high])
        return np.pad(added, ((0, 1), (0, 0))), *ends

    @cached_property
    def of_structure(self) -> Sparse:
        """`structure`, of which most is 0."""
        return Sparse(self.structure)

    def broken_limits(self, columns: np.ndarray) -> np.ndarray:
        """The violation of rows over structure columns float64 (..., columns) alone, (...)."""
        off: np.ndarray = self.limits_off(columns).sum(axis=-1)
        return off

    def limits_off(self, columns: np.ndarray) -> np.ndarray:
        """How far each of `limits` is from its bounds, float64 (..., rows), by structure columns
        (..., columns)."""
        matrix, low, high = self.limits
        rows = np.zeros((*columns.shape[:-1], matrix.count))
        filled = np.flatnonzero(np.diff(matrix.indptr))
        if len(filled):
            parts = matrix.data * columns[..., matrix.indices]
            rows[..., filled] = np.add.reduceat(parts, matrix.indptr[filled], axis=-1)
        off: np.ndarray = np.maximum(low - rows, 0) + np.maximum(rows - high, 0)
        return off
