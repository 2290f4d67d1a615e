"""Starts alone: what CART, Local SVM, the SVM tree and the search give a solver to begin with.

S-OCT's instances (Boutilier, Michini and Zhou 2023) as soct_NAME_numeric.csv, and MARGOT's
(D'Onofrio, Grani, Monaci and Palagi 2023, Table 11) as margot_NAME_train.csv, as `soct` and
`margin` take them; those that are not in the folder given with --data are left out. S-OCT's value
is the number of points classified right, to be maximized, MARGOT's its objective, to be minimized.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tables.margin import DATA, MARGOT

if TYPE_CHECKING:
    from pathlib import Path

    from answers import Request

TITLE = "Starts alone: values and seconds"
KINDS = ("cart", "local_svm", "svm_tree", "search")
COLUMNS = (
    "model", "data", "depth", "points",
    *(column for kind in KINDS for column in (kind, f"{kind}: s")),
    "limit",
)  # fmt: skip
SECONDS = 10.0

SOCT = (
    "balance_scale", "banknote_authentication", "blood_transfusion", "breast_cancer",
    "congressional_voting_records", "ionosphere", "iris", "wine",
)  # fmt: skip
DEPTHS = (2, 3)
QUICK = ("iris", "wine", "Heart Disease C.")


def rows(request: Request) -> Iterator[dict[str, object]]:
    """A row for each model, data set and depth. A start that a formulation cannot have is empty,
    one that came to nothing "none"."""
    for depth in DEPTHS:
        for name in SOCT:
            file = request.data / f"soct_{name}_numeric.csv"
            if file.exists() and (not request.quick or name in QUICK):
                head = "label class; scale minmax;"
                yield {"model": "S-OCT", "data": name} | _row(file, head, "oblique by soct", depth)
    for name, (root, below, _) in MARGOT.items():
        file = request.data / f"margot_{DATA[name]}_train.csv"
        if file.exists() and (not request.quick or name in QUICK):
            split = f"margin by margot(C = level(1: {root}, 2: {below}))"
            yield {"model": "MARGOT", "data": name} | _row(file, "label class positive 1;", split)


def _row(file: Path, data: str, split: str, depth: int = 2) -> dict[str, object]:
    import treemip

    head = f'data "{file.name}" {{ {data} }} topology complete(depth = {depth}); '
    compiled = treemip.loads(f"{head}split {split};", base=file.parent).compile()
    row: dict[str, object] = {"depth": depth, "points": len(compiled.instance.table.y)}
    for kind in KINDS:
        value, seconds = _start(kind, compiled)
        row |= {kind: value, f"{kind}: s": seconds}
    return row | {"limit": f"{SECONDS:.0f} s"}


def _start(kind: str, compiled) -> tuple[str | None, float | None]:  # type: ignore[no-untyped-def]
    """The start's value, checked in the solver's model, and the seconds it took."""
    from treemip.answers.starts.concepts import NoStart
    from treemip.answers.starts.warm_start import Asked, warm_start
    from treemip.core.model.answer import Limits
    from treemip.core.model.values import objective_value, violation

    began, limits = time.perf_counter(), Limits(time=SECONDS, seed=0)
    try:
        models = compiled.instance, compiled.model
        alone = Asked(engine=False)
        begun = warm_start(kind, *models, "auto", limits, compiled.stated, alone)
    except NoStart:
        return None, None
    seconds = time.perf_counter() - began
    if begun.values is None or violation(compiled.model, begun.values) > 1e-6:
        return "none", seconds
    return f"{objective_value(compiled.model, begun.values):.10g}", seconds
