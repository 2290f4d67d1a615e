"""A model's entries by column, as MPS wants them: blocks of rows in, columns in order out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.emit.distinct import Distinct
from treemip.emit.mps.runs import Run, run_of
from treemip.emit.mps.stripes import Pattern, Stripe

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
