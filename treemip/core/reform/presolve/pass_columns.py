"""Columns that passes add, such as products of reach[i,l] and label[l,k], given to their point.

They have no index over points. A column of a pass belongs to a point where no other point has a
column in a row with it, apart from rows that hold several points. What it is called there, its
position, is a hash of these rows. The hash need not be right: points are compared with all their
columns afterwards, so a wrong position only keeps them apart.
"""

from __future__ import annotations

import numpy as np

from treemip.core.model.arrays import begins, numbered
from treemip.core.model.model import Model
from treemip.core.reform.presolve.equal_points import mixed, private_point, scrambled
from treemip.core.reform.presolve.point_columns import SHARED, PointColumns, unfit_columns
from treemip.core.reform.presolve.row_entries import RowEntries


def with_pass_columns(model: Model, entries: RowEntries, columns: PointColumns) -> PointColumns:
    """The same with the columns of passes that belong to one point."""
    free = _of_passes(model) & (columns.point == SHARED)
    if not free.any():
        return columns
    owner = private_point(entries, columns)
    inside = free[entries.column] & (owner[entries.row] >= 0)
    low, high = np.full(len(free), columns.points), np.full(len(free), SHARED)
    np.minimum.at(low, entries.column[inside], owner[entries.row[inside]])
    np.maximum.at(high, entries.column[inside], owner[entries.row[inside]])
    owned = np.flatnonzero(free & (low == high))
    name = _names(model, entries.of_rows(owner >= 0), columns, free)[owned]
    order = np.lexsort((name, low[owned]))
    owned, name = owned[order], name[order]
    first = np.flatnonzero(begins(low[owned]) | begins(name))
    rank = np.arange(len(owned)) - np.repeat(first, np.diff(first, append=len(owned)))
    names, number = numbered(name)
    names, number = numbered(rank * len(names) + number)  # columns with equal rows: as they come
    point, position = columns.point.copy(), columns.position.copy()
    point[owned], position[owned] = low[owned], columns.positions + number
    return PointColumns(point, position, columns.points, columns.positions + len(names))


def _of_passes(model: Model) -> np.ndarray:
    free = np.zeros(model.column_count, bool)
    for block in model.variables:
        free[block.start : block.stop] = bool(block.made_by)
    return free & ~unfit_columns(model)


def _names(
    model: Model, entries: RowEntries, columns: PointColumns, free: np.ndarray
) -> np.ndarray:
    """A hash of the rows of each column, of what else they hold, and of its block; uint64."""
    block = np.repeat(np.arange(len(model.variables)), [b.length for b in model.variables])
    shared = columns.point == SHARED
    key = np.where(shared, columns.positions + np.arange(len(free)), columns.position)
    key = np.where(free, -1 - block, key)
    entry = mixed(np.column_stack([2 * key[entries.column] + entries.guard, entries.coef]))
    row = mixed(entries.facts)
    np.add.at(row, entries.row, entry)
    name = np.zeros(len(free), np.uint64)
    np.add.at(name, entries.column, scrambled(row[entries.row] ^ scrambled(entry)))
    return name
