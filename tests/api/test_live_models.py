"""Live models solved by their own tools; the values come back as a verified tree."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import highspy
import numpy as np
import pytest

import treemip
from treemip.core.files.names import name_model
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.extras import pip_install

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


def gurobi(compiled: treemip.Compiled, **given: Any) -> Iterable[float]:
    gp = pytest.importorskip("gurobipy")
    with gp.Env(params={"OutputFlag": 0}) as env:
        made = compiled.to_gurobi(env, **given)
        made.optimize()
        return [v.X for v in made.getVars()]


def cplex(compiled: treemip.Compiled, **given: Any) -> Iterable[float]:
    pytest.importorskip("cplex")
    with compiled.to_cplex(**given) as made:
        made.solve()
        return made.solution.get_values()


def xpress(compiled: treemip.Compiled, **given: Any) -> Iterable[float]:
    pytest.importorskip("xpress")
    made = compiled.to_xpress(**given)
    made.optimize()
    return made.getSolution()


def copt(compiled: treemip.Compiled, **given: Any) -> Iterable[float]:
    pytest.importorskip("coptpy")
    made = compiled.to_copt(**given)
    made.solve()
    return [v.x for v in made.getVars()]


def mosek(compiled: treemip.Compiled, **given: Any) -> Iterable[float]:
    """Without a licence: HiGHS solves what MOSEK writes."""
    pytest.importorskip("mosek")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mps"
        compiled.to_mosek(**given).writedata(str(path))
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.readModel(str(path))
    solver.run()
    return solver.getSolution().col_value


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


@pytest.mark.filterwarnings("ignore:Using the Community license")
@pytest.mark.parametrize("live", [highs, scip, gurobi, cplex, xpress, copt, mosek, cvxpy, pyomo])
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
        (lambda x: dict(enumerate(x)), "the values are not numbers"),
        (lambda _: "values", "the values are not numbers"),
    ],
)
def test_values_that_are_no_solution_are_refused(
    compiled: treemip.Compiled, spoilt: Callable[[list[float]], list[float]], message: str
) -> None:
    values = list(highs(compiled))
    with pytest.raises(TreemipError, match=message):
        compiled.tree_of(spoilt(values))


ALL_PARTS = """
data "table.csv" { label c; scale minmax; }
topology complete(depth = 2);
split univariate by oct;
subject to late {t in branches, j in features}: coef[t,j] = 1 ==> bias[t] >= 0.25 by indicator;
cut few {l in leaves}: sum {i in points} reach[i,l] <= card(points);
"""


@pytest.fixture(scope="module")
def with_all() -> treemip.Compiled:
    """With implications that stay, and a cut that cuts off nothing."""
    found = treemip.loads(ALL_PARTS, data=TABLE).compile(cuts="few", target="gurobi")
    assert [b.name for b in found.model.implications] == ["late"]
    assert [b.name for b in found.model.rows if b.cut] == ["few"]
    return found


@pytest.mark.filterwarnings("ignore:Using the Community license")
@pytest.mark.parametrize("cuts", ["rows", "lazy", "user"])
@pytest.mark.parametrize("live", [gurobi, cplex, xpress, copt])
def test_indicators_cuts_and_starts_reach_the_packages(
    with_all: treemip.Compiled, live: Callable[..., Iterable[float]], cuts: str
) -> None:
    best = with_all.solve("scip")
    assert best.answer.values is not None
    values = list(live(with_all, cuts=cuts, start=best.answer.values))
    result = with_all.tree_of(values, live.__name__)
    assert result.verified
    assert result.objective == pytest.approx(best.objective)


@pytest.mark.parametrize("call", ["to_gurobi", "to_cplex", "to_xpress", "to_copt"])
def test_a_way_of_cuts_that_means_nothing(compiled: treemip.Compiled, call: str) -> None:
    pytest.importorskip({"to_gurobi": "gurobipy", "to_copt": "coptpy"}.get(call, call[3:]))
    with pytest.raises(TreemipError, match="'cuts' cannot be 'late'") as raised:
        getattr(compiled, call)(cuts="late")
    assert raised.value.diagnostics[0].code == "E902"


@pytest.mark.parametrize("kind", ["cart", None])
def test_a_start_comes_from_cart_or_a_search_or_not_at_all(
    compiled: treemip.Compiled, kind: str | None
) -> None:
    values, notes = compiled.start_values(kind)
    assert values is not None
    assert compiled.tree_of(values).verified
    assert not notes
    tight = treemip.loads(TEXT + "subject to none: bias[root] = 0.123456;", data=TABLE).compile()
    values, notes = tight.start_values("cart")
    assert values is None
    assert [note.code for note in notes] == ["W601"]


@pytest.mark.parametrize("package", ["gurobipy", "cplex", "xpress", "coptpy", "mosek"])
def test_a_package_that_is_missing_is_named_with_what_installs_it(
    compiled: treemip.Compiled, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    extra = {"gurobipy": "gurobi", "coptpy": "copt"}.get(package, package)
    with pytest.raises(TreemipError) as caught:
        getattr(compiled, f"to_{extra}")()
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.remedy) == ("E602", pip_install(extra))


def test_highs_and_scip_have_the_names_of_model_files(compiled: treemip.Compiled) -> None:
    names = name_model(compiled.model)
    columns, rows = names.columns().astype(str).tolist(), names.rows().astype(str).tolist()
    lp = compiled.to_highs().getLp()
    assert list(lp.col_names_) == columns and list(lp.row_names_) == rows
    made = compiled.to_scip()
    assert [variable.name for variable in made.data] == columns
    assert {row.name for row in made.getConss()} == set(rows)
