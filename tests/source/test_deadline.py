import time
from math import inf
from pathlib import Path

import pytest

import treemip
from treemip.core.source.deadline import TimeEnded, heed, until
from treemip.core.source.diagnostic import TreemipError

SPEC = """data "a.csv" { label y; }
topology complete(depth = 1);
split univariate by oct;
"""


def test_the_time_ends_within_the_block_alone() -> None:
    with until(time.perf_counter() - 1), pytest.raises(TimeEnded):
        heed()
    heed()
    with until(inf):
        heed()


def test_reading_that_the_limit_ends_says_so(tmp_path: Path) -> None:
    """No tree of some of the rows instead."""
    (tmp_path / "a.csv").write_text("x,y\n" + "1,a\n2,b\n" * 50)
    (tmp_path / "a.tree").write_text(SPEC)
    program = treemip.load(tmp_path / "a.tree")
    with until(0.0), pytest.raises(TreemipError) as caught:
        _ = program.data
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (
        "E301",
        "'a.csv': the time limit ended while it was read",
    )
    assert program.data is not None
