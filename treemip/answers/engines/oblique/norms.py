"""How great the coefficients of hyperplanes may be, by the bounds and rows of the stated model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.answers.search.hyperplane_columns import NONE, HyperplaneColumns
from treemip.core.model.blocks import Function, SparseRows
from treemip.core.model.model import Model


def norms_of(columns: HyperplaneColumns) -> np.ndarray:
    """The greatest 1-norm of each branch's coefficients that bounds and rows allow, float64
    (branches,); infinite where they allow any."""
    model, branches = columns.model, columns.topology.branches
    own = columns.coef[branches]
    most = np.maximum(np.abs(model.lower[own]), np.abs(model.upper[own]))
    by_bounds = (most * np.abs(columns.unit[own])).sum(axis=1)
    return np.minimum(by_bounds, _by_rows(columns)[branches])


def is_free(columns: HyperplaneColumns) -> bool:
    """Whether hyperplanes may have any norm: their columns have no bounds, and no rows beside the
    implications."""
    model, is_own = columns.model, columns.entry != NONE
    if np.isfinite(model.lower[is_own]).any() or np.isfinite(model.upper[is_own]).any():
        return False
    blocks = [block.matrix for block in model.rows]
    blocks += [block.arguments for block in model.functions]
    return not any(is_own[matrix.indices].any() for matrix in blocks)


def _by_rows(columns: HyperplaneColumns) -> np.ndarray:
    """What rows over the sizes of all coefficients of a branch allow, float64 (nodes,)."""
    sizes, model = _Sizes(columns), columns.model
    lower, upper = model.lower, model.upper
    norms = np.full(columns.topology.size, np.inf)
    for matrix, data, limit in _at_most(model):
        column, row = matrix.indices, matrix.row_of
        is_size = (sizes.branch[column] != NONE) & (data > 0)
        least = np.where(data > 0, data * lower[column], data * upper[column])
        room = limit - np.bincount(row, np.where(is_size, 0.0, least), matrix.count)
        enough = np.bincount(row, is_size, matrix.count) >= columns.features
        for r in np.flatnonzero(enough & np.isfinite(room)):
            at = slice(matrix.indptr[r], matrix.indptr[r + 1])
            mine, each = column[at][is_size[at]], data[at][is_size[at]]
            each = each * sizes.factor[mine]
            for node in np.unique(sizes.branch[mine]).tolist():
                here = sizes.branch[mine] == node
                if len(np.unique(sizes.feature[mine[here]])) == columns.features:
                    norms[node] = min(norms[node], room[r] / each[here].min())
    return norms


def _at_most(model: Model) -> Iterator[tuple[SparseRows, np.ndarray, np.ndarray]]:
    """The affine rows as data x <= limit, each side of a block by itself: the matrix, whose data
    are to be taken from beside it, and the limits, infinite where a row has none."""
    for block in model.rows:
        if block.is_affine and block.length:
            yield block.matrix, block.matrix.data, block.upper
            yield block.matrix, -block.matrix.data, -block.lower


class _Sizes:
    """Columns that are no less than a coefficient's size, times `factor`: its branch and feature by
    column, NONE for others. Results of abs are; columns with rows against the coefficient and its
    opposite too."""

    def __init__(self, columns: HyperplaneColumns) -> None:
        self.columns = columns
        count = columns.model.column_count
        self.branch, self.feature = np.full(count, NONE), np.full(count, NONE)
        self.factor = np.ones(count)
        self._results()
        self._bounded()

    def _results(self) -> None:
        for function in self.columns.model.functions:
            if function.function is not Function.ABS or not function.is_affine:
                continue
            arguments = function.arguments
            rows = np.flatnonzero((np.diff(arguments.indptr) == 1) & (function.constants == 0))
            entry = arguments.indptr[rows]
            result = function.result + function.owner[rows]
            self._note(result, arguments.indices[entry], np.abs(arguments.data[entry]))

    def _bounded(self) -> None:
        """size >= k * coef and size >= -k * coef, as rows of two entries."""
        pairs: dict[float, set[tuple[int, int, float]]] = {1.0: set(), -1.0: set()}
        for matrix, every, limit in _at_most(self.columns.model):
            rows = np.flatnonzero((np.diff(matrix.indptr) == 2) & (limit <= 0))
            at = matrix.indptr[rows][:, None] + np.arange(2)
            column, data = matrix.indices[at], every[at]
            is_coef = self.columns.feature_of[column] != NONE
            for k in (0, 1):
                some = is_coef[:, k] & ~is_coef[:, 1 - k] & (data[:, 1 - k] < 0)
                both = column[some][:, [1 - k, k]].tolist()
                ratio = -data[some, k] / data[some, 1 - k]
                for (size, coef), rate in zip(both, ratio.tolist(), strict=True):
                    pairs[float(np.sign(rate))].add((size, coef, abs(rate)))
        either = np.array(sorted(pairs[1.0] & pairs[-1.0])).reshape(-1, 3)
        size, coef = either[:, :2].T.astype(np.int64)
        self._note(size, coef, either[:, 2])

    def _note(self, column: np.ndarray, coef: np.ndarray, rate: np.ndarray) -> None:
        is_coef = self.columns.feature_of[coef] != NONE
        column, coef, rate = column[is_coef], coef[is_coef], rate[is_coef]
        self.branch[column] = self.columns.branch_of[coef]
        self.feature[column] = self.columns.feature_of[coef]
        self.factor[column] = rate * np.abs(self.columns.unit[coef])
