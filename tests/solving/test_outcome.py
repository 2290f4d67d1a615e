from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from driven_models import exact_in_memory
from small_models import small

import treemip
from treemip.core.model.answer import NO_LIMITS, Answer, Limits, OnProgress, Status
from treemip.core.model.model import Model
from treemip.core.registry import solvers
from treemip.core.solving.outcome import Outcome, settle

MODEL = small("cc", [1, 2], constant=10)
SOLUTION = np.array([1.0, 4.0])  # objective 19


def settled(outcome: Outcome, limits: Limits = NO_LIMITS) -> Answer:
    return settle(MODEL, limits, outcome, seconds=1.5, solver=("highs", "1"), start_accepted=None)


@pytest.mark.parametrize(
    ("limits", "bound", "status", "gap"),
    [
        (NO_LIMITS, 19.0, "optimal", 0.0),
        (NO_LIMITS, 18.9999, "optimal", 0.0),  # the solver's own tolerance
        (Limits(gap=0.1), 19.0, "optimal", 0.0),
        (Limits(gap=0.1), 18.5, "gap_limit", 0.5 / 19),
        (Limits(absolute_gap=1), 18.5, "gap_limit", 0.5 / 19),
        (Limits(gap=0.0), 18.9999, "optimal", 0.0),
    ],
)
def test_optimal_is_said_of_what_was_proven(
    limits: Limits, bound: float, status: Status, gap: float
) -> None:
    answer = settled(Outcome("optimal", SOLUTION, bound, 3), limits)
    assert (answer.status, answer.objective, answer.bound) == (status, 19.0, bound)
    assert answer.gap == pytest.approx(gap)


def test_an_incumbent_with_and_without_a_bound() -> None:
    answer = settled(Outcome("time_limit", SOLUTION, 9.5, 3, "slow"))
    assert (answer.status, answer.gap, answer.message) == ("time_limit", 0.5, "slow")
    answer = settled(Outcome("time_limit", SOLUTION, -1e20, 3))
    assert (answer.objective, answer.bound, answer.gap) == (19.0, None, None)
    answer = settled(Outcome("interrupted", None, 9.5, 3))
    assert (answer.objective, answer.bound, answer.gap) == (None, 9.5, None)
    assert not answer.has_solution


@pytest.mark.parametrize("status", ["infeasible", "unbounded", "infeasible_or_unbounded"])
def test_no_values_where_there_is_no_solution(status: Status) -> None:
    answer = settled(Outcome(status, SOLUTION, 3.0, 0))
    assert (answer.values, answer.objective, answer.bound, answer.gap) == (None, None, None, None)


def test_optimal_without_values_is_no_solution() -> None:
    assert settled(Outcome("optimal", None, 19.0, 0)).status == "no_solution"


MAXIMIZED = replace(MODEL, objective=replace(MODEL.objective, sense="maximize"))


@pytest.mark.parametrize(
    ("model", "limits", "status", "bound", "left"),
    [
        (MODEL, NO_LIMITS, "optimal", -19.0, "feasible"),  # the sign of a maximized one
        (MODEL, NO_LIMITS, "optimal", 9.0, "feasible"),  # without the constant
        (MODEL, NO_LIMITS, "optimal", 29.0, "feasible"),
        (MODEL, NO_LIMITS, "time_limit", 29.0, "time_limit"),
        (MODEL, Limits(gap=0.1), "optimal", -19.0, "feasible"),
        (MODEL, Limits(gap=0.1), "gap_limit", 29.0, "feasible"),
        (MODEL, Limits(absolute_gap=1.0), "optimal", 17.0, "feasible"),
        (MAXIMIZED, NO_LIMITS, "optimal", -19.0, "feasible"),
        (MAXIMIZED, NO_LIMITS, "optimal", 29.0, "feasible"),
        (MAXIMIZED, NO_LIMITS, "interrupted", 9.0, "interrupted"),
    ],
)
def test_a_bound_that_contradicts_its_own_solution_is_left_out(
    model: Model, limits: Limits, status: Status, bound: float, left: Status
) -> None:
    outcome = Outcome(status, SOLUTION, bound, 3)
    answer = settle(model, limits, outcome, seconds=1, solver=("fake", ""), start_accepted=None)
    assert (answer.status, answer.objective, answer.bound, answer.gap) == (left, 19.0, None, None)
    better = (bound < 19) is (model is MAXIMIZED)
    assert answer.contradiction == (
        f"gave {bound:.9g} as a bound on the objective, but its own solution has 19, "
        "which is better"
        if better
        else f"called a solution with the objective 19 optimal, but gave {bound:.9g} as a bound, "
        "which allows for a better one"
    )


@pytest.mark.parametrize("bound", [np.nan, np.inf, -np.inf, 1e20, -1e30])
def test_a_bound_that_is_not_known_contradicts_nothing(bound: float) -> None:
    for status in ("optimal", "time_limit"):
        answer = settled(Outcome(status, SOLUTION, bound, 3))
        assert (answer.status, answer.bound, answer.contradiction) == (status, None, "")


@exact_in_memory
def test_a_solver_whose_bound_has_the_wrong_sign_proves_nothing(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of a solver as its docstring says to write it, but for the sign."""
    true = solvers()[solver].solve
    assert true is not None

    def wrong(
        model: Model, limits: Limits, start: np.ndarray | None, tell: OnProgress | None
    ) -> Answer:
        found = true(model, limits, start, tell)
        assert found.bound is not None
        outcome = Outcome(found.status, found.values, -found.bound, 0)
        return settle(
            model, limits, outcome, seconds=0.1, solver=("fake", "1.2"), start_accepted=None
        )

    monkeypatch.setitem(solvers(), solver, replace(solvers()[solver], solve=wrong))
    data = {"a": [0.0, 0.2, 0.4, 0.8, 1.0, 1.0], "c": ["n", "y", "n", "y", "y", "n"]}
    text = """
        data "t" { label c; }
        topology complete(depth = 1);
        split univariate by binoct;
        minimize misclassified + splits;
    """
    result = treemip.loads(text, data).compile().solve(solver, start="none", time_limit=30)
    assert (result.status, result.objective, result.bound) == (
        "feasible",
        3.0,
        0.0,
    )  # the rows' own
    assert result.optimality is not None
    assert result.optimality.text(result.verdict) == "optimality not proven (gap 100 %)"
    (warning,) = [w for w in result.warnings if w.code == "W608"]
    assert warning.message == (
        "fake 1.2 called a solution with the objective 3 optimal, but gave -3 as a bound, which "
        "allows for a better one: the bound is not used, and nothing is proven by it"
    )
