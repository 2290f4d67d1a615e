"""Training on selected points (Zhu et al. 2020), beside all points and beside CART.

The paper's Tables 6 to 8 give the share of points kept, seconds and accuracy on all points. Here
errors on all training points and on the test part are shown for trees of the same depth, of the
same formulation: trained on the selected points, on all of them, and CART's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from answers import Request
from whole import cart_errors, solved

TITLE = "Selected points beside all points and CART"
COLUMNS = (
    "table",
    "split",
    "selection",
    "share kept",
    "share extreme",
    "selecting: s",
    "errors",
    "test errors",
    "CART: errors",
    "CART: test errors",
    "answered by",
    "seconds",
    "MB",
    "limit",
)
DEPTH, LIMIT, QUICK_LIMIT, TEST = 2, 20, 5, 0.25
TABLES = ("spambase", "eeg", "avila", "htru2", "shuttle", "skin-segmentation")
QUICK = ("spambase",)
SPLITS = ("oblique by soct(eps = 0.0001)", "oblique by svm1_odt")
WAYS = (
    "",
    "hull",
    "hull eps 0.05 beta1 0.3 beta2 0.1",
    "hyperplane beta2 0.1",
    "iterative rounds 3 eps 0.05",
)


def rows(request: Request) -> Iterator[Mapping[str, object]]:
    """A row for each table, formulation, way of selecting and seed."""
    for name in QUICK if request.quick else TABLES:
        table = request.data / f"{name}.csv"
        for seed in range(1, request.seeds + 1):
            known = cart_errors(table, DEPTH, seed, TEST)
            for split, way in ((s, w) for s in SPLITS for w in WAYS):
                limit = QUICK_LIMIT if request.quick else LIMIT
                more = f"strategy {{ select {way}; }}" if way else ""
                answer = solved(table, split, DEPTH, limit, seed, more, test=TEST)
                row = {"table": name, "split": split, "selection": way or "none: all points"}
                yield {**row, **known, **answer, **_of(answer.get("points chosen"))}


def _of(selection: object) -> dict[str, object]:
    """What tree.json says of a selection, by column; errors are those on all training points."""
    if not isinstance(selection, dict):
        return {}
    return {
        "share kept": selection["share"],
        "share extreme": selection["share_extreme"],
        "selecting: s": selection["seconds"],
        "errors": selection["score_of_all"]["errors"],
    }
