"""From what a solver reports to an `Answer`: the same rules for every solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from treemip.core.model.answer import (
    PROVEN_STATUSES,
    SOLVED_STATUSES,
    WITHOUT_SOLUTION,
    Answer,
    Limits,
    Status,
    finite,
    relative_gap,
)
from treemip.core.model.model import Model
from treemip.core.model.tolerances import DOUBTFUL, FEASIBILITY, PROVEN, TINY
from treemip.core.model.values import objective_value, violation
from treemip.core.solving.arrays import Arrays
from treemip.core.solving.interrupt import Watch

CHECK_SECONDS = 10.0
"""What confirming a claim may take: presolve is what mostly errs, and without it a large model
would take too long."""


@dataclass(frozen=True)
class Outcome:
    """A solver's report in its own terms. bound: of the objective as the model states it, its
    constant included, so at most the optimum where it is minimized and at least where it is
    maximized; infinite or nan when unknown. nodes: None where nobody has counted them."""

    status: Status
    values: np.ndarray | None
    bound: float
    nodes: int | None
    message: str = ""


def settle(
    model: Model,
    limits: Limits,
    outcome: Outcome,
    *,
    seconds: float,
    solver: tuple[str, str],
    start_accepted: bool | None,
) -> Answer:
    """Objective and gap recomputed from the values; "optimal" kept for what was proven.

    Solvers say "optimal" too when the search ended because the gap asked for was reached. A bound
    that contradicts the solution or the status is dropped, and the proof with it.
    """
    status = outcome.status
    values = None if status in WITHOUT_SOLUTION else outcome.values
    if values is None and status in PROVEN_STATUSES:
        status = "no_solution"
    objective = None if values is None else objective_value(model, values)
    bound = None if status in WITHOUT_SOLUTION else finite(outcome.bound)
    contradiction = _contradiction(model, limits, status, objective, bound)
    if contradiction:
        bound = None
        status = "feasible" if status in PROVEN_STATUSES else status
    gap = relative_gap(objective, bound)
    if status == "optimal":
        if (limits.gap or limits.absolute_gap) and not _closed(objective, bound):
            status = "gap_limit"
        else:
            gap = 0.0
    return Answer(
        status,
        values,
        objective,
        bound,
        gap,
        seconds,
        outcome.nodes,
        *solver,
        start_accepted,
        outcome.message,
        contradiction=contradiction,
    )


def _contradiction(
    model: Model, limits: Limits, status: Status, objective: float | None, bound: float | None
) -> str:
    """What is impossible about a bound, as the end of a sentence about the solver; empty where
    nothing is. Such a bound has the wrong sign, or is that of another objective."""
    if objective is None or bound is None:
        return ""
    sign = model.objective.sign
    off, doubtful = bound - objective, DOUBTFUL * max(1.0, abs(objective))
    if sign * off > doubtful:
        return (
            f"gave {bound:.9g} as a bound on the objective, but its own solution has "
            f"{objective:.9g}, which is better"
        )
    asked = (limits.gap or 0.0) * max(abs(objective), abs(bound))
    if status in PROVEN_STATUSES and abs(off) > doubtful + max(asked, limits.absolute_gap or 0.0):
        return (
            f"called a solution with the objective {objective:.9g} optimal, but gave {bound:.9g} "
            "as a bound, which allows for a better one"
        )
    return ""


def confirmed(claim: Outcome, again: Callable[[float], Outcome], watch: Watch) -> Outcome:
    """The outcome, where a solver calls a model infeasible, of a second solve without presolve.

    Presolve of HiGHS and of SCIP has lost solutions (docs/solvers.md), and nothing else would tell.
    again: solves without presolve for some seconds, and goes on where it is called again. A claim
    that is not confirmed within CHECK_SECONDS stands, with a message that says so.
    """
    if claim.status != "infeasible" or watch.stopping.is_set():
        return claim
    seconds = min(CHECK_SECONDS, watch.left(inf))
    second = again(seconds)
    if second.status == "time_limit" and second.values is not None:
        second = again(watch.left(inf))
    if second.values is not None or second.status == "unbounded":
        note = "the solver's presolve called the model infeasible, which it is not"
        return replace(second, message=_also(second, f"{note}; solved without presolve"))
    if second.status in ("infeasible", "infeasible_or_unbounded"):
        return claim
    note = f"infeasible by the solver's presolve; not confirmed without presolve in {seconds:.3g} s"
    return replace(claim, message=_also(claim, note))


def confirmed_optimum(
    model: Model,
    claim: Outcome,
    again: Callable[[float], Outcome],
    watch: Watch,
    by: str = "the solver's presolve",
    anew: str = "without presolve",
    better: float = PROVEN,
) -> Outcome:
    """The outcome, where a solver calls a solution optimal, of a second solve without presolve, or
    `anew` in another way than `by`.

    again: as in `confirmed`; it begins with the claim's solution. One that is `better`, relatively,
    takes its place, and so does the bound where the claim's own proves nothing. Where the second
    solve does not end within CHECK_SECONDS the claim stands, with a message.
    """
    if claim.status != "optimal" or claim.values is None or watch.stopping.is_set():
        return claim
    seconds = min(CHECK_SECONDS, watch.left(inf))
    second = again(seconds)
    own = objective_value(model, claim.values)
    if second.values is not None:
        sign = model.objective.sign
        gain = sign * (own - objective_value(model, second.values))
        if gain > better * max(1.0, abs(own)):
            note = f"{by} called a worse solution optimal; solved {anew}"
            return replace(second, message=_also(second, note))
    if second.status == "optimal":
        return claim if _closed(own, finite(claim.bound)) else replace(claim, bound=second.bound)
    note = f"optimal by {by}; not confirmed {anew} in {seconds:.3g} s"
    return replace(claim, message=_also(claim, note))


def recomputed(model: Model, outcome: Outcome, limits: Limits) -> Outcome:
    """The outcome of a nonlinear model with its values checked against the model's own tape.

    A solver's small errors grow through the functions. Values that miss a row by more than
    `FEASIBILITY`, or `limits.feasibility` if that is greater, are no solution: what is smaller the
    solver aims at, relative to the size of a row's terms, and may miss by a little once its
    presolve is undone. An optimum whose objective is not the proven bound is no more than a
    solution.
    """
    if outcome.values is None:
        return outcome
    missed = violation(model, outcome.values)
    if not missed <= max(limits.feasibility or 0.0, FEASIBILITY):
        note = f"the solver's values violate a row by {missed:.3g}"
        lost: Status = outcome.status
        if lost in SOLVED_STATUSES:
            lost = "no_solution"
        return replace(outcome, status=lost, values=None, message=_also(outcome, note))
    objective = objective_value(model, outcome.values)
    if outcome.status == "optimal" and not _closed(objective, finite(outcome.bound)):
        note = f"the objective is {objective:.9g} once recomputed"
        return replace(outcome, status="feasible", message=_also(outcome, note))
    return outcome


def _also(outcome: Outcome, note: str) -> str:
    return "; ".join(filter(None, [outcome.message, note]))


def tiny_note(arrays: Arrays, solver: str) -> list[str]:
    """What to say when the solver drops coefficients; they are kept in the model."""
    tiny = int(np.count_nonzero(np.abs(arrays.matrix.data) <= TINY))
    return [f"{solver} treats {tiny} coefficients of at most {TINY:g} as zero"] if tiny else []


def _closed(objective: float | None, bound: float | None) -> bool:
    if objective is None or bound is None:
        return False
    return abs(bound - objective) <= PROVEN * max(1.0, abs(objective))
