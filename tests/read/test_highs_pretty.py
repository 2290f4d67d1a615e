from __future__ import annotations

import pytest
from solution_files import FILES, code_of, line_of

from treemip.files.solution_files import Text
from treemip.solvers.highs.solution import TABLE
from treemip.source.diagnostic import TreemipError

OPTIMAL = (FILES / "highs_table_optimal.sol").read_bytes()


def changed(old: bytes, new: bytes) -> Text:
    assert OPTIMAL.count(old) == 1
    return Text("x.sol", OPTIMAL.replace(old, new))


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
def test_damage_is_refused_at_its_line(old: bytes, new: bytes, line: int, words: str) -> None:
    with pytest.raises(TreemipError) as raised:
        TABLE.read(changed(old, new))
    assert code_of(raised) == "E606"
    assert line_of(raised) == line
    assert words in str(raised.value)


def test_a_linear_model_counts_when_solved_to_optimality_only() -> None:
    lp = (FILES / "highs_table_lp.sol").read_bytes()
    assert TABLE.read(Text("x.sol", lp)).has_solution
    late = lp.replace(b"status: Optimal", b"status: Time limit reached")
    solution = TABLE.read(Text("x.sol", late))
    assert (solution.status, solution.has_solution) == ("time_limit", False)


def test_an_integer_model_keeps_its_incumbent() -> None:
    solution = TABLE.read(changed(b"status: Optimal", b"status: Time limit reached"))
    assert (solution.status, solution.has_solution) == ("time_limit", True)
