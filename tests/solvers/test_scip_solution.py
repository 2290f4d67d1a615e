from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from solution_files import FILES, demand_refused, with_change

import treemip
from treemip.core.files.solution_files import Text
from treemip.core.files.solution_formats import read_solution
from treemip.core.solvers.scip.solution import FORMAT
from treemip.core.solving.solution_values import values_by_name

OPTIMAL = (FILES / "scip_optimal.sol").read_bytes()


def changed(old: bytes, new: bytes) -> Text:
    return with_change(OPTIMAL, old, new)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (b"19.5", b"+infinity", 9, "'+infinity' is not a number"),
        (b"19.5", b"unknown", 9, "'unknown' is not a number"),
        (b"(obj:0.125)", b"(obj:a)", 9, "'a' is not a number"),
        (b"(obj:0.125)", b"(obj:0.12", 9, "'(obj:cost)'"),
        (b"\t(obj:0.125)", b"", 9, "'(obj:cost)'"),
        (b"  -39.8125714285714", b"  -39.8125714285714?", 2, "is not a number"),
        (b"objective value:", b"objective valve:", 2, "expected 'objective value:'"),
    ],
)
def test_damage_is_refused_at_its_line(old: bytes, new: bytes, line: int, words: str) -> None:
    demand_refused(FORMAT.read, changed(old, new), line, words)


def test_a_solution_without_nonzeros() -> None:
    solution = FORMAT.read(Text("x.sol", b"objective value:                 0\n"))
    assert solution.status == "feasible"
    assert solution.names is not None and solution.names.tolist() == []
    assert solution.values is not None and solution.values.tolist() == []


@pytest.mark.parametrize("suffix", ["mps", "lp", "nl"])
def test_the_column_for_products_in_the_objective_is_left_out(suffix: str, tmp_path: Path) -> None:
    pyscipopt = pytest.importorskip("pyscipopt")
    pytest.importorskip("pyomo", reason="it writes NL files")
    text = "var size >= 1, <= 2; minimize cost: size * size + size; subject to least: size >= 1.5;"
    treemip.loads(text).compile(target="scip").write(tmp_path / f"m.{suffix}")
    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.readProblem(str(tmp_path / f"m.{suffix}"))
    solver.optimize()
    solver.writeBestSol(str(tmp_path / "m.sol"))
    solution = read_solution(tmp_path / "m.sol")
    assert solution.names is not None and len(solution.names) == 2
    assert values_by_name(solution, np.array([b"size"])) == pytest.approx([1.5])


def test_words_of_a_later_version() -> None:
    solution = FORMAT.read(changed(b"optimal solution found", b"eclipse"))
    assert solution.status == "feasible"
    solution = FORMAT.read(Text("x.sol", b"solution status: eclipse\nno solution available\n"))
    assert solution.status == "no_solution"


@pytest.mark.parametrize("suffix", ["mps", "lp"])
def test_the_slacks_scip_adds_for_indicators(suffix: str, tmp_path: Path) -> None:
    """Each point that goes right is past the hyperplane that bounds those on the left."""
    pyscipopt = pytest.importorskip("pyscipopt")
    table = {"a": [0.0, 0.25, 0.75, 1.0], "c": ["p", "p", "q", "q"]}
    text = 'data "t" { label c; } topology complete(depth = 1); split oblique by soct;'
    compiled = treemip.loads(text, data=table).compile(target="scip", implications="indicator")
    compiled.write(tmp_path / f"m.{suffix}")
    scip = pyscipopt.Model()
    scip.hideOutput()
    scip.readProblem(str(tmp_path / f"m.{suffix}"))
    scip.optimize()
    scip.writeBestSol(str(tmp_path / "m.sol"))
    assert "\nindslack_" in (tmp_path / "m.sol").read_text()
    found = compiled.decode(tmp_path / "m.sol")
    assert (found.verified, found.train_errors) == (True, 0)
