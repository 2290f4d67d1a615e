"""Performance profiles of rows made by hand."""

from __future__ import annotations

import pytest
from test_comparison import row, tree

from treemip.core.solving.optional import is_installed
from treemip.study.sweeps.profiles import profiles_csv, profiles_of, write_profiles
from treemip.study.sweeps.table import Sweep

ROWS = (
    tree("oct", "1", 0.8, "highs", seconds=1.0),
    tree("oct", "2", 0.8, "highs", seconds=4.0),
    tree("soct", "1", 0.8, "sat", seconds=3.0),
    tree("soct", "2", 0.8, "sat", seconds=2.0),
    tree("soct", "3", 0.8, "sat", seconds=9.0),
    tree("oct", "3", 0.8),
    row("margot", "", status="refused"),
)


def profiles(rows=ROWS):
    return profiles_of(Sweep(rows, ("data", "formulation", "depth", "fold")))


def test_shares_of_instances_within_ratios():
    oct_, soct, margot = profiles()
    assert oct_.ratios.tolist() == [1, 2]
    assert oct_.shares.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert soct.ratios.tolist() == [1, 3]
    assert soct.shares.tolist() == pytest.approx([2 / 3, 1])
    assert (margot.formulation, margot.ratios.tolist()) == ("margot", [])


def test_nothing_proven_has_no_steps():
    (only,) = profiles((tree("oct", "1", 0.8),))
    assert (only.ratios.tolist(), only.shares.tolist()) == ([], [])


def test_the_files(tmp_path):
    write_profiles(profiles(), tmp_path)
    assert (tmp_path / "profiles.csv").read_text() == profiles_csv(profiles())
    assert profiles_csv(profiles()).splitlines()[:2] == [
        "formulation,ratio,share",
        "oct,1,0.333333",
    ]
    assert (tmp_path / "profiles.png").exists() is is_installed("matplotlib")
