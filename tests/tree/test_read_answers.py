"""Numbers of leaves as they are read out of a solution."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.tree.read_answers import _rounded


@given(st.floats(-9e10, 9e10), st.integers(-8, 7))
def test_values_of_leaves_have_twelve_digits(number: float, power: int) -> None:
    few = float(f"{number:.11g}")
    assert _rounded(np.array([few])).tolist() == [few]
    whole = round(number) % 1000 * 10.0**power
    noisy = whole * (1 + 4e-14)
    (found,) = _rounded(np.array([noisy]))
    assert abs(found - whole) <= abs(whole) * 2.0**-51
    (twelve,) = _rounded(np.array([number]))
    assert abs(twelve - number) <= 1e-11 * abs(number)


def test_values_without_digits_stay() -> None:
    odd = [0.0, -0.0, np.inf, -np.inf, 1e-300, 1e300]
    assert _rounded(np.array(odd)).tolist() == odd
    assert np.isnan(_rounded(np.array([np.nan]))).all()
