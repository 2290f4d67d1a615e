"""Margin trees: the search's value beside that of the Local SVM heuristic, in one run.

The instances, prices and budgets of D'Onofrio, Grani, Monaci and Palagi (2023), Tables 11, 21, 22.
Files `margot_NAME_train.csv` are their training parts, in a column `class` of -1 and 1, features
scaled to [0, 1]; those that are not in the folder given with --data are left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from answers import Request

TITLE = "Margin trees: the search and Local SVM"
COLUMNS = (
    "model", "data", "paper's Local SVM", "Local SVM", "its seconds", "search", "its seconds ",
    "better by %", "limit",
)  # fmt: skip
SECONDS = 10.0
ALLOWED = 40.0

DATA = {
    "Breast Cancer D.": "breast_cancer_diagnostic",
    "Breast Cancer W.": "breast_cancer_wisconsin",
    "Heart Disease C.": "cleveland",
    "Ionosphere": "ionosphere",
    "SPECTF H.": "spectf",
    "Tic-Tac-Toe": "tic_tac_toe",
    "Wholesale": "wholesale",
}
USED = "sum {j in features} uses[t,j]"

# C at the root and below, then budgets at the root and below, or alpha; f0 of Table 11.
MARGOT = {
    "Breast Cancer D.": (1, 1, 71.33),
    "Breast Cancer W.": (100, 100, 5250.53),
    "Heart Disease C.": (0.1, 0.1, 18.48),
    "Ionosphere": (10, 10, 768.96),
    "SPECTF H.": (0.1, 0.1, 17.47),
    "Tic-Tac-Toe": (1, 1, 84.00),
    "Wholesale": (1000, 1000, 104787.61),
}
HFS = {
    "Breast Cancer D.": (1e3, 1e3, 2, 2, 78042.45),
    "Breast Cancer W.": (1e5, 1e5, 2, 3, 7278653.51),
    "Heart Disease C.": (10, 1e3, 1, 2, 98193.89),
    "Ionosphere": (10, 10, 2, 3, 1477.29),
    "SPECTF H.": (1e-4, 1e-2, 2, 3, 0.89),
    "Tic-Tac-Toe": (10, 100, 2, 3, 46528.00),
    "Wholesale": (1e-2, 100, 1, 2, 7256.24),
}
SFS = {
    "Breast Cancer D.": (100, 100, 2**10, 7382.54),
    "Breast Cancer W.": (1, 1, 2**4, 117.26),
    "Heart Disease C.": (1, 1, 2**2, 215.00),
    "Ionosphere": (1, 1, 2**8, 247.86),
    "SPECTF H.": (1e-4, 100, 2**8, 18794.98),
    "Tic-Tac-Toe": (1, 1, 1, 101.00),
    "Wholesale": (1e-2, 1, 2**2, 12177.22),
}


def rows(request: Request) -> Iterator[dict[str, object]]:
    """One row for each model and data set; the search has SECONDS, Local SVM ALLOWED."""
    for model, name, rest, paper in _specs():
        file = request.data / f"margot_{DATA[name]}_train.csv"
        if not file.exists() or (request.quick and name != "Heart Disease C."):
            continue
        yield {
            "model": model,
            "data": name,
            "paper's Local SVM": _number(paper),
            **_row(file, rest),
        }


def _specs() -> Iterator[tuple[str, str, str, float]]:
    for name, (root, below, paper) in MARGOT.items():
        yield "MARGOT", name, _split(root, below), paper
    for name, (root, below, first, second, paper) in HFS.items():
        budget = f"param B {{t in branches}} = level(1: {first}, 2: {second});"
        budget += f" subject to budget {{t in branches}}: {USED} <= B[t];"
        yield "HFS-MARGOT", name, _split(root, below) + budget, paper
    for name, (root, below, alpha, paper) in SFS.items():
        penalty = f" minimize svm + {alpha} * sum {{t in branches}} max(0, {USED} - 1);"
        yield "SFS-MARGOT", name, _split(root, below) + penalty, paper


def _split(root: float, below: float) -> str:
    return f"split margin by margot(C = level(1: {root}, 2: {below})); "


def _row(file: Path, rest: str) -> dict[str, object]:
    import treemip

    head = f'data "{file.name}" {{ label class positive 1; }} topology complete(depth = 2); '
    compiled = treemip.loads(head + rest, base=file.parent).compile()
    local, local_seconds = _start("local_svm", compiled, ALLOWED)
    found, seconds = _start("search", compiled, SECONDS)
    better = None if local is None or found is None else 100 * (local - found) / local
    return {
        "Local SVM": _number(local),
        "its seconds": local_seconds,
        "search": _number(found),
        "its seconds ": seconds,
        "better by %": better,
        "limit": f"{SECONDS:.0f} s",
    }


def _start(kind: str, compiled, seconds: float) -> tuple[float | None, float]:  # type: ignore[no-untyped-def]
    """The start's value, checked in the solver's model, and the seconds it took."""
    from treemip.model.answer import Limits
    from treemip.model.values import objective_value, violation
    from treemip.strategy.starts.warm_start import warm_start

    began = time.perf_counter()
    limits = Limits(time=seconds, seed=0)
    start = warm_start(kind, compiled.instance, compiled.model, "auto", limits, compiled.stated)
    took = time.perf_counter() - began
    if start.values is None or violation(compiled.model, start.values) > 1e-6:
        return None, took
    return objective_value(compiled.model, start.values), took


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"
