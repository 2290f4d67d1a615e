"""A few cases of each campaign, always the same ones. `make fuzz` runs many."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from . import ROOT

CASES = {
    "specs": ("mutants", 10, 300, 4),
    "solves": ("solves", 1, 30, 4),
    "engines": ("proofs", 6, 180, 1),
    "formulations": ("formulations", 2, 90, 1),
    "readers": ("readings", 2, 45, 2),
    "exports": ("exports", 3, 90, 1),
    "scores": ("scores", 2, 60, 1),
    "estimators": ("fits", 1, 45, 1),
    "files": ("files", 6, 90, 4),
    "symbols": ("symbols", 4, 60, 4),
    "signals": ("signals", 1, 15, 4),
    "sweeps": ("sweeps", 1, 15, 2),
    "hostile": ("hostile", 1, 15, 4),
}
"""Of each campaign what its cases are called, how many `make test` and `make truth` run, and their
seed."""


@pytest.mark.parametrize(
    "place", [1, pytest.param(2, marks=pytest.mark.truth)], ids=["few", "many"]
)
@pytest.mark.parametrize("campaign", CASES)
def test_no_fault_is_found(campaign: str, place: int) -> None:
    pytest.importorskip("pyscipopt")
    unit, *_, seed = CASES[campaign]
    count = CASES[campaign][place]
    command = [sys.executable, "-m", "tests.fuzz", "--campaign", campaign, f"--{unit}", str(count),
               "--seed", str(seed), "--jobs", "1"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    last = ran.stdout.splitlines()[-1] if ran.stdout else ""
    assert last.startswith(f"fuzz: {count} {unit}: 0 tracebacks"), ran.stdout + ran.stderr
    assert ran.returncode == 0, ran.stdout
