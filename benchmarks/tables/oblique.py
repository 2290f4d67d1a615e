"""Oblique trees of depth 3 in 20 seconds: training errors / errors on the other quarter.

treemip is S-OCT with eps = 0.0001, a gap that ydf's sparse oblique splits need not keep; CART's
trees are univariate. The wishes are of treemip alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contest import Case, Own
from contest import rows as contest_rows

if TYPE_CHECKING:
    from answers import Request

TITLE = "Oblique trees of large tables"
PEERS = ("CART", "ydf")
WISHES = {
    "treemip": "minimize wrong: misclassified;",
    "5 features a split": "minimize wrong: misclassified;\n"
    "subject to few {t in branches}: sum {j in features} uses[t,j] <= 5;",
    "8 features, leaves of 50": "minimize wrong: misclassified;\n"
    "subject to few: sum {j in features} uses_anywhere[j] <= 8;\n"
    "size {l in leaves}: points_in[l] >= 50 * occupied[l];",
}
COLUMNS = ("case", "limit", *PEERS, *WISHES, "WRONG")
TABLES = (
    "spambase", "statlog-satellite", "htru2", "avila", "bank-marketing", "dna", "pendigits",
    "eeg", "skin-segmentation",
)  # fmt: skip
LIMIT = 20
SPLIT = "topology complete(depth = 3);\nsplit oblique by soct(eps = 0.0001);\n"


def rows(request: Request) -> Iterator[dict[str, object]]:
    block = "label class; scale minmax;"
    own = {who: Own(SPLIT + wish, block, rules=True) for who, wish in WISHES.items()}
    cases = [
        Case(
            name, request.data / f"{name}.csv", LIMIT, own, PEERS, asked={"depth": 3}, test=0.25,
            quick=name == "spambase",
        )
        for name in TABLES
    ]  # fmt: skip
    yield from contest_rows(request, "oblique", cases)
