"""A row without entries holds or it does not: no target may leave out one that fails."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from file_models import INF, Builder, grid, objective, sparse
from file_readers import READERS, Found, by_highs, by_scip, reader, taking
from live_models import empty_row
from probes import implication, with_cut

from treemip.core.files.model_files import write_model
from treemip.core.files.profiles import profiles
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.packages.cvxpy import to_cvxpy
from treemip.core.packages.pyomo import to_pyomo
from treemip.core.solvers.copt import to_copt
from treemip.core.solvers.cplex import to_cplex
from treemip.core.solvers.gurobi import to_gurobi
from treemip.core.solvers.ipopt.model import to_casadi
from treemip.core.solvers.scip.model import to_scip
from treemip.core.solvers.xpress import to_xpress
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError

FAILS = (1.0, INF), (-INF, -1.0), (2.0, 2.0), (-3.0, -2.0)
HOLDS = (0.0, INF), (-INF, 0.0), (0.0, 0.0), (-3.0, 2.0), (-INF, INF)
SIDES = [(*sides, None) for sides in FAILS] + [(*sides, 2.0) for sides in HOLDS]


def beside(lower: float, upper: float, full: bool) -> Model:
    """maximize x + pick <= 2; `full`: the row is one of a family of which another has entries."""
    b = Builder("empty")
    b.var("x", None, 0, 1)
    b.var("pick", None, 0, 1, Kind.BINARY)
    entries = [{}, {0: 1.0}] if full else [{}]
    b.row(
        "row",
        entries,
        [lower, -9][: len(entries)],
        [upper, 9][: len(entries)],
        grid("i", len(entries)),
    )
    return b.model(objective([1.0, 1.0], "maximize"))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("lower", "upper", "best"), SIDES)
@pytest.mark.parametrize("form", ["mps", "lp"])
def test_files(
    form: str, lower: float, upper: float, best: Found, full: bool, tmp_path: Path
) -> None:
    path = tmp_path / f"m.{form}"
    write_model(beside(lower, upper, full), path)
    for read in (by_highs, by_scip):
        assert read(path) == (None if best is None else -best)


@pytest.mark.parametrize(("lower", "best"), [(1.0, None), (0.0, -2.0)])
@pytest.mark.parametrize("form", ["mps", "lp"])
@pytest.mark.parametrize("solver", READERS)
def test_files_in_other_readers(
    solver: str, form: str, lower: float, best: Found, tmp_path: Path
) -> None:
    if form == "lp" and solver == "lp_solve":
        pytest.skip("lp_solve does not read CPLEX's LP format")
    read = reader(solver)
    write_model(empty_row(lower), tmp_path / f"m.{form}")
    assert read(tmp_path / f"m.{form}") == best


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("lower", "upper", "best"), SIDES)
@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_in_memory(solver: str, lower: float, upper: float, best: Found, full: bool) -> None:
    answer = solve(beside(lower, upper, full), solver)
    assert answer.objective == best
    assert answer.status == ("infeasible" if best is None else "optimal")


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("lower", "upper", "best"), SIDES)
def test_cvxpy(lower: float, upper: float, best: Found, full: bool) -> None:
    cp = pytest.importorskip("cvxpy")
    problem = to_cvxpy(beside(lower, upper, full))
    problem.solve(solver=cp.HIGHS)
    assert problem.status == ("infeasible" if best is None else "optimal")


@pytest.mark.parametrize(("lower", "upper", "best"), SIDES)
def test_casadi(lower: float, upper: float, best: Found) -> None:
    pytest.importorskip("casadi")
    made = to_casadi(beside(lower, upper, True))
    assert made.g.numel() == 2
    held = made.row_lower[0] <= 0 <= made.row_upper[0]
    assert held == (best is not None)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("lower", "upper", "best"), SIDES)
def test_pyomo_refuses_what_fails_and_leaves_out_the_rest(
    lower: float, upper: float, best: Found, full: bool
) -> None:
    pyo = pytest.importorskip("pyomo.environ")
    model = beside(lower, upper, full)
    if best is None:
        with pytest.raises(TreemipError) as caught:
            to_pyomo(model)
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.code == "E403"
        assert diagnostic.message == "row row[1] has no variables and does not hold"
        assert diagnostic.remedy
        return
    made = to_pyomo(model)
    assert list(made.row) == [2] * full
    found = pyo.SolverFactory("appsi_highs").solve(made)
    assert found.solver.termination_condition == "optimal"
    assert pyo.value(made.obj) == best


def lazy() -> Model:
    """A family of lazy rows of which one has no entries and fails."""
    model, _ = with_cut()
    late = replace(model.rows[1], matrix=sparse([{}]), lower=model.rows[1].upper - 1)
    late = replace(late, upper=late.upper + 9)
    return model.with_(rows=(model.rows[0], late))


@pytest.mark.parametrize("form", ["mps", "lp"])
@pytest.mark.parametrize("solver", taking("lazy"))
def test_lazy_rows_of_files(solver: str, form: str, tmp_path: Path) -> None:
    """CPLEX and COPT make nothing of them in that section, so that they are ordinary rows."""
    read = reader(solver)
    path = tmp_path / f"m.{form}"
    told = write_model(lazy(), path, profile=profiles()[solver], cuts="lazy")
    assert told.cuts == 0
    assert read(path) is None


def by_gurobi(model: Model, cuts: str) -> Found:
    gp = pytest.importorskip("gurobipy")
    with gp.Env(params={"OutputFlag": 0}) as env:
        made = to_gurobi(model, env, cuts)  # type: ignore[arg-type]
        made.optimize()
        return float(made.ObjVal) if made.Status == gp.GRB.OPTIMAL else None


def by_cplex(model: Model, cuts: str) -> Found:
    pytest.importorskip("cplex")
    with to_cplex(model, cuts) as made:  # type: ignore[arg-type]
        made.solve()
        found = made.solution
        return float(found.get_objective_value()) if found.is_primal_feasible() else None


def by_xpress(model: Model, cuts: str) -> Found:
    xp = pytest.importorskip("xpress")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = to_xpress(model, cuts)  # type: ignore[arg-type]
    made.optimize()
    optimal = made.attributes.solstatus == xp.SolStatus.OPTIMAL
    return float(made.attributes.objval) if optimal else None


def by_copt(model: Model, cuts: str) -> Found:
    pytest.importorskip("coptpy")
    made = to_copt(model, cuts=cuts)  # type: ignore[arg-type]
    made.solve()
    return float(made.objval) if made.status == 1 else None


def in_scip(model: Model, cuts: str) -> Found:
    made = to_scip(model)
    made.optimize()
    return float(made.getObjVal()) if made.getStatus() == "optimal" else None


LIVE = [by_gurobi, by_cplex, by_xpress, by_copt, in_scip]


def guarded() -> Model:
    """pick = 1 ==> 0 >= 1, pick = 0 ==> 0 <= 1: x <= 5 remains of x + 10 pick."""
    b = Builder("guards")
    b.var("x", None, 0, 9)
    b.var("pick", None, 0, 1, Kind.BINARY)
    b.row("cap", [{0: 1.0}], -INF, 5)
    made = implication("one", [{}], 1, INF, 1, 1.0), implication("two", [{}], -INF, 1, 1, 0.0)
    return b.model(objective([1.0, 10.0], "maximize"), implications=made)


@pytest.mark.parametrize("live", LIVE)
def test_lazy_rows_in_memory(live: Callable[[Model, str], Found]) -> None:
    assert live(lazy(), "lazy") is None


@pytest.mark.parametrize("live", LIVE)
def test_guarded_rows_in_memory(live: Callable[[Model, str], Found]) -> None:
    assert live(guarded(), "rows") == 5


@pytest.mark.parametrize("form", ["mps", "lp"])
@pytest.mark.parametrize("solver", taking("indicators"))
def test_guarded_rows_of_files(solver: str, form: str, tmp_path: Path) -> None:
    read = reader(solver)
    write_model(guarded(), tmp_path / f"m.{form}", profile=profiles()[solver])
    assert read(tmp_path / f"m.{form}") == -5
