"""Is a quadratic form convex? HiGHS solves those only, and does not notice all others itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.model.blocks import Quadratic
from treemip.model.tolerances import CONVEX_SHIFT

if TYPE_CHECKING:
    from scipy.sparse import csc_array


def is_convex(form: Quadratic, sign: float = 1.0) -> bool:
    """Whether sign * (sum of coef x[first] x[second]) is convex; its rows are not looked at.

    A symmetric matrix is positive definite exactly when elimination without row exchanges meets
    positive pivots only (Golub and Van Loan, Matrix Computations, sect. 4.2).
    """
    from scipy.sparse import coo_array, csc_array, eye_array

    coef = sign * form.coef
    square = form.first == form.second
    if square.all():
        return bool((coef >= 0).all())
    ids, position = np.unique(np.concatenate([form.first, form.second]), return_inverse=True)
    first, second = position[: form.count], position[form.count :]
    half = coo_array((coef / 2, (first, second)), shape=(len(ids), len(ids)))
    matrix = csc_array(half + half.T)
    shift = CONVEX_SHIFT * np.abs(coef).max()
    return _positive_definite(csc_array(matrix + shift * eye_array(len(ids))))


def _positive_definite(matrix: csc_array) -> bool:
    from scipy.sparse.linalg import splu

    try:
        factors = splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,  # a row is exchanged only where a pivot is exactly zero
            options={"SymmetricMode": True},
        )
    except RuntimeError:  # exactly singular
        return False
    in_place = np.array_equal(factors.perm_r, factors.perm_c)
    return in_place and bool((factors.U.diagonal() > 0).all())
