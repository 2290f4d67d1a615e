"""A small spec to sweep over: 24 points, two features, one of which tells the classes apart; and a
table of three classes."""

from __future__ import annotations

from pathlib import Path

ROWS = [(k % 7, (3 * k) % 5, "yes" if k % 7 > 3 else "no") for k in range(24)]
CSV = "a,b,class\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS)
THREE = "a,b,class\n" + "".join(f"{k % 9},{k % 4},{'xyz'[k % 9 // 3]}\n" for k in range(36))
SPEC = """data "small.csv" { label class; scale minmax; train share seed s; }
topology complete(depth = d);
split univariate by binoct;
param d = 1;
param share = 0.75;
param s = 1;
strategy { solver highs; start none; }
"""
"""By the solver alone, which takes a fifth of the time that engines take to look at the spec."""

LEAST = """param least = 0;
subject to big {l in leaves}: sum {i in points} reach[i,l] >= least;
"""


def small_spec(folder: Path, text: str = SPEC) -> Path:
    (folder / "small.csv").write_text(CSV)
    path = folder / "small.tree"
    path.write_text(text)
    return path
