"""Which columns of a model belong to which point, by the indices of their variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.model.arrays import numbered
from treemip.core.model.blocks import Variables
from treemip.core.model.model import Model
from treemip.core.resolve.sorts import POINT

SHARED = -1
"""In place of a point: the column belongs to none, or may not be merged."""


@dataclass(frozen=True)
class PointColumns:
    """Columns x[i,l] and x[i',l] have different points and the same position.

    point int64 (columns,): from 0, SHARED where there is none. position int64 (columns,): equal
    for columns that differ in their point alone, so that point and position name a column.
    """

    point: np.ndarray
    position: np.ndarray
    points: int
    positions: int

    def shared_too(self, columns: np.ndarray) -> PointColumns:
        """The same with more columns that belong to no point. columns bool (columns,)."""
        point = np.where(columns, SHARED, self.point)
        return PointColumns(point, self.position, self.points, self.positions)


def point_columns(model: Model) -> PointColumns:
    """The points of all columns whose variable has one index over points.

    Columns that stand in products, special ordered sets, rows with either or a nonlinear part, and
    in guards without being binary are shared: linear rows prove nothing about them.
    """
    count = model.column_count
    label = np.full(count, np.nan)
    position = np.zeros(count, np.int64)
    positions = 0
    for block in model.variables:
        names = block.index.sorts
        if names.count(POINT.of) == 1 and block.length:
            at = slice(block.start, block.stop)
            label[at] = block.index.columns[names.index(POINT.of)]
            position[at], more = _positions(block, positions)
            positions += more
    point = np.full(count, SHARED)
    own = ~np.isnan(label)
    labels, point[own] = numbered(label[own])
    point[unfit_columns(model)] = SHARED
    return PointColumns(point, position, len(labels), positions)


def _positions(block: Variables, first: int) -> tuple[np.ndarray, int]:
    """Numbers from `first` for the indices of a block but for its point, and how many."""
    key = np.zeros(block.length, np.int64)
    for sort, column in zip(block.index.sorts, block.index.columns, strict=True):
        if sort != POINT.of:
            values, number = numbered(column)
            key = numbered(key * len(values) + number)[1]
    return first + key, int(key.max()) + 1


def unfit_columns(model: Model) -> np.ndarray:
    """Columns in products, in sets, in rows with nonlinear parts, and in guards that are not
    binary; bool (columns,)."""
    unfit = np.zeros(model.column_count, bool)
    forms = [model.objective.quadratic]
    for block in model.bodies:
        forms.append(block.quadratic)
        if not block.is_affine:
            unfit[block.matrix.indices] = True
    for form in forms:
        unfit[form.first] = unfit[form.second] = True
    for sets in model.special_sets:
        unfit[sets.members] = True
    integer = model.integer
    for implication in model.implications:
        guards = implication.guard.indices
        unfit[guards[~integer[guards]]] = True
    return unfit
