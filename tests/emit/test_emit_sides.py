"""Row bounds as a sense, a right-hand side and a range."""

from __future__ import annotations

import numpy as np
import pytest
from emit_models import INF
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.files.flat_model import AT_LEAST, AT_MOST, EQUAL, FREE, sides


@pytest.mark.parametrize(
    ("lower", "upper", "sense", "rhs", "spread"),
    [
        (-INF, INF, FREE, 0, 0),
        (-INF, 3, AT_MOST, 3, 0),
        (-2, INF, AT_LEAST, -2, 0),
        (4, 4, EQUAL, 4, 0),
        (0.0, -0.0, EQUAL, 0, 0),
        (-1, 3, AT_LEAST, -1, 4),
        (0.1, 0.3, AT_LEAST, 0.1, 0.3 - 0.1),
        (-1e-17, 1, AT_LEAST, -1e-17, 1),
        (-1, 1e-17, AT_MOST, 1e-17, 1),
    ],
)
def test_sides(lower: float, upper: float, sense: int, rhs: float, spread: float) -> None:
    found = sides(np.array([lower]), np.array([upper]))
    assert (found.sense[0], found.rhs[0], found.spread[0]) == (sense, rhs, spread)
    assert not found.rounded[0]


@given(st.floats(-1e19, 1e19), st.floats(-1e19, 1e19))
@settings(deadline=None)
def test_ranges_are_exact_or_say_so(a: float, b: float) -> None:
    lower, upper = min(a, b), max(a, b)
    found = sides(np.array([lower]), np.array([upper]))
    rhs, spread = float(found.rhs[0]), float(found.spread[0])
    ends = {AT_LEAST: (rhs, rhs + spread), AT_MOST: (rhs - spread, rhs), EQUAL: (rhs, rhs)}
    low, high = ends[int(found.sense[0])]
    assert found.rounded[0] == ((low, high) != (lower, upper))
    assert abs(high - upper) <= np.spacing(upper - lower)
    assert low == lower


def test_a_range_that_no_pair_of_numbers_states() -> None:
    """-0.81 + 1.63 and 0.82 - 1.63 both miss by the last digit, and so do their neighbours."""
    low, high = -0.81, 0.82
    found = sides(np.array([low]), np.array([high]))
    assert found.rounded[0]
    near = [np.nextafter(high - low, way) for way in (-INF, INF)]
    assert all(low + r != high and high - r != low for r in (high - low, *near))
