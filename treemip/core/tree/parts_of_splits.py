"""Coefficients of splits that are several columns each, such as a positive and a negative part:
together with the features that splits use, they may tell these columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.lower.linear import Linear
from treemip.core.model.tolerances import SOLVED_COLUMN

MOST_PARTS = 2000  # columns
DIGITS = 9

Indices = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class PartsOfSplits:
    """Columns int64 (n,) that follow from coefficients and uses by `inverse` float64 (n, rows): of
    the rows of both concepts, at the indices `coef` and `uses`, less their constant (rows,)."""

    columns: np.ndarray
    inverse: np.ndarray
    coef: Indices
    uses: Indices
    constant: np.ndarray

    @classmethod
    def of(
        cls, coef: Linear, uses: Linear, coef_at: Indices, uses_at: Indices
    ) -> PartsOfSplits | None:
        """Of both concepts in the columns; None where each coefficient is a single one, or there
        are more than MOST_PARTS. Uses that are columns of their own tell nothing."""
        first, second = coef.matrix(), uses.matrix()
        columns = np.unique(first.indices)
        if (np.diff(first.indptr) <= 1).all() or len(columns) > MOST_PARTS:
            return None
        other = ~np.isin(second.indices, columns)
        rows = np.delete(np.arange(second.count), np.unique(second.row_of[other]))
        matrix = np.zeros((first.count + second.count, len(columns)))
        np.add.at(matrix, (first.row_of, np.searchsorted(columns, first.indices)), first.data)
        place = np.searchsorted(columns, second.indices[~other])
        np.add.at(matrix, (first.count + second.row_of[~other], place), second.data[~other])
        matrix = matrix[np.append(np.arange(first.count), first.count + rows)]
        inverse = np.linalg.pinv(matrix)
        settled = np.abs(inverse @ matrix - np.eye(len(columns))).max(axis=1) < SOLVED_COLUMN
        return cls(
            columns[settled],
            inverse[settled],
            coef_at,
            tuple(index[rows] for index in uses_at),
            np.concatenate([coef.constant, uses.constant[rows]]),
        )

    def solved(self, weights: np.ndarray) -> np.ndarray:
        """What the columns are with splits of weights float64 (nodes, inputs), (n,)."""
        used = (weights[self.uses] != 0).astype(float)
        wanted = np.concatenate([weights[self.coef], used]) - self.constant
        return np.round(self.inverse @ wanted, DIGITS) + 0.0
