"""500 random small specs, with a solver for what the search leaves unproven; prints a summary."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.cases import Case, Fault
from fuzz.judge import Ending
from fuzz.search_summary import printed, rows
from fuzz.searches import ended, model_of

pytestmark = pytest.mark.truth

CASES = 500
SEED = 2
SOLVER = 8.0  # seconds


def test_500_random_cases_keep_every_promise(capsys: pytest.CaptureFixture[str]) -> None:
    endings: list[Ending] = []
    faults = []
    for number in range(CASES):
        case = Case("searches", SEED, number)
        try:
            endings.append(ended(case, solver=SOLVER))
        except Fault as fault:
            faults.append((model_of(case).formulation, f"{case}: {fault.text}"))
    with capsys.disabled():
        print("\n" + printed(rows(endings, faults)))
    assert faults == []
    assert {e.code for e in endings} <= {"", "E902"}
    assert [e for e in endings if e.outcome in ("missed", "unfound") and e.proven] == []
