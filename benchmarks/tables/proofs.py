"""Proofs for oblique trees whose optimum is worse than the trivial bound: whole fresh processes."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from answers import Request

TITLE = "Proofs for S-OCT where some points must be wrong"
COLUMNS = ["instance", "depth", "eps", "by", "objective", "bound", "proven", "seconds", "limit"]
LIMIT = 600
SHIPPED = Path(__file__).resolve().parents[2] / "specs" / "data"


@dataclass(frozen=True)
class Case:
    """rows: the first ones of the file, None for all. quick: whether it takes a few seconds."""

    file: str
    depth: int
    rows: int | None = None
    eps: float = 0.005
    quick: bool = True


CASES = [
    Case("iris", 2),
    Case("banknote", 1),
    Case("banknote", 1, eps=0.0001),
    Case("breast-cancer-diagnostic", 1),
    Case("blood-transfusion", 2, 40),
    Case("fourclass", 2, 60),
    Case("hayes-roth", 2, quick=False),
    Case("blood-transfusion", 2, 60, quick=False),
    Case("6-partitions", 2, eps=0.001, quick=False),
]


def rows(request: Request) -> Iterator[dict[str, object]]:
    """A row for each case whose data there are in the request's folder or the repository."""
    for case in CASES:
        folders = [f for f in (request.data, SHIPPED) if (f / f"{case.file}.csv").exists()]
        if folders and (case.quick or not request.quick):
            yield _row(case, folders[0] / f"{case.file}.csv")


def _row(case: Case, file: Path) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        spec, output = Path(folder) / "spec.tree", Path(folder) / "tree.json"
        spec.write_text(_spec(case, file, Path(folder)))
        command = [sys.executable, "-m", "treemip", "solve", str(spec)]
        command += ["--time-limit", str(LIMIT), "-o", str(output)]
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, timeout=2 * LIMIT)
        took = time.perf_counter() - began
        tree: dict[str, Any] = json.loads(output.read_text())
    rows = "" if case.rows is None else f", first {case.rows} rows"
    return {
        "instance": case.file + rows,
        "depth": case.depth,
        "eps": case.eps,
        "by": tree["optimality"]["by"] if tree["optimality"]["proven"] else tree["solver"],
        "objective": int(tree["objective"]),
        "bound": int(tree["bound"]),
        "proven": "yes" if tree["optimality"]["proven"] else "no",
        "seconds": took,
        "limit": LIMIT,
    }


def _spec(case: Case, file: Path, folder: Path) -> str:
    """The spec, beside the rows that it is about."""
    with file.open(newline="") as source:
        table = list(csv.reader(source))
    part = table if case.rows is None else table[: case.rows + 1]
    with (folder / "data.csv").open("w", newline="") as target:
        csv.writer(target).writerows(part)
    return (
        'data "data.csv" { label class; scale minmax(0.00001, 0.99999); }\n'
        f"topology complete(depth = {case.depth});\n"
        f"split oblique by soct(eps = {case.eps});\n"
    )
