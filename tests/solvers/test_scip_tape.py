"""SCIP on nonlinear models: proven optima against grids and against Ipopt, and its refusals."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from small_models import small, span
from suite import one_in
from tape_models import dense, every_step, mrct, nothing, random_data

from treemip.core.model.answer import NO_LIMITS, Limits
from treemip.core.model.model import Model
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Tape
from treemip.core.model.values import objective_value, violation
from treemip.core.solvers.scip.solve import solve_scip
from treemip.core.solving.outcome import Outcome, recomputed
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("pyscipopt")


def one_function(function: Smooth, exponent: float, low: float, high: float, sense: str) -> Model:
    """The function of x, times a second column's value, on low <= x <= high, -1 <= y <= 2."""
    tape = Tape(
        (
            Affine(dense(np.eye(2)), nothing(2), np.zeros(2)),
            Elementwise(function, np.array([0]), exponent),
            Product(np.array([0, 2]), np.array([2, 1])),
        )
    )
    model = small("cc", [0.25, 0.0], (), [low, -1], [high, 2], sense)
    slots = dense([[0.0, 0.0, 0.0, 1.0]])
    return model.with_(tape=tape, objective=replace(model.objective, slots=slots))


FUNCTIONS = [
    (Smooth.EXP, 1.0, -2, 1.5),
    (Smooth.LOG, 1.0, 0.2, 3),
    (Smooth.LOGISTIC, 1.0, -4, 3),
    (Smooth.POWER, 2.0, -2, 1),
    (Smooth.POWER, 3.0, -2, 1),
    (Smooth.POWER, 0.5, 0.0, 4),
    (Smooth.POWER, -1.0, 0.5, 4),
    (Smooth.POWER, 2.5, 0.1, 2),
]


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f[0].value}{f[1]:g}")
def test_optimum_of_each_function_is_that_of_a_grid(function, sense):
    model = one_function(*function, sense)
    axes = [np.linspace(model.lower[j], model.upper[j], 301) for j in range(2)]
    grid = [objective_value(model, np.array([x, y])) for x in axes[0] for y in axes[1][[0, -1]]]
    best = min(grid) if sense == "minimize" else max(grid)
    answer = solve_scip(model)
    assert answer.status == "optimal"
    assert answer.objective == pytest.approx(best, abs=1e-3)
    assert answer.bound == pytest.approx(answer.objective, abs=1e-5)
    beyond = best - answer.objective if sense == "minimize" else answer.objective - best
    assert beyond >= -1e-6


@pytest.mark.parametrize("seed", one_in(2, range(4)))
def test_local_solutions_are_not_better_than_the_global_one(seed):
    pytest.importorskip("casadi")
    from treemip.core.solvers.ipopt.solve import Ipopt

    model = every_step(seed)
    proven = solve_scip(model, Limits(time=30))
    assert proven.status == "optimal"
    assert violation(model, proven.values) <= 1e-6
    ipopt = Ipopt(model)
    best = ipopt.solve(ipopt.point(k) for k in range(10))
    assert best.objective == pytest.approx(proven.objective, rel=1e-6, abs=1e-6)


def test_best_of_ten_starts_of_a_randomized_tree_is_the_global_optimum():
    pytest.importorskip("casadi")
    from treemip.core.solvers.ipopt.solve import Ipopt

    model = mrct(*random_data(8, 1, 2, 1), 1, gamma=8.0)
    proven = solve_scip(model, Limits(time=60))
    assert proven.status == "optimal"
    assert proven.gap == 0.0
    ipopt = Ipopt(model)
    best = ipopt.solve(ipopt.point(k) for k in range(10))
    assert best.status == "locally_optimal"
    assert best.objective == pytest.approx(proven.objective, abs=1e-6)


def test_start_is_completed_and_kept():
    model = mrct(*random_data(6, 1, 2, 1), 1, gamma=4.0)
    answer = solve_scip(model, Limits(time=2), start=np.array([0.5, 0.25, 1, 0, 0, 1]))
    assert answer.start_accepted is not None
    assert answer.values is not None


def test_limit_before_the_proof_gives_bound_and_gap():
    model = mrct(*random_data(8, 2, 2), 2, gamma=8.0)
    answer = solve_scip(model, Limits(time=1.5))
    assert answer.status == "time_limit"
    assert answer.bound is not None
    if answer.values is not None:
        assert answer.bound <= answer.objective
        assert answer.gap > 0


def test_numbers_beyond_scip_are_refused():
    model = mrct(*random_data(6, 1, 2), 1, gamma=512.0)
    model = model.with_(objective=replace(model.objective, span=span("objective")))
    with pytest.raises(TreemipError) as caught:
        solve_scip(model)
    (found,) = caught.value.diagnostics
    assert found.code == "E601"
    assert found.message.startswith("SCIP cannot compute 'logistic' of -")
    assert found.remedy == "bound its argument, make its factor smaller, or solve with Ipopt"
    assert found.span is not None


def test_values_that_miss_the_model_are_no_solution_and_a_loose_bound_no_proof():
    model = mrct(*random_data(6, 1, 2), 1, gamma=4.0)
    values = solve_scip(model, Limits(time=60)).values
    worth = objective_value(model, values)
    good = Outcome("optimal", values, worth, 1)
    assert recomputed(model, good, NO_LIMITS) is good
    loose = recomputed(model, Outcome("optimal", values, worth - 1e-3, 1), NO_LIMITS)
    assert loose.status == "feasible"
    assert loose.message == f"the objective is {worth:.9g} once recomputed"
    wrong = values.copy()
    wrong[2:] += 1e-3
    lost = recomputed(model, Outcome("optimal", wrong, worth, 1), NO_LIMITS)
    assert (lost.status, lost.values) == ("no_solution", None)
    assert lost.message.startswith("the solver's values violate a row by 0.00")


MANY = """
import numpy as np, treemip
text = '''data "t" { label c; }
var v {i in points} >= 0.01, <= 3;
var w {i in points} >= -10, <= 10;
minimize sum {i in points} w[i];
subject to
  above {i in points}: w[i] >= 0 - log(v[i]);
  most: sum {i in points} v[i] <= 0.6 * card(points);
  near {i in points, j in points : ord(j) = ord(i) + 1}: v[i] + 0.5 * v[j] <= 1.5;
'''
table = {"f": np.arange(3000.0), "c": ["a", "b"] * 1500}
treemip.loads(text, data=table).compile().solve("scip", time_limit=8)
"""


@pytest.mark.truth
def test_many_columns_do_not_end_the_process():
    """METIS in the Ipopt of PySCIPOpt 6 corrupts memory, so that the process aborts or hangs."""
    subprocess.run([sys.executable, "-c", MANY], check=True, timeout=100)
