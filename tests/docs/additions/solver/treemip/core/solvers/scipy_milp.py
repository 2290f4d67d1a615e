"""HiGHS as SciPy has it: scipy.optimize.milp, for linear models."""

from __future__ import annotations

from math import inf, nan

import numpy as np

from treemip.core.files.profiles import NOTHING_MORE, Caps
from treemip.core.model.answer import Answer, Limits, OnProgress, Status
from treemip.core.model.model import Model
from treemip.core.solving.solver import Solver

STATUS: dict[int, Status] = {0: "optimal", 1: "time_limit", 2: "infeasible", 3: "unbounded"}


def _solve(
    model: Model, limits: Limits, start: np.ndarray | None, on_progress: OnProgress | None
) -> Answer:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    from treemip.core.solving.arrays import assemble
    from treemip.core.solving.interrupt import Watch
    from treemip.core.solving.outcome import Outcome, settle

    watch = Watch(limits.time, on_progress)
    arrays = assemble(model, SOLVER)
    matrix = arrays.matrix
    form = csr_array((matrix.data, matrix.indices, matrix.indptr), (arrays.rows, arrays.columns))
    sign = -1.0 if model.objective.sense == "maximize" else 1.0
    found = milp(
        sign * arrays.costs,
        integrality=arrays.integer,
        bounds=Bounds(arrays.lower, arrays.upper),
        constraints=LinearConstraint(form, arrays.row_lower, arrays.row_upper),
        options={"time_limit": watch.left(inf), "mip_rel_gap": limits.gap or 0.0},
    )
    bound = nan if found.mip_dual_bound is None else sign * found.mip_dual_bound
    outcome = Outcome(STATUS[found.status], found.x, bound + model.objective.constant, None)
    version = ("scipy_milp", "1")
    return settle(
        model, limits, outcome, seconds=watch.seconds, solver=version, start_accepted=None
    )


SOLVER = Solver(
    "scipy_milp", "SciPy", Caps(mps=NOTHING_MORE), order=100, package="scipy", solve=_solve
)
