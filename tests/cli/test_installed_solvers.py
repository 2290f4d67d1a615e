"""Solvers beside treemip from the command line: exit codes and what is said."""

from __future__ import annotations

import json
import shutil

import pytest

NEEDS_CBC = pytest.mark.skipif(shutil.which("cbc") is None, reason="CBC is not installed")


@NEEDS_CBC
def test_a_verified_tree(run, spec, tmp_path):
    said = run(
        "solve", spec, "--solver", "cbc", "--start", "none", "--keep", tmp_path / "kept", "--json"
    )
    assert said.code == 0, said.err
    answer = json.loads(said.out)
    assert answer["tree"] is not None
    assert (tmp_path / "kept" / "log.txt").read_text().startswith(shutil.which("cbc"))
    again = run("decode", spec, tmp_path / "kept" / "solution.sol")
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
    assert said.code == 0, said.err
    assert said.err == ""
    assert "training errors  1 of 24 points" in said.out
    assert any(line.startswith("solver") and "cbc" in line for line in said.out.splitlines())


@NEEDS_CBC
def test_a_command(run, spec):
    line = "command:cbc {model} sec {time} solve solution {solution}"
    said = run("solve", spec, "--solver", line, "--start", "none", "--time-limit", 60)
    assert said.code == 0, said.err
    assert "  verified; proven optimal by " in said.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--solver", "cbcc"), "error[E902]: unknown solver 'cbcc'\n  = help: did you mean 'cbc'?"),
        (("--solver", "highs", "--keep", "k"), "error[E902]: 'highs' runs in memory"),
        (("--solver", "command:cbc"), "error[E902]: the command 'cbc' cannot be run"),
    ],
)
def test_options_that_cannot_be(run, spec, options, message):
    said = run("solve", spec, *options)
    assert said.code == 2
    assert said.err.startswith(message)


def test_a_spec_cannot_run_a_command(run, spec):
    spec.write_text(spec.read_text() + 'strategy { solver "command:ls {model}"; }\n')
    said = run("solve", spec)
    assert said.code == 2
    assert said.err.startswith("error[E213]: 'solver' takes one of 'highs'")


def test_a_file_without_solution(run, spec, tmp_path):
    (tmp_path / "none.sol").write_text("Infeasible - objective value 0.00000000\n")
    said = run("decode", spec, tmp_path / "none.sol")
    assert said.code == 3
    assert said.out.splitlines()[0] == "status  infeasible"
