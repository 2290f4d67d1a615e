"""One door to the solvers in memory, and which of them a model is for."""

from __future__ import annotations

from functools import partial

import numpy as np

from treemip.core.files.requirements import demand_taken
from treemip.core.model.answer import NO_LIMITS, Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.model.on_demand import kept
from treemip.core.registry import in_memory, solvers
from treemip.core.solving.arrays import is_convex
from treemip.core.solving.lazy_rows import LazyRows
from treemip.core.solving.native import solve_native
from treemip.core.solving.optional import is_installed
from treemip.core.solving.separation import Separation, settled
from treemip.core.source.diagnostic import fail
from treemip.core.source.suggest import did_you_mean, listed


def solve(
    model: Model,
    solver: str = "auto",
    limits: Limits = NO_LIMITS,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
    lazy: LazyRows | None = None,
) -> Answer:
    """Solve with the solver named, or with the one `choose` names.

    start: float64 (columns,), nan where a value is unknown. lazy: rows to be separated while the
    solver runs; SCIP is chosen for them, and a solution is checked against them once more. Raises
    E902 for an unknown solver, E601 for lazy rows where `takes_lazy` is false, E604 for a solution
    that breaks one, and what `solve_highs`, `solve_scip` and `solve_ipopt` raise.
    """
    if lazy is not None:
        return _solve_separating(model, solver, limits, start, on_progress, lazy)
    name = choose(model) if solver == "auto" else solver
    known = in_memory()
    run = known[name].solve if name in known else None
    if run is None:
        hint = did_you_mean(name, known) or f"there are {listed(['auto', *known])}"
        fail("E902", f"unknown solver '{name}'", remedy=hint)
    return run(model, limits, start, on_progress)


def demand_model(model: Model, solver: str) -> None:
    """Raises E601 for a model that a solver in memory does not take, by what is known unsolved."""
    entry = in_memory()[solver]
    demand_taken(model, entry)
    if entry.demand is not None:
        entry.demand(model)


def takes_lazy(model: Model, solver: str) -> bool:
    """Whether the solver separates rows of this model while it runs."""
    entry = solvers().get(solver)
    if entry is None or not entry.caps.lazy:
        return False
    return entry.separates_continuous or bool(model.integer.any())


def _solve_separating(
    model: Model,
    solver: str,
    limits: Limits,
    start: np.ndarray | None,
    on_progress: OnProgress | None,
    lazy: LazyRows,
) -> Answer:
    entry = solvers().get("scip" if solver == "auto" else solver)
    if entry is None or not takes_lazy(model, entry.name):
        title = entry.title if entry else f"'{solver}'"
        able = [s.name for s in solvers().values() if takes_lazy(model, s.name)]
        without = "" if model.integer.any() else " of a model without integers"
        message = f"{title} does not take rows{without} that are separated while it runs"
        fail("E601", message, remedy=f"solve with {listed(able)}")
    run = entry.solve or partial(solve_native, entry)
    separation = Separation(lazy, model, limits)
    return settled(separation, run(model, limits, start, on_progress, separation))


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
    curved = any(block.quadratic.count for block in kept(model.rows))
    if curved or model.implications or model.special_sets:
        return "scip"
    products, sign = model.objective.alike.quadratic, model.objective.sign
    if products.count and (integer or not is_convex(products, sign)):
        return "scip"
    return _installed("scip", "highs") if integer else _installed("highs", "scip")


def choose_continuous(model: Model) -> str:
    """The solver for a model whose integers are relaxed or fixed: HiGHS for linear programs, SCIP
    for products, over which HiGHS takes for ever or gives up too often; either replaces the other
    when it alone is installed."""
    products = model.objective.quadratic.count or any(b.quadratic.count for b in model.rows)
    return _installed("scip", "highs") if products else _installed("highs", "scip")


def _installed(preferred: str, other: str) -> str:
    alone = is_available(other) and not is_available(preferred)
    return other if alone else preferred
