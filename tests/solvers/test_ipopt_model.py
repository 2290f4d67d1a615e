"""CasADi's values and derivatives are those of the tape; its graph does not grow with points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import products, rows, small
from tape_gradients import jacobian_pattern, objective_gradient, row_jacobian
from tape_models import any_steps, dense, every_step, mrct, nothing, random_data

from treemip.core.model.model import Model
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Tape
from treemip.core.model.values import objective_value, row_values
from treemip.core.solvers.ipopt.model import CasadiModel, follows, sources, to_casadi

ca = pytest.importorskip("casadi")


def assert_same(model: Model, points: np.ndarray) -> None:
    made = to_casadi(model)
    parts = [made.f, made.g, ca.gradient(made.f, made.x), ca.jacobian(made.g, made.x)]
    function = ca.Function("all", [made.x], parts)
    sign = -1.0 if made.negated else 1.0
    for x in points:
        f, g, gradient, jacobian = (np.array(ca.DM(part)) for part in function(x))
        assert sign * f.item() == pytest.approx(objective_value(model, x), rel=1e-9, abs=1e-9)
        assert g.ravel() == pytest.approx(row_values(model, x), rel=1e-9, abs=1e-9)
        expected = objective_gradient(model, x)
        assert sign * gradient.ravel() == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert jacobian == pytest.approx(row_jacobian(model, x).toarray(), rel=1e-9, abs=1e-9)


def random_points(model: Model, count: int, seed: int) -> np.ndarray:
    size = (count, model.column_count)
    return np.random.default_rng(seed).uniform(model.lower, model.upper, size)


@given(st.integers(0, 10**6), st.sampled_from(["minimize", "maximize"]))
def test_every_step_is_worth_the_same(seed, sense):
    model = every_step(seed, sense)
    assert_same(model, random_points(model, 3, seed))


@given(st.integers(0, 10**6))
def test_steps_in_any_order_are_worth_the_same(seed):
    model = any_steps(seed)
    assert_same(model, random_points(model, 2, seed))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_mrct_is_worth_the_same_where_exp_would_overflow(depth):
    model = mrct(*random_data(25, 3, 2), depth, gamma=4000.0)
    assert_same(model, random_points(model, 20, depth))


def test_model_without_a_tape():
    form = products((0, 0, 1, 2.0), (1, 1, 1, -1.0))
    block = rows([[1, 2], [0, 3]], [-1, 0], [4, np.inf], form)
    square = products((0, 0, 0, 3.0))
    model = small("cc", [1, -1], (block,), -2, 2, "maximize", 5.0, square)
    assert_same(model, random_points(model, 5, 0))
    made = to_casadi(model)
    assert made.bounds["lbg"].tolist() == [-1, 0]
    assert made.bounds["ubg"].tolist() == [4, np.inf]
    assert made.bounds["lbx"].tolist() == [-2, -2]


def test_a_single_column_and_a_single_slot_used_many_times():
    form = products((0, 0, 0, 2.0), (1, 0, 0, -1.0))
    model = small("c", [1], (rows([[1], [0]], -9, 9, form),), -2, 2)
    assert_same(model, random_points(model, 5, 0))
    tape = Tape(
        (
            Affine(dense([[2.0]]), nothing(1), np.ones(1)),
            Elementwise(Smooth.EXP, np.zeros(3, int)),
            Product(np.array([0, 2, 5]), np.array([0, 0, 0, 1, 0])),
        )
    )
    objective = replace(model.objective, slots=dense([[0, 1, 0, 0, 1, 1]]))
    model = model.with_(tape=tape, objective=objective)
    assert_same(model, random_points(model, 5, 0))


def test_jacobian_has_the_structure_of_the_model():
    model = mrct(*random_data(10, 3, 2), 2)
    made = to_casadi(model)
    found = np.array(ca.DM(ca.jacobian_sparsity(made.g, made.x), 1)) != 0
    assert (found == jacobian_pattern(model).toarray()).all()


def test_operations_do_not_grow_with_points():
    def operations(made: CasadiModel) -> int:
        return ca.Function("f", [made.x], [made.f, made.g]).n_instructions()

    few = operations(to_casadi(mrct(*random_data(10, 3, 2), 2)))
    assert operations(to_casadi(mrct(*random_data(60, 3, 2), 2))) == few < 80


# -------------------- What a slot follows, through several steps.


def test_a_slot_follows_the_first_of_a_chain():
    p = Elementwise(Smooth.EXP, np.zeros(2, int))
    q = Affine(nothing(2), dense([[0, -1.0, 0], [0, 0, 2.0]]), np.array([1.0, 0]))
    r = Affine(nothing(1), dense([[0, 0, 0, -3.0, 0]]), np.array([4.0]))
    both = Affine(nothing(1), dense([[0, 1.0, 1.0, 0, 0, 0]]), np.zeros(1))
    mixed = Affine(dense([[2.0]]), dense([[0, 1.0, 0, 0, 0, 0, 0]]), np.zeros(1))
    x = Affine(dense([[2.0]]), nothing(1), np.ones(1))
    found = sources(Tape((x, p, q, r, both, mixed)))
    assert found.slots.tolist() == [0, 1, 2, 1, 2, 1, 6, 7]
    assert found.rates.tolist() == [1, 1, 1, -1, 2, 3, 1, 1]
    assert found.shifts.tolist() == [0, 0, 0, 1, 0, 1, 0, 0]


def test_a_probability_and_what_is_left_of_1_come_from_the_same_tanh():
    """Paths are products of 1 + tanh(u / 2) and -1 + tanh(u / 2), each with its rate."""
    u = Affine(dense([[2.0]]), nothing(1), np.zeros(1))
    p = Elementwise(Smooth.LOGISTIC, np.zeros(1, int))
    rest = Affine(nothing(1), dense([[0, -1.0]]), np.ones(1))
    paths = Product(np.array([0, 2, 4, 4]), np.array([1, 2, 2, 2]))
    found = sources(Tape((u, p, rest, paths)))
    assert found.slots.tolist() == [0, 1, 1, 3, 4, 5]
    assert found.rates.tolist() == [2, 0.5, -0.5, -0.25, 0.25, 1]
    assert found.shifts.tolist() == [0, 0.5, 0.5, 0, 0, 0]


def test_a_constant_beyond_measure_is_no_shift():
    u = Affine(dense([[2.0]]), nothing(1), np.zeros(1))
    far = Affine(nothing(1), dense([[1e-9]]), np.ones(1))
    assert not follows(far)
    assert sources(Tape((u, far))).slots.tolist() == [0, 1]
