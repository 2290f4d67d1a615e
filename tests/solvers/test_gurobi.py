"""gurobipy's model is the model: names, limits, parts, optimum."""

from __future__ import annotations

import numpy as np
import pytest
from live_models import TOLD, empty_row, prioritized
from probes import indicators, ranged_square, valid_cut, with_cut
from small_models import knapsack, rows, small

from treemip.core.solvers.gurobi import to_gurobi

gp = pytest.importorskip("gurobipy", reason="gurobipy is an optional target")


@pytest.fixture(scope="module")
def env():
    with gp.Env(params={"OutputFlag": 0, "MIPGap": 0}) as quiet:
        yield quiet


@pytest.mark.parametrize("name", TOLD)
def test_the_optimum_is_the_same(env, name):
    model, best, cuts = TOLD[name]
    made = to_gurobi(model, env, cuts)
    made.optimize()
    assert made.ObjVal == pytest.approx(best, abs=1e-5)


def test_a_product_between_two_limits(env):
    model, best = ranged_square()
    made = to_gurobi(model, env)
    made.optimize()
    assert made.ObjVal == pytest.approx(best, abs=1e-5)


def test_names_and_limits_are_those_of_files(env):
    block = rows([[1.0, 2.0], [0.0, 1.0]], [-1.0, 1.0], [3.0, 1.0], name="low")
    made = to_gurobi(small("cb", [0.0, 0.0], (block,), [-np.inf, 0], [5, 1]), env)
    assert [v.VarName for v in made.getVars()] == ["v0", "v1"]
    assert [v.LB for v in made.getVars()] == [-np.inf, 0.0]
    said = {c.ConstrName: (c.Sense, c.RHS) for c in made.getConstrs()}
    assert said == {"low(2)": ("=", 1.0), "low(1)": (">", -1.0), "low(1)_upper": ("<", 3.0)}


def test_indicators_keep_their_names(env):
    made = to_gurobi(indicators()[0], env)
    assert [c.GenConstrName for c in made.getGenConstrs()] == ["one", "two", "three", "four"]


@pytest.mark.parametrize(("cuts", "lazy"), [("rows", 0), ("lazy", 1), ("user", -1)])
def test_cuts_are_what_was_asked_for(env, cuts, lazy):
    model, _ = with_cut() if cuts == "lazy" else valid_cut()
    made = to_gurobi(model, env, cuts)
    assert [(c.ConstrName, c.Lazy) for c in made.getConstrs()] == [("cap", 0), ("late", lazy)]


def test_a_start_is_found_again(env):
    model = knapsack(30, 2)
    made = to_gurobi(model, env, start=np.zeros(30))
    found = []

    def on_solution(model, where):
        if where == gp.GRB.Callback.MIPSOL:
            found.append(model.cbGet(gp.GRB.Callback.MIPSOL_OBJ))

    made.optimize(on_solution)
    assert found[0] == 0


def test_priorities(env):
    made = to_gurobi(prioritized(), env)
    assert [v.BranchPriority for v in made.getVars()] == [0, 7]


@pytest.mark.parametrize(("lower", "status"), [(1.0, 3), (0.0, 2)])
def test_a_row_without_entries_counts(env, lower, status):
    made = to_gurobi(empty_row(lower), env)
    made.optimize()
    assert made.Status == status
