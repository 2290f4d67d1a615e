"""The support vector problems of branches against their duals and against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.answers.search.margin_trees.branch_programs import Programs, solve_programs


def svm(seed: int, points: int, features: int, price: float, hard: int = 0) -> Programs:
    draw = np.random.default_rng(seed)
    x = draw.random((points, features))
    sign = np.where(x.sum(axis=1) + draw.normal(0, 0.3, points) > features / 2, 1.0, -1.0)
    one = np.concatenate([x, np.ones((points, 1))], axis=1)
    side = np.where(one @ draw.standard_normal(features + 1) > 0, 1.0, -1.0)[:hard]
    rows = np.concatenate([one * sign[:, None], one[:hard] * side[:, None]])
    least = np.concatenate([np.ones(points), np.full(hard, 0.01)])
    prices = np.concatenate([np.full(points, price), np.full(hard, np.inf)])
    square = np.append(np.ones(features), 0.0)[None]
    return Programs(rows[None], least, prices, square, np.zeros((1, features + 1)))


@pytest.mark.parametrize("hard", [0, 5])
@pytest.mark.parametrize("price", [1e-3, 1.0, 1e2, 1e5])
@pytest.mark.parametrize("seed", range(3))
def test_value_and_dual_value_meet(seed: int, price: float, hard: int) -> None:
    programs = svm(seed, 60, 4, price, hard)
    solved = solve_programs(programs)
    multipliers = solved.multipliers[0]
    assert (multipliers >= -1e-9 * price).all()
    assert (multipliers <= np.maximum(programs.price, 0) * (1 + 1e-9)).all()
    combined = multipliers @ programs.rows[0]
    dual = multipliers @ programs.least - 0.5 * (combined[:-1] ** 2).sum()
    assert abs(combined[-1]) <= 1e-6 * max(1.0, price)
    assert solved.value[0] == pytest.approx(dual, rel=1e-6)


def test_programs_together_are_worth_what_they_are_alone() -> None:
    one = svm(0, 40, 5, 10.0)
    some = [np.array([0, 1, 5]), np.array([2, 3, 5]), np.array([0, 4, 5])]
    rows = np.stack([one.rows[0][:, columns] for columns in some])
    square = np.tile([1.0, 1.0, 0.0], (3, 1))
    linear = np.zeros((3, 3))
    together = solve_programs(Programs(rows, one.least, one.price, square, linear))
    for k in range(3):
        alone = Programs(rows[k : k + 1], one.least, one.price, square[:1], linear[:1])
        assert solve_programs(alone).value[0] == pytest.approx(together.value[k], rel=1e-8)


def test_sides_that_no_hyperplane_keeps_are_worth_infinity() -> None:
    x = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    rows = np.array([1.0, -1.0, 1.0])[:, None] * x  # the middle point apart from both others
    hard = Programs(
        rows[None], np.full(3, 0.1), np.full(3, np.inf), np.array([[1.0, 0.0]]), np.zeros((1, 2))
    )
    assert solve_programs(hard).value[0] == np.inf


def test_one_feature_is_what_a_grid_finds() -> None:
    x = np.array([0.0, 0.1, 0.4, 0.35, 0.8, 1.0])
    sign = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
    rows = sign[:, None] * np.stack([x, np.ones(6)], axis=1)
    square = np.array([[1.0, 0.0]])
    one = Programs(rows[None], np.ones(6), np.full(6, 3.0), square, np.zeros((1, 2)))
    w, b = np.meshgrid(np.linspace(0, 8, 801), np.linspace(-5, 1, 601), indexing="ij")
    margin = sign[:, None, None] * (x[:, None, None] * w + b)
    grid = (0.5 * w**2 + 3.0 * np.maximum(0, 1 - margin).sum(axis=0)).min()
    value = solve_programs(one).value[0]
    assert grid - 0.05 <= value <= grid + 1e-9
