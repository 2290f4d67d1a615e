"""A model's entries by column, as MPS wants them: blocks of rows in, columns in order out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treemip.core.files.mps.periodic_blocks import Pattern, Stripe, pattern_of
from treemip.core.files.value_codes import Distinct
from treemip.core.model.blocks import SparseRows
from treemip.core.model.model import Model

_AT_ONCE = 1 << 16  # entries

Piece = tuple[np.ndarray, np.ndarray, np.ndarray, int]  # rows, columns, values, row width


def by_column(model: Model, costs: np.ndarray, left_out: np.ndarray) -> Columns:
    """Entries of `costs` (columns,) as row 0 and of the model's rows as 1, 2, ..., by column.

    `costs` may be longer than the model's columns. Rows where `left_out`, bool (rows,), is true
    add nothing. Every column has at least one entry, a zero in row 0 when there is no other.
    """
    columns = Columns(len(costs))
    priced = np.flatnonzero(costs).astype(np.int32)
    columns.add(np.zeros(len(priced), np.int32), priced, costs[priced])
    row = 1
    for block in model.rows:
        skip = left_out[row - 1 : row - 1 + block.length]
        pattern = None if skip.any() else pattern_of(block.matrix)
        if pattern:
            columns.add_pattern(pattern, row)
        else:
            for piece in _pieces(block.matrix, row, skip):
                columns.add(*piece)
        row += block.length
    columns.finish()
    return columns


def _pieces(matrix: SparseRows, row: int, skip: np.ndarray) -> Iterator[Piece]:
    """Whole rows at a time, as many as hold about _AT_ONCE entries; the first has number `row`."""
    some = bool(skip.any())
    first = 0
    while first < matrix.count:
        full = matrix.indptr[first] + _AT_ONCE
        stop = max(first + 1, int(np.searchsorted(matrix.indptr, full, side="right")) - 1)
        here = slice(int(matrix.indptr[first]), int(matrix.indptr[stop]))
        sizes = np.diff(matrix.indptr[first : stop + 1])
        width = int(sizes[0]) if (sizes == sizes[0]).all() else 0
        rows = np.repeat(np.arange(row + first, row + stop, dtype=np.int32), sizes)
        columns, values = matrix.indices[here], matrix.data[here]
        if some:
            keep = ~np.repeat(skip[first:stop], sizes)
            rows, columns, values = rows[keep], columns[keep], values[keep]
        yield rows, columns, values, width
        first = stop


NOTHING = -1  # row and value of the entry that fills a column up to an even number

_SORTED_AT_ONCE = 1 << 18  # entries; their keys and places about fit a core's own cache

_READ_AT_ONCE = 1 << 17


class Columns:
    """Entries sorted by column, then in the order they came, each value as its number.

    A sort in two levels. Pieces that come in are gathered into runs, each sorted by column;
    families with a pattern are stripes, which need no sorting. Reading takes the same few columns
    from every run and stripe. So beside the model only 4 to 10 bytes an entry are held, nothing is
    sorted that does not fit the cache, and the whole takes less than scipy's coo-to-csc without
    the time to import it.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.added = 0
        self.distinct = Distinct()
        self.sizes = np.zeros(count, np.int64)
        # Never so short that the starts of its columns take more room than its entries.
        self._run_size = max(_SORTED_AT_ONCE, count)
        self._waiting: list[tuple[np.ndarray, ...]] = []
        self._waits = 0
        self._sources: list[Run | Stripe] = []

    def add(
        self, rows: np.ndarray, columns: np.ndarray, values: np.ndarray, width: int = 0
    ) -> None:
        """Take some entries: int32, int32 and float64 of one length.

        Of each column the rows must come in ascending order, over all pieces. `width`: the
        entries are whole rows of so many each, where they are all of one.
        """
        known = self.distinct
        codes = known.codes_of_rows(values.reshape(-1, width)) if width else known.codes(values)
        self._wait(rows, columns, codes)

    def add_pattern(self, pattern: Pattern, row: int) -> None:
        """Take a family with a pattern, whose first row is number `row`."""
        self._flush()
        of_place = row + np.arange(pattern.period * pattern.width) // pattern.width
        kept = np.empty((len(pattern.regular), pattern.turns), np.int32)
        for turn, columns, values in pattern.pieces():
            turns = len(values)
            codes = self.distinct.codes_of_rows(values.reshape(-1, pattern.width))
            codes = codes.reshape(values.shape)
            kept[:, turn : turn + turns] = codes.take(pattern.regular, axis=1).T
            rows = (turn + np.arange(turns)[:, None]) * pattern.period + of_place[pattern.others]
            others = columns.take(pattern.others, axis=1), codes.take(pattern.others, axis=1)
            self._wait(rows.astype(np.int32).ravel(), *(part.ravel() for part in others))
        stripe = Stripe(pattern.columns, of_place[pattern.regular], pattern.period, kept)
        self._sources.append(stripe)
        self.sizes[pattern.columns] += pattern.turns
        self.added += kept.size

    def finish(self) -> None:
        """Give an empty column a zero in row 0, and every column an even number of entries."""
        self._flush()
        empty = np.flatnonzero(self.sizes == 0)
        if len(empty):
            zeros = np.zeros(len(empty))
            self._keep(zeros.astype(np.int32), empty, self.distinct.codes(zeros))
        odd = np.flatnonzero(self.sizes & 1)
        filler = np.full(len(odd), NOTHING, np.int8)
        self._keep(filler, odd, filler)
        self._ends = np.cumsum(self.sizes)

    def pairs(self, first: int, stop: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The entries of columns first .. stop-1, two and two, after `finish`.

        Yields the column of each pair (pairs,), and its rows and numbers of values (pairs, 2).
        Only the second of a column's last pair can be NOTHING.
        """
        while first < stop:
            before = int(self._ends[first - 1]) if first else 0
            end = int(np.searchsorted(self._ends, before + _READ_AT_ONCE, side="right"))
            end = min(max(end, first + 1), stop)
            yield self._merged(first, end)
            first = end

    def _wait(self, rows: np.ndarray, columns: np.ndarray, codes: np.ndarray) -> None:
        self._waiting.append((rows, columns, codes))
        self._waits += len(rows)
        self.added += len(rows)
        if self._waits >= self._run_size:
            self._flush()

    def _flush(self) -> None:
        pieces, self._waiting, self._waits = self._waiting, [], 0
        if pieces:
            rows, columns, codes = zip(*pieces, strict=True)
            kept = _narrow(np.concatenate(codes))
            self._keep(np.concatenate(rows), np.concatenate(columns), kept)

    def _keep(self, rows: np.ndarray, columns: np.ndarray, codes: np.ndarray) -> None:
        run, sizes = run_of(rows, columns, codes, self.count)
        self._sources.append(run)
        self.sizes += sizes

    def _merged(self, first: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sizes = self.sizes[first:end]
        free = np.cumsum(sizes) - sizes
        rows, codes = np.empty((2, int(sizes.sum())), np.int32)
        for source in self._sources:
            source.put(first, end, free, rows, codes)
        columns = np.repeat(np.arange(first, end), sizes >> 1)
        return columns, rows.reshape(-1, 2), codes.reshape(-1, 2)


def _narrow(codes: np.ndarray) -> np.ndarray:
    """Codes, none negative, in one or two bytes where they fit."""
    return codes.astype(np.min_scalar_type(codes.max(initial=0)))


# ------------------------------------------------------ runs: some of the entries, sorted by column


class Run(NamedTuple):
    """Entries sorted by column: those of column j are starts[j] up to starts[j+1].

    starts int32 (columns + 1,); rows int32, and codes any integers, (entries,).
    """

    starts: np.ndarray
    rows: np.ndarray
    codes: np.ndarray

    def put(
        self, first: int, end: int, free: np.ndarray, rows: np.ndarray, codes: np.ndarray
    ) -> None:
        """Copy the entries of columns first .. end-1 to the places from free[column - first] on of
        `rows` and `codes`, and move `free` behind them."""
        starts = self.starts[first : end + 1]
        here = slice(int(starts[0]), int(starts[-1]))
        if here.start < here.stop:
            counts = np.diff(starts)
            at = np.repeat(free - starts[:-1], counts)
            at += np.arange(here.start, here.stop)
            rows[at], codes[at] = self.rows[here], self.codes[here]
            free += counts


def run_of(
    rows: np.ndarray, columns: np.ndarray, codes: np.ndarray, count: int
) -> tuple[Run, np.ndarray]:
    """Entries of `count` columns in any order as a run, and how many each column has.

    Those of one column stay in the order they come.
    """
    sizes = np.bincount(columns, minlength=count)
    starts = np.zeros(count + 1, np.int32)
    np.cumsum(sizes, out=starts[1:])
    order = _order(columns, sizes)
    return Run(starts, rows.take(order), codes.take(order)), sizes


def _order(columns: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Places of entries by column, equal columns in the order they came; `sizes` (columns,).

    numpy's stable sort of 16-bit integers is a radix sort. Columns beyond its reach are numbered
    among those that have entries here; if even these are too many, two sorts do for 32 bits.
    """
    keys = columns
    if len(sizes) > 1 << 16:
        numbers = np.cumsum(sizes > 0, dtype=np.int32)
        if numbers[-1] <= 1 << 16:
            keys = (numbers - 1).astype(np.uint16).take(columns)
            return np.argsort(keys, kind="stable")
    order = np.argsort(columns.astype(np.uint16), kind="stable")
    if len(sizes) > 1 << 16:
        high = (columns >> 16).astype(np.uint16).take(order)
        order = order.take(np.argsort(high, kind="stable"))
    return order
