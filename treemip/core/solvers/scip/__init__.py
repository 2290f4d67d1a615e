"""SCIP, in memory by PySCIPOpt: https://www.scipopt.org."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.core.files.profiles import EVERYTHING, Caps, Reads, StartForm
from treemip.core.model.answer import Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.solvers.scip.solution import FORMAT
from treemip.core.solving.solver import Solver

if TYPE_CHECKING:
    import numpy as np
    import pyscipopt

    from treemip.core.solving.separation import Separation

# What a solve needs is imported with it: reading a solution file needs none of it.


def _solve(
    model: Model, limits: Limits, start: np.ndarray | None, on_progress: OnProgress | None
) -> Answer:
    from treemip.core.solvers.scip.solve import solve_scip

    return solve_scip(model, limits, start, on_progress)


def _solve_separating(
    model: Model,
    limits: Limits,
    start: np.ndarray | None,
    on_progress: OnProgress | None,
    separation: Separation,
) -> Answer:
    from treemip.core.solvers.scip.solve import solve_scip

    return solve_scip(model, limits, start, on_progress, separation)


def _demand(model: Model) -> None:
    from treemip.core.solvers.scip.model import demand_computable

    demand_computable(model)


def _to_model(model: Model) -> pyscipopt.Model:
    from treemip.core.solvers.scip.model import to_scip

    return to_scip(model)


SOLVER = Solver(
    "scip",
    "SCIP",
    Caps(
        mps=EVERYTHING,
        # User Cuts in LP switch SCIP's check of the row before them off.
        lp=Reads(objective=True, rows=True, indicators=True, sos=True, lazy=True),
        model=Reads(objective=True, rows=True, indicators=True, sos=True, nonlinear=True),
        start=StartForm("solution status: unknown\nobjective value: unknown"),
        lazy=True,
    ),
    order=20,
    package="pyscipopt",
    extra="scip",
    formats=(FORMAT,),
    demand=_demand,
    solve=_solve,
    solve_separating=_solve_separating,
    separates_continuous=True,
    to_model=_to_model,
    nonzeros_per_second=350_000,  # measured on S-OCT: 9 million in 26 s
)
