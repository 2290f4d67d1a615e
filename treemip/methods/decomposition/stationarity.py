"""Whether a point is critical: no feasible direction of descent, which is what limit points of
C-NB-DEC are (Amaldi et al. 2023, section 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.core.model.blocks import Index, Kind, Rows, SparseRows, Variables
from treemip.core.model.model import Model, Objective
from treemip.core.model.values import objective_value, row_values
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError

if TYPE_CHECKING:
    from treemip.core.solvers.ipopt.solve import Ipopt

STEP = 1.0
"""The length of the step, in each column."""


def stationarity(ipopt: Ipopt, x: np.ndarray) -> float | None:
    """The improvement that a step of at most 1 in each column promises, by gradients at x
    (columns,), relative to the objective; 0 at a critical point. None where the linear program has
    no answer.

    It minimizes the linearized objective over the linearized rows and the bounds, with rows that x
    violates within the feasibility tolerance taken as kept.
    """
    model, made = ipopt.model, ipopt.made
    slope, rows = ipopt.gradients(x)
    size = float(abs(slope).max(initial=0.0))
    if not size:
        return 0.0
    body = row_values(model, x)
    matrix = rows.tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    sparse = SparseRows(matrix.indptr.astype(np.int64), matrix.indices, matrix.data)
    n, m = len(x), len(body)
    lower = np.clip(made.lower - x, -STEP, 0.0)
    upper = np.clip(made.upper - x, 0.0, STEP)
    row_lower = np.minimum(made.row_lower - body, 0.0)
    row_upper = np.maximum(made.row_upper - body, 0.0)
    linear = Model(
        "step",
        (Variables("step", Index(length=n), 0, lower, upper, Kind.CONTINUOUS),),
        (Rows("rows", Index(length=m), sparse, row_lower, row_upper),) if m else (),
        objective=Objective("minimize", linear=slope / size),
    )
    try:
        answer = solve(linear)
    except TreemipError:
        return None
    if answer.objective is None:
        return None
    return max(0.0, -answer.objective * size) / max(1.0, abs(objective_value(model, x)))
