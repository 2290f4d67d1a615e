"""Univariate trees under side constraints: what the exact engine proves, and how far it is."""

from __future__ import annotations

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

TITLE = "Univariate trees under side constraints (oct)"
COLUMNS = ("table", "constraint", "depth", "objective", "bound", "proven", "seconds", "limit")

LIMITS = {2: 20, 3: 60}

TABLES = {
    "german-credit": ("2", "telephone"),
    "cleveland-binary": ("1", "sex"),
    "pima-diabetes": ("1", ""),
    "blood-transfusion": ("1", ""),
    "breast-cancer-diagnostic": ("malignant", ""),
}

RATE = (
    "let rate {{g in values({g})}} = sum {{{who}}} predicts[i,positive] / card({{{who}}});\n"
    "minimize misclassified; subject to parity {{g in values({g}), h in values({g}) : g != h}}: "
    "rate[g] - rate[h] <= 0.02;"
)

CASES = {
    "recall >= 0.6": "minimize misclassified; subject to floor: recall[positive] >= 0.6;",
    "leaves of 30": "minimize misclassified; subject to "
    "size {{l in leaves}}: points_in[l] >= 30 * occupied[l];",
    "2 features": "minimize misclassified; subject to few: distinct_features <= 2;",
    "prices": "minimize misclassified + 3 * splits + 2 * distinct_features;",
    "demographic parity": RATE.replace("{who}", "i in points : {g}[i] = g"),
    "equal opportunity": RATE.replace("{who}", "i in points : {g}[i] = g and y[i] = positive"),
}


def rows(request: Request) -> Iterator[dict[str, object]]:
    for depth, limit in LIMITS.items():
        for table, (positive, group) in TABLES.items():
            path = request.data / f"{table}.csv"
            if not path.exists() or (request.quick and depth > 2):
                continue
            for case, text in CASES.items():
                if "{g}" in text and not group:
                    continue
                spec = _spec(path, depth, positive, group, text)
                yield {"table": table, "constraint": case, **_run(spec, depth, limit)}


def _spec(path: Path, depth: int, positive: str, group: str, text: str) -> str:
    spec = Path(tempfile.mkdtemp()) / "constrained.tree"
    grouped = f"group {group};" if "{g}" in text else ""
    spec.write_text(
        f'data "{path.resolve()}" {{ label class positive "{positive}"; {grouped} '
        "scale minmax; }\n"
        f"topology complete(depth = {depth});\nsplit univariate by oct;\n{text.format(g=group)}\n"
    )
    return str(spec)


def _run(spec: str, depth: int, limit: int) -> dict[str, object]:
    command = [sys.executable, "-m", "treemip", "solve", spec, "--json"]
    began = time.perf_counter()
    run = subprocess.run(
        [*command, "--time-limit", str(limit)], capture_output=True, text=True, check=False
    )
    row: dict[str, object] = {"depth": depth, "limit": limit}
    row["seconds"] = time.perf_counter() - began
    if run.stdout.startswith("{"):
        answer = json.loads(run.stdout)
        row |= {"objective": answer["tree_objective"], "bound": answer["bound"]}
        row["proven"] = answer["optimality"]["proven"]
    else:
        row["objective"] = (run.stderr.strip().splitlines() or ["no answer"])[-1][:80]
    return row
