"""The derivatives made from the tape are those that CasADi finds by itself, in fewer operations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import products, rows, small
from tape_gradients import row_jacobian
from tape_models import any_steps, dense, every_step, mrct, nothing, random_data

from treemip.core.model.model import Model
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Tape
from treemip.core.model.values import row_values
from treemip.core.solvers.ipopt import expansion as casadi_expansion
from treemip.core.solvers.ipopt.hessian import FEW_COLUMNS, derivatives, lagrangian_hessian
from treemip.core.solvers.ipopt.hessian import row_jacobian as jacobian_of
from treemip.core.solvers.ipopt.model import to_casadi

ca = pytest.importorskip("casadi")


def by_casadi(model: Model):
    """CasADi's own Hessian of the Lagrangian, upper half."""
    made = to_casadi(model)
    lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", model.row_count)
    hessian, _ = ca.hessian(lam_f * made.f + ca.dot(lam_g, made.g), made.x)
    return ca.Function("h", [made.x, lam_f, lam_g], [ca.triu(hessian)])


def assert_same(model: Model, points: int = 3, seed: int = 0) -> None:
    own, reference = lagrangian_hessian(to_casadi(model), model), by_casadi(model)
    assert own is not None
    assert own.sparsity_out(0).is_triu()
    random = np.random.default_rng(seed)
    for _ in range(points):
        x = random.uniform(model.lower, model.upper)
        prices = random.normal(), random.normal(size=model.row_count)
        expected = np.array(ca.DM(reference(x, *prices)))
        found = np.array(ca.DM(own(x, [], *prices)))
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * (1 + abs(expected).max()))


@given(st.integers(0, 10**6), st.sampled_from(["minimize", "maximize"]))
def test_hessian_through_every_step(seed, sense):
    assert_same(every_step(seed, sense), seed=seed)


@given(st.integers(0, 10**6))
def test_hessian_through_steps_in_any_order(seed):
    assert_same(any_steps(seed))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_hessian_of_mrct(depth):
    assert_same(mrct(*random_data(25, 3, 2), depth))


def test_hessian_without_a_tape():
    form = products((0, 0, 1, 2.0), (1, 1, 1, -1.0))
    block = rows([[1, 2], [0, 3]], [-1, 0], [4, np.inf], form)
    square = products((0, 0, 0, 3.0))
    assert_same(small("cc", [1, -1], (block,), -2, 2, "maximize", 5.0, square))


def with_tape(*steps) -> Model:
    """Minimize the last step's slots, which the only row adds up as well, over one column."""
    model = small("c", [1], (rows([[1]], -9, 9),), 0.5, 2)
    tape = Tape(tuple(steps))
    last = np.zeros((1, tape.length))
    last[0, tape.starts[-2] :] = 1.0
    block = replace(model.rows[0], slots=dense(3 * last))
    objective = replace(model.objective, slots=dense(last))
    return model.with_(tape=tape, objective=objective, rows=(block,))


X = Affine(dense([[2.0]]), nothing(1), np.ones(1))


@pytest.mark.parametrize("exponent", [-2, -1, 0.5, 0, 1, 2, 3])
def test_hessian_of_powers(exponent):
    assert_same(with_tape(X, Elementwise(Smooth.POWER, np.zeros(1, int), exponent)))


def test_hessian_of_linear_powers_where_u_is_zero():
    model = with_tape(X, Elementwise(Smooth.POWER, np.zeros(1, int), 1))
    own = lagrangian_hessian(to_casadi(model), model)
    assert np.array(ca.DM(own([-0.5], [], 1, [1]))) == pytest.approx(0)


def test_hessian_of_products_that_repeat_a_slot_and_differ_in_length():
    product = Product(np.array([0, 2, 5, 6, 6]), np.array([0, 0, 0, 1, 0, 1]))
    assert_same(with_tape(X, Elementwise(Smooth.EXP, np.zeros(3, int)), product))


def test_slots_that_follow_others_are_no_steps_of_their_own():
    p = Elementwise(Smooth.EXP, np.zeros(2, int))
    q = Affine(nothing(2), dense([[0, -1.0, 0], [0, 0, 2.0]]), np.array([1.0, 0]))
    r = Affine(nothing(2), dense([[0, 0, 0, -3.0, 0], [0, 0, 0, 0, 1.0]]), np.array([0, 4.0]))
    log = Elementwise(Smooth.LOG, np.array([6]))
    assert_same(with_tape(X, p, q, r, log, Product(np.array([0, 3, 4]), np.array([5, 1, 6, 5]))))


def test_a_function_of_a_sum_of_functions():
    total = Affine(dense([[1.0]]), dense([[0, 1.0, 2.0, 1.0]]), np.ones(1))
    assert_same(
        with_tape(
            X,
            Elementwise(Smooth.EXP, np.zeros(3, int)),
            total,
            Elementwise(Smooth.LOG, np.array([4])),
        )
    )


def test_a_hessian_of_too_many_terms_is_left_to_casadi(monkeypatch):
    monkeypatch.setattr(casadi_expansion, "MOST_TERMS", 20)
    model = mrct(*random_data(40, 3, 2), 2)
    made = to_casadi(model)
    assert lagrangian_hessian(made, model) is None
    assert set(derivatives(made, model)) == {"jac_g"}


def test_operations_grow_with_neither_points_nor_features():
    def operations(points: int, features: int) -> int:
        model = mrct(*random_data(points, features, 2), 2)
        assert model.column_count > FEW_COLUMNS
        return derivatives(to_casadi(model), model)["hess_lag"].n_instructions()

    assert operations(10, 9) == operations(60, 9) == operations(60, 30) < 120


@pytest.mark.parametrize("model", [every_step(2), mrct(*random_data(9, 3, 2), 2)])
def test_the_jacobian_is_that_of_the_tape(model):
    made = to_casadi(model)
    x = np.random.default_rng(0).uniform(model.lower, model.upper)
    g, jacobian = jacobian_of(made, model)(x, [])
    assert np.array(g).ravel() == pytest.approx(row_values(model, x), rel=1e-9, abs=1e-9)
    expected = row_jacobian(model, x).toarray()
    assert np.array(ca.DM(jacobian)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_jacobian_of_too_many_terms_is_left_to_casadi(monkeypatch):
    model = mrct(*random_data(9, 3, 2), 2)
    x = np.random.default_rng(0).uniform(model.lower, model.upper)
    own = jacobian_of(to_casadi(model), model)
    monkeypatch.setattr(casadi_expansion, "MOST_TERMS", 20)
    left = jacobian_of(to_casadi(model), model)
    assert left.n_instructions() > own.n_instructions()
    assert np.array(left(x, [])[1]) == pytest.approx(np.array(own(x, [])[1]), rel=1e-9, abs=1e-9)


def test_the_jacobian_needs_no_more_operations_for_more_classes():
    """Rows over the points of a class each: CasADi follows all points once for each of them."""

    def operations(classes: int) -> int:
        made = mrct(*random_data(60, 9, classes), 2)
        return jacobian_of(to_casadi(made), made).n_instructions()

    assert operations(2) == operations(4) < 80
