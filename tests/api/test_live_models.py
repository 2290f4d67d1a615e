"""Live models solved by their own tools; the values come back as a verified tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest

import treemip
from treemip.source.diagnostic import TreemipError

TABLE = {
    "a": [0.1, 0.2, 0.4, 0.6, 0.7, 0.9],
    "b": [0.3, 0.9, 0.2, 0.8, 0.1, 0.6],
    "c": ["n", "y", "n", "y", "y", "n"],
}
TEXT = (
    'data "table.csv" { label c; scale minmax; } topology complete(depth = 2);'
    "split univariate by oct;"
)


@pytest.fixture(scope="module")
def compiled() -> treemip.Compiled:
    return treemip.loads(TEXT, data=TABLE).compile()


def highs(compiled: treemip.Compiled) -> Iterable[float]:
    made = compiled.to_highs()
    made.run()
    return made.getSolution().col_value


def scip(compiled: treemip.Compiled) -> Iterable[float]:
    made = compiled.to_scip()
    made.optimize()
    return [made.getVal(v) for v in made.data]


def gurobi(compiled: treemip.Compiled) -> Iterable[float]:
    gp = pytest.importorskip("gurobipy")
    with gp.Env(params={"OutputFlag": 0}) as env:
        made = compiled.to_gurobi(env)
        made.optimize()
        return [v.X for v in made.getVars()]


def cvxpy(compiled: treemip.Compiled) -> Iterable[float]:
    cp = pytest.importorskip("cvxpy")
    made = compiled.to_cvxpy()
    made.solve(solver=cp.HIGHS)
    blocks = compiled.model.variables
    return np.concatenate([made.var_dict[b.name].value for b in blocks])


def pyomo(compiled: treemip.Compiled) -> Iterable[float]:
    pyo = pytest.importorskip("pyomo.environ")
    made = compiled.to_pyomo()
    pyo.SolverFactory("appsi_highs").solve(made)
    return [v.value for v in made.component_data_objects(pyo.Var, descend_into=False)]


@pytest.mark.parametrize("live", [highs, scip, gurobi, cvxpy, pyomo])
def test_the_values_of_a_live_model_are_a_verified_tree(
    compiled: treemip.Compiled, live: Callable[[treemip.Compiled], Iterable[float]]
) -> None:
    result = compiled.tree_of(list(live(compiled)), live.__name__)
    assert result.verified
    assert result.train_errors == compiled.solve("highs").train_errors
    assert (result.status, result.answer.solver) == ("feasible", live.__name__)


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        (lambda x: x[:-1], "values were given for"),
        (lambda x: [np.nan, *x[1:]], "values were given for"),
        (lambda x: [v + 0.4 for v in x], "no solution in the values: .*, not whole"),
    ],
)
def test_values_that_are_no_solution_are_refused(
    compiled: treemip.Compiled, spoilt: Callable[[list[float]], list[float]], message: str
) -> None:
    values = list(highs(compiled))
    with pytest.raises(TreemipError, match=message):
        compiled.tree_of(spoilt(values))
