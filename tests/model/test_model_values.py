"""Values of a tape against the formulas written out point by point."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tape_models import every_step, mrct, nothing, random_data

from treemip.core.model.model import Objective
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Tape
from treemip.core.model.values import logistic, objective_value, row_values, slot_values, violation


def mrct_by_hand(x, y, depth, gamma, values):
    """(objective, correct rate by class) of the randomized tree, in plain loops."""
    features, classes = x.shape[1], int(y.max()) + 1
    branches, leaves = 2**depth - 1, 2**depth
    coef = values[: branches * features].reshape(branches, features)
    bias = values[branches * features : branches * (features + 1)]
    label = values[branches * (features + 1) :].reshape(leaves, classes)
    cost, right = 0.0, np.zeros(classes)
    for point, own in zip(x, y, strict=True):
        for m in range(leaves):
            node, reach = 0, 1.0
            for level in range(depth):
                u = gamma * (coef[node] @ point / features - bias[node])
                left = 1 / (1 + math.exp(-u)) if u > -700 else 0.0
                go_right = m >> (depth - 1 - level) & 1
                reach *= 1 - left if go_right else left
                node = 2 * node + 1 + go_right
            cost += reach * sum(0.5 * label[m, k] for k in range(classes) if k != own)
            right[own] += reach * label[m, own]
    return cost, right


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 3]), st.sampled_from([1.0, 512.0]))
def test_mrct_is_worth_what_the_formulas_say(seed, depth, gamma):
    x, y = random_data(7, 3, 2, seed)
    model = mrct(x, y, depth, gamma)
    values = np.random.default_rng(seed).uniform(model.lower, model.upper)
    cost, right = mrct_by_hand(x, y, depth, gamma, values)
    assert objective_value(model, values) == pytest.approx(cost, abs=1e-9)
    assert row_values(model, values)[-2:] == pytest.approx(right, abs=1e-9)


def test_steps_of_every_kind():
    tape = Tape(
        (
            Affine(nothing(2), nothing(2), np.array([2.0, 0.5])),
            Elementwise(Smooth.EXP, np.array([1])),
            Elementwise(Smooth.LOG, np.array([0])),
            Elementwise(Smooth.LOGISTIC, np.array([1])),
            Elementwise(Smooth.POWER, np.array([0]), -1.5),
            Product(np.array([0, 0, 1, 4]), np.array([0, 0, 0, 1])),
        )
    )
    expected = [2, 0.5, math.exp(0.5), math.log(2), 1 / (1 + math.exp(-0.5)), 2**-1.5, 1, 2, 2]
    assert slot_values(tape, np.zeros(0)) == pytest.approx(expected, rel=1e-15)


def test_logistic_does_not_overflow_and_keeps_small_values():
    with np.errstate(all="raise", under="ignore"):
        found = logistic(np.array([-1e300, -700.0, 0.0, 700.0, 1e300]))
    assert found[[0, 2, 3, 4]].tolist() == [0.0, 0.5, 1.0, 1.0]
    assert found[1] == pytest.approx(math.exp(-700), rel=1e-12)


def test_logarithm_of_zero_is_seen_and_not_raised():
    step = Elementwise(Smooth.LOG, np.array([0]))
    tape = Tape((Affine(nothing(1), nothing(1), np.zeros(1)), step))
    assert slot_values(tape, np.zeros(0))[1] == -math.inf


def test_model_without_a_tape_has_its_linear_and_quadratic_values():
    model = every_step(3)
    plain = model.with_(
        tape=Tape(),
        rows=tuple(r for r in model.rows if r.slots is None),
        objective=Objective(linear=np.array([1.0, 2.0]), constant=3.0),
    )
    x = np.array([1.0, 1.0, 0.5, 0.5])
    assert objective_value(plain, x) == 6.0
    matrix = plain.rows[0].matrix
    assert row_values(plain, x) == pytest.approx([matrix.data @ x[matrix.indices]])


def test_products_of_the_objective_and_of_rows_count():
    model, x = every_step(1), np.array([0.5, 2.0, 3.0, 7.0])
    plain = model.with_(tape=Tape(), objective=replace(model.objective, slots=None))
    assert objective_value(plain, x) == pytest.approx(0.25 + 0.5 - 2 * 2.0 + 0.5 * 2.0)
    bent = replace(model.rows[0], slots=None, matrix=nothing(2))
    assert row_values(plain.with_(rows=(bent,)), x).tolist() == [0.5 * 0.5 * 3.0, -2.0 * 2.0]


def test_violation_is_the_worst_of_bounds_and_rows():
    x, y = random_data(6, 2, 2)
    model = mrct(x, y, 1)
    fine = np.array([1, 1, 0.5, 1, 0, 0, 1.0])
    short = (0.1 * 3 - row_values(model, fine)[-2:]).max()
    assert short > 0.2
    assert violation(model, fine) == short
    beyond = fine.copy()
    beyond[0] = 1.25
    assert violation(model, beyond) >= 0.25
    unlabelled = fine.copy()
    unlabelled[3:] = 0
    assert violation(model, unlabelled) == 1.0
