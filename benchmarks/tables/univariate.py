"""Fewest errors of univariate trees: treemip beside other exact algorithms.

STreeD has all thresholds as columns. OCT parts no values that differ by 1e-5 or less once scaled,
and its proofs are of its own trees.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import TYPE_CHECKING

from contest import Case, Own
from contest import rows as contest_rows

if TYPE_CHECKING:
    from answers import Request

TITLE = "Univariate trees with the fewest errors"
PEERS = ("ConTree (pytrees-rs)", "ConTree (pycontree)", "STreeD")
COLUMNS = ("case", "limit", "known optimum", "treemip", "treemip, oct", *PEERS, "WRONG")

DEEP = (
    "balance-scale", "car", "credit-approval", "qsar-biodegradation", "pima-diabetes",
    "german-credit", "banknote", "sonar", "ionosphere", "breast-cancer-diagnostic",
    "image-segment", "dna", "splice", "thyroid-ann", "statlog-satellite", "bank-marketing",
    "spambase", "eeg", "htru2", "avila",
)  # fmt: skip
TABLES = {
    2: (30, ("iris", *DEEP)),
    3: (60, DEEP),
    4: (30, ("iris", "balance-scale", "banknote", "car", "cleveland-binary")),
}


def rows(request: Request) -> Iterator[dict[str, object]]:
    return contest_rows(request, "univariate", _cases(request))


def _cases(request: Request) -> Iterator[Case]:
    known = {}
    path = request.data.parent / "truth" / "univariate_exact.csv"
    if path.exists():
        with path.open() as file:
            known = {(r["dataset"], int(r["depth"])): r["min_errors"] for r in csv.DictReader(file)}
    for depth, (limit, names) in TABLES.items():
        body = (
            f"topology complete(depth = {depth}); split univariate by %s; minimize misclassified;"
        )
        own = {"treemip": Own(body % "binoct")}
        if depth == 2:
            own["treemip, oct"] = Own(body % "oct", "label class; scale minmax;", rules=True)
        for name in names:
            beside = {"known optimum": known.get((name, depth))}
            yield Case(
                f"{name}, depth {depth}", request.data / f"{name}.csv", limit, own, PEERS,
                asked={"depth": depth}, beside=beside, quick=name == names[0],
            )  # fmt: skip
