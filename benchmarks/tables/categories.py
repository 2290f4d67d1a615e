"""Splits by sets of categories: a solve that begins with the search, beside the solver alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from answers import Request
from whole import solved

TITLE = "Splits by sets of categories: SVM1-ODT with the search and without"
COLUMNS = (
    "table", "depth", "start", "objective", "errors", "verdict", "answered by", "seconds", "limit",
)  # fmt: skip
LIMIT = 20
SPLIT = "oblique by svm1_odt"
KEPT = {
    "car": ("", "buying, maint, doors, persons, lug_boot, safety"),
    "german-credit": (
        "use duration, credit_amount, age, checking_status, credit_history, purpose, savings, "
        "employment;",
        "checking_status, credit_history, purpose, savings, employment",
    ),
    "tic-tac-toe": (
        "",
        "top_left, top_middle, top_right, middle_left, middle_middle, middle_right, bottom_left, "
        "bottom_middle, bottom_right",
    ),
}
"""By table, words on its columns and the columns that stay categorical."""
QUICK = ("tic-tac-toe",)


def rows(request: Request) -> Iterator[Mapping[str, object]]:
    """A row for each table, depth, seed and start."""
    for name in QUICK if request.quick else KEPT:
        used, kept = KEPT[name]
        table, words = request.data / f"{name}.csv", f"{used} encode keep {kept};"
        for depth in (2,) if request.quick else (2, 3):
            for seed in range(1, request.seeds + 1):
                for start in ("search", "none"):
                    answer = solved(table, SPLIT, depth, LIMIT, seed, words=words, start=start)
                    yield {"table": name, "depth": depth, "start": start, **answer}
