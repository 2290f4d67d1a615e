"""solve and decode: numbers, exit codes, and the tree that is saved; what is refused is in
transcripts/solve.txt."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

import treemip
from treemip.cli import results, solving
from treemip.cli.console import table
from treemip.cli.solving import progress_text
from treemip.core.model.answer import Progress
from treemip.core.source.diagnostic import Diagnostic, TreemipError

pytest.importorskip("highspy", reason="a solver is needed")

NEEDS_CBC = pytest.mark.skipif(shutil.which("cbc") is None, reason="CBC is not installed")


def test_the_time_limit_counts_from_the_first_line_read(spec, monkeypatch):
    """Reading and building are slow here: a clock that is 7 seconds on afterwards."""
    now = time.perf_counter()
    given, times = [], iter([now, now + 7])

    def solve(self, *arguments, **options):
        given.append((options["time_limit"], options["spent"]))
        raise TreemipError(Diagnostic.outside("E902", "that is enough"))

    monkeypatch.setattr(solving, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    monkeypatch.setattr(treemip.Compiled, "solve", solve)
    with pytest.raises(TreemipError, match="that is enough"):
        solving.solve(spec, time_limit=20)
    assert given == [(20, pytest.approx(7.0))]


def test_solve_reports_the_verified_optimum(run, here):
    words = ("--solver", "highs", "--start", "none", "--seed", 3, "-o", "t.json")
    said = run("solve", "small.tree", *words)
    assert said.code == 0
    lines = said.out.splitlines()
    for line in (
        "status           optimal",
        "objective        24",
        "bound            24",
        "gap              0 %",
        "training errors  0 of 24 points",
        "for comparison   CART 0, majority class 9",
        f"tree             verified; proven optimal by HiGHS {version('highspy')}",
    ):
        assert line in lines
    saved = json.loads(Path("t.json").read_text())
    assert (saved["verdict"], saved["bound"]) == ("verified", 24.0)
    assert saved["scores"]["training"]["errors"] == 0
    said = run("solve", "small.tree", "--solver", "highs", "--json", "-o", "t.json")
    assert json.loads(said.out) == json.loads(Path("t.json").read_text())


ONE_CLASS = "every point gets the same class: no better tree was found within the limits"


def test_a_tree_of_one_class_that_is_not_proven_is_called_that():
    """With 13 points or more in each leaf that has some, all of the 24 points are in one."""
    data = {"a": list(range(24)), "class": ["n", "p", "p"] * 8}
    text = (
        'data "t" { label class; scale minmax; } topology complete(depth = 1); '
        "split univariate by oct; minimize misclassified; "
        "subject to many {l in leaves}: points_in[l] >= 13 * occupied[l];"
    )
    result = treemip.loads(text, data=data).compile().solve("highs")
    assert result.optimality.proven
    for proven in (True, False):
        told = replace(result, optimality=replace(result.optimality, proven=proven))
        assert (ONE_CLASS in table(results._numbers(told))) is not proven


@pytest.mark.parametrize(
    ("solver", "printed"),
    [
        pytest.param("highs", "Solving MIP model with:", marks=pytest.mark.truth),
        pytest.param("scip", "presolving", marks=pytest.mark.truth),
        ("cbc", "Welcome to the CBC MILP Solver"),
    ],
)
def test_the_log_is_apart_from_json(here, solver, printed):
    """In a process of its own: solvers print past Python, into a pipe when their buffer is full."""
    if solver == "scip":
        pytest.importorskip("pyscipopt", reason="SCIP is not installed")
    if solver == "cbc" and shutil.which("cbc") is None:
        pytest.skip("CBC is not installed")
    solve = (sys.executable, "-m", "treemip", "solve", "small.tree", "--start", "none")
    words = ("--solver", solver, "--json", "--log")
    said = subprocess.run([*solve, *words], capture_output=True, text=True, check=False)
    assert said.returncode == 0
    assert json.loads(said.stdout)["verdict"] == "verified"
    assert printed in said.stderr


def test_a_spec_that_no_tree_of_the_search_keeps(run, here):
    said = run("solve", "never.tree", "--solver", "highs")
    assert said.code == 3
    assert said.out.splitlines()[0].split(maxsplit=1)[0] == "status"
    assert re.sub(r"\d+( trees|\))", r"N\1", said.err) == (
        "warning[W601]: none of the N trees tried is feasible (rows that they violate: "
        "'never' N); solving without a start\n"
        "no solution; treemip diagnose names the requirements that exclude each other\n"
    )


@pytest.mark.parametrize("names", ["spec", "short"])
def test_decode_another_solvers_file(run, here, names):
    import highspy

    run("compile", "small.tree", "-o", "m.mps", "--names", names)
    highs = highspy.Highs()
    highs.silent()
    highs.readModel("m.mps")
    highs.run()
    highs.writeSolution("m.sol", 0)
    said = run("decode", "small.tree", "m.sol", "-o", "t.json")
    assert said.code == 0, said.err
    assert "objective        24" in said.out.splitlines()
    assert run("verify", "t.json").code == 0
    # Of other data the tree promises more than it keeps.
    text = Path("small.csv").read_text()
    Path("small.csv").write_text(text.replace("yes", "?").replace("no", "yes").replace("?", "no"))
    said = run("decode", "small.tree", "m.sol")
    assert said.code == 1
    assert any(
        line.endswith("  not verified; the solution, not the tree, is proven optimal by HiGHS")
        for line in said.out.splitlines()
    )


def test_progress_line():
    text = progress_text(Progress(12.3, 149.0, 150.0, 1 / 149, 3))
    assert text == "12 s  best 149  bound 150  gap 0.671 %  3 nodes  (Ctrl-C keeps the best)"
    assert progress_text(Progress(0.2, None, None, None, 0)) == "0 s  0 nodes"


def test_a_spec_without_a_tree_is_solved_as_it_is(run, here):
    assert run("solve", "plain.tree", "--solver", "highs", "-o", "plain.json").code == 0
    assert json.loads(Path("plain.json").read_text())["values"] == {"u": [0.5], "v": [1]}
    assert run("show", "plain.json").code == 2


# ------------------------------------------------------------------------- solvers beside treemip


@NEEDS_CBC
def test_a_verified_tree_of_a_program(run, here):
    words = ("--solver", "cbc", "--start", "none", "--keep", "kept", "--json")
    said = run("solve", "small.tree", *words)
    assert said.code == 0, said.err
    assert json.loads(said.out)["tree"] is not None
    assert Path("kept/log.txt").read_text().startswith(shutil.which("cbc"))
    again = run("decode", "small.tree", "kept/solution.sol")
    assert again.code == 0
    assert "objective        24" in again.out.splitlines()


@NEEDS_CBC
def test_a_start_and_a_solver_of_the_spec(run, spec):
    pytest.importorskip("sklearn")
    rows = spec.with_name("small.csv")
    text = rows.read_text()
    rows.write_text(text.replace("\n0,0,no\n", "\n0,0,yes\n"))  # now CART's tree proves nothing
    assert rows.read_text() != text
    spec.write_text(spec.read_text() + "strategy { solver cbc; start cart; time_limit 60; }\n")
    said = run("solve", spec)
    assert (said.code, said.err) == (0, "")
    assert "training errors  1 of 24 points" in said.out
    assert any(line.startswith("solver") and "cbc" in line for line in said.out.splitlines())


@NEEDS_CBC
def test_a_command(run, spec):
    line = "command:cbc {model} sec {time} solve solution {solution}"
    said = run("solve", spec, "--solver", line, "--start", "none", "--time-limit", 60)
    assert said.code == 0, said.err
    assert "  verified; proven optimal by " in said.out
