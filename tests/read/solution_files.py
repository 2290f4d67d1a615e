"""The solution files beside these tests, and what each of them says."""

from __future__ import annotations

from pathlib import Path

import pytest

from treemip.source.diagnostic import TreemipError

FILES = Path(__file__).parent / "files"

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

# file: format, status, objective (None when there is no solution)
SAID = {
    "highs_infeasible.sol": ("HiGHS", "infeasible", None),
    "highs_lp.sol": ("HiGHS", "optimal", -40.3125714285714),
    "highs_lp_iteration_limit.sol": ("HiGHS", "solver_limit", None),
    "highs_not_solved.sol": ("HiGHS", "no_solution", None),
    "highs_optimal.sol": ("HiGHS", "optimal", -39.8125714285714),
    "highs_solution_limit.sol": ("HiGHS", "solver_limit", -900.2),
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
}


def code_of(raised: pytest.ExceptionInfo[TreemipError]) -> str:
    (diagnostic,) = raised.value.diagnostics
    return diagnostic.code


def line_of(raised: pytest.ExceptionInfo[TreemipError]) -> int:
    """The 1-based line a diagnostic points at."""
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.span is not None
    return diagnostic.span.line
