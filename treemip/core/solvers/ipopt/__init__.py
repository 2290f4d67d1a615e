"""Ipopt, in memory by the one in CasADi's wheel: https://coin-or.github.io/Ipopt/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.core.files.profiles import Caps, Reads
from treemip.core.model.answer import Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.solving.solver import Solver

if TYPE_CHECKING:
    import numpy as np

    from treemip.core.solvers.ipopt.model import CasadiModel

# What a solve needs is imported with it.


def _solve(
    model: Model, limits: Limits, start: np.ndarray | None, on_progress: OnProgress | None
) -> Answer:
    from treemip.core.solvers.ipopt.solve import solve_ipopt

    return solve_ipopt(model, limits, start, on_progress)


def _to_model(model: Model) -> CasadiModel:
    from treemip.core.solvers.ipopt.model import to_casadi

    return to_casadi(model)


SOLVER = Solver(
    "ipopt",
    "Ipopt",
    # It reads no file but NL, which is the same for every solver.
    Caps(model=Reads(objective=True, rows=True, nonlinear=True, integers=False)),
    order=30,
    package="casadi",
    extra="casadi",
    solve=_solve,
    to_model=_to_model,
    local=True,
)
