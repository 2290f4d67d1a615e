"""Rows with one free column say of it what its bounds then say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from small_models import rows, small

from treemip.core.model.single_rows import single_rows


@given(seed=st.integers(0, 10**6), mask=st.integers(1, 15))
def test_a_point_keeps_the_rows_where_it_keeps_the_bounds(seed: int, mask: int) -> None:
    random = np.random.default_rng(seed)
    free = np.array([mask >> k & 1 for k in range(4)], bool)
    inside, x, y = random.uniform(-1, 1, (3, 4))
    x, y = (np.where(free, point, inside) for point in (x, y))
    matrix = random.integers(-2, 3, (8, 4)) * (random.random((8, 4)) < 0.5)
    width = random.choice([0.0, 0.3, np.inf], (2, 8))
    body = matrix @ inside
    model = small("cccc", [0.0] * 4, (rows(matrix, body - width[0], body + width[1]),), -1, 1)
    single = single_rows(model, free, np.zeros(0, bool))
    assert (np.count_nonzero(matrix[:, free], axis=1) == 1).nonzero()[0].tolist() == [*single.row]
    lower, upper = single.bounds(model, x, matrix @ x)
    assert (lower <= inside + 1e-12).all() and (inside <= upper + 1e-12).all()
    body = (matrix @ y)[single.row]
    kept = (single.lower - 1e-9 <= body) & (body <= single.upper + 1e-9)
    within = (lower - 1e-9 <= y) & (y <= upper + 1e-9)
    assert kept.all() == within[single.column].all()


def test_rows_that_leave_no_value_leave_the_upper_bound() -> None:
    model = small("cc", [0.0, 0.0], (rows([[1, 1], [2, 0]], [2, -1], [2, -0.5]),), -1, 1)
    free = np.array([True, False])
    single = single_rows(model, free, np.zeros(0, bool))
    x = np.array([0.0, 0.5])
    lower, upper = single.bounds(model, x, np.array([0.5, 0.0]))
    assert (lower.tolist(), upper.tolist()) == ([-0.25, -1.0], [-0.25, 1.0])
