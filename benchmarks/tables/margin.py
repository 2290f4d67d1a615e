"""Margin trees: values, proofs and gaps in a minute, beside SCIP alone on the same model.

The instances, prices and budgets of D'Onofrio, Grani, Monaci and Palagi (2023), Tables 11, 21, 22.
Files `margot_NAME_train.csv` are their training parts, in a column `class` of -1 and 1, features
scaled to [0, 1]; they are looked for in the folder given with --data and beside it, in
`truth/instances`. Published: the value of their Local SVM, and the seconds of their Gurobi's proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contest import Case, Own
from contest import rows as contest_rows

if TYPE_CHECKING:
    from answers import Request

TITLE = "Margin trees"
COLUMNS = (
    "case", "limit", "published: Local SVM", "published: Gurobi, s", "treemip", "SCIP alone",
    "WRONG",
)  # fmt: skip
LIMIT = 60

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


# Seconds to Gurobi's proof, where the tables of this repository are held against them.
GUROBI = {
    ("MARGOT", "Breast Cancer D."): 7,
    ("MARGOT", "Ionosphere"): 11,
    ("MARGOT", "Wholesale"): 46,
    ("MARGOT", "Heart Disease C."): 318,
    ("SFS-MARGOT", "Ionosphere"): 16,
}


def rows(request: Request) -> Iterator[dict[str, object]]:
    yield from contest_rows(request, "margin", _cases(request))


def _cases(request: Request) -> Iterator[Case]:
    beside = request.data.parent / "truth" / "instances"
    specs = sorted(_specs(), key=lambda spec: spec[:2] not in GUROBI)
    for model, name, rest, paper in specs:
        file = f"margot_{DATA[name]}_train.csv"
        folder = request.data if (request.data / file).is_file() else beside
        body, block = f"topology complete(depth = 2); {rest}", "label class positive 1;"
        mip = f"{body} strategy {{ solver mip; }}"
        yield Case(
            f"{model}, {name}",
            folder / file,
            LIMIT,
            {"treemip": Own(body, block), "SCIP alone": Own(mip, block, ("--start", "none"))},
            measure="objective",
            encode=None,
            beside={
                "published: Local SVM": f"{paper:.2f}",
                "published: Gurobi, s": GUROBI.get((model, name)),
            },
            quick=(model, name) == ("MARGOT", "Heart Disease C."),
        )


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
