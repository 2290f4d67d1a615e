"""HiGHS, solved in memory: linear models, and convex quadratic objectives without integers.

Options and callbacks: https://ergo-code.github.io/HiGHS/.
"""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.model.answer import (
    NO_LIMITS,
    Answer,
    Limits,
    OnProgress,
    Progress,
    Status,
    finite,
    relative_gap,
)
from treemip.core.model.model import Model
from treemip.core.registry import solvers
from treemip.core.solvers.highs.model import failure, load, run, to_highs
from treemip.core.solving.arrays import Arrays, assemble
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.optional import needed
from treemip.core.solving.outcome import Outcome, confirmed, confirmed_optimum, settle, tiny_note
from treemip.core.solving.start_completion import NODES, SHARE, checked, complete, whole_solution

if TYPE_CHECKING:
    from highspy import Highs

__all__ = ["solve_highs", "to_highs"]

FEASIBLE = 2  # HiGHS's SolutionStatus

STATUS: dict[str, Status] = {
    "kOptimal": "optimal",
    "kInfeasible": "infeasible",
    "kUnbounded": "unbounded",
    "kUnboundedOrInfeasible": "infeasible_or_unbounded",
    "kTimeLimit": "time_limit",
    "kInterrupt": "interrupted",
    "kHighsInterrupt": "interrupted",
    "kIterationLimit": "solver_limit",
    "kSolutionLimit": "solver_limit",
    "kMemoryLimit": "solver_limit",
    "kObjectiveBound": "solver_limit",
    "kObjectiveTarget": "solver_limit",
    "kUnknown": "solver_limit",
}
"""By name of HiGHS's model status; those not listed mean that HiGHS failed."""


def solve_highs(
    model: Model,
    limits: Limits = NO_LIMITS,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
) -> Answer:
    """Solve with HiGHS. `start`: float64 (columns,), nan where a value is unknown.

    `on_progress` is called on the solver's thread. In a `stoppable` block Ctrl-C ends the search
    and keeps the incumbent. Without integers a start is of no use to HiGHS and is not accepted.
    Raises E601 for models HiGHS cannot take, E602 without highspy, E604 when HiGHS fails, E607 for
    a start of the wrong length.
    """
    needed("highspy", "highs")  # imported before time is counted
    watch = Watch(limits.time, on_progress)
    arrays = assemble(model, solvers()["highs"])
    start = None if start is None else checked(start, arrays.columns)
    highs, complaints = load(model, arrays)
    _set_limits(highs, limits)
    heed_stop(highs, watch)
    accepted: bool | None = None if start is None else False
    outcome: Outcome | None = None

    def work() -> None:
        nonlocal accepted, outcome
        if start is not None and arrays.integer.any():
            accepted = _give_start(highs, model, arrays, start, watch)
        _report(highs, watch)
        limit_seconds(highs, watch.left(inf), arrays)
        run_to_end(highs)
        again = partial(_without_presolve, highs, arrays, complaints)
        outcome = confirmed(_outcome(highs, arrays, complaints), again, watch)
        if arrays.integer.any() and not (limits.gap or limits.absolute_gap):
            outcome = confirmed_optimum(model, outcome, again, watch)

    watch.run(work, stop=lambda: None)
    assert outcome is not None
    return settle(
        model,
        limits,
        outcome,
        seconds=watch.seconds,
        solver=("highs", highs.version()),
        start_accepted=accepted,
    )


def solve_ignoring_signals(model: Model) -> np.ndarray | None:
    """A best solution of a small model, float64 (columns,), None where it has none: for what has to
    be done with an answer, of which a signal that ended a search must not take away anything."""
    highs, complaints = load(model, assemble(model, solvers()["highs"]))
    run_to_end(highs)
    status_of(highs, complaints)
    return _values(highs)


def _set_limits(highs: Highs, limits: Limits) -> None:
    asked = {
        "log_to_console": limits.log,
        "mip_rel_gap": limits.gap or 0.0,  # HiGHS would stop at 1e-4 and say "optimal"
        "mip_abs_gap": limits.absolute_gap,
        "threads": limits.threads,
        "random_seed": limits.seed,
        "mip_feasibility_tolerance": limits.feasibility,
        "primal_feasibility_tolerance": limits.feasibility,
    }
    for name, value in asked.items():
        if value is not None:
            highs.setOptionValue(name, value)


def _without_presolve(
    highs: Highs, arrays: Arrays, complaints: list[str], seconds: float
) -> Outcome:
    """Solve anew without presolve, from the solution there is."""
    values = _values(highs)
    highs.clearSolver()
    if values is not None:
        highs.setSolution(len(values), np.arange(len(values), dtype=np.int32), values)
    highs.setOptionValue("presolve", "off")
    limit_seconds(highs, seconds, arrays)
    run_to_end(highs)
    return _outcome(highs, arrays, complaints)


def limit_seconds(highs: Highs, seconds: float, arrays: Arrays) -> None:
    """Limit the next solve. For models with integers HiGHS counts from its beginning, for others
    from that of the first solve."""
    gone = 0.0 if arrays.integer.any() else highs.getRunTime()
    highs.setOptionValue("time_limit", gone + seconds)


def run_to_end(highs: Highs) -> None:
    """Solve, on a thread of its own."""
    run(highs)
    # As highspy does for a solve on a thread: one that ends with it may deadlock on Windows.
    highs.resetGlobalScheduler(True)


def heed_stop(highs: Highs, watch: Watch) -> None:
    """Let HiGHS ask the watch whether to go on."""

    def on_interrupt(event: object) -> None:
        if watch.stopping.is_set():
            event.interrupt()  # type: ignore[attr-defined]

    highs.cbMipInterrupt += on_interrupt
    highs.cbSimplexInterrupt += on_interrupt
    highs.cbIpmInterrupt += on_interrupt


def _report(highs: Highs, watch: Watch) -> None:
    """Reports at every new incumbent, and else whenever HiGHS asks whether to go on."""
    if not watch.reports:
        return

    def tell(event: object) -> None:
        data = event.data_out  # type: ignore[attr-defined]
        objective, bound = finite(data.mip_primal_bound), finite(data.mip_dual_bound)
        gap = relative_gap(objective, bound)
        watch.report(Progress(watch.seconds, objective, bound, gap, int(data.mip_node_count)))

    def now_and_then(event: object) -> None:
        if watch.due():
            tell(event)

    highs.cbMipImprovingSolution += tell
    highs.cbMipInterrupt += now_and_then


def _give_start(
    highs: Highs, model: Model, arrays: Arrays, start: np.ndarray, watch: Watch
) -> bool:
    """Pass the start on; where it is no solution yet, it is completed in the same HiGHS, its known
    columns fixed."""
    usual_nodes = highs.getOptionValue("mip_max_nodes")[1]

    def attempt(columns: np.ndarray, values: np.ndarray) -> np.ndarray | None:
        ids = columns.astype(np.int32)
        highs.changeColsBounds(len(ids), ids, values, values)
        highs.setOptionValue("mip_max_nodes", NODES)
        limit_seconds(highs, SHARE * watch.left(inf), arrays)
        highs.run()
        found = _values(highs)
        highs.changeColsBounds(len(ids), ids, arrays.lower[columns], arrays.upper[columns])
        highs.setOptionValue("mip_max_nodes", usual_nodes)
        highs.clearSolver()
        return found

    found = whole_solution(model, start)
    if found is None:
        found = complete(start, arrays, attempt)
    if found is not None:
        highs.setSolution(len(found), np.arange(len(found), dtype=np.int32), found)
    return found is not None


def _values(highs: Highs) -> np.ndarray | None:
    if highs.getInfo().primal_solution_status != FEASIBLE:
        return None
    return np.array(highs.getSolution().col_value, dtype=np.float64)


def status_of(highs: Highs, complaints: list[str]) -> Status:
    """How the last solve ended. Raises E604 where HiGHS failed."""
    reached = highs.getModelStatus()
    if reached.name not in STATUS:
        words = highs.modelStatusToString(reached)
        raise failure(f"HiGHS stopped with '{words}'", complaints)
    return STATUS[reached.name]


def _outcome(highs: Highs, arrays: Arrays, complaints: list[str]) -> Outcome:
    status, info = status_of(highs, complaints), highs.getInfo()
    words = highs.modelStatusToString(highs.getModelStatus())
    said = [words] if status == "solver_limit" else []
    if arrays.integer.any():
        bound, nodes = info.mip_dual_bound, int(info.mip_node_count)
    else:
        bound, nodes = nan, 0
        if status == "optimal":
            bound = info.objective_function_value
    return Outcome(
        status, _values(highs), bound, nodes, "; ".join([*said, *tiny_note(arrays, "HiGHS")])
    )
