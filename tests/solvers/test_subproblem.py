"""Ipopt on some columns: its derivatives, and the end of the whole model where all are free."""

from __future__ import annotations

import numpy as np
import pytest
from tape_models import any_steps, every_step, mrct, random_data

from treemip.core.model.answer import NO_LIMITS, Limits
from treemip.core.model.model import Model
from treemip.core.model.restriction import restricted
from treemip.core.model.values import objective_value, slot_values, violation
from treemip.core.solvers.ipopt.hessian import lagrangian_hessian, row_jacobian
from treemip.core.solvers.ipopt.model import to_casadi
from treemip.core.solvers.ipopt.solve import Ipopt
from treemip.core.solvers.ipopt.subproblem import Subproblem
from treemip.core.solving.interrupt import Watch

ca = pytest.importorskip("casadi")

MODEL = mrct(*random_data(40, 2, 2), 2)


def assert_derivatives(model: Model, free: np.ndarray, seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.uniform(model.lower, model.upper)
    part = restricted(model, free, 0.3, free)
    made = to_casadi(part.model, part.count)
    known = part.parameters(x, slot_values(model.tape, x))
    lam = random.uniform(-1, 1, len(part.rows))
    f, g = ca.MX.sym("f"), ca.MX.sym("g", len(part.rows))
    whole, _ = ca.hessian(f * made.f + ca.dot(g, made.g), made.x)
    reference = ca.Function("h", [made.x, made.p, f, g], [ca.triu(whole)])
    own = lagrangian_hessian(made, part.model)
    assert own is not None
    values = x[free], known, 1.5, lam
    assert np.array(own(*values)) == pytest.approx(np.array(reference(*values)), abs=1e-8)
    slopes = ca.Function("j", [made.x, made.p], [ca.jacobian(made.g, made.x)])
    jacobian = row_jacobian(made, part.model)(x[free], known)[1]
    assert np.array(jacobian) == pytest.approx(np.array(slopes(x[free], known)), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_derivatives_of_a_part_are_those_that_casadi_finds(seed: int) -> None:
    for model in (every_step(seed), any_steps(seed), mrct(*random_data(9, 2, 2), 2, gamma=4.0)):
        free = np.random.default_rng(seed).random(model.column_count) < 0.5
        free[seed % len(free)] = True
        assert_derivatives(model, free, seed)


def test_with_all_columns_free_it_ends_where_ipopt_ends() -> None:
    ipopt = Ipopt(MODEL, Limits(seed=1))
    every = np.ones(MODEL.column_count, bool)
    whole = ipopt.solve([ipopt.point(0)], near=1)
    subproblem = Subproblem(MODEL, every, every, 0.0, 3000, NO_LIMITS)
    x = ipopt.point(0)
    found = subproblem.solve(x, slot_values(MODEL.tape, x), Watch())
    assert objective_value(MODEL, found) == pytest.approx(whole.objective, abs=1e-6)
    assert found == pytest.approx(whole.values, abs=1e-4)


def test_known_columns_stay_and_rows_are_kept() -> None:
    ipopt = Ipopt(MODEL, Limits(seed=2))
    x = ipopt.advance(ipopt.point(0), 3)
    assert violation(MODEL, x) <= 1e-6
    free = np.arange(MODEL.column_count) >= MODEL.block("label").start
    found = Subproblem(MODEL, free, free, 0.0, 40, NO_LIMITS).solve(
        x, slot_values(MODEL.tape, x), Watch()
    )
    assert (found[~free] == x[~free]).all()
    assert violation(MODEL, found) <= 1e-6
    assert objective_value(MODEL, found) < objective_value(MODEL, x)


def test_a_clock_that_has_run_out_ends_it_at_once() -> None:
    x = Ipopt(MODEL, Limits(seed=0)).advance(np.full(MODEL.column_count, 0.5), 0)
    free = np.ones(MODEL.column_count, bool)
    subproblem = Subproblem(MODEL, free, free, 0.0, 40, NO_LIMITS)
    subproblem.solve(x, slot_values(MODEL.tape, x), Watch(0.0))
    assert subproblem._solver.stats()["iter_count"] <= 1
