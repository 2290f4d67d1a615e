"""The better of a start and an answer, and bounds held by the objective itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from driven_models import maximum

from treemip.core.model.answer import Answer, Progress
from treemip.core.model.bounds import objective_bound
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value
from treemip.core.strategy.incumbent import (
    of_all_stages,
    reaches,
    staged,
    unsolved,
    with_own_bound,
    with_start,
)

MODEL = maximum()
BEST = 15.5
"""Of `maximum`, at START."""
START = np.array([0.0, 2.0, 0.5])


def mirrored(model: Model) -> Model:
    """The same with the objective turned round."""
    objective = model.objective
    turned = replace(
        objective, sense="minimize", constant=-objective.constant, linear=-objective.linear
    )
    return replace(model, objective=turned)


BOTH = [(MODEL, 1.0), (mirrored(MODEL), -1.0)]
both = pytest.mark.parametrize(("model", "sign"), BOTH, ids=["maximize", "minimize"])


def answer(status: str, objective: float | None, bound: float | None = None) -> Answer:
    values = None if objective is None else np.zeros(3)
    gap = None if objective is None or bound is None else abs(bound - objective) / abs(objective)
    return Answer(status, values, objective, bound, gap, 1.0, 7, "cbc", "2")  # type: ignore[arg-type]


def test_the_models_are_what_they_are_taken_for() -> None:
    assert objective_value(MODEL, START) == BEST
    assert objective_value(mirrored(MODEL), START) == -BEST


@both
@pytest.mark.parametrize("status", ["time_limit", "interrupted", "solver_limit"])
def test_a_start_is_the_answer_where_there_is_none(model: Model, sign: float, status: str) -> None:
    found = with_start(model, answer(status, None, sign * 20.0), START)
    assert (found.status, found.objective, found.bound) == (status, sign * BEST, sign * 20.0)
    assert found.gap == pytest.approx(4.5 / 15.5)
    assert found.values is START


@both
def test_a_start_is_the_answer_where_the_solvers_is_worse(model: Model, sign: float) -> None:
    found = with_start(model, answer("time_limit", sign * 12.0, sign * 20.0), START)
    assert (found.objective, found.bound) == (sign * BEST, sign * 20.0)


@both
def test_the_solvers_answer_stays_where_it_is_as_good(model: Model, sign: float) -> None:
    for objective in (15.5, 16.0, 15.5 - 1e-8):
        own = answer("time_limit", sign * objective, sign * 20.0)
        assert with_start(model, own, START) is own
    proven = answer("optimal", sign * (15.5 - 1e-4), sign * (15.5 - 1e-4))
    assert with_start(model, proven, START) is proven  # tolerances may make that much


@both
def test_nothing_found_and_not_said_why(model: Model, sign: float) -> None:
    found = with_start(model, answer("no_solution", None), START)
    assert (found.status, found.objective, found.gap) == ("feasible", sign * BEST, None)


@both
@pytest.mark.parametrize(
    ("status", "objective", "bound", "words"),
    [
        ("optimal", 12.0, 12.0, "called a solution optimal that is worse than the start"),
        ("infeasible", None, None, "called the model infeasible, but the start is a solution"),
        ("time_limit", 12.0, 13.0, "bound excludes the start, which is a solution"),
        ("gap_limit", 12.0, 13.0, "bound excludes the start, which is a solution"),
    ],
)
def test_a_start_disproves_what_a_solver_says(
    model: Model, sign: float, status: str, objective: float | None, bound: float | None, words: str
) -> None:
    own = answer(
        status,
        None if objective is None else sign * objective,
        None if bound is None else sign * bound,
    )
    found = with_start(model, own, START)
    assert (found.status, found.objective, found.bound) == ("feasible", sign * BEST, None)
    assert found.message.endswith(words)


def test_an_unbounded_model_stays_unbounded_and_no_start_changes_nothing() -> None:
    for status in ("unbounded", "infeasible_or_unbounded"):
        own = answer(status, None)
        assert with_start(MODEL, own, START) is own
    own = answer("infeasible", None)
    assert with_start(MODEL, own, None) is own


@both
def test_a_bound_is_no_worse_than_the_objectives_own(model: Model, sign: float) -> None:
    most = objective_bound(model)
    assert sign * most > BEST
    found = with_own_bound(model, answer("time_limit", sign * 12.0, sign * 1000.0))
    assert (found.bound, found.proven_by) == (most, "objective")
    assert found.gap == pytest.approx(abs(most - sign * 12) / 12)
    own = answer("time_limit", sign * 12.0, sign * 15.6)
    assert with_own_bound(model, own) is own
    assert with_own_bound(model, answer("time_limit", None)).bound == most
    assert (
        with_own_bound(model, replace(answer("feasible", sign * 12.0), solver="ipopt")).bound
        is None
    )


@both
def test_what_reaches_it_is_optimal(model: Model, sign: float) -> None:
    for status in ("time_limit", "feasible", "locally_optimal", "interrupted"):
        found = with_own_bound(model, answer(status, sign * BEST, sign * 99.0), sign * BEST)
        assert (found.status, found.bound, found.gap) == ("optimal", sign * BEST, 0.0)
        assert found.proven_by == "objective"
    almost = with_own_bound(model, answer("time_limit", sign * BEST), sign * (BEST + 1e-3))
    assert (almost.status, almost.bound) == ("time_limit", sign * (BEST + 1e-3))


def test_what_is_proven_or_without_a_solution_stays() -> None:
    for status, objective in (("optimal", 15.5), ("gap_limit", 12.0), ("infeasible", None)):
        own = answer(status, objective, objective)
        assert with_own_bound(MODEL, own, 15.5) is own
    assert not reaches(MODEL, None, 15.5)
    assert not reaches(MODEL, 15.5, np.inf)


def test_an_answer_of_no_solver() -> None:
    found = unsolved("scip", "time_limit", 0.25)
    assert (found.status, found.solver, found.seconds, found.has_solution) == (
        "time_limit",
        "scip",
        0.25,
        False,
    )


def test_reports_tell_the_stage_and_the_start() -> None:
    seen: list[Progress] = []
    assert staged(None, "scip", 0.0, MODEL, None) is None
    tell = staged(seen.append, "scip", 2.0, MODEL, 12.0)
    assert tell is not None
    tell(Progress(1.0, None, 20.0, None, 3))
    tell(Progress(2.0, 11.0, 20.0, 9 / 11, 3))
    tell(Progress(3.0, 15.0, 20.0, 5 / 15, 3))
    assert [(p.stage, p.seconds, p.objective) for p in seen] == [
        ("scip", 3.0, 12.0),
        ("scip", 4.0, 12.0),
        ("scip", 5.0, 15.0),
    ]
    assert [p.gap for p in seen] == pytest.approx([8 / 12, 8 / 12, 5 / 15])


@both
def test_a_stage_that_begins_anew_takes_nothing_back(model: Model, sign: float) -> None:
    told: list[tuple[float | None, float | None]] = []
    tell = of_all_stages(lambda p: told.append((p.objective, p.bound)), model)
    assert tell is not None
    for objective, bound in ((3.0, 9.0), (None, None), (1.0, 12.0), (5.0, None), (4.0, 8.0)):
        at = None if objective is None else sign * objective
        tell(Progress(0.0, at, None if bound is None else sign * bound, None, 0, "search"))
    best = [(3, 9), (3, 9), (3, 9), (5, 9), (5, 8)]
    assert told == [(sign * objective, sign * bound) for objective, bound in best]
    assert of_all_stages(None, model) is None
