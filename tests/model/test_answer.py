from __future__ import annotations

import math

import numpy as np
import pytest

from treemip.core.model.answer import NO_LIMITS, Limits, finite, relative_gap
from treemip.core.source.diagnostic import TreemipError


@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [
        ("time", (), (0, 0.5, 1e9)),
        ("gap", (-0.1, math.nan), (0, 0.5, 3)),
        ("absolute_gap", (-1,), (0, 2)),
        ("threads", (0, -1, 1.5, math.nan), (1, 8)),
        ("feasibility", (0, 1e-11, 0.1), (1e-10, 1e-9, 1e-3)),
        ("seed", (-1, 2**31), (0, 2**31 - 1)),
    ],
)
def test_limits_outside_their_range_are_refused(
    name: str, bad: tuple[float, ...], good: tuple[float, ...]
) -> None:
    for value in good:
        assert getattr(Limits(**{name: value}), name) == value
    for value in bad:
        with pytest.raises(TreemipError, match=f"the limit '{name}' is") as raised:
            Limits(**{name: value})
        assert raised.value.diagnostics[0].code == "E902"


def test_no_limits_asks_for_nothing() -> None:
    assert Limits() == NO_LIMITS
    assert set(vars(NO_LIMITS).values()) == {None, False}


@pytest.mark.parametrize(
    ("objective", "bound", "gap"),
    [
        (10.0, 9.0, 0.1),
        (-10.0, -9.0, 0.1),
        (0.0, 1e-10, 1.0),
        (0.0, 0.0, 0.0),
        (None, 1.0, None),
        (1.0, None, None),
    ],
)
def test_relative_gap(objective: float | None, bound: float | None, gap: float | None) -> None:
    assert relative_gap(objective, bound) == pytest.approx(gap)


def test_finite() -> None:
    known = [finite(v) for v in (3.0, -2.5, math.inf, -math.inf, math.nan, 1e20, -1e21)]
    assert known == [3.0, -2.5, None, None, None, None, None]


def test_whole_numbers_of_numpy() -> None:
    limits = Limits(seed=np.int64(3), threads=np.int32(2), time=np.float64(1.5))
    assert (type(limits.seed), limits.seed, limits.threads, limits.time) == (int, 3, 2, 1.5)


def test_a_time_limit_is_a_number_of_seconds() -> None:
    for bad in (-1, -0.001, -math.inf, math.nan):
        with pytest.raises(TreemipError, match="seconds is not possible") as raised:
            Limits(time=bad)
        assert raised.value.diagnostics[0].code == "E902"
    with pytest.raises(TreemipError, match="the limit 'time' is '5', which is not a number"):
        Limits(time="5")  # type: ignore[arg-type]


def test_a_time_limit_that_nobody_lives_to_see_is_none() -> None:
    """Some solvers do not take infinity, and some not a number of 300 digits."""
    assert Limits(time=math.inf).time is None
    assert Limits(time=1e300).time is None
