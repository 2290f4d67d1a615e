"""What counts as violated, how often nodes are asked about, what an answer may claim."""

from __future__ import annotations

import numpy as np
import pytest
from small_models import small, sparse

from treemip.core.model.answer import NO_LIMITS, Answer, Limits, Separated
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.lazy_rows import ViolatedRows
from treemip.core.solving.separation import (
    NODE_ROUNDS,
    ROOT_ROUNDS,
    OneSided,
    Separation,
    one_sided,
    settled,
)
from treemip.core.source.diagnostic import TreemipError

INF = np.inf


class Fixed:
    """A source of the same rows whatever is asked; `asked` holds what `integral` was."""

    def __init__(self, matrix: object, lower: object, upper: object) -> None:
        self.rows = ViolatedRows(
            sparse(np.array(matrix, float)), np.array(lower, float), np.array(upper, float)
        )
        self.asked: list[bool] = []

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        self.asked.append(integral)
        return self.rows


def separation(source: Fixed, limits: Limits = NO_LIMITS) -> Separation:
    return Separation(source, small("bc", [1.0, 1.0], upper=1e6), limits)


@pytest.mark.parametrize(
    ("x", "limits", "violated"),
    [
        (1000.0, NO_LIMITS, False),
        (1000.001, NO_LIMITS, False),  # relative to the side, twice 1e-6
        (1000.003, NO_LIMITS, True),
        (1000.003, Limits(feasibility=1e-4), False),
        (1000.3, Limits(feasibility=1e-4), True),
    ],
)
def test_what_solvers_forgive_is_not_violated(x, limits, violated):
    asked = separation(Fixed([[0.0, 1.0]], [-INF], [1000.0]), limits)
    assert (asked.of_candidate(np.array([0.0, x])) is not None) == violated


def test_only_violated_rows_are_passed_on_and_counted():
    asked = separation(Fixed([[1.0, 0.0], [0.0, 1.0]], [2.0, 0.0], [INF, INF]))
    rows = asked.of_candidate(np.array([1.0, 1.0]))
    assert rows is not None
    assert list(one_sided(rows)) == [OneSided([0], [1.0], "G", 2.0)]
    assert (asked.record.calls, asked.record.rows) == (1, 1)
    assert asked.record.seconds > 0


def test_a_row_with_two_limits_is_two():
    rows = ViolatedRows(sparse([[1.0, 2.0]]), np.array([1.0]), np.array([2.0]))
    assert [(r.sense, r.side) for r in one_sided(rows)] == [("G", 1.0), ("L", 2.0)]
    equal = ViolatedRows(rows.matrix, rows.lower, rows.lower)
    assert [(r.sense, r.side) for r in one_sided(equal)] == [("E", 1.0)]


def test_rounds_end_at_each_node_by_itself():
    asked = separation(Fixed([[1.0, 0.0]], [2.0], [INF]))
    x = np.array([0.5, 0.0])
    for _ in range(100):
        asked.of_relaxation(x, node=1, at_root=True)
    assert asked.record.calls == ROOT_ROUNDS
    for _ in range(100):
        asked.of_relaxation(x, node=2, at_root=False)
    assert asked.record.calls == ROOT_ROUNDS + NODE_ROUNDS


def test_an_integral_relaxation_is_told_from_a_fractional_one():
    source = Fixed([[1.0, 0.0]], [2.0], [INF])
    for value in (0.5, 1.0 - 1e-9):
        separation(source).of_relaxation(np.array([value, 0.3]), node=1, at_root=True)
    assert source.asked == [False, True]


def test_an_error_ends_the_search_and_nothing_is_asked_again():
    source = Fixed([[np.nan, 0.0]], [2.0], [INF])
    asked, watch = separation(source), Watch()
    asked.watched(watch)
    for _ in range(3):
        assert asked.of_candidate(np.zeros(2)) is None
    assert len(source.asked) == 1
    assert watch.stopping.is_set()
    with pytest.raises(TreemipError, match="not a number"):
        watch.run(lambda: None, lambda: None)


def answer(status: str, values: np.ndarray | None = None) -> Answer:
    return Answer(status, values, None, None, None, 0.0, 0, "scip", "10.0")  # type: ignore[arg-type]


@pytest.mark.parametrize("status", ["unbounded", "infeasible_or_unbounded"])
def test_what_is_unbounded_without_its_rows_is_not_known_to_be(status):
    done = settled(separation(Fixed([[1.0, 0.0]], [0.0], [INF])), answer(status))
    assert done.status == "no_solution"
    assert done.message == f"{status.replace('_', ' ')} without the rows to be separated"
    assert done.separated == Separated(0, 0, 0.0)


def test_a_solution_that_violates_a_row_is_an_error():
    asked = separation(Fixed([[1.0, 0.0]], [2.0], [INF]))
    with pytest.raises(TreemipError, match="breaks 1 of the rows that were separated"):
        settled(asked, answer("optimal", np.zeros(2)))
