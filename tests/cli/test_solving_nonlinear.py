"""solve on a randomized tree: Ipopt by default, its status, its exit code, its refusals."""

from __future__ import annotations

import json

import pytest
from small_cli import CSV

pytest.importorskip("casadi")

SPEC = """data "small.csv" { label class; scale minmax; }
topology complete(depth = 1);
split randomized by mrct(gamma = 20);
"""


@pytest.fixture
def randomized(tmp_path):
    (tmp_path / "small.csv").write_text(CSV)
    path = tmp_path / "randomized.tree"
    path.write_text(SPEC)
    return path


def test_ipopt_is_the_default_and_its_answer_is_no_proof(run, randomized, tmp_path):
    target = tmp_path / "t.json"
    said = run("solve", randomized, "--starts", 4, "--seed", 2, "-o", target)
    assert said.code == 0
    lines = said.out.splitlines()
    assert "status           locally optimal" in lines
    assert "training errors  0 of 24 points" in lines
    (verdict,) = [line for line in lines if line.startswith("tree  ")]
    assert "verified; locally optimal by Ipopt " in verdict
    assert verdict.endswith(", not proven optimal")
    assert not any(line.startswith(("bound", "gap")) for line in lines)
    saved = json.loads(target.read_text())
    assert (saved["status"], saved["solver"], saved["bound"]) == ("locally_optimal", "ipopt", None)


def test_starts_of_the_spec_are_used(run, randomized, tmp_path):
    once, more = (tmp_path / f"{name}.json" for name in ("once", "more"))
    assert run("solve", randomized, "--starts", 1, "--seed", 3, "-o", once).code == 0
    randomized.write_text(SPEC + "strategy { starts 1 seed 3; solver ipopt; }\n")
    assert run("solve", randomized, "-o", more).code == 0
    first, second = (json.loads(path.read_text()) for path in (once, more))
    assert first["values"] == second["values"]


def test_other_targets_refuse_at_the_place_in_the_source(run, randomized, tmp_path):
    for command in (
        ("solve", randomized, "--solver", "highs"),
        ("compile", randomized, "-o", tmp_path / "m.mps"),
    ):
        said = run(*command)
        assert said.code == 2
        assert "error[E601]" in said.err
        assert "has no nonlinear functions" in said.err
        assert "library/mrct.tree" in said.err
    assert not (tmp_path / "m.mps").exists()


def test_scip_refuses_what_it_cannot_compute_with(run, randomized):
    pytest.importorskip("pyscipopt")
    said = run("solve", randomized, "--solver", "scip", "--start", "none", "-p", "gamma=512")
    assert said.code == 2
    assert "SCIP cannot compute 'logistic'" in said.err


def test_no_starts_are_refused(run, randomized):
    said = run("solve", randomized, "--starts", 0)
    assert said.code == 2
    assert "'starts' is 0" in said.err


def test_a_local_optimum_is_no_bound(run, randomized):
    found = json.loads(run("stats", randomized, "--bound", "--json").out)
    assert found["lp_bound"] is None


def test_a_start_that_does_not_fit_is_a_warning(run, randomized):
    pytest.importorskip("sklearn")
    said = run("solve", randomized, "--start", "cart", "--starts", 2)
    assert said.code == 0
    assert "warning[W601]" in said.err
    assert "CasADi" not in said.err
