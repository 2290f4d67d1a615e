"""Rows, limits and threads: tables of 20 columns of numbers, and two classes by four of them and
noise. treemip is OCT or, oblique, S-OCT; of threads it is BinOCT with one. Cells have the seconds
by the clock and the MB at most, too.

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
COLUMNS = ("case", "limit", "treemip", "binoct", "2 threads", "CART", READING, "WRONG")
SIZES = (10_000, 100_000, 1_000_000)
LARGE = (10_000_000,)
LIMITS = (5, 20, 60)
LIMIT = 60
SCALED = "label class; scale minmax;"
BLOCKS = {"binned": "label class; bin quantile(8);", "continuous": SCALED}
GAPS = {"oblique": "0.0001", "oblique, gap 0.000001": "0.000001"}
THREADS = ("ionosphere", "splice", "german-credit", "statlog-satellite")


def rows(request: Request) -> Iterator[dict[str, object]]:
    yield from contest_rows(request, "scale", _cases(request))


def _cases(request: Request) -> Iterator[Case]:
    for size in SIZES + (LARGE if request.large else ()):
        kinds = (*BLOCKS, *GAPS) if size in SIZES else ("binned",)
        for kind in kinds:
            yield _case(f"{size:,} rows, {kind}", size, kind, 2, LIMIT, size == SIZES[0])
    for limit in LIMITS:
        for kind in ("binned", "continuous"):
            yield _case(
                f"{limit} s of {SIZES[-1]:,} rows, {kind}, depth 3", SIZES[-1], kind, 3, limit
            )
    own = {
        "treemip": Own(_body("univariate by binoct", 3), options=("--threads", "1")),
        "2 threads": Own(_body("univariate by binoct", 3), options=("--threads", "2")),
    }
    for name in THREADS:
        file = request.data / f"{name}.csv"
        yield Case(
            f"threads, {name}, depth 3", file, LIMIT, own, asked={"depth": 3}, show=("wall", "MB")
        )


def _case(name: str, size: int, kind: str, depth: int, limit: int, quick: bool = False) -> Case:
    splits = {"treemip": "univariate by oct", "binoct": "univariate by binoct"}
    if kind in GAPS:
        splits = {"treemip": f"oblique by soct(eps = {GAPS[kind]})"}
    block = BLOCKS.get(kind, SCALED)
    own = {who: Own(_body(by, depth), block, rules=True) for who, by in splits.items()}
    return Case(
        name, f"made {size}", limit, own, ("CART", READING), asked={"depth": depth},
        encode=None, show=("wall", "MB"), grace=30 + size / 20_000, quick=quick,
    )  # fmt: skip


def _body(split: str, depth: int) -> str:
    return f"topology complete(depth = {depth}); split {split}; minimize wrong: misclassified;"
