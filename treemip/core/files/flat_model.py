"""A model as files of rows take it: bodies of indicators are rows too, the last ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from treemip.core.files.profiles import Reads
from treemip.core.files.requirements import require_finite, require_taken
from treemip.core.model.arrays import joined, offsets_of
from treemip.core.model.blocks import Quadratic, Rows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import some_rows, stack_products
from treemip.core.source.diagnostic import Diagnostic, Report, fail
from treemip.core.source.suggest import listed

CutsAs = Literal["rows", "lazy", "user"]
"""Cuts as ordinary rows, as rows a solver may look at late, as rows it may leave out."""

SECTION = {"lazy": "lazy constraints", "user": "user cuts"}


@dataclass(frozen=True)
class Flat:
    """`model` has no implications; its rows from `guarded` on hold where a binary has a value.

    guards int32 and values float64, both (guarded rows,): that column and value. `aside` bool
    (rows,): rows for the section of cuts.
    """

    model: Model
    guarded: int
    guards: np.ndarray
    values: np.ndarray
    aside: np.ndarray


def flatten(model: Model, reads: Reads, target: str, cuts: CutsAs, report: Report) -> Flat:
    """The model's rows and guards, after finding everything that `target` cannot read.

    Adds to `report`: E601 for parts of the model that the profile lacks, E402 for numbers that
    are not finite or bounds of 1e20 and more, E403 for bounds that exclude each other. Raises E902
    for `cuts` of no known way.
    """
    demand_known("cuts", cuts, get_args(CutsAs))
    require_taken(model, target, replace(reads, nonlinear=False), report)  # rows hold no tape
    if cuts != "rows" and not getattr(reads, cuts):
        message = f"{target} has no section of {SECTION[cuts]}"
        remedy = "leave --cuts-as out: cuts are ordinary rows then"
        report.add(Diagnostic.outside("E601", message, remedy))
    flat = model.with_(rows=model.bodies, implications=())
    require_finite(flat, report)
    return Flat(
        flat,
        model.row_count,
        joined([block.guard.indices for block in model.implications], np.int32),
        joined([block.value for block in model.implications]),
        joined([_aside(block, cuts) for block in flat.rows], bool),
    )


def demand_known(what: str, said: object, known: tuple[str, ...]) -> None:
    """Raises E902 for an argument that has none of its possible values."""
    if said not in known:
        message = f"'{what}' cannot be {said!r}"
        fail("E902", message, remedy=f"one of {listed(known)}")


def _aside(block: Rows, cuts: CutsAs) -> np.ndarray:
    """Rows for the section of cuts; of those without entries some readers make nothing at all."""
    if cuts == "rows" or not block.cut or block.quadratic.count:
        return np.zeros(block.length, bool)
    return np.diff(block.matrix.indptr) > 0


def joined_quadratic(model: Model) -> Quadratic:
    """The products of all rows, with model-wide row numbers, ascending."""
    return stack_products([b.quadratic for b in model.rows], [b.length for b in model.rows])


# ------------------------------------------- senses of rows: a sense, a right-hand side and a range

SENSES = np.array([b"N", b"L", b"G", b"E"])

FREE, AT_MOST, AT_LEAST, EQUAL = range(4)


@dataclass(frozen=True)
class RowSenses:
    """Of each row: `sense` uint8, a place in SENSES; `rhs` and `spread` float64, all (rows,).

    `spread` is 0 where there is no range; it leads up from `rhs` in a G row, down in an L row.
    `rounded` bool: the range's far end, which readers compute as rhs +- spread, is off in its
    last digit.
    """

    sense: np.ndarray
    rhs: np.ndarray
    spread: np.ndarray
    rounded: np.ndarray


def row_senses(lower: np.ndarray, upper: np.ndarray) -> RowSenses:
    """The rows lower <= . <= upper; either bound may be infinite.

    A range is measured from the end that makes the other come out bit for bit in floating
    arithmetic. Of bounds of opposite sign with all 53 bits in use there may be no such end.
    """
    below, above = np.isfinite(lower), np.isfinite(upper)
    both = below & above & (lower != upper)
    sense = np.select([lower == upper, below, above], [EQUAL, AT_LEAST, AT_MOST], FREE).astype(
        np.uint8
    )
    rhs = np.where(below, lower, np.where(above, upper, 0.0))
    low, high = np.where(both, lower, 0.0), np.where(both, upper, 0.0)
    spread = high - low
    up, down = low + spread == high, high - spread == low
    turned = both & ~up & down
    sense[turned] = AT_MOST
    rhs[turned] = high[turned]
    return RowSenses(sense, rhs, spread, both & ~up & ~down)


# ---------------------------------------------------------------------- some of the rows of a block


def with_rows(model: Model, kept: np.ndarray) -> Model:
    """The model with the rows where `kept`, bool (rows,), is true."""
    blocks, first = [], 0
    for block in model.rows:
        own = np.flatnonzero(kept[first : first + block.length])
        first += block.length
        blocks.append(block if len(own) == block.length else some_rows(block, own))
    return model.with_(rows=tuple(block for block in blocks if block.length))


def without_ranges(block: Rows, always: bool = False) -> tuple[Rows, ...]:
    """A block with products whose rows with two different sides are in a second block again.

    Solvers that read QCMATRIX have one side in a quadratic row, so RANGES of one mean nothing sure.
    `always`: a block without products too.
    """
    ranged = np.isfinite(block.lower) & np.isfinite(block.upper) & (block.lower != block.upper)
    if not ((block.quadratic.count or always) and ranged.any()):
        return (block,)
    low = replace(block, upper=np.where(ranged, np.inf, block.upper))
    high = some_rows(block, np.flatnonzero(ranged))
    return low, replace(high, lower=np.full(high.length, -np.inf))


# ------------------------------------------------------- special ordered sets of type 1, set by set


@dataclass(frozen=True)
class Sets:
    """All sets of a model: set r has the columns members[offsets[r]:offsets[r+1]].

    offsets int64 (sets+1,), members int64.
    """

    offsets: np.ndarray
    members: np.ndarray

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @property
    def weights(self) -> np.ndarray:
        """1, 2, ... within each set, int64 (members,)."""
        lengths = np.diff(self.offsets)
        return np.arange(len(self.members)) - np.repeat(self.offsets[:-1], lengths) + 1

    def each(self) -> Iterator[tuple[list[int], list[int]]]:
        """Columns and weights, set by set."""
        members = self.members.tolist()
        for first, stop in pairwise(self.offsets.tolist()):
            yield members[first:stop], list(range(1, stop - first + 1))

    def stream(self) -> tuple[np.ndarray, np.ndarray]:
        """For each set its head, then its members, as both (sets + members,) int64:

        places in a table of the sets' heads followed by the columns, and weights, of heads 0.
        """
        at = self.offsets[:-1]
        heads = np.arange(self.count)
        return np.insert(self.members + self.count, at, heads), np.insert(self.weights, at, 0)


def special_sets(model: Model) -> Sets:
    """The sets of all blocks, in order."""
    blocks = model.special_sets
    lengths = joined([np.diff(block.offsets) for block in blocks], np.int64)
    members = joined([block.members for block in blocks], np.int64)
    return Sets(offsets_of(lengths), members.astype(np.int64))


def weight_table(sets: Sets, lead: str) -> np.ndarray:
    """Nothing, then the weights that occur with `lead` before each, 'S'."""
    most = int(np.diff(sets.offsets).max(initial=0))
    return np.array(["", *(f"{lead}{k}" for k in range(1, most + 1))], "S")
