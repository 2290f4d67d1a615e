"""SCIP, in memory by PySCIPOpt: https://www.scipopt.org."""

from __future__ import annotations

from treemip.core.files.profiles import EVERYTHING, Caps, Reads, StartForm
from treemip.core.registry import when_called
from treemip.core.solvers.scip.solution import FORMAT
from treemip.core.solving.solver import Solver

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
    demand=when_called("treemip.core.solvers.scip.model.demand_computable"),
    solve=when_called("treemip.core.solvers.scip.solve.solve_scip"),
    separates_continuous=True,
    to_model=when_called("treemip.core.solvers.scip.model.to_scip"),
    nonzeros_per_second=350_000,  # measured on S-OCT: 9 million in 26 s
)
