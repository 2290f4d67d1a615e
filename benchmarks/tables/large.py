"""Trees of tables of thousands of points, beside CART of the same depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from answers import Request
from whole import cart_errors, solved

TITLE = "Large tables: the search against CART of the same depth"
COLUMNS = (
    "table",
    "depth",
    "split",
    "wish",
    "errors",
    "test errors",
    "CART: errors",
    "CART: test errors",
    "verdict",
    "answered by",
    "seconds",
    "CPU seconds",
    "MB",
    "limit",
)
LIMIT = 20
TEST = 0.25
TABLES = ("spambase", "statlog-satellite", "htru2", "avila", "eeg", "shuttle")
QUICK = ("spambase",)
SPLITS = ("oblique by soct(eps = 0.0001)", "univariate by binoct")
WISHES = {
    "": "minimize wrong: misclassified;",
    "5 features a split": "minimize wrong: misclassified;\n"
    "subject to few {t in branches}: sum {j in features} uses[t,j] <= 5;",
    "8 features, leaves of 50": "minimize wrong: misclassified;\n"
    "subject to few: sum {j in features} uses_anywhere[j] <= 8;\n"
    "size {l in leaves}: points_in[l] >= 50 * occupied[l];",
}


def rows(request: Request) -> Iterator[Mapping[str, object]]:
    """A row for each table, depth, kind of split, wish and seed."""
    for name in QUICK if request.quick else TABLES:
        table = request.data / f"{name}.csv"
        for depth in (2,) if request.quick else (2, 3):
            known = {k + 1: cart_errors(table, depth, k + 1, TEST) for k in range(request.seeds)}
            for split, wish in ((s, w) for s in SPLITS for w in WISHES):
                if split.startswith("univariate") and wish == "5 features a split":
                    continue  # it has one
                for seed in range(1, request.seeds + 1):
                    answer = solved(table, split, depth, LIMIT, seed, WISHES[wish], test=TEST)
                    row = {"table": name, "depth": depth, "split": split, "wish": wish}
                    yield {**row, **known[seed], **answer}
