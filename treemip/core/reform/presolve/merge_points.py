"""Equal points become one weighted point, with one set of columns and rows.

Points are what the indices of variables call so. What is merged is decided on the model's rows,
bounds and prices alone, never on what a formulation or a variable is called:

1. Binaries that are the same in every solution (see `forced_columns`), such as the way of points
   with equal features and different labels, are one column. After that they are shared columns.
2. Points i and i' are alike where, but for the point, their private rows, their coefficients in
   each row that holds columns of several points, their bounds and their prices are the same.
   Exchanging the columns of i and i' then maps the model onto itself and moves no shared column.
   Alike points are merged in one of two cases:

   (a) All their own columns are continuous. Guards, products and nonlinear parts hold none of
       them (`point_columns`), so with the other columns as they are, the model is a linear
       program in them. The mean of an optimal solution and all its exchanges is feasible, has
       the same objective, and equal values for points that are alike.
   (b) All their rows are private. With the shared columns as they are, the points are separate
       problems with the same rows and prices. In an optimal solution they cost the same, or the
       cheaper one could be copied, so that the columns of one can be copied to the others.

   Everything else stays apart. A limit on the points in a leaf, for example, is a row of several
   points, which their binaries stand in: these are merged by 1 or not at all.

A solution of the merged model, copied to all columns, is one of the model before with the same
objective: rows hold the sum of the coefficients, and so does the objective. So both have the same
optimum, and the bound of one is a bound of the other.
"""

from __future__ import annotations

import numpy as np

from treemip.core.model.model import Model
from treemip.core.reform.presolve.equal_points import equal_points
from treemip.core.reform.presolve.forced_columns import Bounds, forced_columns
from treemip.core.reform.presolve.pass_columns import with_pass_columns
from treemip.core.reform.presolve.point_columns import SHARED, PointColumns, point_columns
from treemip.core.reform.presolve.renaming import Renaming, renamed
from treemip.core.reform.presolve.row_entries import RowEntries, row_entries


def merge_points(model: Model) -> Renaming | None:
    """The model with equal points merged; None where no columns are, and for models with functions
    or nonlinear expressions, which it says nothing of."""
    if model.functions or model.tape.steps or not (model.rows or model.implications):
        return None
    columns = point_columns(model)
    if columns.points < 2:
        return None
    entries = row_entries(model)
    columns = with_pass_columns(model, entries, columns)
    bounds = Bounds(model.lower, model.upper, model.integer)
    target = forced_columns(entries, columns, bounds)
    moved = target != np.arange(len(target))
    if moved.any():
        entries = entries.renamed(target)
        moved[target[moved]] = True
    alike = _alike(model, entries, columns.shared_too(moved), bounds)
    both = alike[target]
    if (both == np.arange(len(both))).all():
        return None
    return renamed(model, entries.renamed(alike), both, columns)


def _alike(model: Model, entries: RowEntries, columns: PointColumns, bounds: Bounds) -> np.ndarray:
    """For each column that of the first point alike, int64 (columns,); else the column itself."""
    about = np.column_stack([bounds.lower, bounds.upper, bounds.integer, model.costs])
    first, pieces = equal_points(entries, columns, about)
    own = columns.point != SHARED
    whole = np.zeros(columns.points, bool)
    whole[columns.point[own & bounds.integer]] = True
    coupled = np.zeros(columns.points, bool)
    coupled[pieces.point[pieces.coupling]] = True
    merged = (first != np.arange(columns.points)) & ~(whole & coupled)

    target = np.arange(len(own))
    mine = np.flatnonzero(own)
    mine = mine[np.lexsort((columns.position[mine], columns.point[mine]))]
    point = columns.point[mine]
    starts = np.searchsorted(point, np.arange(columns.points))
    at = np.flatnonzero(merged[point])
    target[mine[at]] = mine[starts[first[point[at]]] + at - starts[point[at]]]
    return target
