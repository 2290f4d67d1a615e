"""Starts of a local solver and of a search, alone, with seconds and with a seed; presolve."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, resolved


def _strategy(text):
    return resolved(f"{HEAD}split oblique by soct;\nstrategy {{ {text} }}").strategy


@pytest.mark.parametrize(
    ("text", "starts", "seed"),
    [
        ("starts 5;", 5, None),
        ("starts 5 seed 7;", 5, 7),
        ("starts 5; seed 0;", 5, 0),
        ("seed 3; starts 1 seed 2; solver ipopt;", 1, 2),
        ("seed 3;", None, 3),
    ],
)
def test_starts_and_seed(text, starts, seed):
    strategy = _strategy(text)
    assert (strategy.starts, strategy.seed) == (starts, seed)


@pytest.mark.parametrize(
    ("text", "names"),
    [("presolve merge_points;", ("merge_points",)), ("presolve none;", ()), ("seed 1;", None)],
)
def test_presolve(text, names):
    assert _strategy(text).presolve == names


@pytest.mark.parametrize(
    ("text", "seconds", "seed"),
    [
        ("start search;", None, None),
        ("start search seconds 5;", 5.0, None),
        ("start search seed 3; seed 4;", None, 3),
        ("start search seconds 0.5 seed 3;", 0.5, 3),
        ("start search seed 0 seconds 2;", 2.0, 0),
    ],
)
def test_a_search_with_seconds_and_seed(text, seconds, seed):
    strategy = _strategy(text)
    assert strategy.start == "search"
    assert (strategy.search_seconds, strategy.search_seed) == (seconds, seed)
    assert strategy.seed == (4 if "seed 4" in text else None)


def test_no_start_and_the_model_alone():
    strategy = _strategy("start none; solver mip;")
    assert (strategy.start, strategy.solver) == ("none", "mip")
