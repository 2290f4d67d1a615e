"""Bounds that rows of one variable state: a x >= b and a x <= c bound x as its declaration would.

So a spec bounds what a formulation leaves unbounded by a row of its own,
`cap {t in branches, j in features}: -10 <= coef[t,j] <= 10;`, and big-Ms are proven from it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treemip.model.blocks import Rows


def tightened(
    lower: np.ndarray, upper: np.ndarray, families: Iterable[Rows]
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds float64 (columns,) of all variables, narrowed by the rows that hold one of them."""
    lower, upper = lower.copy(), upper.copy()
    for rows in families:
        matrix = rows.matrix
        alone = np.diff(matrix.indptr) == 1
        if rows.quadratic.count:
            alone[rows.quadratic.row] = False
        alone = np.flatnonzero(alone)
        if not len(alone):
            continue
        at = matrix.indptr[alone]
        variable, coef = matrix.indices[at], matrix.data[at]
        ends = np.sort([rows.lower[alone] / coef, rows.upper[alone] / coef], axis=0)
        np.maximum.at(lower, variable, ends[0])
        np.minimum.at(upper, variable, ends[1])
    return lower, upper
