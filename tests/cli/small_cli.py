"""Running the command line inside the test's own process, and a small solvable spec."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from treemip.cli.main import main

FOLDER = Path(__file__).parent / "folder"
"""Specs and tables; those of transcripts/ are over a copy of them."""
CSV = (FOLDER / "small.csv").read_text()
SPEC = (FOLDER / "small.tree").read_text()
ROWS = [tuple(line.split(",")) for line in CSV.splitlines()[1:]]


@dataclass(frozen=True)
class Said:
    """What a run left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


def runner(capsys) -> Callable[..., Said]:
    def run(*arguments: object) -> Said:
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Said(code, out, err)

    return run


def small_spec(folder: Path) -> Path:
    """A spec whose optimum has no error: `a` alone tells the classes apart."""
    (folder / "small.csv").write_text(CSV)
    path = folder / "small.tree"
    path.write_text(SPEC)
    return path
