"""solve on a randomized tree: Ipopt by default, its status, its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("casadi")

SPEC = Path("randomized.tree")


def test_ipopt_is_the_default_and_its_answer_is_no_proof(run, here):
    said = run("solve", SPEC, "--starts", 4, "--seed", 2, "-o", "t.json")
    assert said.code == 0
    lines = said.out.splitlines()
    assert "status           locally optimal" in lines
    assert "training errors  0 of 24 points" in lines
    (verdict,) = [line for line in lines if line.startswith("tree  ")]
    assert "verified; locally optimal by Ipopt " in verdict
    assert verdict.endswith(", not proven optimal")
    assert not any(line.startswith(("bound", "gap")) for line in lines)
    saved = json.loads(Path("t.json").read_text())
    assert (saved["status"], saved["solver"], saved["bound"]) == ("locally_optimal", "ipopt", None)
    assert json.loads(run("stats", SPEC, "--bound", "--json").out)["lp_bound"] is None


def test_starts_of_the_spec_are_used(run, here):
    assert run("solve", SPEC, "--starts", 1, "--seed", 3, "-o", "once.json").code == 0
    SPEC.write_text(SPEC.read_text() + "strategy { starts 1 seed 3; solver ipopt; }\n")
    assert run("solve", SPEC, "-o", "more.json").code == 0
    once, more = (json.loads(Path(f"{name}.json").read_text()) for name in ("once", "more"))
    assert once["values"] == more["values"]


def test_a_start_that_does_not_fit_is_a_warning(run, here):
    pytest.importorskip("sklearn")
    said = run("solve", SPEC, "--start", "cart", "--starts", 2)
    assert said.code == 0
    assert "warning[W601]" in said.err
    assert "CasADi" not in said.err
