"""Derivatives against central differences at random points, and where a difference cannot see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tape_gradients import jacobian_pattern, objective_gradient, row_jacobian
from tape_models import every_step, mrct, random_data

from treemip.core.model.values import objective_value, row_values

STEP = 1e-6


def differences(function, x):
    """(values of the function, columns): central differences."""
    found = []
    for j in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[j] += STEP
        behind[j] -= STEP
        found.append((function(ahead) - function(behind)) / (2 * STEP))
    return np.array(found).T


def assert_derivatives(model, x):
    gradient = differences(lambda v: objective_value(model, v), x)
    assert objective_gradient(model, x) == pytest.approx(gradient, rel=1e-5, abs=1e-5)
    jacobian = row_jacobian(model, x)
    by_differences = differences(lambda v: row_values(model, v), x)
    assert jacobian.toarray() == pytest.approx(by_differences, rel=1e-5, abs=1e-5)
    assert not (jacobian.toarray() != 0)[~jacobian_pattern(model).toarray()].any()


@given(st.integers(0, 10**6))
def test_every_step_has_the_derivatives_of_its_values(seed):
    model = every_step(seed)
    assert_derivatives(model, np.random.default_rng(seed).uniform(0.2, 1.4, 4))


@given(st.integers(0, 10**6), st.sampled_from([1, 2]))
def test_mrct_has_the_derivatives_of_its_values(seed, depth):
    model = mrct(*random_data(6, 3, 2, seed), depth, gamma=3.0)
    assert_derivatives(model, np.random.default_rng(seed).uniform(model.lower, model.upper))


def test_saturated_probabilities_give_finite_derivatives():
    model = mrct(*random_data(30, 3, 2), 3, gamma=512.0)
    for seed in range(20):
        x = np.random.default_rng(seed).uniform(model.lower, model.upper)
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            gradient, jacobian = objective_gradient(model, x), row_jacobian(model, x)
        assert np.isfinite(gradient).all()
        assert np.isfinite(jacobian.data).all()


def test_product_with_a_factor_zero_has_the_product_of_the_others():
    model = mrct(np.array([[0.0], [1.0]]), np.array([0, 1]), 1, gamma=512.0)
    x = np.array([1.0, -1.0, 1.0, 0.0, 0.0, 1.0])  # go_left is exactly 1 on both points
    label = slice(2, 6)
    # Left leaf: class 1 costs the point of class 0, class 2 the other; nobody comes right.
    assert objective_gradient(model, x)[label] == pytest.approx([0.5, 0.5, 0, 0], abs=1e-15)


def test_pattern_of_mrct_is_that_of_the_equations():
    model = mrct(*random_data(6, 3, 2), 2)
    found = jacobian_pattern(model).toarray()
    branches, leaves, classes = 3, 4, 2
    label = branches * 4
    assert found.sum(axis=1)[:leaves].tolist() == [classes] * leaves  # one_label
    assert found.sum(axis=1)[leaves : leaves + classes].tolist() == [leaves] * classes
    for k in range(classes):  # correct_rate: every split, and its own class in every leaf
        expected = [True] * label + [k == c for _ in range(leaves) for c in range(classes)]
        assert found[leaves + classes + k].tolist() == expected
