"""Separators of formulations whose variables and rows have other names than the library's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from renamed import renamed

import treemip


@pytest.mark.parametrize(
    ("name", "split", "asked"),
    [
        ("soct", "oblique", "shattering"),
        ("octh", "oblique", "shattering"),
        ("flow_oct", "univariate", "point_flow"),
    ],
)
def test_cuts_leave_the_optimum(name: str, split: str, asked: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [",".join(map(str, [*rng.integers(0, 2, 3), rng.integers(0, 2)])) for _ in range(10)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,d,c", "0,0,0,0", "1,1,1,1", *rows]) + "\n")
    (tmp_path / "mine.tree").write_text(renamed(name, "mine"))
    found = []
    for by in (name, "mine"):
        (tmp_path / "spec.tree").write_text(
            'data "t.csv" { label c; } topology complete(depth = 1);\n'
            f"split {split} by {by};\nstrategy {{ solver highs; start none; separate {asked}; }}\n"
        )
        found.append(treemip.load(tmp_path / "spec.tree").compile().solve(time_limit=60))
    one, other = found
    assert (one.status, other.status, other.verdict) == ("optimal", "optimal", "verified")
    assert other.objective == pytest.approx(one.objective)
