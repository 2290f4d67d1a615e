"""The axes of the table, its cells, and what each cell needs to be installed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from target_readers import FIXED, READERS
from target_table import CASES
from target_tools import TOOLS

from treemip.core.solving.optional import is_installed

FILES = {
    "mps": "model.mps",
    "mps --fixed": f"{FIXED}.mps",
    "lp": "model.lp",
    "mof.json": "model.mof.json",
    "nl": "model.nl",
}
PROFILED = {"mps --for": "model.mps", "lp --for": "model.lp"}
SOLVE = "solve"
TARGETS = (*FILES, *PROFILED, SOLVE, *TOOLS)
SOLVERS = tuple(READERS)
LEFT_OUT = {"mosek": "solves nothing without a licence"}
"""Solvers that treemip knows and the table has not."""

OWN = {
    "to_highs": "highs",
    "to_scip": "scip",
    "to_gurobi": "gurobi",
    "to_cplex": "cplex",
    "to_xpress": "xpress",
    "to_copt": "copt",
    "to_mosek": "highs",
}
"""Targets that are one solver's own model; HiGHS solves the file that MOSEK writes of its own."""

ELSEWHERE = {"to_script": "tests/render", "to_model": "the others, by the solver's name"}
"""Methods that are no targets of this table."""

NEEDS = {
    "highs": "highspy",
    "scip": "pyscipopt",
    "glpk": "glpsol",
    "gurobi": "gurobipy",
    "copt": "coptpy",
    "cpsat": "ortools",
    "ipopt": "casadi",
    "nl": "pyomo",
    "to_casadi": "casadi",
    "to_pyomo": "pyomo",
    "to_cvxpy": "cvxpy",
    "to_mosek": "mosek",
}
"""Packages and programs that are not called as the solver is."""

THROUGH = {("to_cvxpy", "cbc"): "cylp", ("to_cvxpy", "glpk"): "cvxopt"}
"""What a tool calls a solver by in place of its program. CasADi brings its own."""


@dataclass(frozen=True)
class Cell:
    formulation: str
    target: str
    solver: str

    def __str__(self) -> str:
        return f"{self.formulation}-{self.target}-{self.solver}".replace(" --", "_")


def cells() -> list[Cell]:
    """All that can be tried."""
    return [
        Cell(formulation, target, solver)
        for formulation in CASES
        for target in TARGETS
        for solver in SOLVERS
        if OWN.get(target, solver) == solver
    ]


def missing(cell: Cell) -> str:
    """What the cell needs and is not installed; empty when all is."""
    needed = [NEEDS[cell.target]] if cell.target in NEEDS else []
    if cell.target != "to_casadi":
        usual = NEEDS.get(cell.solver, cell.solver)
        needed.append(THROUGH.get((cell.target, cell.solver), usual))
    lost = [n for n in needed if shutil.which(n) is None and not is_installed(n)]
    return lost[0] if lost else ""
