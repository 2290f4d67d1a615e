from __future__ import annotations

import numpy as np
import pytest
from solution_files import FILES, demand_refused, with_change

from treemip.core.files.solution_files import Text
from treemip.core.solvers.highs.solution import PLAIN, STATUS, TABLE
from treemip.core.solving.solution_values import values_by_name

OPTIMAL = (FILES / "highs_optimal.sol").read_bytes()


def changed(old: bytes, new: bytes) -> Text:
    return with_change(OPTIMAL, old, new)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (b"count(1) 5", b"count(1) 5x", 11, "'5x' is not a number"),
        (b"count(1) 5", b"count(1) nan", 11, "'nan' is not a number"),
        (b"count(1) 5", b"count(1) 1_0", 11, "'1_0' is not a number"),
        (b"count(1) 5", b"count(1)", 11, "a column's name and value"),
        (b"Objective -39.8125714285714", b"Objective -39.81..", 6, "'-39.81..' is not a number"),
        (b"# Columns 9", b"# Columns 8", 16, "'# Rows ' and a number"),
        (b"# Columns 9", b"# Columns 10", 17, "a column's name and value"),
        (b"# Columns 9", b"# Columns", 7, "'# Columns ' and a number"),
        (b"# Columns 9", b"# Columns 99", 29, "cut off"),
        (b"\nFeasible\n", b"\nfeasible\n", 5, "'None', 'Feasible' or 'Infeasible'"),
        (b"# Primal", b"# primal", 4, "expected '# Primal solution values'"),
    ],
)
def test_damage_is_refused_at_its_line(old: bytes, new: bytes, line: int, words: str) -> None:
    demand_refused(PLAIN.read, changed(old, new), line, words)


def test_a_point_that_is_not_feasible_is_no_solution() -> None:
    solution = PLAIN.read(changed(b"\nFeasible\n", b"\nInfeasible\n"))
    assert (solution.status, solution.values) == ("no_solution", None)


@pytest.mark.parametrize(
    "columns",
    [b"# Columns 0\n", b"Objective_bound 0\nMIP_rel_gap 0\n# Columns 0 sparse\n"],
    ids=["1.15", "1.16"],
)
def test_a_sparse_solution_of_zeros(columns: bytes) -> None:
    head = b"Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 0\n"
    solution = PLAIN.read(Text("x.sol", head + columns))
    assert (solution.status, solution.objective, solution.complete) == ("optimal", 0.0, False)
    assert values_by_name(solution, np.array([b"a", b"b"])).tolist() == [0.0, 0.0]


SPARSE = (FILES / "highs_sparse_bound_optimal.sol").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (b"slack 19.5 7", b"slack 19.5", 16, "a column's name and value"),
        (b"# Columns -8", b"# Columns -9", 17, "cut off"),
        (b" sparse", b" dense", 9, "'# Columns ' and a number"),
    ],
)
def test_damage_of_a_sparse_solution_is_refused_at_its_line(
    old: bytes, new: bytes, line: int, words: str
) -> None:
    demand_refused(PLAIN.read, with_change(SPARSE, old, new), line, words)


def test_words_of_a_later_version() -> None:
    solution = PLAIN.read(changed(b"\nOptimal\n", b"\nStopped by the moon\n"))
    assert solution.status == "feasible"
    assert solution.has_solution


def test_statuses_are_those_of_the_solver() -> None:
    highspy = pytest.importorskip("highspy")
    words = highspy.Highs().modelStatusToString
    said = {words(status).encode() for status in highspy.HighsModelStatus.__members__.values()}
    assert STATUS.keys() <= said
    errors = {b"Load error", b"Model error", b"Presolve error", b"Solve error", b"Postsolve error"}
    assert said - STATUS.keys() == {b"Not Set", b"Empty", b"Unknown"} | errors


TABLE_OPTIMAL = (FILES / "highs_table_optimal.sol").read_bytes()


def table_changed(old: bytes, new: bytes) -> Text:
    return with_change(TABLE_OPTIMAL, old, new)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (b"         19.5      ", b"         1a.5      ", 10, "'1a.5' is not a number"),
        (b"         19.5      ", b"                   ", 10, "this column has no value"),
        (b"\n        5   ", b"\n        6   ", 8, "expected column 5"),
        (b"Upper       Primal         Dual  Type", b"Upper       primal", 2, "Primal"),
        (b"\nObjective value: -39", b"\nObjective value: x39", 22, "'x39.8125714285714'"),
        (b"\nObjective value", b"\nObjective", 22, "expected 'Objective value:'"),
        (b"Model status: ", b"Model", 22, "cut off"),
        (b"\nRows\n", b"\nrows\n", 22, "cut off"),
    ],
)
def test_damage_of_a_table_is_refused_at_its_line(
    old: bytes, new: bytes, line: int, words: str
) -> None:
    demand_refused(TABLE.read, table_changed(old, new), line, words)


def test_a_linear_model_counts_when_solved_to_optimality_only() -> None:
    lp = (FILES / "highs_table_lp.sol").read_bytes()
    assert TABLE.read(Text("x.sol", lp)).has_solution
    late = lp.replace(b"status: Optimal", b"status: Time limit reached")
    solution = TABLE.read(Text("x.sol", late))
    assert (solution.status, solution.has_solution) == ("time_limit", False)


def test_an_integer_model_keeps_its_incumbent() -> None:
    solution = TABLE.read(table_changed(b"status: Optimal", b"status: Time limit reached"))
    assert (solution.status, solution.has_solution) == ("time_limit", True)
