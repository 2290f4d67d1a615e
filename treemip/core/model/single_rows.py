"""Linear rows with one free column, the others being known: bounds of that column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.model.dependence import curved_rows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import stack


@dataclass(frozen=True)
class SingleRows:
    """Rows of a model in which one column is free, each array (rows,).

    row: the row of the model; column: the free column, both int64; coef: its coefficient; lower,
    upper: the row's own bounds.
    """

    row: np.ndarray
    column: np.ndarray
    coef: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def bounds(
        self, model: Model, x: np.ndarray, body: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The bounds of all columns with these rows, the others being as in x (columns,).

        body: the model's rows at x, float64 (rows of the model,). Where they leave no value to a
        column, its upper bound counts.
        """
        rest = body[self.row] - self.coef * x[self.column]
        ends = (self.lower - rest) / self.coef, (self.upper - rest) / self.coef
        lower, upper = model.lower.copy(), model.upper.copy()
        np.maximum.at(lower, self.column, np.minimum(*ends))
        np.minimum.at(upper, self.column, np.maximum(*ends))
        upper = np.maximum(upper, model.lower)
        return np.minimum(lower, upper), upper


def single_rows(model: Model, free: np.ndarray, moving: np.ndarray) -> SingleRows:
    """The model's linear rows with one column of `free`, bool (columns,).

    moving: bool (slots,), `dependence.moving_slots`.
    """
    curved = [np.zeros(0, bool), *(curved_rows(block, free, moving) for block in model.rows)]
    matrix = stack([block.matrix for block in model.rows])
    row_of, own = matrix.row_of, free[matrix.indices]
    alone = (np.bincount(row_of, own, matrix.count) == 1) & ~np.concatenate(curved)
    entries = np.flatnonzero(own & alone[row_of])
    row = row_of[entries]
    return SingleRows(
        row,
        matrix.indices[entries].astype(np.int64),
        matrix.data[entries],
        model.row_lower[row],
        model.row_upper[row],
    )
