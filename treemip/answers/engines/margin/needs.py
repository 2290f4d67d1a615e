"""Which branches have to pay for a split where another one has features, by rows of the stated
model: a column without which a branch has no features, and rows `one <= other` of two of them.
"""

from __future__ import annotations

import numpy as np

from treemip.answers.search.hyperplane_columns import NONE, HyperplaneColumns
from treemip.core.model.model import Model
from treemip.core.model.tolerances import ROUNDING


def needs_of(columns: HyperplaneColumns, costs: np.ndarray, charge: np.ndarray) -> np.ndarray:
    """int64 (nodes,): the branch whose charge (nodes,) is paid where this one has features, NONE
    where there is no such. costs float64 (columns,), to be minimized."""
    needs, branch = np.full(len(charge), NONE), _branch_of(columns)
    for block in columns.model.rows:
        matrix = block.matrix
        if not block.is_affine:
            continue
        pairs = np.flatnonzero((np.diff(matrix.indptr) == 2) & (block.upper == 0))
        first = matrix.indptr[pairs][:, None] + np.arange(2)
        own, data = branch[matrix.indices[first]], matrix.data[first]
        known = (own != NONE).all(axis=1) & (data.sum(axis=1) == 0)
        for row in np.flatnonzero(known):
            low, above = own[row][np.argsort(-data[row])]
            column = matrix.indices[first[row]][np.argmin(data[row])]
            if costs[column] >= charge[above] * (1 - ROUNDING):
                needs[low] = above
    return needs


def _branch_of(columns: HyperplaneColumns) -> np.ndarray:
    """The branch of which all coefficients are 0 where a column is, int64 (columns,)."""
    model: Model = columns.model
    zero = np.zeros((model.column_count, columns.topology.size), np.int64)
    for block in model.implications:
        body, guard = block.body, block.guard
        if block.conjuncts or not body.is_affine or not body.length:
            continue
        plain = (np.diff(body.matrix.indptr) == 1) & (body.lower == 0) & (body.upper == 0)
        plain &= (np.diff(guard.indptr) == 1) & (block.guard_constant == 0) & (block.value == 0)
        held, when = body.matrix.indptr[:-1][plain], guard.indptr[:-1][plain]
        coef, column = body.matrix.indices[held], guard.indices[when]
        is_coef = (columns.branch_of[coef] != NONE) & (columns.entry[coef] < columns.features)
        is_coef &= guard.data[when] == 1
        pairs = np.unique(np.column_stack([column, coef])[is_coef], axis=0)
        np.add.at(zero, (pairs[:, 0], columns.branch_of[pairs[:, 1]]), 1)
    whole = zero >= columns.features
    return np.where(whole.any(axis=1), whole.argmax(axis=1), NONE)
