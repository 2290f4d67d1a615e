"""Solve, separate, solve again: for solvers that do not ask for rows while they run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from treemip.core.model.answer import Answer, Limits, OnProgress, Progress, Status, relative_gap
from treemip.core.model.model import Model
from treemip.core.model.tolerances import PROVEN
from treemip.core.model.values import objective_value
from treemip.core.solving.lazy_rows import LazyRows, ViolatedRows, joined
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.methods.separation.relaxation import rounds_of_cuts
from treemip.methods.separation.separated_model import broken_rows, with_rows

Once = Callable[[Model, Limits, "np.ndarray | None", "OnProgress | None"], Answer]

ROUNDS = 10
"""Rounds on the relaxation before the first solve: those of Boutilier et al. (2023)."""

NAME = "separated"

STOPPED: tuple[Status, ...] = ("time_limit", "interrupted", "solver_limit")
"""What ends a solve ends all."""


@dataclass(frozen=True)
class _Known:
    """What all solves so far say of the model with all lazy rows: its best bound and its best
    solution, float64 (columns,), with its objective."""

    bound: float | None = None
    values: np.ndarray | None = None
    objective: float | None = None

    @property
    def gap(self) -> float | None:
        return relative_gap(self.objective, self.bound)

    @property
    def is_proven(self) -> bool:
        return self.gap is not None and self.gap <= PROVEN


def solve_lazily(
    model: Model,
    rows: LazyRows,
    once: Once,
    limits: Limits,
    start: np.ndarray | None,
    on_progress: OnProgress | None,
) -> Answer:
    """The answer of `model` with all lazy rows, of which those are added that an answer breaks.

    once: one solve. start: float64 (columns,), a solution that breaks none, or None. Each model is
    a relaxation, so each bound is a bound, and the best is kept; so is the best solution, which the
    next solve starts from. The last answer within the time is a proof where it breaks nothing.
    """
    began = time.perf_counter()
    known = _with_solution(model, _Known(), start)
    nodes = 0
    model = _with_user_cuts(model, rows, limits, began)
    while True:
        left = _left(limits, began)
        start = start if known.values is None else known.values
        answer = once(model, left, start, _of_all(on_progress, began, model, known))
        if answer.status in ("unbounded", "infeasible_or_unbounded"):
            return _unbounded(answer)
        known = replace(known, bound=_better(model, known.bound, answer.bound))
        nodes += answer.nodes or 0
        broken = _broken(rows, answer)
        if broken is None:
            break
        assert answer.values is not None
        known = _with_solution(model, known, rows.repaired(answer.values))
        if answer.status in STOPPED or _left(limits, began).time == 0 or known.is_proven:
            break
        if _are_in(broken, answer.values, model):
            raise _repeated(answer.solver)
        model = with_rows(model, broken, NAME)
    answer = replace(answer, seconds=time.perf_counter() - began, nodes=nodes)
    if broken is None:
        return _settled(answer, _with_solution(model, known, answer.values))
    return _of_known(answer, known)


def _of_all(
    on_progress: OnProgress | None, began: float, model: Model, known: _Known
) -> OnProgress | None:
    """Reports of a relaxation's solve as reports of all: seconds since the beginning, the best
    bound, and the best solution that breaks no row in place of the relaxation's own."""
    if on_progress is None:
        return None

    def tell(progress: Progress) -> None:
        seconds = time.perf_counter() - began
        bound = _better(model, known.bound, progress.bound)
        gap = relative_gap(known.objective, bound)
        on_progress(
            replace(progress, seconds=seconds, objective=known.objective, bound=bound, gap=gap)
        )

    return tell


def _with_solution(model: Model, known: _Known, values: np.ndarray | None) -> _Known:
    """The better of what is known and another solution."""
    if values is None or np.isnan(values).any():
        return known
    objective = objective_value(model, values)
    if known.objective is not None:
        sign = model.objective.sign
        if sign * objective >= sign * known.objective:
            return known
    return replace(known, values=values, objective=objective)


def _with_user_cuts(model: Model, rows: LazyRows, limits: Limits, began: float) -> Model:
    """The model with what the solutions of its relaxation break, for some rounds."""
    if not model.integer.any() or not model.is_linear:
        return model
    until = inf if limits.time is None else began + limits.time
    for broken in rounds_of_cuts(model, lambda x: rows.violated(x, False), ROUNDS, until):
        model = with_rows(model, broken, NAME)
    return model


def _better(model: Model, one: float | None, other: float | None) -> float | None:
    """The tighter of two bounds, either of which may be unknown."""
    return other if one is None else model.objective.tighter(one, other)


def _left(limits: Limits, began: float) -> Limits:
    if limits.time is None:
        return limits
    return replace(limits, time=max(0.0, limits.time - (time.perf_counter() - began)))


def _settled(answer: Answer, known: _Known) -> Answer:
    """An answer that breaks nothing, with the best bound of all solves."""
    if answer.status in STOPPED:
        return _of_known(answer, known)
    if answer.status == "optimal" or answer.values is None:
        return answer
    gap = relative_gap(answer.objective, known.bound)
    return replace(answer, bound=known.bound, gap=gap)


def _of_known(answer: Answer, known: _Known) -> Answer:
    """What is known in the end, in place of an answer that breaks rows or was stopped."""
    status = answer.status if answer.status in STOPPED else "time_limit"
    return replace(
        answer,
        status="optimal" if known.is_proven else status,
        values=known.values,
        objective=known.objective,
        bound=known.bound,
        gap=known.gap,
    )


def _broken(rows: LazyRows, answer: Answer) -> ViolatedRows | None:
    """The lazy rows that an answer breaks by more than solvers tolerate; others would be added
    again and again."""
    if answer.values is None:
        return None
    broken = rows.violated(answer.values, True)
    return None if broken is None else joined(broken_rows(broken, answer.values))


def _are_in(broken: ViolatedRows, values: np.ndarray, model: Model) -> bool:
    """Whether the answer breaks as many rows that the solver was given as it breaks in all."""
    given = [ViolatedRows(b.matrix, b.lower, b.upper) for b in model.rows if b.name == NAME]
    missed = [some.count for rows in given for some in broken_rows(rows, values)]
    return sum(missed) >= broken.count


def _unbounded(answer: Answer) -> Answer:
    """A solver's claim that a model is unbounded is about the rows it has, and proves nothing."""
    note = f"{answer.status.replace('_', ' ')} without the rows to be separated"
    message = "; ".join(filter(None, [answer.message, note]))
    return replace(answer, status="no_solution", message=message)


def _repeated(solver: str) -> TreemipError:
    return TreemipError(
        Diagnostic.outside(
            "E604",
            f"{solver} gave a solution that breaks rows it was given",
            "solve with a smaller feasibility, or with another solver",
        )
    )
