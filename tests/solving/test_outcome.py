from __future__ import annotations

import numpy as np
import pytest
from small_models import rows, small

from treemip.model.answer import NO_LIMITS, Answer, Limits, Status
from treemip.registry import solvers
from treemip.solving.arrays import assemble
from treemip.solving.outcome import Outcome, settle, tiny_note

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


def test_dropped_coefficients_are_told() -> None:
    model = small("ccc", [1], (rows([[1e-9, -1e-10, 1e-8]], 0, 1),))
    assert tiny_note(assemble(model, solvers()["scip"]), "SCIP") == [
        "SCIP treats 2 coefficients of at most 1e-09 as zero"
    ]
    assert tiny_note(assemble(MODEL, solvers()["scip"]), "SCIP") == []
