"""Four programs that read MPS files, each asked for sizes, LP bound and optimum."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Reading:
    """Sizes without the objective; `value` in the file's sense (minimize)."""

    rows: int
    columns: int
    nonzeros: int
    value: float


def highs(path: Path, relaxed: bool) -> Reading:
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.setOptionValue("solve_relaxation", relaxed)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    value = solver.getInfo().objective_function_value
    return Reading(solver.getNumRow(), solver.getNumCol(), solver.getNumNz(), value)


def scip(path: Path, relaxed: bool) -> Reading:
    import pyscipopt

    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(path))
    rows = model.getConss()
    sizes = len(rows), model.getNVars(), sum(len(model.getValsLinear(row)) for row in rows)
    if relaxed:
        for variable in model.getVars():
            model.chgVarType(variable, "C")
    model.optimize()
    assert model.getStatus() == "optimal"
    return Reading(*sizes, model.getObjVal())


def cbc(path: Path, relaxed: bool) -> Reading:
    how = ["-initialSolve"] if relaxed else ["-ratioGap", "0", "-allowableGap", "0", "-solve"]
    said = run(["cbc", str(path), *how])
    sizes = found(
        r"has (\d+) rows, (\d+) columns(?: \(\d+ with objective\))? and (\d+) elements", said
    )
    pattern = r"Optimal objective (\S+)" if relaxed else r"Objective value: +(\S+)"
    assert relaxed or "Result - Optimal solution found" in said
    (value,) = found(pattern, said)
    return Reading(*(int(n) for n in sizes), float(value))


def glpk(path: Path, relaxed: bool) -> Reading:
    answer = path.with_suffix(".glpk")
    run(["glpsol", "--freemps", str(path), "-o", str(answer)] + (["--nomip"] if relaxed else []))
    text = answer.read_text()
    sizes = found(r"Rows: +(\d+)\nColumns: +(\d+).*\nNon-zeros: +(\d+)", text)
    status, value = found(r"Status: +(.*)\nObjective: +\S+ = (\S+)", text)
    assert status in ("OPTIMAL", "INTEGER OPTIMAL")
    return Reading(*(int(n) for n in sizes), float(value))


PROGRAMS: dict[str, Callable[[Path, bool], Reading]] = {
    "highs": highs,
    "scip": scip,
    "cbc": cbc,
    "glpk": glpk,
}
NEEDS = {"cbc": "cbc", "glpk": "glpsol"}


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def found(pattern: str, text: str) -> tuple[str, ...]:
    match = re.search(pattern, text)
    assert match is not None, text
    return match.groups()
