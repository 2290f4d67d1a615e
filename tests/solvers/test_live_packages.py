"""The models that gurobipy, cplex, xpress and coptpy get are the model: names, limits, parts,
optimum. SCIP's has its own tests, and is here for rows without entries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from live_models import TOLD, empty_row, failing_late_row, guarded_empty_rows, prioritized
from probes import indicators, ranged_square, valid_cut, with_cut
from small_models import knapsack, rows, small

from treemip.core.solvers.copt import to_copt
from treemip.core.solvers.cplex import to_cplex
from treemip.core.solvers.gurobi import to_gurobi
from treemip.core.solvers.scip.model import to_scip
from treemip.core.solvers.xpress import to_xpress

Optimum = float | None
"""None where there is no solution."""


@pytest.fixture(autouse=True)
def community_licence() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Xpress
        yield


@pytest.fixture
def gurobi():
    """For one test: while it is there, COPT crashes at quadratic rows."""
    gp = pytest.importorskip("gurobipy", reason="gurobipy is an optional target")
    with gp.Env(params={"OutputFlag": 0, "MIPGap": 0}) as quiet:
        yield quiet


@pytest.fixture(scope="module")
def copt():
    cp = pytest.importorskip("coptpy", reason="coptpy is an optional target")
    config = cp.EnvrConfig()
    config.set("nobanner", "1")
    return cp.Envr(config)


def by_gurobi(model, cuts, env) -> Optimum:
    made = to_gurobi(model, env, cuts)
    made.optimize()
    assert made.Status in (2, 3)
    return made.ObjVal if made.Status == 2 else None


def by_cplex(model, cuts, _) -> Optimum:
    with to_cplex(model, cuts) as made:
        made.solve()
        found = made.solution
        assert found.get_status() in (1, 101, 102, 103)
        return found.get_objective_value() if found.is_primal_feasible() else None


def by_xpress(model, cuts, _) -> Optimum:
    made = to_xpress(model, cuts)
    made.optimize()
    status = made.attributes.solstatus.name
    assert status in ("OPTIMAL", "INFEASIBLE")
    return made.attributes.objval if status == "OPTIMAL" else None


def by_copt(model, cuts, env) -> Optimum:
    made = to_copt(model, env, cuts)
    made.solve()
    assert made.status in (1, 2)
    return made.objval if made.status == 1 else None


def by_scip(model, cuts, _) -> Optimum:
    made = to_scip(model)
    made.optimize()
    return made.getObjVal() if made.getStatus() == "optimal" else None


PACKAGES: dict[str, tuple[str, Callable[..., Optimum]]] = {
    "gurobi": ("gurobipy", by_gurobi),
    "cplex": ("cplex", by_cplex),
    "xpress": ("xpress", by_xpress),
    "copt": ("coptpy", by_copt),
    "scip": ("pyscipopt", by_scip),
}
EMPTY = {
    "an empty row that fails": (empty_row(1.0), None, "rows"),
    "an empty row that holds": (empty_row(0.0), 2.0, "rows"),
    "an empty late row that fails": (failing_late_row(), None, "lazy"),
    "guarded empty rows": (guarded_empty_rows(), 5.0, "rows"),
}
MODELS = {
    **TOLD,
    **EMPTY,
    "no rows": (small("cb", [1.0, 2.0], sense="maximize"), 3.0, "rows"),
    "ranged products": (*ranged_square(), "rows"),
}
CASES = [
    (package, name)
    for package in PACKAGES
    for name in (EMPTY if package == "scip" else MODELS)
    if (package, name) != ("cplex", "ranged products")  # which are not convex
]


@pytest.mark.parametrize(("package", "name"), CASES)
def test_the_optimum_is_the_same(request, package, name):
    module, solve = PACKAGES[package]
    pytest.importorskip(module, reason=f"{module} is an optional target")
    model, best, cuts = MODELS[name]
    env = request.getfixturevalue(package) if package in ("gurobi", "copt") else None
    found = solve(model, cuts, env)
    assert found == (None if best is None else pytest.approx(best, abs=1e-5))


LIMITED = small(
    "cb",
    [0.0, 0.0],
    (rows([[1.0, 2.0], [0.0, 1.0]], [-1.0, 1.0], [3.0, 1.0], name="low"),),
    [-np.inf, 0],
    [5, 1],
)
NAMED = ["one", "two", "three", "four"]
"""The implications of `indicators`."""


def test_gurobi(gurobi):
    made = to_gurobi(LIMITED, gurobi)
    assert [v.VarName for v in made.getVars()] == ["v0", "v1"]
    assert [v.LB for v in made.getVars()] == [-np.inf, 0.0]
    said = {c.ConstrName: (c.Sense, c.RHS) for c in made.getConstrs()}
    assert said == {"low(2)": ("=", 1.0), "low(1)": (">", -1.0), "low(1)_upper": ("<", 3.0)}
    made = to_gurobi(indicators()[0], gurobi)
    assert [c.GenConstrName for c in made.getGenConstrs()] == NAMED
    for cuts, lazy in (("rows", 0), ("lazy", 1), ("user", -1)):
        made = to_gurobi((with_cut() if cuts == "lazy" else valid_cut())[0], gurobi, cuts)
        assert [(c.ConstrName, c.Lazy) for c in made.getConstrs()] == [("cap", 0), ("late", lazy)]
    made = to_gurobi(prioritized(), gurobi)
    assert [v.BranchPriority for v in made.getVars()] == [0, 7]


def test_a_start_of_gurobi_is_found_again(gurobi):
    import gurobipy as gp

    made, found = to_gurobi(knapsack(30, 2), gurobi, start=np.zeros(30)), []

    def on_solution(model, where):
        if where == gp.GRB.Callback.MIPSOL:
            found.append(model.cbGet(gp.GRB.Callback.MIPSOL_OBJ))

    made.optimize(on_solution)
    assert found[0] == 0


def test_cplex():
    pytest.importorskip("cplex", reason="cplex is an optional target")
    with to_cplex(LIMITED) as made:
        assert made.variables.get_names() == ["v0", "v1"]
        assert made.variables.get_lower_bounds() == [-1e20, 0.0]
        assert made.variables.get_types() == ["C", "B"]
        constraints = made.linear_constraints
        assert constraints.get_names() == ["low(1)", "low(2)"]
        assert constraints.get_senses() == ["R", "E"]
        assert constraints.get_rhs() == [-1.0, 1.0]
        assert constraints.get_range_values() == [4.0, 0.0]
    with to_cplex(indicators()[0]) as made:
        assert made.indicator_constraints.get_names() == NAMED
        assert made.indicator_constraints.get_complemented() == [0, 1, 0, 1]
    for cuts, counts in (("lazy", (1, 0)), ("user", (0, 1))):
        with to_cplex((with_cut() if cuts == "lazy" else valid_cut())[0], cuts) as made:
            advanced = made.linear_constraints.advanced
            assert made.linear_constraints.get_names() == ["cap"]
            found = advanced.get_num_lazy_constraints(), advanced.get_num_user_cuts()
            assert found == counts
    with to_cplex(prioritized()) as made:
        assert [order[:2] for order in made.order.get()] == [(0, 0), (1, 7)]
    with to_cplex(knapsack(30, 2), start=np.zeros(30)) as made:
        assert made.MIP_starts.get_num() == 1
        made.parameters.mip.limits.solutions.set(1)
        made.solve()
        assert made.solution.get_objective_value() == 0


def test_xpress(tmp_path):
    pytest.importorskip("xpress", reason="xpress is an optional target")
    made = to_xpress(LIMITED)
    assert [v.name for v in made.getVariable()] == ["v0", "v1"]
    assert (made.getLB(), made.getUB()) == ([-1e20, 0.0], [5.0, 1.0])
    assert [c.name for c in made.getConstraint()] == ["low(1)", "low(2)"]
    assert list(made.getRowType(0, 1)) == ["R", "E"]
    assert (made.getRHS(0, 1), made.getRHSRange(0, 0)) == ([3.0, 1.0], [4.0])
    made = to_xpress(indicators()[0])
    columns, complement = made.getIndicators(0, 4)
    assert (columns[1:], complement) == ([3, 3, 4, 4], [0, 1, -1, 1, -1])
    assert [c.name for c in made.getConstraint()] == ["choice", *NAMED]
    to_xpress(with_cut()[0], "lazy").writeProb(str(tmp_path / "m.lp"), "l")
    assert "\nDelayed rows\nlate:" in (tmp_path / "m.lp").read_text()
    made, found = to_xpress(knapsack(30, 2), start=np.zeros(30)), []
    made.addIntsolCallback(lambda p, data: found.append(p.attributes.lpobjval), None, 0)
    made.optimize()
    assert found[0] == 0


def test_copt(copt, tmp_path):
    def written(made) -> str:
        made.write(str(tmp_path / "m.lp"))
        return (tmp_path / "m.lp").read_text()

    import coptpy as cp

    made = to_copt(LIMITED, copt)
    columns = [(v.name, v.lb, v.ub, v.vtype) for v in made.getVars()]
    assert columns == [("v0", -cp.COPT.INFINITY, 5.0, "C"), ("v1", 0.0, 1.0, "B")]
    found = [(c.name, c.lb, c.ub) for c in made.getConstrs()]
    assert found == [("low(1)", -1.0, 3.0), ("low(2)", 1.0, 1.0)]
    text = written(to_copt(indicators()[0], copt))
    for name, guard in zip(NAMED, ("b = 1", "b = 0", "c = 1", "c = 0"), strict=True):
        assert f" {name}: {guard} ->" in text
    for cuts, head in (("lazy", "lazy constraints"), ("user", "user cuts")):
        made = to_copt((with_cut() if cuts == "lazy" else valid_cut())[0], copt, cuts)
        assert [c.name for c in made.getConstrs()] == ["cap"]
        assert f"\n{head}\n late:" in written(made).lower()


def test_a_start_of_copt_is_found_again(copt):
    import coptpy as cp

    made, found = to_copt(knapsack(30, 2), copt, start=np.zeros(30)), []

    class Watch(cp.CallbackBase):
        def callback(self):
            found.append(self.getInfo(cp.COPT.CBInfo.MipCandObj))

    made.setCallback(Watch(), cp.COPT.CBCONTEXT_MIPSOL)
    made.solve()
    assert found[0] == 0
