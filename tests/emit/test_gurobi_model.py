"""gurobipy's model is the model: names, limits, products, optimum."""

from __future__ import annotations

import numpy as np
import pytest
from live_models import convex, linear, optimum
from small_models import rows, small

from treemip.emit.gurobi_model import to_gurobi

gp = pytest.importorskip("gurobipy", reason="gurobipy is an optional target")


@pytest.fixture(scope="module")
def env():
    with gp.Env(params={"OutputFlag": 0, "MIPGap": 0}) as quiet:
        yield quiet


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize("kinds", ["cccc", "ccbbi"])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_the_same(env, seed, kinds, sense):
    model = linear(seed, kinds, sense)
    made = to_gurobi(model, env)
    made.optimize()
    assert made.ObjVal == pytest.approx(optimum(model), abs=1e-6)


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_products_of_objective_and_rows(env, sense):
    model = convex(1, sense)
    made = to_gurobi(model, env)
    made.optimize()
    assert made.ObjVal == pytest.approx(optimum(model), abs=1e-5)


def test_names_and_limits_are_those_of_files(env):
    block = rows([[1.0, 2.0], [0.0, 1.0]], [-1.0, 1.0], [3.0, 1.0], name="low")
    made = to_gurobi(small("cb", [0.0, 0.0], (block,), [-np.inf, 0], [5, 1]), env)
    assert [v.VarName for v in made.getVars()] == ["v0", "v1"]
    assert [v.LB for v in made.getVars()] == [-np.inf, 0.0]
    said = {c.ConstrName: (c.Sense, c.RHS) for c in made.getConstrs()}
    assert said == {"low(2)": ("=", 1.0), "low(1)": (">", -1.0), "low(1)_upper": ("<", 3.0)}
