"""Rows, limits and threads: tables of 20 columns of numbers, and two classes by four of them and
noise. Seconds are CPU of the whole process / in the call, then seconds by the clock and MB at most.

"reading, one pass" is the physical limit: the file is read, and each number looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contest import Case, Own
from contest import rows as contest_rows

if TYPE_CHECKING:
    from answers import Request

TITLE = "Rows, limits and threads"
READING = "own reading, one pass"
COLUMNS = ("case", "limit", "treemip", "2 threads", "CART", READING, "WRONG")
SIZES = (10_000, 100_000, 1_000_000)
LARGE = (10_000_000,)
LIMITS = (5, 20, 60)
LIMIT = 60
BLOCKS = {
    "binned": ("label class; bin quantile(8);", "binoct"),
    "continuous": ("label class;", "binoct"),
    "oblique": ("label class; scale minmax;", "soct(eps = 0.0001)"),
}
THREADS = ("ionosphere", "splice", "german-credit", "statlog-satellite")


def rows(request: Request) -> Iterator[dict[str, object]]:
    yield from contest_rows(request, "scale", _cases(request))


def _cases(request: Request) -> Iterator[Case]:
    for size in SIZES + (LARGE if request.large else ()):
        kinds = BLOCKS if size in SIZES else ("binned",)
        for kind in kinds:
            yield _case(f"{size:,} rows, {kind}", size, kind, 2, LIMIT, size == SIZES[0])
    for limit in LIMITS:
        for kind in ("binned", "continuous"):
            yield _case(
                f"{limit} s of {SIZES[-1]:,} rows, {kind}, depth 3", SIZES[-1], kind, 3, limit
            )
    own = {
        "treemip": Own(_body("univariate", "binoct", 3), options=("--threads", "1")),
        "2 threads": Own(_body("univariate", "binoct", 3), options=("--threads", "2")),
    }
    for name in THREADS:
        file = request.data / f"{name}.csv"
        yield Case(
            f"threads, {name}, depth 3", file, LIMIT, own, asked={"depth": 3}, show=("wall", "MB")
        )


def _case(name: str, size: int, kind: str, depth: int, limit: int, quick: bool = False) -> Case:
    block, by = BLOCKS[kind]
    own = Own(_body("oblique" if kind == "oblique" else "univariate", by, depth), block, rules=True)
    return Case(
        name, f"made {size}", limit, {"treemip": own}, ("CART", READING), asked={"depth": depth},
        encode=None, show=("wall", "MB"), quick=quick,
    )  # fmt: skip


def _body(kind: str, by: str, depth: int) -> str:
    return (
        f"topology complete(depth = {depth}); split {kind} by {by};\nminimize wrong: misclassified;"
    )
