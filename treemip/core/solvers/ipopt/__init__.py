"""Ipopt, in memory by the one in CasADi's wheel: https://coin-or.github.io/Ipopt/."""

from __future__ import annotations

from treemip.core.files.profiles import Caps, Reads
from treemip.core.registry import when_called
from treemip.core.solving.solver import Solver

SOLVER = Solver(
    "ipopt",
    "Ipopt",
    # It reads no file but NL, which is the same for every solver.
    Caps(model=Reads(objective=True, rows=True, nonlinear=True, integers=False)),
    order=30,
    package="casadi",
    extra="casadi",
    solve=when_called("treemip.core.solvers.ipopt.solve.solve_ipopt"),
    to_model=when_called("treemip.core.solvers.ipopt.model.to_casadi"),
    local=True,
)
