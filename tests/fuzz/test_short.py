"""A few cases of each campaign, always the same ones. `make fuzz` runs many."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from . import ROOT

SEED = 4
FEW = {
    "specs": ("mutants", 20),
    "solves": ("solves", 2),
    "files": ("files", 6),
    "symbols": ("symbols", 4),
    "signals": ("signals", 1),
    "hostile": ("hostile", 1),
}
TIMES = 15
"""How many times as many `make truth` runs."""


@pytest.mark.parametrize("times", [1, pytest.param(TIMES, marks=pytest.mark.truth)])
@pytest.mark.parametrize("campaign", FEW)
def test_no_fault_is_found(campaign: str, times: int) -> None:
    pytest.importorskip("pyscipopt")
    unit, few = FEW[campaign]
    count = few * times
    command = [sys.executable, "-m", "tests.fuzz", "--campaign", campaign, f"--{unit}", str(count),
               "--seed", str(SEED), "--jobs", "1"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    last = ran.stdout.splitlines()[-1] if ran.stdout else ""
    assert last.startswith(f"fuzz: {count} {unit}: 0 tracebacks"), ran.stdout + ran.stderr
    assert ran.returncode == 0, ran.stdout
