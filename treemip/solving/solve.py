"""One door to the solvers in memory, and which of them a model is for."""

from __future__ import annotations

import numpy as np

from treemip.model.answer import NO_LIMITS, Answer, Limits, OnProgress
from treemip.model.model import Model
from treemip.registry import in_memory, solvers
from treemip.solving.arrays import is_convex
from treemip.solving.optional import is_installed
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import did_you_mean, listed


def solve(
    model: Model,
    solver: str = "auto",
    limits: Limits = NO_LIMITS,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
) -> Answer:
    """Solve with the solver named, or with the one `choose` names.

    start: float64 (columns,), nan where a value is unknown. Raises E902 for an unknown solver,
    and what `solve_highs`, `solve_scip` and `solve_ipopt` raise.
    """
    name = choose(model) if solver == "auto" else solver
    known = in_memory()
    run = known[name].solve if name in known else None
    if run is None:
        raise TreemipError(
            Diagnostic.outside(
                "E902",
                f"unknown solver '{name}'",
                did_you_mean(name, known) or f"there are {listed(['auto', *known])}",
            )
        )
    return run(model, limits, start, on_progress)


def is_available(solver: str) -> bool:
    """Whether the Python package of a solver is installed."""
    return is_installed(solvers()[solver].package)


def choose(model: Model) -> str:
    """The default solver for a model, whether it is installed or not.

    Nonlinear functions without integers go to Ipopt, for a local solution, with integers to SCIP.
    Implications, special ordered sets and products need SCIP, products in a convex objective
    without integers excepted.
    Of the rest, integer models go to SCIP and continuous ones to HiGHS; either replaces the other
    when it alone is installed.
    """
    integer = bool(model.integer.any())
    if model.tape.steps:
        return "scip" if integer else "ipopt"
    curved = any(block.quadratic.count for block in model.rows)
    if curved or model.implications or model.special_sets:
        return "scip"
    products, sign = model.objective.quadratic, 1.0 if model.objective.sense == "minimize" else -1.0
    if products.count and (integer or not is_convex(products, sign)):
        return "scip"
    return _installed("scip", "highs") if integer else _installed("highs", "scip")


def _installed(preferred: str, other: str) -> str:
    alone = is_available(other) and not is_available(preferred)
    return other if alone else preferred
