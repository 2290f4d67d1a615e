"""Each operation gives what numpy gives, and CasADi the columns and matrices it is asked for."""

from __future__ import annotations

import numpy as np
import pytest
from tape_models import dense

from treemip.core.solvers.ipopt.operations import (
    constant,
    gathered,
    minus,
    multiplied,
    pattern,
    plus,
    scaled,
    shifted,
    summed,
    times,
    transposed,
    vertical,
)

ca = pytest.importorskip("casadi")

U = np.array([2.0, 3.0, 5.0, 7.0, 11.0])


def column() -> ca.MX:
    return ca.MX.sym("u", len(U))


def value(u: ca.MX, expression: ca.MX) -> np.ndarray:
    """Its values where u is U; a column is flat."""
    found = np.array(ca.DM(ca.Function("f", [u], [expression])(U)))
    return found.ravel() if found.shape[1] == 1 else found


@pytest.mark.parametrize(
    "places",
    [
        [],
        [0],
        [4],
        [0, 1, 2, 3, 4],
        [1, 2],
        [0, 2, 4],
        [4, 3, 2],
        [1, 1, 1],
        [0, 2, 3, 0],
        [0, 1, 4],
    ],
)
def test_gathered(places):
    u = column()
    found = gathered(ca, u, np.array(places, np.int64))
    assert found.shape == (len(places), 1)
    assert value(u, found).tolist() == U[places].tolist()


def test_all_places_in_order_are_the_column_itself():
    u = column()
    assert gathered(ca, u, np.arange(5)) is u


def test_one_number_is_gathered_as_a_column():
    s = ca.MX.sym("s")
    found = gathered(ca, s, np.zeros(3, np.int64))
    assert np.array(ca.Function("f", [s], [found])(4.0)).tolist() == [[4.0]] * 3


def test_arithmetic_with_columns_and_numbers():
    u = column()
    assert value(u, plus(ca, u, 1.0)).tolist() == (U + 1).tolist()
    assert value(u, minus(ca, 1.0, u)).tolist() == (1 - U).tolist()
    assert value(u, times(ca, ca.DM(U.tolist()), u)).tolist() == (U * U).tolist()


@pytest.mark.parametrize("numbers", [[1.0] * 5, [-2.0] * 5, [0.0, 1.0, 2.0, 3.0, 4.0]])
def test_scaled_and_shifted(numbers):
    u, numbers = column(), np.array(numbers)
    assert value(u, scaled(ca, u, numbers)).tolist() == (numbers * U).tolist()
    assert value(u, shifted(ca, u, numbers)).tolist() == (numbers + U).tolist()


def test_products_with_matrices_are_dense_columns():
    u, matrix = column(), np.array([[1.0, 0, 0, 0, 2.0], [0, 0, 0, 0, 0], [0, 1.0, 0, 1.0, 0]])
    found = multiplied(ca, constant(ca, dense(matrix), 5), u)
    assert found.is_dense()
    assert value(u, found).tolist() == (matrix @ U).tolist()


@pytest.mark.parametrize("other", [1.0, 3.0])
def test_matrices_of_numbers_alike_and_not(other):
    matrix = np.array([[1.0, 0, other], [0, other, 0]])
    assert np.array(constant(ca, dense(matrix), 3)).tolist() == matrix.tolist()
    assert np.array(transposed(ca, dense(matrix), 3)).tolist() == matrix.T.tolist()


def test_sums_of_repeated_numbers():
    u = column()
    assert value(u, summed(ca, np.array([2, 0, 2, 2, 0]), 4, u)).tolist() == [14.0, 0.0, 14.0, 0.0]


def test_columns_one_below_the_other():
    u = column()
    assert vertical(ca, [u]) is u
    assert value(u, vertical(ca, [u, u])).tolist() == [*U, *U]


def test_pattern_with_an_empty_column():
    row, col = np.array([0, 2, 1]), np.array([0, 0, 2])
    found = np.array(ca.DM(pattern(ca, (3, 3), row, col), 1.0))
    assert found.tolist() == [[1, 0, 0], [0, 0, 1], [1, 0, 0]]
