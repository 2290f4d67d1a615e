"""A spec's model in CasADi and in Pyomo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.core.model.values import objective_value, row_values

DATA = Path(__file__).parents[2] / "specs" / "data"
TEXT = """data "iris.csv" { label class; scale minmax; }
topology complete(depth = 2);
split randomized by mrct(gamma = 5);
"""


@pytest.fixture(scope="module")
def compiled():
    return treemip.loads(TEXT, base=DATA).compile()


def test_casadi_expressions_are_the_model(compiled):
    casadi = pytest.importorskip("casadi")
    made = compiled.to_casadi()
    x = np.linspace(-0.5, 0.5, compiled.model.column_count)
    worth = float(casadi.Function("f", [made.x], [made.f])(x))
    assert worth == pytest.approx(objective_value(compiled.model, x), rel=1e-12)
    solver = casadi.nlpsol("s", "ipopt", made.nlp, {"print_time": False, "ipopt.print_level": 0})
    found = solver(x0=0.1, **made.bounds)
    assert solver.stats()["return_status"] == "Solve_Succeeded"
    assert float(found["f"]) < worth


def test_pyomo_components_are_the_spec_s_families(compiled):
    pyo = pytest.importorskip("pyomo.environ")
    made = compiled.to_pyomo()
    assert sorted(made.component_map(pyo.Var)) == ["bias", "coef", "label", "path"]
    assert len(made.path) == 0  # a family for explicit = 1
    assert sorted(made.component_map(pyo.Constraint)) == ["every_class", "least_rate", "one_label"]
    assert list(made.coef) == [(t, j) for t in (1, 2, 3) for j in (1, 2, 3, 4)]
    x = np.linspace(-0.5, 0.5, compiled.model.column_count)
    for variable, value in zip(made.component_data_objects(pyo.Var), x.tolist(), strict=True):
        variable.set_value(value)
    worth = objective_value(compiled.model, x)
    assert pyo.value(made.expected_cost) == pytest.approx(worth, rel=1e-9)


SMALL = """data "memory" {{ label class; scale minmax; }}
topology complete(depth = 2);
split randomized by mrct{parameters};
{rest}
"""
SPECS = {
    "substituted": ("", ""),
    "explicit": ("(explicit = 1)", ""),
    "sparse": ("", "minimize expected_cost + 0.5 * l0_local + 2 * l0_global;"),
    "smooth terms": (
        "(gamma = 3)",
        "var z >= 0.5, <= 2;\n"
        "minimize expected_cost + exp(z) - log(z) + sqrt(z) / (z + 1) + z ^ 3 * bias[root] ^ 2;\n"
        "subject to tied {j in features}: z * prod {t in branches} coef[t,j] <= 0.25;",
    ),
}


@pytest.mark.parametrize("name", SPECS)
def test_pyomo_and_casadi_agree_with_the_tape(name):
    casadi, pyo = pytest.importorskip("casadi"), pytest.importorskip("pyomo.environ")
    random = np.random.default_rng(3)
    frame = {f"x{j}": random.random(9).tolist() for j in (1, 2)} | {"class": list("abcabcabc")}
    parameters, rest = SPECS[name]
    compiled = treemip.loads(SMALL.format(parameters=parameters, rest=rest), data=frame).compile()
    model, made, other = compiled.model, compiled.to_pyomo(), compiled.to_casadi()
    function = casadi.Function("all", [other.x], [other.f, other.g])
    variables = list(made.component_data_objects(pyo.Var))
    rows = list(made.component_data_objects(pyo.Constraint))
    (goal,) = made.component_data_objects(pyo.Objective)
    low, high = np.maximum(model.lower, -3), np.minimum(model.upper, 3)
    for x in random.uniform(low, high, (20, model.column_count)):
        for variable, value in zip(variables, x.tolist(), strict=True):
            variable.set_value(value)
        own = [objective_value(model, x), *row_values(model, x)]
        assert [pyo.value(goal), *(pyo.value(row.body) for row in rows)] == pytest.approx(
            own, rel=1e-9, abs=1e-9
        )
        f, g = function(x)
        assert [float(f), *np.array(g).ravel()] == pytest.approx(own, rel=1e-9, abs=1e-9)
