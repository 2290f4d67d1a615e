"""Some rows of a large table, on which depth and complexity are chosen: the folds of all of them
would have no time.

What is chosen has to mean the same for all rows. A depth does; a price of a split does where the
objective is a share of something, and not where it is a sum over points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.api.program import Program, demand_kept
from treemip.core.instance.raw_table import RawTable
from treemip.core.source.diagnostic import refused
from treemip.study.sweeps.choice import BEST, ONE_ERROR
from treemip.study.sweeps.fold_rows import raw_table
from treemip.study.sweeps.price_path import depth_of, price_of, without_splits

ROWS = 5_000
"""That depth and price are chosen on where nobody says, for a spec that treemip has written."""

RARE = 50
"""Rows of a class that are drawn at least, as far as there are so many."""

LAST, OF_MORE = 0.25, 0.5
"""Of the seconds, for the solve of all rows, and where these are more than the folds have."""

NEAR = 0.25
"""How far apart two worths are, at most, that are shares of the same."""


def demand_rows(rows: int | None) -> None:
    """E902 for a number of rows that are too few for folds; 0 and None are all."""
    if rows is not None and rows != 0 and rows < RARE:
        raise refused(f"{rows} rows are too few to choose on", f"give {RARE} or more, or 0 for all")


@dataclass(frozen=True)
class Drawn:
    """program: the spec over some rows, or as it was. whole: the spec over all rows, None where
    `program` is. count: the number of these. note: why all are taken though fewer were asked for.
    """

    program: Program
    whole: Program | None = None
    count: int = 0
    note: str = ""

    @property
    def last(self) -> float:
        """Of the seconds, what the solve of all rows has beside what is left of the folds."""
        return LAST if self.whole is None else OF_MORE

    @property
    def rule(self) -> str:
        """That chooses where nobody says: one standard error of some rows is more than what deeper
        trees win among all."""
        return ONE_ERROR if self.whole is None else BEST

    @property
    def most_prices(self) -> int | None:
        """How many prices of a split are tried. Of many rows the least alone: trees of a few splits
        learn nothing by heart there, and the seconds are better spent on deeper ones."""
        return None if self.whole is None else 1


def drawn(program: Program, rows: int | None, seed: int | None) -> Drawn:
    """The spec over so many rows of its table, in their order; the spec as it is where it has no
    more, all are asked for, or its price of a split is another one for fewer rows.

    Rows are drawn by the seed, of each class its share, and RARE at least. Raises TreemipError for
    a table that cannot be read, and for a spec that cannot be solved at all.
    """
    spec = program.spec.data
    if not rows or spec is None:
        return Drawn(program)
    demand_kept(program.table)
    raw = raw_table(program)
    if raw.count <= rows:
        return Drawn(program)
    stratum = np.zeros(raw.count, np.int64)
    if spec.label_kind == "class" and spec.label.text in raw.names:
        stratum = raw[spec.label.text].texts.codes + 1  # -1 is missing
    few = raw.take(some_of(stratum, rows, seed or 0))
    fewer = few.take(np.arange(0, few.count, 2))
    if not _price_is_the_same(over(program, few), over(program, fewer)):
        why = "with fewer, the price of a split would mean something else"
        return Drawn(program, note=f"depth and price are chosen on all rows: {why}")
    return Drawn(over(program, few), program, raw.count)


def over(program: Program, table: RawTable) -> Program:
    """The spec over another table with the same columns."""
    one = Program(
        program.source, program.overrides, program.base, table, program.data_file, program.modules
    )
    one.spec = program.spec
    return one


def _price_is_the_same(program: Program, half: Program) -> bool:
    """Whether the tree without splits is worth as much over half of the rows, where splits have a
    price."""
    price = price_of(program.spec)
    if price is None:
        return True
    depth = depth_of(program.file)
    least = {} if depth is None or depth in dict(program.overrides) else {depth: "1"}
    whole, part = (without_splits(one, price, least, {}) for one in (program, half))
    return abs(part - whole) <= NEAR * whole


def some_of(stratum: np.ndarray, rows: int, seed: int) -> np.ndarray:
    """Positions int64 (about `rows`,), ascending: of each stratum, int64 (N,), its share."""
    rng, count = np.random.default_rng(seed), np.bincount(stratum)
    wanted = np.maximum(np.rint(count * (rows / len(stratum))), RARE).astype(np.int64)
    order = rng.permutation(len(stratum))
    place = np.empty(len(stratum), np.int64)  # of each row among those of its stratum
    by_stratum = np.argsort(stratum[order], kind="stable")
    place[order[by_stratum]] = np.arange(len(stratum)) - np.repeat(np.cumsum(count) - count, count)
    return np.flatnonzero(place < wanted[stratum])
