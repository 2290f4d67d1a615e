"""Solvers outside this process.

A solver is run as a child process on an MPS file and writes a solution file. It is found as a
program on PATH, or else as a Python package, which runs in a Python of its own (runner/).
"""

from __future__ import annotations

from treemip.solving.solver import Installed
from treemip.strategy.commercial import COPT, CPLEX, GUROBI, MOSEK, XPRESS
from treemip.strategy.open_source import CBC, GLPK, LP_SOLVE

INSTALLED: dict[str, Installed] = {
    solver.name: solver for solver in (CBC, GLPK, LP_SOLVE, GUROBI, CPLEX, XPRESS, COPT, MOSEK)
}
