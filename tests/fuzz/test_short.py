"""A few cases of each campaign, always the same ones. `make fuzz` runs many."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from . import ROOT
from .campaigns import CAMPAIGNS

FEW = {"specs": 10, "engines": 6, "files": 6, "symbols": 4, "exports": 3}
"""How many cases of a campaign `make test` runs; of others one."""
MANY = {"specs": 300, "engines": 180, "files": 90, "formulations": 90, "exports": 90, "scores": 60}
MANY |= {"symbols": 60, "readers": 45, "estimators": 45, "solves": 30}
"""How many `make truth` runs; of others 15."""
SEED = 4


def ran(names: list[str], counts: dict[str, int], least: int) -> None:
    """All in one process, as `make fuzz` has them."""
    pytest.importorskip("pyscipopt")
    numbers = {CAMPAIGNS[name].unit: counts.get(name, least) for name in names}
    command = [sys.executable, "-m", "tests.fuzz", "--campaign", ",".join(names), "--jobs", "1"]
    command += [word for unit, k in numbers.items() for word in (f"--{unit}", str(k))]
    done = subprocess.run(
        [*command, "--seed", str(SEED)],
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    every = ", ".join(f"{k} {unit}" for unit, k in numbers.items())
    assert f"\nfuzz: {every}: 0 tracebacks" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


def test_no_fault_is_found_in_a_few_cases() -> None:
    """Without sweeps, which tests/sweeps interrupts, and searches, of which tests/search has 30."""
    ran([name for name in CAMPAIGNS if name not in ("searches", "sweeps")], FEW, 1)


@pytest.mark.truth
@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_no_fault_is_found_in_many(campaign: str) -> None:
    ran([campaign], MANY, 15)
