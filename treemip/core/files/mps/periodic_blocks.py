"""Columns that a family's rows hold again and again at the same places, as those of a split.

In ``sum {f in features} a[t,f] * x[i,f] <= ...`` for all points i and branches t every point has
the same rows with the same columns a[t,f], and only the numbers differ. To see that takes one
look at each entry, to sort them several.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treemip.core.model.blocks import SparseRows

_LEAST = 1 << 14  # entries of a family that is worth the look
_LEAST_TURNS = 256  # entries of a column; few are sorted sooner than copied column by column
_AHEAD = 1 << 12  # rows among which the first must come again
_AT_ONCE = 1 << 16  # entries


@dataclass(frozen=True)
class Pattern:
    """Rows of one width, cut into `turns` of `period` rows.

    regular: places within a turn, (m,), whose columns are the same in every turn, occur nowhere
    else in the family and ascend; others: all other places, ascending, (k,). columns: those of
    the regular places, (m,).
    """

    matrix: SparseRows
    turns: int
    period: int
    regular: np.ndarray
    others: np.ndarray
    columns: np.ndarray

    @property
    def width(self) -> int:
        """Entries of a row."""
        return self.matrix.nonzeros // self.matrix.count

    def pieces(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """First turn, columns and values of some turns: int32 and float64 (turns, places)."""
        places = self.period * self.width
        indices = self.matrix.indices.reshape(self.turns, places)
        data = self.matrix.data.reshape(self.turns, places)
        step = max(1, _AT_ONCE // places)
        for turn in range(0, self.turns, step):
            yield turn, indices[turn : turn + step], data[turn : turn + step]


@dataclass(frozen=True)
class Stripe:
    """Entry k of column columns[j] is in row first_rows[j] + k * period and is number codes[j, k].

    columns (m,), ascending; first_rows int (m,); codes int32 (m, turns).
    """

    columns: np.ndarray
    first_rows: np.ndarray
    period: int
    codes: np.ndarray

    def put(
        self, first: int, end: int, free: np.ndarray, rows: np.ndarray, codes: np.ndarray
    ) -> None:
        """As Run.put."""
        low, high = np.searchsorted(self.columns, (first, end))
        turns = self.codes.shape[1]
        for j in range(low, high):
            column = self.columns[j] - first
            at, row = int(free[column]), int(self.first_rows[j])
            rows[at : at + turns] = np.arange(row, row + turns * self.period, self.period)
            codes[at : at + turns] = self.codes[j]
            free[column] += turns


def pattern_of(matrix: SparseRows) -> Pattern | None:
    """The family's pattern, or None where most entries would not be in it."""
    width = _width(matrix)
    if not width or matrix.nonzeros < _LEAST:
        return None
    period = _period(matrix.indices.reshape(-1, width))
    turns = matrix.count // period if period else 0
    if turns < _LEAST_TURNS or turns * period != matrix.count:
        return None
    turned = matrix.indices.reshape(turns, period * width)
    same = (turned == turned[0]).all(axis=0)
    elsewhere = np.zeros(int(matrix.indices.max()) + 1, bool)
    elsewhere[turned[:, ~same]] = True
    columns, places, times = np.unique(turned[0, same], return_index=True, return_counts=True)
    alone = (times == 1) & ~elsewhere[columns]
    regular = np.flatnonzero(same)[places[alone]]
    if 2 * len(regular) < period * width:
        return None
    others = np.ones(period * width, bool)
    others[regular] = False
    return Pattern(matrix, turns, period, regular, np.flatnonzero(others), columns[alone])


def _width(matrix: SparseRows) -> int:
    """Entries of each row where all have as many, else 0."""
    if not matrix.count:
        return 0
    sizes = np.diff(matrix.indptr)
    return int(sizes[0]) if (sizes == sizes[0]).all() else 0


def _period(columns: np.ndarray) -> int:
    """After how many rows half of the first row's columns (rows, width) come again, or 0."""
    like = (columns[1:_AHEAD] == columns[0]).sum(axis=1)
    again = np.flatnonzero(2 * like >= columns.shape[1])
    return int(again[0]) + 1 if len(again) else 0
