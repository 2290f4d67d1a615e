"""From a table to a tuned tree: training errors / errors on rows that nobody has seen, and seconds
by the clock.

`treemip fit` as it is: formulation, depth and price of a split are its own choice, in 60 seconds
for all. Of more than 5,000 rows it takes the best mean; `--rule 1se` asks for fewer splits. CART's
depth, 1 to 4, and price are chosen by five folds of all rows, of 100,000 rows and more the depth
alone. Of real tables a quarter is for trying.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contest import Case, Own
from contest import rows as contest_rows

if TYPE_CHECKING:
    from answers import Request

TITLE = "From a table to a tuned tree"
PEER = "CART, tuned"
OWN = {
    "treemip fit": Own(rules=True),
    "--rule 1se": Own(options=("--rule", "1se"), rules=True),
}
COLUMNS = ("case", "limit", PEER, *OWN, "WRONG")
TABLES = ("avila", "eeg", "htru2", "shuttle", "skin-segmentation")
SIZES = (10_000, 100_000, 1_000_000)
LIMIT = 60


def rows(request: Request) -> Iterator[dict[str, object]]:
    real = [(name, request.data / f"{name}.csv") for name in TABLES]
    made = [(f"{size:,} rows", f"made {size}") for size in SIZES]
    cases = [
        Case(
            name, source, LIMIT, OWN, (PEER,), test=0.25, show=("wall",), grace=600,
            quick=name == "avila",
        )
        for name, source in (*real, *made)
    ]  # fmt: skip
    yield from contest_rows(request, "fit", cases)
