"""What the table of separated rows says of a run of another package, which may claim too much."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture
def separation(script) -> ModuleType:
    return script("tables.separation")


@pytest.mark.parametrize(
    ("right", "claimed", "optimal", "optimum", "verdict", "by"),
    [
        (112, 112.0, True, 112, "optimal", "CBC"),
        (112, 112.0, True, None, "optimal", "CBC"),
        (110, 110.0, True, 112, "claims 110, the optimum is 112", ""),
        (112, 120.0, True, 112, "claims 120, the optimum is 112", ""),
        (110, 112.0, True, 112, "claims 112, its tree has 110", ""),
        (110, 112.0, False, 112, "time limit", ""),
        (None, None, False, 112, "no tree", ""),
    ],
)
def test_a_claim_is_held_against_what_is_proven(
    separation, right, claimed, optimal, optimum, verdict, by
) -> None:
    answer = {"right": right, "right_claimed": claimed, "optimal": optimal, "bound": 124.0}
    row = separation.verdict_of(answer, optimum)
    assert row == {"right": right, "bound": 124.0, "proven by": by, "verdict": verdict}


def test_columns_are_those_that_treemip_encodes(separation, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("shape,class\nround,n\nflat,y\nround,y\n")
    separation.write_columns(separation._Table(table, "encode onehot;"), tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text().splitlines()[0] == "f0,f1,class"
    cells = np.loadtxt(tmp_path / "c.csv", delimiter=",", skiprows=1)
    assert cells[:, :2].sum(axis=1).tolist() == [1, 1, 1]
    assert cells[:, 2].tolist() == [0, 1, 1]
