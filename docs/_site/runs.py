"""What solving each example of specs/ gave: a file for each in `runs/`, which is committed, so
that a clean checkout builds the site without ten minutes of solving.

    python docs/_site/runs.py           solve those whose spec, data, modules or version changed
    python docs/_site/runs.py --all     solve all
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RUNS = Path(__file__).resolve().parent / "runs"
SPECS = ROOT / "specs"
LIBRARY = SPECS / "library"
LIMIT = 60
"""Seconds that a solve may take; what it has by then is shown, with the status that says so."""

TABLE = re.compile(r'"([^"\n]+\.\w+)"')
MODULE = re.compile(r"\b(?:by|use)\s+(\w+)")


@dataclass(frozen=True)
class Run:
    """said: what the command printed. code: its exit code. saved: the tree file, None without."""

    digest: str
    command: str
    said: str
    code: int
    saved: dict[str, Any] | None

    @property
    def seconds(self) -> float:
        """From reading the table to the verified tree."""
        return sum(self.saved["seconds"].values()) if self.saved else 0.0


def place(name: str) -> Path:
    return RUNS / f"{name}.json"


def read(name: str) -> Run:
    """The run of an example; FileNotFoundError where it was never solved."""
    return Run(**json.loads(place(name).read_text(encoding="utf-8")))


def examples() -> list[str]:
    """Specs with data, by their path in specs/ without the suffix, those in the folder first."""
    folders = (SPECS, SPECS / "constraints", SPECS / "own")
    paths = [path for folder in folders for path in sorted(folder.glob("*.tree"))]
    return [
        path.relative_to(SPECS).with_suffix("").as_posix()
        for path in paths
        if re.search(r"^data\b", path.read_text(encoding="utf-8"), re.M)
    ]


def digest(name: str) -> str:
    """Of all that an example's answer depends on: its text, its tables, the modules that it and
    they name, and treemip's version. The vocabulary only says what modules mean by their words."""
    import treemip

    whole = hashlib.sha256(treemip.__version__.encode())
    for path in read_by(SPECS / f"{name}.tree"):
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def read_by(spec: Path) -> list[Path]:
    """A spec, and the tables and modules that it and its modules name."""
    found = [spec]
    for path in found:
        if path.suffix != ".tree":
            continue
        text = path.read_text(encoding="utf-8")
        named = [spec.parent / table for table in TABLE.findall(text)]
        folders = (spec.parent, LIBRARY, LIBRARY / "shared")
        named += [
            folder / f"{module}.tree" for module in MODULE.findall(text) for folder in folders
        ]
        found += [one for one in dict.fromkeys(named) if one.is_file() and one not in found]
    return found


def stale() -> Iterator[str]:
    """Examples that were never solved as they are now."""
    for name in examples():
        if not place(name).is_file() or read(name).digest != digest(name):
            yield name


def left_over() -> Iterator[Path]:
    """Runs of examples that are gone."""
    known = {place(name) for name in examples()}
    yield from (path for path in sorted(RUNS.rglob("*.json")) if path not in known)


def solve(name: str) -> None:
    """Solves an example by the command that its page shows, and keeps what came of it."""
    words = ["solve", f"specs/{name}.tree", "--time-limit", str(LIMIT)]
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "tree.json"
        command = [sys.executable, "-m", "treemip", *words, "-o", str(saved)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        tree = json.loads(saved.read_text(encoding="utf-8")) if saved.is_file() else None
    said = done.stdout if done.returncode == 0 else done.stdout + done.stderr
    keep(name, Run(digest(name), f"treemip {' '.join(words)}", said, done.returncode, tree))


def keep(name: str, run: Run) -> None:
    path = place(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run.__dict__, ensure_ascii=False) + "\n", encoding="utf-8")


def main(everything: bool) -> int:
    for path in left_over():
        path.unlink()
    for name in list(examples() if everything else stale()):
        print(f"solving {name}", flush=True)
        solve(name)
    return 0


if __name__ == "__main__":
    sys.exit(main("--all" in sys.argv[1:]))
