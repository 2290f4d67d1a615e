"""When a search is worth no more time."""

from __future__ import annotations

import pytest

from treemip.search.stall import MANY, STARTS, WAIT, Stall

SOLUTION, NONE = False, True


def noted(*steps: tuple[tuple[bool, float], int, float]) -> Stall:
    stall = Stall()
    for step in steps:
        stall.note(*step)
    return stall


@pytest.mark.parametrize(
    ("starts", "seconds", "over"),
    [
        (STARTS, WAIT, True),
        (STARTS - 1, WAIT, False),
        (STARTS, WAIT - 0.1, False),
        (MANY, 0.1, True),
    ],
)
def test_without_any_tree_it_waits_for_some_starts_and_seconds(
    starts: int, seconds: float, over: bool
) -> None:
    assert Stall().over(starts, seconds) is over


def test_it_waits_longer_the_later_the_last_better_tree_came() -> None:
    stall = noted(((SOLUTION, 9.0), 400, 3.0))
    assert not stall.over(400 + STARTS, 3.0 + WAIT)
    assert not stall.over(400 + MANY, 4.0)
    assert stall.over(400 + STARTS, 9.0)
    assert stall.over(1200, 4.0)


def test_what_is_no_better_does_not_make_it_wait() -> None:
    stall = noted(((SOLUTION, 9.0), 1, 0.1), ((SOLUTION, 9.0), 60, 2.0))
    assert (stall.start, stall.at) == (1, 0.1)


def test_a_first_solution_is_better_than_any_tree_that_is_none() -> None:
    stall = noted(((NONE, 3.0), 1, 0.1), ((SOLUTION, 9.0), 5, 0.5), ((NONE, 2.0), 6, 0.6))
    assert (stall.best, stall.start) == ((SOLUTION, 9.0), 5)
