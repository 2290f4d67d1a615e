"""Some entries of a model, sorted by column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


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
