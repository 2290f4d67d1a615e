"""Solve, separate, solve again: for solvers that do not ask for rows while they run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.model.answer import Answer, Limits, OnProgress, Progress, Status, relative_gap
from treemip.model.model import Model
from treemip.model.values import objective_value
from treemip.separation.separated_model import broken_rows, relaxed, with_rows
from treemip.solving.lazy_rows import LazyRows, ViolatedRows, joined
from treemip.solving.solve import solve
from treemip.source.diagnostic import Diagnostic, TreemipError

Once = Callable[[Model, Limits, "np.ndarray | None", "OnProgress | None"], Answer]

ROUNDS = 10
"""Rounds on the relaxation before the first solve: those of Boutilier et al. (2023)."""

NAME = "separated"

STOPPED: tuple[Status, ...] = ("time_limit", "interrupted", "solver_limit")
"""What ends a solve ends all."""


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
    a relaxation, so each bound is a bound, and the best is kept. The last answer within the time is
    a proof where it breaks nothing.
    """
    began = time.perf_counter()
    bound: float | None = None
    nodes = 0
    model = _with_user_cuts(model, rows, limits, began)
    while True:
        left = _left(limits, began)
        answer = once(model, left, start, _of_relaxation(on_progress, began))
        if answer.status in ("unbounded", "infeasible_or_unbounded"):
            return _unbounded(answer)
        bound = _better(model, bound, answer.bound)
        nodes += answer.nodes or 0
        broken = _broken(rows, answer)
        if broken is None or answer.status in STOPPED or _left(limits, began).time == 0:
            break
        assert answer.values is not None
        if _are_in(broken, answer.values, model):
            raise _repeated(answer.solver)
        model = with_rows(model, broken, NAME)
    seconds = time.perf_counter() - began
    answer = replace(answer, seconds=seconds, nodes=nodes)
    if broken is None:
        return _bounded(answer, bound)
    status = answer.status if answer.status in STOPPED else "time_limit"
    stopped = replace(answer, values=None, objective=None, gap=None, status=status)
    return _with_start(model, replace(stopped, bound=bound), start)


def _of_relaxation(on_progress: OnProgress | None, began: float) -> OnProgress | None:
    """Reports of a relaxation's solve: its seconds are those of all, its incumbents are none, since
    they may break rows."""
    if on_progress is None:
        return None

    def tell(progress: Progress) -> None:
        seconds = time.perf_counter() - began
        on_progress(replace(progress, seconds=seconds, objective=None, gap=None))

    return tell


def _with_user_cuts(model: Model, rows: LazyRows, limits: Limits, began: float) -> Model:
    """The model with what the solutions of its relaxation break, for some rounds."""
    if not model.integer.any() or not model.is_linear:
        return model
    for _ in range(ROUNDS):
        left = _left(limits, began)
        if left.time == 0:
            break
        answer = solve(relaxed(model), "highs", Limits(time=left.time))
        if answer.status != "optimal" or answer.values is None:
            break
        broken = rows.violated(answer.values, False)
        if broken is None:
            break
        model = with_rows(model, broken, NAME)
    return model


def _left(limits: Limits, began: float) -> Limits:
    if limits.time is None:
        return limits
    return replace(limits, time=max(0.0, limits.time - (time.perf_counter() - began)))


def _better(model: Model, one: float | None, other: float | None) -> float | None:
    """The tighter of two bounds."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other) if model.objective.sense == "maximize" else max(one, other)


def _bounded(answer: Answer, bound: float | None) -> Answer:
    """An answer that breaks nothing, with the best bound of all models."""
    if answer.values is None:
        return replace(answer, bound=bound if answer.bound is not None else answer.bound)
    if answer.status == "optimal":
        return answer
    return replace(answer, bound=bound, gap=relative_gap(answer.objective, bound))


def _with_start(model: Model, answer: Answer, start: np.ndarray | None) -> Answer:
    if start is None or np.isnan(start).any():
        return answer
    worth = objective_value(model, start)
    gap = relative_gap(worth, answer.bound)
    return replace(answer, values=start, objective=worth, gap=gap)


def _broken(rows: LazyRows, answer: Answer) -> ViolatedRows | None:
    """The lazy rows that an answer misses by more than solvers forgive: what is missed by less
    would come back for ever."""
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
    """What a solver claims of unbounded models it claims of the rows it has, so it says nothing."""
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
