"""A few cases of each campaign, always the same ones. `make fuzz` runs many."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from . import ROOT

SEED = 4
COUNTS = {
    "specs": ("mutants", 300),
    "solves": ("solves", 20),
    "files": ("files", 60),
    "symbols": ("symbols", 40),
    "signals": ("signals", 6),
    "hostile": ("hostile", 6),
}


@pytest.mark.parametrize("campaign", COUNTS)
def test_no_fault_is_found(campaign: str) -> None:
    pytest.importorskip("pyscipopt")
    unit, count = COUNTS[campaign]
    command = [sys.executable, "-m", "tests.fuzz", "--campaign", campaign, f"--{unit}", str(count),
               "--seed", str(SEED), "--jobs", "1"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    last = ran.stdout.splitlines()[-1] if ran.stdout else ""
    assert last.startswith(f"fuzz: {count} {unit}: 0 tracebacks"), ran.stdout + ran.stderr
    assert ran.returncode == 0, ran.stdout
