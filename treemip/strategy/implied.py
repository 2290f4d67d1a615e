"""Columns that rows leave one value once all others are known, such as products of known columns.

A reformulation appends columns and the rows that define them. Of a solution of the stated model,
those are computed here, row by row; a solver would have to be handed the whole model for it.
"""

from __future__ import annotations

import numpy as np

from treemip.model.model import Model
from treemip.model.tolerances import COMPLETE


def with_implied(model: Model, known: np.ndarray) -> np.ndarray:
    """All columns of the model, float64 (columns,), the first of which are `known`, nan where
    unknown.

    A column gets its value where rows in which nothing else is unknown leave it one, or where they
    alone bound it and the objective presses it to an end. What else is unknown stays nan. Whether
    the values are a solution is for the caller to test.
    """
    values = np.full(model.column_count, np.nan)
    values[: len(known)] = known
    while np.isnan(values).any():
        low, high, alone = _left(model, values)
        implied = np.isnan(values) & (high - low <= COMPLETE)
        values[implied] = (low[implied] + high[implied]) / 2
        cost = model.costs if model.objective.sense == "minimize" else -model.costs
        end = np.where(cost > 0, low, high)
        pressed = np.isnan(values) & alone & (cost != 0) & np.isfinite(end)
        values[pressed] = end[pressed]
        whole = (implied | pressed) & model.integer
        values[whole] = np.round(values[whole])
        if not (implied | pressed).any():
            break
    return values


def _left(model: Model, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bounds of each column by its own and by rows where it alone is unknown, float64 (columns,),
    and whether it is in no other rows, bool (columns,)."""
    low, high = model.lower.copy(), model.upper.copy()
    unknown, alone = np.isnan(values), np.ones(len(values), bool)
    numbers = np.where(unknown, 0.0, values)
    for implication in model.implications:
        alone[implication.body.matrix.indices] = False
    for block in model.rows:
        matrix = block.matrix
        if block.quadratic.count or block.slots is not None:
            alone[matrix.indices] = False
            alone[block.quadratic.first] = alone[block.quadratic.second] = False
            continue
        open_entry = unknown[matrix.indices] & (matrix.data != 0)
        body = np.bincount(
            matrix.row_of, matrix.data * numbers[matrix.indices], minlength=block.length
        )
        single = np.bincount(matrix.row_of, open_entry, minlength=block.length) == 1
        alone[matrix.indices[open_entry & ~single[matrix.row_of]]] = False
        at = np.flatnonzero(open_entry & single[matrix.row_of])
        row, column, factor = matrix.row_of[at], matrix.indices[at], matrix.data[at]
        first = (block.lower[row] - body[row]) / factor
        second = (block.upper[row] - body[row]) / factor
        np.maximum.at(low, column, np.where(factor > 0, first, second))
        np.minimum.at(high, column, np.where(factor > 0, second, first))
    return low, high, alone
