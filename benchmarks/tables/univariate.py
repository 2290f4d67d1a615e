"""Fewest errors of univariate trees: the exact engine, other exact algorithms, and the MIP."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from answers import Request

TITLE = "Univariate trees with the fewest errors"
COLUMNS = ("table", "depth", "who", "errors", "proven", "seconds", "limit", "known optimum")

TRUTH = Path(__file__).resolve().parents[2] / "tests" / "truth" / "data" / "univariate_exact.csv"
LIMITS = {2: 30, 3: 60}
GRACE = 30  # seconds beyond its limit after which a process is stopped
QUICK = ("iris", "balance-scale", "monks-1")
SETTINGS = {"binoct": "", "oct": "scale minmax;", "flow_oct": "bin thresholds;"}
MIP = (*QUICK, "german-credit")  # tables on which the MIP alone has its turn: it seldom ends

PEERS = {
    "ConTree (pytrees-rs)": """
from pytrees import ConTreeClassifier
model = ConTreeClassifier(max_depth=depth, max_time=limit).fit(x, y)
print(int(model.train_error_), model.status_ == "optimal")
""",
    "STreeD (pystreed)": """
from pystreed import STreeDClassifier
cuts = [c > (a + b) / 2 for c in x.T for v in [np.unique(c)] for a, b in zip(v[:-1], v[1:])]
x = np.unique(np.array(cuts), axis=0).T.astype(int)
model = STreeDClassifier("accuracy", max_depth=depth, time_limit=limit).fit(x, y)
print(int((model.predict(x) != y).sum()), model.fit_result.is_optimal())
""",
}

ARRAYS = """
import sys, numpy as np, treemip
spec, depth, limit = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
table = treemip.load(spec).instance.table
x, y = table.inputs, table.y
"""


def rows(request: Request) -> Iterator[dict[str, object]]:
    for name, depth, optimum in _tables(request):
        for who, command in _commands(request, name, depth):
            began = time.perf_counter()
            errors, proven = _answer(command, LIMITS[depth] + GRACE)
            yield {
                "table": name,
                "depth": depth,
                "who": who,
                "errors": errors,
                "proven": proven,
                "seconds": time.perf_counter() - began,
                "limit": LIMITS[depth],
                "known optimum": optimum,
            }


def _tables(request: Request) -> Iterator[tuple[str, int, int]]:
    known = {}
    for path in (TRUTH, request.data.parent / "truth" / "univariate_exact.csv"):
        if path.exists():
            with path.open() as file:
                for row in csv.DictReader(file):
                    known[row["dataset"], int(row["depth"])] = int(row["min_errors"])
    for (name, depth), optimum in sorted(known.items(), key=lambda item: (item[0][1], item[0])):
        here = (request.data / f"{name}.csv").exists()
        if depth in LIMITS and here and (not request.quick or name in QUICK):
            yield name, depth, optimum


def _commands(request: Request, name: str, depth: int) -> Iterator[tuple[str, list[str]]]:
    limit = LIMITS[depth]
    treemip = [sys.executable, "-m", "treemip", "solve", "--json", "--time-limit", str(limit)]
    for formulation in SETTINGS:
        yield formulation, [*treemip, _spec(request, name, depth, formulation)]
    spec = _spec(request, name, depth, "binoct")
    if name in MIP:
        yield "the MIP, no start", [*treemip, "--start", "none", spec]
    for who, program in PEERS.items():
        yield who, [sys.executable, "-c", ARRAYS + program, spec, str(depth), str(limit)]


def _spec(request: Request, name: str, depth: int, formulation: str) -> str:
    table = (request.data / f"{name}.csv").resolve()
    with table.open() as file:
        label = next(csv.reader(file))[-1]
    folder = Path(tempfile.mkdtemp())
    spec = folder / f"{name}.tree"
    spec.write_text(
        f'data "{table}" {{ label {label}; {SETTINGS[formulation]} }}\n'
        f"topology complete(depth = {depth});\nsplit univariate by {formulation};\n"
        "minimize misclassified;\n"
    )
    return str(spec)


def _answer(command: list[str], patience: float) -> tuple[object, object]:
    """Errors and whether they are proven; what went wrong in place of errors."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {patience:.0f} s", False
    if run.stdout.startswith("{"):
        answer = json.loads(run.stdout)
        errors = answer.get("train_errors")
        return ("no tree" if errors is None else errors), answer["status"] == "optimal"
    words = run.stdout.split()
    if len(words) == 2:
        return int(words[0]), words[1] == "True"
    return (run.stderr.strip().splitlines() or ["no answer"])[-1][:80], False
