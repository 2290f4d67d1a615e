"""SCIP, solved in memory: also quadratic rows and objectives with integers, and the tape.

Parameters: https://www.scipopt.org/doc/html/PARAMETERS.php.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import nan
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
from treemip.core.model.tolerances import DOUBTFUL, FEASIBILITY, TAPE_FEASIBILITY
from treemip.core.registry import solvers
from treemip.core.solvers.scip.model import capped, load, to_scip
from treemip.core.solving.arrays import Arrays, assemble
from treemip.core.solving.interrupt import STACK, Watch
from treemip.core.solving.optional import needed
from treemip.core.solving.outcome import (
    Outcome,
    confirmed,
    confirmed_optimum,
    recomputed,
    settle,
    tiny_note,
)
from treemip.core.solving.separation import Separation
from treemip.core.solving.start_completion import NODES, SHARE, checked, complete, whole_solution
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.memory import REMEDY, demand_addresses, memory_left

if TYPE_CHECKING:
    import pyscipopt

__all__ = ["solve_scip", "to_scip"]

MEMORY_SHARE = 0.5
"""Of the memory that is left, what SCIP may take beside its LP solver."""

LEAST_MEMORY = 2**26
"""Bytes that SCIP takes beside its thread's stack before it looks at its limit."""

UNLIMITED = 1e20  # seconds; the most that limits/time takes

STATUS: dict[str, Status] = {
    "optimal": "optimal",
    "gaplimit": "gap_limit",
    "infeasible": "infeasible",
    "unbounded": "unbounded",
    "inforunbd": "infeasible_or_unbounded",
    "timelimit": "time_limit",
    "userinterrupt": "interrupted",
}
"""By SCIP's status; all others are limits of SCIP's own."""


def solve_scip(
    model: Model,
    limits: Limits = NO_LIMITS,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
    separation: Separation | None = None,
) -> Answer:
    """Solve with SCIP. `start`: float64 (columns,), nan where a value is unknown.

    `on_progress` is called on the solver's thread. In a `stoppable` block Ctrl-C ends the search
    and keeps the incumbent. SCIP searches on one thread whatever `limits.threads` says.
    separation: rows to be separated while it runs. Raises E601 for models with implications or
    functions left, E602 without pyscipopt, E405 when memory is used up, E604 when SCIP fails, E607
    for a start of the wrong length, and what the source of rows raises.
    """
    needed("pyscipopt", "scip")  # imported before time is counted
    watch = Watch(limits.time, on_progress)
    arrays = assemble(model, solvers()["scip"])
    start = None if start is None else checked(start, arrays.columns)
    scip, columns = load(model, arrays)
    running = [scip]
    _set_limits(scip, limits, bool(model.tape.steps))
    if separation is not None:
        from treemip.core.solvers.scip.separation import separate

        separation.watched(watch)
        separate(scip, columns, separation)
    demand_addresses("SCIP", STACK + LEAST_MEMORY)
    accepted: bool | None = None if start is None else False
    outcome: Outcome | None = None

    def work() -> None:
        nonlocal accepted, outcome
        if start is not None:
            accepted = _give_start(scip, model, columns, arrays, start, watch, separation)
        _report(scip, watch)
        _optimize(scip, watch.left(UNLIMITED))
        reached = partial(_outcome, scip, columns, arrays, limits)
        outcome = reached()
        if model.is_linear:  # SCIP 10.0.2 may crash where it solves another model once more
            outcome = confirmed(outcome, partial(_without_presolve, scip, reached), watch)
        elif model.tape.steps and separation is None:
            outcome = _confirmed_tape(model, arrays, limits, outcome, watch, running)

    def stop() -> None:
        running[-1].interruptSolve()

    watch.run(work, stop=stop)
    assert outcome is not None
    return settle(
        model,
        limits,
        recomputed(model, outcome, limits) if model.tape.steps else outcome,
        seconds=watch.seconds,
        solver=("scip", _version(scip)),
        start_accepted=accepted,
    )


def _confirmed_tape(
    model: Model,
    arrays: Arrays,
    limits: Limits,
    claim: Outcome,
    watch: Watch,
    running: list[pyscipopt.Model],
) -> Outcome:
    """The claim, held against a second solve at SCIP's own feasibility: at a finer one its linear
    programs have cut off better solutions (SCIP 10.0.2). running: who is to be interrupted."""
    finer = limits.feasibility or TAPE_FEASIBILITY
    if finer >= FEASIBILITY:
        return claim

    def again(seconds: float) -> Outcome:
        scip, columns = load(model, arrays)
        running.append(scip)
        _set_limits(scip, replace(limits, feasibility=FEASIBILITY), True)
        assert claim.values is not None
        _add(scip, columns, claim.values)
        try:
            _optimize(scip, seconds)
        except TreemipError:  # the claim stands, and is not confirmed
            return Outcome("solver_limit", None, nan, 0)
        return _outcome(scip, columns, arrays, limits)

    by, anew = f"the solver at a feasibility of {finer:g}", f"at {FEASIBILITY:g}"
    return confirmed_optimum(model, claim, again, watch, by, anew, DOUBTFUL)


def _set_limits(scip: pyscipopt.Model, limits: Limits, tape: bool) -> None:
    # Every slot of a tape may miss its equation by this much, and rows add slots up.
    usual = TAPE_FEASIBILITY if tape else None
    asked = {
        "limits/gap": limits.gap,
        "limits/absgap": limits.absolute_gap,
        "numerics/feastol": limits.feasibility or usual,
        "randomization/randomseedshift": limits.seed,
        "misc/catchctrlc": False,  # Watch does, also where SCIP's handler would not be reached
    }
    left = memory_left()
    if left is not None:
        # Where an allocation fails, SCIP's LP solver ends the process. SCIP counts its own memory
        # only; at the limit it stops and keeps the incumbent.
        asked["limits/memory"] = (scip.getMemUsed() + MEMORY_SHARE * left) / 2**20
    for name, value in asked.items():
        if value is not None:
            scip.setParam(name, value)
    if limits.log:
        scip.hideOutput(False)


def _optimize(scip: pyscipopt.Model, seconds: float) -> None:
    scip.setParam("limits/time", min(UNLIMITED, seconds + scip.getSolvingTime()))
    try:
        scip.optimizeNogil()
    except Exception as error:  # PySCIPOpt raises plain exceptions with SCIP's words
        if "insufficient memory" in str(error):
            message = "not enough memory for SCIP"
            raise TreemipError(Diagnostic.outside("E405", message, REMEDY)) from error
        raise TreemipError(
            Diagnostic.outside(
                "E604",
                str(error),
                "try another seed, another --feasibility or another solver; the log shows where "
                "it happens",
            )
        ) from error


def _without_presolve(
    scip: pyscipopt.Model, reached: Callable[[], Outcome], seconds: float
) -> Outcome:
    """Solve anew without presolve, or go on with that."""
    if scip.getParam("presolving/maxrounds") != 0:
        from pyscipopt import SCIP_PARAMSETTING

        scip.freeTransform()
        scip.setPresolve(SCIP_PARAMSETTING.OFF)
    _optimize(scip, seconds)
    return reached()


def _give_start(
    scip: pyscipopt.Model,
    model: Model,
    columns: np.ndarray,
    arrays: Arrays,
    start: np.ndarray,
    watch: Watch,
    separation: Separation | None,
) -> bool:
    """Pass the start on; where it is no solution yet, it is completed in the same SCIP with its
    known columns fixed. A whole one that breaks a row of the separation is not passed on.

    What was found there need not be passed on: SCIP keeps the best solutions of the original
    problem when it goes back to it, and tries them first in the next solve.
    """

    def bound(ids: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        for variable, least, most in zip(columns[ids], capped(lower), capped(upper), strict=True):
            scip.chgVarLb(variable, least)
            scip.chgVarUb(variable, most)

    def attempt(ids: np.ndarray, values: np.ndarray) -> np.ndarray | None:
        bound(ids, values, values)
        scip.setParam("limits/nodes", NODES)
        _optimize(scip, SHARE * watch.left(UNLIMITED))
        found = _values(scip, columns)
        scip.freeTransform()
        scip.setParam("limits/nodes", -1)
        bound(ids, arrays.lower[ids], arrays.upper[ids])
        return found

    found = whole_solution(model, start)
    if found is not None:
        if separation is not None and separation.of_candidate(found) is not None:
            return False
        return _add(scip, columns, found)
    return complete(start, arrays, attempt) is not None


def _add(scip: pyscipopt.Model, columns: np.ndarray, values: np.ndarray) -> bool:
    solution = scip.createSol()
    for column, value in zip(columns.tolist(), values.tolist(), strict=True):
        scip.setSolVal(solution, column, value)
    return bool(scip.addSol(solution))


def _report(scip: pyscipopt.Model, watch: Watch) -> None:
    """Reports at every new incumbent, and now and then after a node."""
    if not watch.reports:
        return
    from pyscipopt import SCIP_EVENTTYPE, Eventhdlr

    class Reporter(Eventhdlr):
        def eventinit(self) -> None:
            self.model.catchEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)
            self.model.catchEvent(SCIP_EVENTTYPE.NODESOLVED, self)

        def eventexec(self, event: pyscipopt.scip.Event) -> None:
            if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND or watch.due():
                objective = finite(scip.getPrimalbound())
                bound = finite(scip.getDualbound())
                gap = relative_gap(objective, bound)
                nodes = int(scip.getNTotalNodes())
                watch.report(Progress(watch.seconds, objective, bound, gap, nodes))

    scip.includeEventhdlr(Reporter(), "treemip-progress", "reports to the caller")


def _values(scip: pyscipopt.Model, columns: np.ndarray) -> np.ndarray | None:
    if scip.getNSols() == 0:
        return None
    value = partial(scip.getSolVal, scip.getBestSol())
    return np.fromiter(map(value, columns), np.float64, len(columns))


def _outcome(scip: pyscipopt.Model, columns: np.ndarray, arrays: Arrays, limits: Limits) -> Outcome:
    reached = scip.getStatus()
    status = STATUS.get(reached, "solver_limit")
    notes = _notes(scip, arrays, limits)
    message = "; ".join([*([reached] if status == "solver_limit" else []), *notes])
    bound = scip.getDualbound() if status != "infeasible" else nan
    return Outcome(status, _values(scip, columns), bound, int(scip.getNTotalNodes()), message)


def _notes(scip: pyscipopt.Model, arrays: Arrays, limits: Limits) -> list[str]:
    notes = tiny_note(arrays, "SCIP")
    if limits.threads is not None and limits.threads > 1:
        notes.append("SCIP searches on one thread")
    best = scip.getBestSol() if scip.getNSols() else None
    if best is not None and not scip.checkSol(best, printreason=False, original=True):
        notes.append("the solution misses SCIP's own tolerance once its presolve is undone")
    return notes


def _version(scip: pyscipopt.Model) -> str:
    return f"{scip.getMajorVersion()}.{scip.getMinorVersion()}.{scip.getTechVersion()}"
