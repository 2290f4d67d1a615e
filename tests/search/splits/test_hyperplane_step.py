"""The best step along a direction."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.search.splits.hyperplane_step import best_step


def total(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0]


@pytest.mark.parametrize("clearance", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("seed", range(5))
def test_no_step_is_better_than_the_best(seed: int, clearance: float) -> None:
    draw = np.random.default_rng(seed)
    position, slope = draw.normal(size=30), draw.normal(size=30)
    slope[:3], position[:3] = 0.0, [0.5, -0.5, 2.0]
    change = draw.integers(-2, 3, (30, 1)).astype(float)
    value, step = best_step(position, slope, change, np.ones(1), total, draw, clearance)
    assert (np.abs(position + step * slope) >= clearance - 1e-12).all()
    grid = np.linspace(-60, 60, 48_001)[:, None]
    moved = position + grid * slope
    worth = 1 + (moved > 0) @ change[:, 0]
    clear = (np.abs(moved) >= clearance).all(axis=1)
    assert value == pytest.approx(1 + change[position + step * slope > 0].sum())
    assert value <= worth[clear].min() + 1e-9


def test_a_point_that_stays_too_near_leaves_no_step() -> None:
    position, slope = np.array([0.01, 1.0]), np.array([0.0, 1.0])
    draw = np.random.default_rng(0)
    value, _ = best_step(position, slope, np.ones((2, 1)), np.zeros(1), total, draw, 0.1)
    assert value == np.inf
