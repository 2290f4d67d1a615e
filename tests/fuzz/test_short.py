"""A few cases of each campaign, always the same ones. `make fuzz` runs many."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from . import ROOT

FEW = {
    "specs": ("mutants", 20, 4),
    "solves": ("solves", 2, 4),
    "engines": ("proofs", 12, 1),
    "formulations": ("formulations", 6, 1),
    "readers": ("readings", 3, 2),
    "exports": ("exports", 6, 1),
    "scores": ("scores", 4, 1),
    "estimators": ("fits", 3, 1),
    "files": ("files", 6, 4),
    "symbols": ("symbols", 4, 4),
    "signals": ("signals", 1, 4),
    "sweeps": ("sweeps", 1, 2),
    "hostile": ("hostile", 1, 4),
}
"""Of each campaign what its cases are called, how many, and their seed."""
TIMES = 15
"""How many times as many `make truth` runs."""


@pytest.mark.parametrize("times", [1, pytest.param(TIMES, marks=pytest.mark.truth)])
@pytest.mark.parametrize("campaign", FEW)
def test_no_fault_is_found(campaign: str, times: int) -> None:
    pytest.importorskip("pyscipopt")
    unit, few, seed = FEW[campaign]
    count = few * times
    command = [sys.executable, "-m", "tests.fuzz", "--campaign", campaign, f"--{unit}", str(count),
               "--seed", str(seed), "--jobs", "1"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    last = ran.stdout.splitlines()[-1] if ran.stdout else ""
    assert last.startswith(f"fuzz: {count} {unit}: 0 tracebacks"), ran.stdout + ran.stderr
    assert ran.returncode == 0, ran.stdout
