"""Model files read and solved by whatever solvers are installed, each through its own reader."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from treemip.core.files.profiles import profiles

Found = float | None
"""The optimum in the file's sense; None where the file's model is infeasible."""


def by_highs(path: Path) -> Found:
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    assert status == highspy.HighsModelStatus.kOptimal, status
    return float(solver.getObjectiveValue())


def by_scip(path: Path) -> Found:
    import pyscipopt

    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.setParam("propagating/probing/maxprerounds", 0)  # see treemip/core/solvers/scip/solve.py
    solver.readProblem(str(path))
    solver.optimize()
    if solver.getStatus() == "infeasible":
        return None
    assert solver.getStatus() == "optimal", solver.getStatus()
    return float(solver.getObjVal())


def by_cbc(path: Path) -> Found:
    answer = path.with_suffix(".sol")
    answer.unlink(missing_ok=True)
    _run("cbc", str(path), "solve", "solution", str(answer))
    head = answer.read_text().splitlines()[0]
    value = re.fullmatch(r"Optimal - objective value (\S+)", head)
    assert value or "infeasible" in head.lower(), head
    return float(value[1]) if value else None


def by_glpk(path: Path, form: str = "--freemps") -> Found:
    answer = path.with_suffix(".sol")
    answer.unlink(missing_ok=True)
    said = _run("glpsol", "--lp" if path.suffix == ".lp" else form, path, "-w", answer)
    assert answer.exists(), said
    head = re.search(r"^s (?:mip|bas) \d+ \d+ (.*)$", answer.read_text(), re.M)
    assert head, answer.read_text()
    *status, value = head[1].split()
    return float(value) if status in (["o"], ["f", "f"]) else None


def by_lp_solve(path: Path) -> Found:
    said = _run("lp_solve", "-fmps", path, "-S3", check=False)
    value = re.search(r"^Value of objective function: (\S+)$", said, re.M)
    assert value or "infeasible" in said, said
    return float(value[1]) if value else None


def by_gurobi(path: Path) -> Found:
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as env:
        solver = gurobipy.read(str(path), env)
        solver.optimize()
        if solver.Status in (gurobipy.GRB.INFEASIBLE, gurobipy.GRB.INF_OR_UNBD):
            return None
        assert solver.Status == gurobipy.GRB.OPTIMAL, solver.Status
        return float(solver.ObjVal)


def by_cplex(path: Path) -> Found:
    import cplex

    with cplex.Cplex() as solver:
        for stream in ("log", "results", "warning", "error"):
            getattr(solver, f"set_{stream}_stream")(None)
        solver.read(str(path))
        solver.solve()
        if not solver.solution.is_primal_feasible():
            assert "infeasible" in solver.solution.get_status_string()
            return None
        return float(solver.solution.get_objective_value())


def by_xpress(path: Path) -> Found:
    import xpress

    solver = xpress.problem()
    solver.controls.outputlog = 0
    solver.readProb(str(path))
    solver.optimize()
    if solver.attributes.solstatus == xpress.SolStatus.INFEASIBLE:
        return None
    assert solver.attributes.solstatus == xpress.SolStatus.OPTIMAL
    return float(solver.attributes.objval)


def by_copt(path: Path) -> Found:
    import coptpy

    config = coptpy.EnvrConfig()
    config.set("nobanner", "1")
    solver = coptpy.Envr(config).createModel("model")
    solver.setParam(coptpy.COPT.Param.Logging, 0)
    solver.read(str(path))
    solver.solve()
    if solver.status in (coptpy.COPT.INFEASIBLE, coptpy.COPT.INF_OR_UNB):
        return None
    assert solver.status == coptpy.COPT.OPTIMAL, solver.status
    return float(solver.objval)


def _run(*command: object, check: bool = True) -> str:
    arguments = [str(part) for part in command]
    done = subprocess.run(arguments, capture_output=True, text=True, check=check, timeout=60)
    return done.stdout + done.stderr


READERS: dict[str, tuple[str, Callable[[Path], Found]]] = {
    "highs": ("highspy", by_highs),
    "scip": ("pyscipopt", by_scip),
    "cbc": ("cbc", by_cbc),
    "glpk": ("glpsol", by_glpk),
    "lp_solve": ("lp_solve", by_lp_solve),
    "gurobi": ("gurobipy", by_gurobi),
    "cplex": ("cplex", by_cplex),
    "xpress": ("xpress", by_xpress),
    "copt": ("coptpy", by_copt),
}


def taking(part: str) -> list[str]:
    """Solvers whose readers of both formats take a part, a field of `Reads`."""
    return [name for name, profile in profiles().items() if profile.caps.in_files(part)]


def reader(name: str) -> Callable[[Path], Found]:
    """The solver's reader; skips the test where it is not installed, and says so."""
    if name not in READERS:
        pytest.skip(f"no test can solve with {name} without a licence")
    needs, read = READERS[name]
    if shutil.which(needs) is None and find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    return read
