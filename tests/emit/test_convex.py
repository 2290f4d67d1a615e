from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from small_models import products

from treemip.model.blocks import Quadratic
from treemip.solving.arrays import is_convex


@pytest.mark.parametrize(
    ("terms", "convex", "concave"),
    [
        ([(0, 0, 0, 1.0)], True, False),
        ([(0, 0, 0, -1.0)], False, True),
        ([(0, 0, 0, 1.0), (0, 3, 3, -1e-6)], False, False),
        ([(0, 2, 5, 1.0)], False, False),
        ([(0, 0, 0, 1.0), (0, 0, 1, 2.0), (0, 1, 1, 1.0)], True, False),  # (x + y)^2
        ([(0, 0, 0, 1.0), (0, 0, 1, 2.001), (0, 1, 1, 1.0)], False, False),
        ([(0, 0, 0, -1.0), (0, 0, 1, 1.0), (0, 1, 1, -1.0)], False, True),
        ([(0, 0, 1, 1.0), (0, 1, 2, 1.0), (0, 0, 0, 1.0)], False, False),
        ([(0, 0, 0, -1e-9), (0, 0, 1, 1.0), (0, 1, 1, -1e-9)], False, False),  # pivots of 0
        ([(0, 0, 0, 0.0)], True, True),
    ],
)
def test_small_forms(terms: list[tuple[int, int, int, float]], convex: bool, concave: bool) -> None:
    assert is_convex(products(*terms)) == convex
    assert is_convex(products(*terms), -1.0) == concave


def form(matrix: np.ndarray) -> Quadratic:
    """The form x'Mx of a symmetric matrix."""
    first, second = np.nonzero(np.triu(matrix))
    factor = np.where(first == second, 1.0, 2.0)
    coef = factor * matrix[first, second]
    return Quadratic(
        np.zeros(len(first), np.int64), first.astype(np.int32), second.astype(np.int32), coef
    )


@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_against_the_eigenvalues(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    sparse = random.normal(size=(size, size)) * (random.random((size, size)) < 0.4)
    matrix = sparse @ sparse.T + random.normal() * 0.3 * np.diag(random.random(size) < 0.5)
    matrix += np.eye(size) * 1e-3
    least = np.linalg.eigvalsh(matrix)[0]
    assume(abs(least) > 1e-6)
    assert is_convex(form(matrix)) == (least > 0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_sums_of_squares_with_a_null_space_are_convex(seed: int, rank: int) -> None:
    random = np.random.default_rng(seed)
    factor = random.normal(size=(20, rank))
    assert is_convex(form(factor @ factor.T))
    assert not is_convex(form(factor @ factor.T), -1.0)
