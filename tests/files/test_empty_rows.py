"""A row without entries holds or it does not: no target may leave out one that fails. Live models
of commercial packages are in test_live_packages.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from file_models import INF, Builder, grid, objective
from file_readers import READERS, Found, by_highs, by_scip, reader, taking
from live_models import empty_row, failing_late_row, guarded_empty_rows

from treemip.core.files.model_files import write_model
from treemip.core.files.profiles import profiles
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.packages.cvxpy import to_cvxpy
from treemip.core.packages.pyomo import to_pyomo
from treemip.core.solvers.ipopt.model import to_casadi
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
    low, high = [lower, -9][: 1 + full], [upper, 9][: 1 + full]
    b.row("row", [{}, {0: 1.0}][: 1 + full], low, high, grid("i", 1 + full))
    return b.model(objective([1.0, 1.0], "maximize"))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("lower", "upper", "best"), SIDES)
def test_files_and_memory(
    lower: float, upper: float, best: Found, full: bool, tmp_path: Path
) -> None:
    model = beside(lower, upper, full)
    for form in ("mps", "lp"):
        path = tmp_path / f"m.{form}"
        write_model(model, path)
        for read in (by_highs, by_scip):
            assert read(path) == (None if best is None else -best)
    for solver in ("highs", "scip"):
        answer = solve(model, solver)
        assert answer.objective == best
        assert answer.status == ("infeasible" if best is None else "optimal")


@pytest.mark.parametrize("form", ["mps", "lp"])
@pytest.mark.parametrize("solver", READERS)
def test_files_in_other_readers(solver: str, form: str, tmp_path: Path) -> None:
    if form == "lp" and solver == "lp_solve":
        pytest.skip("lp_solve does not read CPLEX's LP format")
    read, path = reader(solver), tmp_path / f"m.{form}"
    for lower, best in ((1.0, None), (0.0, -2.0)):
        write_model(empty_row(lower), path)
        assert read(path) == best


@pytest.mark.parametrize(("lower", "upper", "best"), SIDES)
def test_cvxpy_and_casadi(lower: float, upper: float, best: Found) -> None:
    cp = pytest.importorskip("cvxpy")
    pytest.importorskip("casadi")
    for full in (False, True):
        problem = to_cvxpy(beside(lower, upper, full))
        problem.solve(solver=cp.HIGHS)
        assert problem.status == ("infeasible" if best is None else "optimal")
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


@pytest.mark.parametrize("form", ["mps", "lp"])
@pytest.mark.parametrize("solver", taking("lazy"))
def test_lazy_rows_of_files(solver: str, form: str, tmp_path: Path) -> None:
    """CPLEX and COPT make nothing of them in that section, so that they are ordinary rows."""
    read = reader(solver)
    path = tmp_path / f"m.{form}"
    told = write_model(failing_late_row(), path, profile=profiles()[solver], cuts="lazy")
    assert told.cuts == 0
    assert read(path) is None


@pytest.mark.parametrize("form", ["mps", "lp"])
@pytest.mark.parametrize("solver", taking("indicators"))
def test_guarded_rows_of_files(solver: str, form: str, tmp_path: Path) -> None:
    read = reader(solver)
    write_model(guarded_empty_rows(), tmp_path / f"m.{form}", profile=profiles()[solver])
    assert read(tmp_path / f"m.{form}") == -5
