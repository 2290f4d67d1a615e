"""Solve, separate, solve again: for solvers that do not ask for rows while they run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.model.answer import Answer, Limits, OnProgress, relative_gap
from treemip.model.model import Model
from treemip.model.values import objective_value
from treemip.separation.separated_model import relaxed, with_rows
from treemip.solving.lazy_rows import LazyRows
from treemip.solving.solve import solve
from treemip.source.diagnostic import Diagnostic, TreemipError

Once = Callable[[Model, Limits, "np.ndarray | None", "OnProgress | None"], Answer]

ROUNDS = 10
"""Rounds on the relaxation before the first solve: those of Boutilier et al. (2023)."""

NAME = "separated"


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
        answer = once(model, left, start, on_progress)
        if answer.status in ("unbounded", "infeasible_or_unbounded"):
            return _unbounded(answer)
        bound = _better(model, bound, answer.bound)
        nodes += answer.nodes or 0
        broken = None if answer.values is None else rows.violated(answer.values, True)
        if broken is None or (left.time is not None and _left(limits, began).time == 0):
            break
        if _are_in(broken, answer.values, model):
            raise _repeated(answer.solver)
        model = with_rows(model, broken, NAME)
    seconds = time.perf_counter() - began
    answer = replace(answer, seconds=seconds, nodes=nodes)
    if broken is None:
        return _bounded(answer, bound)
    stopped = replace(answer, values=None, objective=None, gap=None, status="time_limit")
    return _with_start(model, replace(stopped, bound=bound), start)


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


def _are_in(broken: object, values: np.ndarray | None, model: Model) -> bool:
    """Whether the solver was given all the rows before, and its answer breaks them."""
    from treemip.solving.lazy_rows import ViolatedRows

    assert isinstance(broken, ViolatedRows)
    before = {
        _key(block.matrix.indices[a:b])
        for block in model.rows
        if block.name == NAME
        for a, b in zip(block.matrix.indptr[:-1], block.matrix.indptr[1:], strict=True)
    }
    ends = zip(broken.matrix.indptr[:-1], broken.matrix.indptr[1:], strict=True)
    return all(_key(broken.matrix.indices[a:b]) in before for a, b in ends)


def _key(columns: np.ndarray) -> bytes:
    return columns.tobytes()


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
