"""Which way results are pressed: where a function may stand as an inequality.

y = f(a) may be replaced by y >= f(a) when every use of y only gets easier as y falls: in rows
with a positive coefficient and no lower bound, a negative one and no upper bound, a minimized
cost, an argument of a function that itself may fall. Then any solution of the relaxation gives
one of the original with y lowered to f(a).
"""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Function, Implications, Rows, SparseRows
from treemip.model.model import Objective


class Polarity:
    """`can_fall` and `can_rise`, bool (columns,), of the columns from `first` on.

    Function results are appended behind the spec's own variables, so a block whose columns are
    all below `first` is passed over.
    """

    def __init__(self, columns: int, first: int = 0) -> None:
        self.first = first
        self.can_fall = np.ones(columns, bool)
        self.can_rise = np.ones(columns, bool)

    def rows(self, rows: Rows) -> None:
        self._linear(rows.matrix, np.isfinite(rows.lower), np.isfinite(rows.upper))
        for ids in (rows.quadratic.first, rows.quadratic.second):
            self.fixed(ids)

    def implications(self, block: Implications) -> None:
        self.rows(block.body)
        self.fixed(block.guard.indices)

    def objective(self, objective: Objective) -> None:
        sign = 1.0 if objective.sense == "minimize" else -1.0
        cost = sign * objective.linear
        self.can_fall[: len(cost)] &= cost >= 0
        self.can_rise[: len(cost)] &= cost <= 0
        for ids in (objective.quadratic.first, objective.quadratic.second):
            self.fixed(ids)

    def fixed(self, ids: np.ndarray) -> None:
        """Columns of which nothing can be said."""
        self.can_fall[ids] = False
        self.can_rise[ids] = False

    def arguments(self, function: Function, matrix: SparseRows, results: np.ndarray) -> None:
        """Arguments of a function whose result may fall (rise): max and min rise with them."""
        if function not in (Function.MAX, Function.MIN):
            self.fixed(matrix.indices)
            return
        result = results[matrix.row_of]
        positive = matrix.data > 0
        falls = np.where(positive, self.can_fall[result], self.can_rise[result])
        rises = np.where(positive, self.can_rise[result], self.can_fall[result])
        np.logical_and.at(self.can_fall, matrix.indices, falls)
        np.logical_and.at(self.can_rise, matrix.indices, rises)

    def _linear(self, matrix: SparseRows, has_lower: np.ndarray, has_upper: np.ndarray) -> None:
        if not matrix.nonzeros or matrix.indices.max() < self.first:
            return
        row = matrix.row_of
        positive = matrix.data > 0
        no_fall = np.where(positive, has_lower[row], has_upper[row])
        no_rise = np.where(positive, has_upper[row], has_lower[row])
        self.can_fall[matrix.indices[no_fall]] = False
        self.can_rise[matrix.indices[no_rise]] = False
