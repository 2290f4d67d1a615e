"""A small solvable spec, and the folder of specs and tables."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "folder"
"""Specs and tables; those of transcripts/ are over a copy of them."""
CSV = (FOLDER / "small.csv").read_text()
SPEC = (FOLDER / "small.tree").read_text()
ROWS = [tuple(line.split(",")) for line in CSV.splitlines()[1:]]


def small_spec(folder: Path) -> Path:
    """A spec whose optimum has no error: `a` alone tells the classes apart."""
    (folder / "small.csv").write_text(CSV)
    path = folder / "small.tree"
    path.write_text(SPEC)
    return path
