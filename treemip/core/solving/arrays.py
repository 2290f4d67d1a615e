"""The blocks of a model joined into the one matrix and the vectors that solvers take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.files.flat_model import joined_quadratic
from treemip.core.files.profiles import Profile
from treemip.core.files.requirements import require_finite, require_taken
from treemip.core.model.blocks import Quadratic, SparseRows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import stack
from treemip.core.model.tolerances import CONVEX_SHIFT
from treemip.core.source.diagnostic import Report

if TYPE_CHECKING:
    from scipy.sparse import csc_array


@dataclass(frozen=True)
class Arrays:
    """A whole model in arrays; rows and columns are numbered as in the model.

    lower, upper, costs float64 (columns,); integer bool (columns,); matrix (rows, columns);
    row_lower, row_upper float64 (rows,); quadratic: of the rows, with model-wide row numbers.
    """

    lower: np.ndarray
    upper: np.ndarray
    integer: np.ndarray
    costs: np.ndarray
    matrix: SparseRows
    row_lower: np.ndarray
    row_upper: np.ndarray
    quadratic: Quadratic

    @property
    def columns(self) -> int:
        return len(self.lower)

    @property
    def rows(self) -> int:
        return len(self.row_lower)


def assemble(model: Model, target: Profile) -> Arrays:
    """Join the blocks for a solver, a `SOLVER`, or for a modelling package; implications are not
    among the rows. Binary columns are bounded by 0 and 1.

    What its `caps` do not say that it takes in memory is refused here, so that a solver that knows
    nothing of products, say, is never handed a model without them. Raises E601 for that and for a
    model without columns, E402 for numbers that are not finite and bounds of 1e20 and more, which
    solvers take for something else without a word, E403 for bounds that exclude each other.
    """
    report = Report()
    require_taken(model, target.title, target.caps.in_memory, report)
    require_finite(model.with_(rows=model.bodies, implications=()), report)
    if model.column_count == 0:
        message = f"the model has no variables for {target.title}"
        report.error("E601", message, model.objective.span)
    report.raise_errors()
    return Arrays(
        *model.box,
        model.integer,
        model.costs,
        stack([block.matrix for block in model.rows]),
        model.row_lower,
        model.row_upper,
        joined_quadratic(model),
    )


# ----------------- convexity: HiGHS solves convex forms only, and does not notice all others itself


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
