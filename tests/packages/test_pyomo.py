"""Pyomo's model says the same as the tape, independently, under the spec's names."""

from __future__ import annotations

import numpy as np
import pytest
from file_models import INF, Builder, grid, objective
from tape_models import every_step, mrct, random_data

from treemip.core.model.blocks import Kind, Quadratic
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value, row_values
from treemip.core.packages.pyomo import to_pyomo

pyo = pytest.importorskip("pyomo.environ")


def assert_same(model: Model, points: int) -> None:
    made = to_pyomo(model)
    columns = list(made.component_data_objects(pyo.Var, descend_into=False))
    rows = list(made.component_data_objects(pyo.Constraint, descend_into=False))
    (goal,) = made.component_data_objects(pyo.Objective)
    assert len(columns) == model.column_count
    random = np.random.default_rng(0)
    for _ in range(points):
        x = random.uniform(model.lower, model.upper)
        for column, value in zip(columns, x.tolist(), strict=True):
            column.set_value(value)
        assert pyo.value(goal) == pytest.approx(objective_value(model, x), rel=1e-9, abs=1e-9)
        found = [pyo.value(row.body) for row in rows]
        assert found == pytest.approx(row_values(model, x), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_every_step_is_worth_the_same(seed):
    assert_same(every_step(seed, ["minimize", "maximize"][seed % 2]), 20)


@pytest.mark.parametrize("depth", [1, 2])
def test_mrct_is_worth_the_same_where_exp_would_overflow(depth):
    assert_same(mrct(*random_data(9, 3, 2), depth, gamma=4000.0), 20)


def test_names_keys_bounds_and_sides_are_those_of_the_model():
    model = mrct(*random_data(6, 2, 2), 1)
    made = to_pyomo(model)
    assert list(made.coef) == [(1, 1), (1, 2)]
    assert list(made.bias) == [1]
    assert list(made.label) == [(2, 1), (2, 2), (3, 1), (3, 2)]
    assert made.coef[1, 2].bounds == (-1.0, 1.0)
    assert list(made.one_label) == [2, 3]
    assert made.one_label[2].equality
    assert made.correct_rate[2].upper is None
    assert pyo.value(made.correct_rate[2].lower) == pytest.approx(0.3)
    assert made.expected_cost.sense == pyo.minimize
    assert len(made.slot) == model.tape.length


def test_kinds_single_families_names_taken_and_repeated_indices():
    b = Builder()
    b.var("pick", grid("i", 2), 0, 1, Kind.BINARY)
    b.var("count", None, -INF, 9, Kind.INTEGER)
    twice = grid("i", 2)
    twice.columns[0][:] = 5
    square = Quadratic(*(np.array([v]) for v in (1, 0, 1)), np.array([2.0]))
    b.row("pick", [{0: 1.0}, {0: 1.0}], [0, -INF], [2, 3], twice, quadratic=square)
    b.row("slot", [{2: 1.0}], -4, INF)
    made = to_pyomo(b.model(objective([0, 0, 1.5], "maximize", 4.0, {(0, 1): -1.0})))
    assert made.pick[1].is_binary()
    assert made.count.is_integer()
    assert made.count.bounds == (None, 9.0)
    assert list(made.pick_) == [(5, 1), (5, 2)]
    for variable, value in ((made.pick[1], 1), (made.pick[2], 1), (made.count, 2)):
        variable.set_value(value)
    assert pyo.value(made.pick_[5, 1].body) == 1
    assert pyo.value(made.pick_[5, 2].body) == 1 + 2
    assert pyo.value(made.slot.lower) == -4
    assert pyo.value(made.obj) == 4 + 1.5 * 2 - 1
    assert made.obj.sense == pyo.maximize
