"""An MPS file as arrays, in a form that does not tell a row from its negative."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Model:
    """A MIP to be minimized, no row with a lower side alone."""

    lower: np.ndarray
    upper: np.ndarray
    cost: np.ndarray
    integer: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    matrix: sp.csr_array
    offset: float

    @property
    def size(self) -> tuple[int, int, int]:
        return (*self.matrix.shape, self.matrix.nnz)


def read(path: str) -> Model:
    """The model of an MPS file, by HiGHS' reader; ValueError where it cannot be read whole."""
    highs = highspy.Highs()
    highs.silent()
    if highs.readModel(str(path)) != highspy.HighsStatus.kOk:
        raise ValueError(f"HiGHS cannot read {path} without an error or a warning")
    lp = highs.getLp()
    a = lp.a_matrix_
    shape = (lp.num_row_, lp.num_col_)
    layout = sp.csc_array if a.format_ == highspy.MatrixFormat.kColwise else sp.csr_array
    matrix = layout((np.array(a.value_), np.array(a.index_), np.array(a.start_)), shape).tocsr()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    sign = -1.0 if lp.sense_ == highspy.ObjSense.kMaximize else 1.0
    continuous = highspy.HighsVarType.kContinuous
    kinds = lp.integrality_ or [continuous] * lp.num_col_
    return _standard(
        Model(
            np.array(lp.col_lower_),
            np.array(lp.col_upper_),
            sign * np.array(lp.col_cost_) + 0.0,
            np.fromiter((kind != continuous for kind in kinds), bool, lp.num_col_),
            np.array(lp.row_lower_),
            np.array(lp.row_upper_),
            matrix,
            sign * lp.offset_,
        )
    )


def _standard(model: Model) -> Model:
    """Turn every row with a lower side alone into one with an upper side alone."""
    flip = np.isinf(model.row_upper) & ~np.isinf(model.row_lower)
    return turned(model, flip)


def turned(model: Model, flip: np.ndarray) -> Model:
    sign = np.where(flip, -1.0, 1.0)
    row_lower = np.where(flip, -model.row_upper, model.row_lower)
    row_upper = np.where(flip, -model.row_lower, model.row_upper)
    matrix = (sp.diags_array(sign) @ model.matrix).tocsr()
    return Model(
        model.lower, model.upper, model.cost, model.integer, row_lower, row_upper, matrix,
        model.offset,
    )  # fmt: skip
