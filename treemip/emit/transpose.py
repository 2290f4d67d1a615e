"""A model's entries by column, as MPS wants them: blocks of rows in, columns in order out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treemip.emit.distinct import Distinct

NOTHING = -1  # row and value of the entry that fills a column up to an even number

_SORTED_AT_ONCE = 1 << 18  # entries; their keys and places about fit a core's own cache
_READ_AT_ONCE = 1 << 16


class Run(NamedTuple):
    """Entries sorted by column: those of column j are starts[j] up to starts[j+1]."""

    starts: np.ndarray
    rows: np.ndarray
    codes: np.ndarray


class Columns:
    """Entries sorted by column, then in the order they came, each value as its number.

    A radix sort in two levels. Pieces that come in are gathered into runs, each sorted by column;
    reading takes the same few columns from every run and merges them. So beside the model only
    5 to 10 bytes an entry are held, nothing is sorted that does not fit the cache, and the whole
    takes about as long as scipy's coo-to-csc without the time to import it.
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
        self._runs: list[Run] = []

    def add(
        self, rows: np.ndarray, columns: np.ndarray, values: np.ndarray, width: int = 0
    ) -> None:
        """Take some entries: int32, int32 and float64 of one length.

        Of each column the rows must come in ascending order, over all pieces. `width`: the
        entries are whole rows of so many each, where they are all of one.
        """
        known = self.distinct
        codes = known.codes_of_rows(values.reshape(-1, width)) if width else known.codes(values)
        self._waiting.append((rows, columns, codes))
        self._waits += len(rows)
        self.added += len(rows)
        if self._waits >= self._run_size:
            self._flush()

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
            end = min(max(end, first + 1), stop, first + (1 << 16))
            yield self._merged(first, end)
            first = end

    def _flush(self) -> None:
        pieces, self._waiting, self._waits = self._waiting, [], 0
        if pieces:
            rows, columns, codes = zip(*pieces, strict=True)
            kept = _narrow(np.concatenate(codes))
            self._keep(np.concatenate(rows), np.concatenate(columns), kept)

    def _keep(self, rows: np.ndarray, columns: np.ndarray, codes: np.ndarray) -> None:
        sizes = np.bincount(columns, minlength=self.count)
        starts = np.zeros(self.count + 1, np.int32)
        np.cumsum(sizes, out=starts[1:])
        order = _order(columns, sizes)
        self._runs.append(Run(starts, rows.take(order), codes.take(order)))
        self.sizes += sizes

    def _merged(self, first: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        local = np.arange(end - first, dtype=np.uint16)
        keys, rows, codes = [], [], []
        for run in self._runs:
            starts = run.starts[first : end + 1]
            here = slice(starts[0], starts[-1])
            keys.append(np.repeat(local, np.diff(starts)))
            rows.append(run.rows[here])
            codes.append(run.codes[here])
        order = np.argsort(np.concatenate(keys), kind="stable")
        columns = np.repeat(np.arange(first, end), self.sizes[first:end] >> 1)
        return columns, _paired(rows, order), _paired(codes, order)


def _paired(parts: list[np.ndarray], order: np.ndarray) -> np.ndarray:
    return np.concatenate(parts).take(order).reshape(-1, 2)


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


def _narrow(codes: np.ndarray) -> np.ndarray:
    """Codes, none negative, in one or two bytes where they fit."""
    return codes.astype(np.min_scalar_type(codes.max(initial=0)))
