"""Sums and probabilities that depend on a row alone, against exact arithmetic and a plain loop."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.tree.routing import BLOCK, logistic, rounding, weighted_sum

NUMBERS = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 0.1, 1 / 3, 5e-324, 1e16])
ROWS = st.integers(1, 4).flatmap(
    lambda p: st.tuples(
        st.lists(st.lists(NUMBERS, min_size=p, max_size=p), min_size=1, max_size=6),
        st.lists(NUMBERS, min_size=p, max_size=p),
    )
)


@given(ROWS)
def test_products_are_added_in_the_order_of_the_features(case: tuple) -> None:
    rows, weights = case
    found = weighted_sum(np.array(rows), np.array(weights))
    for row, sums in zip(rows, found.tolist(), strict=True):
        total = 0.0
        for value, weight in zip(row, weights, strict=True):
            total += value * weight
        assert sums == total


@given(ROWS)
def test_the_exact_sum_is_within_rounding(case: tuple) -> None:
    rows, weights = case
    x, w = np.array(rows), np.array(weights)
    pairs = zip(rows, weighted_sum(x, w).tolist(), rounding(x, w).tolist(), strict=True)
    for row, sums, error in pairs:
        exact = sum(Fraction(v) * Fraction(u) for v, u in zip(row, weights, strict=True))
        assert abs(exact - Fraction(sums)) <= Fraction(error)


def test_one_feature_of_weight_1_has_no_rounding() -> None:
    x = np.array([[0.1, 7.0], [1e300, 7.0]])
    assert rounding(x, np.array([-1.0, 0.0])).tolist() == [0, 0]
    assert (rounding(x, np.array([0.7, 0.0])) > 0).all()
    assert (rounding(x, np.array([1.0, 1.0])) > 0).all()


@pytest.mark.parametrize("features", [1, 2, 7, 57])
def test_a_row_has_the_same_sum_in_every_batch(features: int) -> None:
    rng = np.random.default_rng(features)
    x, w = rng.random((2 * BLOCK + 3, features)), rng.normal(size=features)
    whole = weighted_sum(x, w)
    order = rng.permutation(len(x))
    assert (weighted_sum(x[order], w) == whole[order]).all()
    assert (weighted_sum(np.asfortranarray(x), w) == whole).all()
    for size in (1, 2, 3, 8, BLOCK - 1, BLOCK + 1):
        assert (weighted_sum(x[7 : 7 + size], w) == whole[7 : 7 + size]).all()


def test_sums_that_overflow_are_no_warning() -> None:
    x = np.array([[1e308, 1e308, 1e308]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert weighted_sum(x, np.array([1e10, 0.0, 0.0])).tolist() == [np.inf]
        assert np.isnan(weighted_sum(x, np.array([1e10, -1e10, 1.0]))).all()


@given(st.floats(-800, 800))
def test_the_logistic_function(u: float) -> None:
    expected = 1 / (1 + math.exp(-u)) if u > -700 else math.exp(u)
    assert logistic(np.array([u]))[0] == pytest.approx(expected, rel=1e-15, abs=5e-324)


def test_the_logistic_function_has_these_bits_everywhere() -> None:
    u = np.array([-40.5, -1.0, -0.1, 0.0, 1e-9, 0.3, 2.0, 36.0])
    assert [v.hex() for v in logistic(u).tolist()] == BITS
    assert [float(logistic(u[k : k + 1])[0]).hex() for k in range(len(u))] == BITS
    assert logistic(np.array([-np.inf, -1e308, np.inf])).tolist() == [0, 0, 1]


BITS = [
    "0x1.7c432199df55ap-59",
    "0x1.136561454ba86p-2",
    "0x1.e66bdb1aca090p-2",
    "0x1.0000000000000p-1",
    "0x1.0000000225c18p-1",
    "0x1.261d545e46a8bp-1",
    "0x1.c2f7d5a8a79c9p-1",
    "0x1.ffffffffffffep-1",
]
