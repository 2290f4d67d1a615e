"""solve and decode: numbers, exit codes, and the tree that is saved."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.metadata import version
from types import SimpleNamespace

import pytest

import treemip
from treemip.cli import results, solving
from treemip.cli.console import table
from treemip.cli.solving import progress_text
from treemip.core.model.answer import Progress
from treemip.core.source.diagnostic import Diagnostic, TreemipError

pytest.importorskip("highspy", reason="a solver is needed")

SOLVE = (sys.executable, "-m", "treemip.cli.main", "solve", "--start", "none", "--solver", "highs")


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


def test_solve_reports_the_verified_optimum(run, spec, tmp_path):
    target = tmp_path / "t.json"
    words = ("--solver", "highs", "--start", "none", "--seed", 3)
    said = run("solve", spec, *words, "-o", target)
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
    saved = json.loads(target.read_text())
    assert (saved["verdict"], saved["bound"]) == ("verified", 24.0)
    assert saved["scores"]["training"]["errors"] == 0


ONE_CLASS = "every point gets the same class: no better tree was found within the limits"


@pytest.mark.parametrize(("proven", "expected"), [(False, [ONE_CLASS]), (True, [])])
def test_a_tree_of_one_class_that_is_not_proven_is_called_that(proven, expected):
    """With 13 points or more in each leaf that has some, all of the 24 points are in one."""
    data = {"a": list(range(24)), "class": ["n", "p", "p"] * 8}
    text = (
        'data "t" { label class; scale minmax; } topology complete(depth = 1); '
        "split univariate by oct; minimize misclassified; "
        "subject to many {l in leaves}: points_in[l] >= 13 * occupied[l];"
    )
    result = treemip.loads(text, data=data).compile().solve("highs")
    assert result.optimality.proven
    result = replace(result, optimality=replace(result.optimality, proven=proven))
    lines = map(str.strip, table(results._numbers(result)).splitlines())
    assert [line for line in lines if "same class" in line] == expected


def test_json_on_stdout_is_what_is_saved(run, spec, tmp_path):
    said = run("solve", spec, "--solver", "highs", "--json", "-o", tmp_path / "t.json")
    assert json.loads(said.out) == json.loads((tmp_path / "t.json").read_text())


@pytest.mark.parametrize(
    ("solver", "printed"),
    [
        ("highs", "Solving MIP model with:"),
        ("scip", "presolving"),
        ("cbc", "Welcome to the CBC MILP Solver"),
    ],
)
def test_the_log_is_apart_from_json(spec, solver, printed):
    """In a process of its own: solvers print past Python, into a pipe when their buffer is full."""
    if solver == "scip":
        pytest.importorskip("pyscipopt", reason="SCIP is not installed")
    if solver == "cbc" and shutil.which("cbc") is None:
        pytest.skip("CBC is not installed")
    said = subprocess.run(
        [*SOLVE[:-1], solver, str(spec), "--json", "--log"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0
    assert json.loads(said.stdout)["verdict"] == "verified"
    assert printed in said.stderr


def test_infeasible_spec_ends_with_3(run, spec):
    spec.write_text(spec.read_text() + "subject to never: sum {i in points} reach[i,root] <= 3;\n")
    said = run("solve", spec, "--solver", "highs")
    assert said.code == 3
    assert said.out.splitlines()[0].split(maxsplit=1)[0] == "status"
    assert re.sub(r"\d+( trees|\))", r"N\1", said.err) == (
        "warning[W601]: none of the N trees tried is feasible (rows that they violate: "
        "'never' N); solving without a start\n"
        "no solution; treemip diagnose names the requirements that exclude each other\n"
    )


def test_no_time_ends_with_3(run, spec):
    said = run("solve", spec, "--solver", "highs", "--time-limit", 0)
    assert said.code == 3
    assert said.err == (
        "no solution; a longer limit, or a start such as --start cart, may give one\n"
    )


def test_an_objective_without_bound_ends_with_3(run, spec):
    spec.write_text(spec.read_text() + "var much free;\nmaximize all: much;\n")
    said = run("solve", spec, "--solver", "highs")
    assert said.code == 3
    assert said.err == (
        "warning[W601]: the best tree of the search could not be completed to a solution "
        "(unbounded); solving without a start\n"
        "no solution; treemip diagnose tells which of the two it is\n"
    )
    assert run("diagnose", spec).out == "there is a solution\n"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--solver", "hihgs"], "error[E902]: unknown solver 'hihgs'"),
        (["--start", "carts"], "error[E902]: unknown start 'carts'"),
        (["--threads", "0"], "error[E902]: the limit 'threads'"),
        (["--presolve", "merge"], "error[E902]: there is no presolve 'merge'"),
        (["--starts", "3"], "error[E902]: SCIP ignores 'starts': it searches globally"),
        (
            ["--solver", "highs", "--starts", "3"],
            "error[E902]: HiGHS ignores 'starts': it searches",
        ),
        (["--feasibility", "1"], "error[E902]: the limit 'feasibility'"),
        (["-o", "none/t.json"], "error[E603]: 'none/t.json' cannot be written"),
    ],
)
def test_bad_options_end_with_2(run, spec, tmp_path, monkeypatch, option, message):
    monkeypatch.chdir(tmp_path)
    said = run("solve", spec, *option)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(message)


@pytest.mark.parametrize("names", ["spec", "short"])
def test_decode_another_solvers_file(run, spec, tmp_path, names):
    import highspy

    model, solution = tmp_path / "m.mps", tmp_path / "m.sol"
    run("compile", spec, "-o", model, "--names", names)
    highs = highspy.Highs()
    highs.silent()
    highs.readModel(str(model))
    highs.run()
    highs.writeSolution(str(solution), 0)
    said = run("decode", spec, solution, "-o", tmp_path / "t.json")
    assert said.code == 0, said.err
    assert "objective        24" in said.out.splitlines()
    assert run("verify", tmp_path / "t.json").code == 0


def test_decode_refuses_what_is_no_solution(run, spec, tmp_path):
    (tmp_path / "m.sol").write_text("nothing\n")
    said = run("decode", spec, tmp_path / "m.sol", "-o", tmp_path / "t.json")
    assert said.code == 2
    assert said.err.startswith("error[E60")
    assert not (tmp_path / "t.json").exists()


def test_a_solution_of_another_model_is_not_verified(run, spec, tmp_path):
    """A tree that promises more than it keeps ends with 1 and says what is wrong."""
    import highspy

    model, solution = tmp_path / "m.mps", tmp_path / "m.sol"
    run("compile", spec, "-o", model)
    highs = highspy.Highs()
    highs.silent()
    highs.readModel(str(model))
    highs.run()
    highs.writeSolution(str(solution), 0)
    rows = (tmp_path / "small.csv").read_text().splitlines()
    other = {"yes": "no", "no": "yes"}
    flipped = [rows[0], *(f"{r.rsplit(',', 1)[0]},{other[r.rsplit(',', 1)[1]]}" for r in rows[1:])]
    (tmp_path / "small.csv").write_text("\n".join(flipped) + "\n")
    said = run("decode", spec, solution)
    assert said.code == 1
    assert any(
        line.endswith("  not verified; the solution, not the tree, is proven optimal by HiGHS")
        for line in said.out.splitlines()
    )


def test_progress_line():
    text = progress_text(Progress(12.3, 149.0, 150.0, 1 / 149, 3))
    assert text == "12 s  best 149  bound 150  gap 0.671 %  3 nodes  (Ctrl-C keeps the best)"
    assert progress_text(Progress(0.2, None, None, None, 0)) == "0 s  0 nodes"


@pytest.mark.truth  # test_signals.py has the same without a log
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_interrupt_keeps_the_incumbent(tmp_path):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    target = tmp_path / "t.json"
    (tmp_path / "w.tree").write_text(
        f'data "{root}/specs/data/iris.csv" {{ label class; scale minmax; }}\n'
        "topology complete(depth = 3);\nsplit oblique by soct;\n"
    )
    process = subprocess.Popen(
        [*SOLVE, str(tmp_path / "w.tree"), "--log", "-o", str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    began = time.monotonic()
    for line in process.stdout:  # the solver's table of incumbents has begun
        if "BestSol" in line or time.monotonic() - began > 60:
            break
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=100)
    assert "Traceback" not in err
    if process.returncode == 130:
        assert not target.exists() or json.loads(target.read_text())["tree"] is None
        return
    assert process.returncode == 0, out + err
    assert json.loads(target.read_text())["status"] == "interrupted"


PLAIN = """var u >= 0, <= 1;
var v binary;
maximize z: u + 2 * v;
subject to r: u + v <= 1.5;
"""


def test_a_spec_without_a_tree_is_solved_as_it_is(run, tmp_path):
    spec = tmp_path / "plain.tree"
    spec.write_text(PLAIN)
    said = run("solve", spec, "--solver", "highs", "-o", tmp_path / "plain.json")
    assert said.code == 0
    assert "objective  2.5" in said.out.splitlines()
    assert json.loads((tmp_path / "plain.json").read_text())["values"] == {"u": [0.5], "v": [1]}
    assert run("show", tmp_path / "plain.json").code == 2
    said = run("solve", spec, "--start", "cart")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "error[E902]: the start 'cart' is not available: it needs a tree and data\n"
        "  = help: leave it out\n"
    )
