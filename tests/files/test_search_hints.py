"""Start files and files of priorities: as they are, and as the solvers read them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from file_models import Builder, grid, objective

from treemip.core.files.lp import write_lp
from treemip.core.files.mps.writer import write_mps
from treemip.core.files.profiles import profiles
from treemip.core.files.search_hints import write_order, write_start
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import TreemipError

VALUES = np.array([1.0, 0.9999999999, 0.1, 2.5])


def model() -> Model:
    b = Builder("small")
    b.var("pick", grid("i", 2), 0, 1, Kind.BINARY)
    b.var("x", grid("i", 2), 0, 9)
    b.row("cap", [{0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}], 0, 100)
    b.variables[0] = replace(b.variables[0], priority=np.array([7, 3]))
    b.variables[1] = replace(b.variables[1], priority=np.array([1, 0]))
    return b.model(objective([1.0, 1.0, 1.0, 1.0], "maximize", 0.5))


FILES = {
    "gurobi": "# MIP start\npick(1) 1\npick(2) 1\nx(1) 0.1\nx(2) 2.5\nobjective_constant 1\n",
    "copt": "# MIP start\npick(1) 1\npick(2) 1\nx(1) 0.1\nx(2) 2.5\nobjective_constant 1\n",
    "scip": "solution status: unknown\nobjective value: unknown\n"
    "pick(1) 1\npick(2) 1\nx(1) 0.1\nx(2) 2.5\nobjective_constant 1\n",
    "cbc": "Stopped on iterations - objective value 0\n"
    "0 pick(1) 1 0\n1 pick(2) 1 0\n2 x(1) 0.1 0\n3 x(2) 2.5 0\n4 objective_constant 1 0\n",
    "highs": "Model status\nUnknown\n\n# Primal solution values\nFeasible\nObjective 0\n"
    "# Columns 5\npick(1) 1\npick(2) 1\nx(1) 0.1\nx(2) 2.5\nobjective_constant 1\n# Rows 0\n",
    "cplex": '<?xml version="1.0" encoding="UTF-8"?>\n<CPLEXSolutions version="1.2">\n'
    '<CPLEXSolution version="1.2">\n<header solutionName="start"/>\n<variables>\n'
    '<variable name="pick(1)" value="1"/>\n<variable name="pick(2)" value="1"/>\n'
    '<variable name="x(1)" value="0.1"/>\n<variable name="x(2)" value="2.5"/>\n'
    '<variable name="objective_constant" value="1"/>\n'
    "</variables>\n</CPLEXSolution>\n</CPLEXSolutions>\n",
}


@pytest.mark.parametrize("name", FILES)
def test_whole_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / "start"
    assert write_start(model(), VALUES, path, profiles()[name]) == 5
    assert path.read_text() == FILES[name]


def test_unknown_values_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "start.mst"
    values = np.array([1.0, np.nan, np.nan, 2.5])
    assert write_start(model(), values, path, profiles()["gurobi"], "short") == 3
    assert path.read_text() == "# MIP start\nx1 1\nx4 2.5\nobjective_constant 1\n"


@pytest.mark.parametrize("name", [n for n, p in profiles().items() if p.caps.start is None])
def test_others_have_no_start_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match="start file") as caught:
        write_start(model(), VALUES, tmp_path / "start", profiles()[name])
    assert caught.value.diagnostics[0].code == "E601"
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """An LP model, and beside it each solver's start."""
    write_lp(model(), tmp_path / "m.lp")
    write_mps(model(), tmp_path / "m.mps")
    found = {"lp": str(tmp_path / "m.lp"), "mps": str(tmp_path / "m.mps")}
    for name, suffix in (
        ("highs", "sol"),
        ("cbc", "txt"),
        ("scip", "sol"),
        ("gurobi", "mst"),
        ("cplex", "mst"),
    ):
        found[name] = str(tmp_path / f"{name}.{suffix}")
        write_start(model(), VALUES, found[name], profiles()[name])
    for name in ("gurobi", "cplex"):
        found[f"{name}_order"] = str(tmp_path / f"{name}.ord")
        assert write_order(model(), found[f"{name}_order"], profiles()[name]) == 2
    return found


START = {"pick(1)": 1.0, "pick(2)": 1.0, "x(1)": 0.1, "x(2)": 2.5, "objective_constant": 1.0}


def test_highs_reads_its_start(files: dict[str, str]) -> None:
    highspy = pytest.importorskip("highspy")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel(files["mps"])
    assert solver.readSolution(files["highs"], 0) == highspy.HighsStatus.kOk
    assert list(solver.getSolution().col_value) == list(START.values())


def test_scip_reads_its_start(files: dict[str, str]) -> None:
    pyscipopt = pytest.importorskip("pyscipopt")
    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.readProblem(files["lp"])
    solution = solver.readSolFile(files["scip"])
    assert {v.name: solver.getSolVal(solution, v) for v in solver.getVars()} == START


def test_cbc_reads_its_start(files: dict[str, str]) -> None:
    if shutil.which("cbc") is None:
        pytest.skip("cbc is not installed")
    command = ["cbc", files["mps"], "mips", files["cbc"], "solve"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "MIPStart values read for 5 variables." in said


def test_gurobi_reads_start_and_priorities(files: dict[str, str]) -> None:
    gurobipy = pytest.importorskip("gurobipy")
    with gurobipy.Env(params={"OutputFlag": 0}) as env:
        solver = gurobipy.read(files["lp"], env)
        solver.read(files["gurobi"])
        solver.read(files["gurobi_order"])
        solver.update()
        assert {v.VarName: v.Start for v in solver.getVars()} == START
        found = {v.VarName: v.BranchPriority for v in solver.getVars()}
    assert found == dict.fromkeys(START, 0) | {"pick(1)": 7, "pick(2)": 3}


def test_cplex_reads_start_and_priorities(files: dict[str, str]) -> None:
    cplex = pytest.importorskip("cplex")
    with cplex.Cplex() as solver:
        for stream in ("log", "results", "warning", "error"):
            getattr(solver, f"set_{stream}_stream")(None)
        solver.read(files["lp"])
        solver.MIP_starts.read(files["cplex"])
        places, values = solver.MIP_starts.get_starts(0)[0].unpack()
        names = solver.variables.get_names()
        assert {names[k]: v for k, v in zip(places, values, strict=True)} == START
        solver.order.read(files["cplex_order"])
        found = [(names[place], priority) for place, priority, _ in solver.order.get()]
    assert found == [("pick(1)", 7), ("pick(2)", 3)]


def test_orders_are_whole_files(tmp_path: Path) -> None:
    for name, text in {
        "gurobi": "# branching priorities\npick(1) 7\npick(2) 3\n",
        "cplex": "NAME order\n    pick(1) 7\n    pick(2) 3\nENDATA\n",
    }.items():
        write_order(model(), tmp_path / name, profiles()[name])
        assert (tmp_path / name).read_text() == text


def test_without_priorities_there_is_no_file(tmp_path: Path) -> None:
    plain = model()
    plain = plain.with_(variables=tuple(replace(b, priority=None) for b in plain.variables))
    with pytest.raises(TreemipError, match="gives no integer variable a branching priority"):
        write_order(plain, tmp_path / "m.ord", profiles()["gurobi"])
    with pytest.raises(TreemipError, match="no file of branching priorities for GLPK"):
        write_order(model(), tmp_path / "m.ord", profiles()["glpk"])
    assert list(tmp_path.iterdir()) == []
