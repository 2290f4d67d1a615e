"""The solution files of `solutions/sample`, and what each of them says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from treemip.core.files.solution_files import SolutionFile, Text
from treemip.core.source.diagnostic import TreemipError

FILES = Path(__file__).parent / "solutions" / "sample"

SAMPLE = {
    b"go_left(12,1)": 1.0,
    b"go_left(12,3)": 0.0,
    b"go_left(13,1)": 1.0,
    b"count(1)": 5.0,
    b"count(2)": 9.0,
    b"coef(1,m2)": -5.0,
    b"coef(1,7)": -0.05 / 7e5,
    b"slack": 19.5,
    b"objective_constant": 1.0,
}
"""The only optimum of the sample model; its objective is negated, as the MPS file has it."""

SAMPLE_OBJECTIVE = -(3 + 4 + 1.5 * 5 + 2.25 * 9 + 5 + 1e3 * 0.05 / 7e5 - 19.5 / 8 + 2.5)

UNSTATED = "unstated"  # values without the objective

# file: format, status, objective (None when there is no solution)
SAID: dict[str, tuple[str, str, float | str | None]] = {
    "ampl_infeasible.sol": ("AMPL", "infeasible", None),
    "ampl_limit.sol": ("AMPL", "solver_limit", UNSTATED),
    "ampl_optimal.sol": ("AMPL", "optimal", UNSTATED),
    "cbc_all_optimal.sol": ("CBC", "optimal", -39.81257143),
    "cbc_ctrl_c.sol": ("CBC", "solver_limit", -2622.3),
    "cbc_gap_limit.sol": ("CBC", "gap_limit", -2617.525),
    "cbc_infeasible.sol": ("CBC", "infeasible", None),
    "cbc_lp.sol": ("CBC", "optimal", -40.31257143),
    "cbc_optimal.sol": ("CBC", "optimal", -39.81257143),
    "cbc_time_limit.sol": ("CBC", "time_limit", -2622.3),
    "cbc_time_limit_relaxation.sol": ("CBC", "time_limit", None),
    "cbc_unbounded_lp.sol": ("CBC", "unbounded", None),
    "copt_lp.sol": ("COPT", "feasible", -40.312571428571431),
    "copt_optimal.mst": ("COPT", "feasible", -39.812571428571431),
    "copt_optimal.sol": ("COPT", "feasible", -39.812571428571431),
    "cpsat_optimal.sol": ("CP-SAT", "feasible", -39.81257142857143),
    "cplex_lp.sol": ("CPLEX", "optimal", -40.312571428571431),
    "cplex_optimal.sol": ("CPLEX", "optimal", -39.812571428571431),
    "cplex_time_limit.sol": ("CPLEX", "time_limit", -2629.149999999999),
    "cplex_unbounded.sol": ("CPLEX", "unbounded", None),
    "glpk_infeasible.sol": ("GLPK", "infeasible", None),
    "glpk_lp.sol": ("GLPK", "optimal", -40.3125714285714),
    "glpk_optimal.sol": ("GLPK", "optimal", -39.8125714285714),
    "glpk_table_infeasible.sol": ("GLPK table", "infeasible", None),
    "glpk_table_lp.sol": ("GLPK table", "optimal", -40.31257143),
    "glpk_table_optimal.sol": ("GLPK table", "optimal", -39.81257143),
    "glpk_table_time_limit_nothing.sol": ("GLPK table", "no_solution", None),
    "glpk_table_unbounded.sol": ("GLPK table", "no_solution", None),
    "glpk_time_limit.sol": ("GLPK", "feasible", -2634.35),
    "glpk_time_limit_nothing.sol": ("GLPK", "no_solution", None),
    "glpk_unbounded.sol": ("GLPK", "no_solution", None),
    "gurobi_detailed_optimal.json": ("Gurobi JSON", "optimal", -39.812571428571431),
    "gurobi_infeasible.json": ("Gurobi JSON", "infeasible", None),
    "gurobi_infeasible_or_unbounded.json": ("Gurobi JSON", "infeasible_or_unbounded", None),
    "gurobi_optimal.json": ("Gurobi JSON", "optimal", -39.812571428571431),
    "gurobi_optimal.sol": ("Gurobi", "feasible", -39.812571428571431),
    "gurobi_time_limit.json": ("Gurobi JSON", "time_limit", -2624.3),
    "gurobi_time_limit.sol": ("Gurobi", "feasible", -2624.3),
    "gurobi_time_limit_nothing.json": ("Gurobi JSON", "time_limit", None),
    "gurobi_unbounded.json": ("Gurobi JSON", "unbounded", None),
    "gurobi_unbounded.sol": ("Gurobi", "unbounded", None),
    "highs_bound_optimal.sol": ("HiGHS", "optimal", -39.8125714285714),
    "highs_infeasible.sol": ("HiGHS", "infeasible", None),
    "highs_lp.sol": ("HiGHS", "optimal", -40.3125714285714),
    "highs_lp_iteration_limit.sol": ("HiGHS", "solver_limit", None),
    "highs_not_solved.sol": ("HiGHS", "no_solution", None),
    "highs_optimal.sol": ("HiGHS", "optimal", -39.8125714285714),
    "highs_solution_limit.sol": ("HiGHS", "solver_limit", -900.2),
    "highs_sparse_bound_optimal.sol": ("HiGHS", "optimal", -39.8125714285714),
    "highs_sparse_optimal.sol": ("HiGHS", "optimal", -39.8125714285714),
    "highs_table_infeasible.sol": ("HiGHS table", "infeasible", None),
    "highs_table_lp.sol": ("HiGHS table", "optimal", -40.3125714285714),
    "highs_table_lp_iteration_limit.sol": ("HiGHS table", "solver_limit", None),
    "highs_table_optimal.sol": ("HiGHS table", "optimal", -39.8125714285714),
    "highs_table_solution_limit.sol": ("HiGHS table", "solver_limit", -900.2),
    "highs_table_time_limit_nothing.sol": ("HiGHS table", "time_limit", None),
    "highs_table_unbounded_lp.sol": ("HiGHS table", "unbounded", None),
    "highs_time_limit_nothing.sol": ("HiGHS", "time_limit", None),
    "highs_unbounded.sol": ("HiGHS", "infeasible_or_unbounded", None),
    "highs_unbounded_lp.sol": ("HiGHS", "unbounded", None),
    "lp_solve_infeasible.txt": ("lp_solve", "infeasible", None),
    "lp_solve_optimal.txt": ("lp_solve", "feasible", -39.81257143),
    "lp_solve_s3_optimal.txt": ("lp_solve", "feasible", -39.81257143),
    "lp_solve_time_limit.txt": ("lp_solve", "feasible", -2572.875),
    "lp_solve_time_limit_nothing.txt": ("lp_solve", "time_limit", None),
    "lp_solve_unbounded.txt": ("lp_solve", "unbounded", None),
    "mosek_infeasible.int": ("MOSEK", "infeasible", None),
    "mosek_optimal.int": ("MOSEK", "optimal", -39.812571428571),
    "mosek_unbounded_lp.bas": ("MOSEK", "unbounded", None),
    "mosek_unknown.int": ("MOSEK", "no_solution", None),
    "scip_gap_limit.sol": ("SCIP", "gap_limit", -1006.5),
    "scip_infeasible.sol": ("SCIP", "infeasible", None),
    "scip_infeasible_or_unbounded.sol": ("SCIP", "infeasible_or_unbounded", None),
    "scip_lp.sol": ("SCIP", "optimal", -40.3125714285714),
    "scip_node_limit.sol": ("SCIP", "solver_limit", -1006.5),
    "scip_optimal.sol": ("SCIP", "optimal", -39.8125714285714),
    "scip_python_nothing.sol": ("SCIP", "no_solution", None),
    "scip_python_optimal.sol": ("SCIP", "feasible", -39.8125714285714),
    "scip_python_zeros.sol": ("SCIP", "feasible", -39.8125714285714),
    "scip_time_limit_nothing.sol": ("SCIP", "time_limit", None),
    "scip_unbounded.sol": ("SCIP", "unbounded", None),
    "scip_unbounded_lp.sol": ("SCIP", "unbounded", None),
    "xpress_infeasible.slx": ("Xpress", "no_solution", None),
    "xpress_lp.asc": ("Xpress table", "feasible", UNSTATED),
    "xpress_optimal.asc": ("Xpress table", "feasible", UNSTATED),
    "xpress_optimal.slx": ("Xpress", "feasible", UNSTATED),
    "xpress_relaxation.slx": ("Xpress", "feasible", UNSTATED),
}


NOT_FILES = {"sample.mps", "ampl_optimal.col", "ampl_limit.col"}


def code_of(raised: pytest.ExceptionInfo[TreemipError]) -> str:
    (diagnostic,) = raised.value.diagnostics
    return diagnostic.code


def line_of(raised: pytest.ExceptionInfo[TreemipError]) -> int:
    """The 1-based line a diagnostic points at."""
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.span is not None
    return diagnostic.span.line


def with_change(data: bytes, old: bytes, new: bytes) -> Text:
    """A file with one place changed."""
    assert data.count(old) == 1
    return Text("x.sol", data.replace(old, new))


def demand_refused(read: Callable[[Text], SolutionFile], text: Text, line: int, words: str) -> None:
    """The reader names the line of a damaged file, and what is wrong there."""
    with pytest.raises(TreemipError) as raised:
        read(text)
    assert code_of(raised) == "E606"
    assert line_of(raised) == line
    assert words in str(raised.value)
