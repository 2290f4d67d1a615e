"""HiGHS, in memory by highspy: https://ergo-code.github.io/HiGHS/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.core.files.profiles import SQUARES, Caps, StartForm
from treemip.core.model.answer import Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.solvers.highs.solution import PLAIN, TABLE
from treemip.core.solving.solver import Solver

if TYPE_CHECKING:
    import highspy
    import numpy as np

# What a solve needs is imported with it: reading a solution file needs none of it.


def _solve(
    model: Model, limits: Limits, start: np.ndarray | None, on_progress: OnProgress | None
) -> Answer:
    from treemip.core.solvers.highs.solve import solve_highs

    return solve_highs(model, limits, start, on_progress)


def _demand(model: Model) -> None:
    from treemip.core.solvers.highs.model import demand_convex

    demand_convex(model)


def _to_model(model: Model) -> highspy.Highs:
    from treemip.core.solvers.highs.model import to_highs

    return to_highs(model)


START = StartForm(
    "Model status\nUnknown\n\n# Primal solution values\nFeasible\nObjective 0\n# Columns {}",
    tail="\n# Rows 0",
)
"""Its raw solution file, without rows."""

# Of x + z >= 4.5 with an integer z, the presolve of 1.14.0 takes x for 0 where z costs less; 1.13
# loses optima of larger models. Both are reported to HiGHS, and mended in 1.15.0.
WORSE = "calls solutions optimal that are not"

SOLVER = Solver(
    "highs",
    "HiGHS",
    Caps(mps=SQUARES, lp=SQUARES, start=START),  # it takes LAZYCONS for a row named AZYCONS
    order=10,
    package="highspy",
    extra="highs",
    formats=(PLAIN, TABLE),
    demand=_demand,
    solve=_solve,
    to_model=_to_model,
    start_needs_integers=True,
    faulty={"1.13": WORSE, "1.14": WORSE},
)
