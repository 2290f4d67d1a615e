"""Arrays: their distinct values, and lists of different lengths in two arrays (`Ragged`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def unique(values: np.ndarray) -> np.ndarray:
    """The different values of `values` (any shape, without NaN), ascending, (count,).

    What numpy.unique gives, but that imports numpy.ma, 6 ms at every start.
    """
    ordered = np.sort(values, axis=None)
    return ordered[begins(ordered)]


def numbered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values of `values`, ascending, and which of them each one is, int64."""
    order = values.argsort(kind="stable")
    ordered = values[order]
    first = begins(ordered)
    which = np.empty(len(values), np.int64)
    which[order] = first.cumsum() - 1
    return ordered[first], which


def begins(ordered: np.ndarray) -> np.ndarray:
    """Whether each value of an ordered array is another than the one before, bool."""
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


@dataclass(frozen=True)
class Ragged:
    """Row r holds items[offsets[r]:offsets[r+1]]. offsets int64 (rows+1,)."""

    offsets: np.ndarray
    items: np.ndarray

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        lengths: np.ndarray = self.offsets[1:] - self.offsets[:-1]
        return lengths

    def take(self, rows: np.ndarray) -> Ragged:
        """The rows asked for, in that order, repeats allowed."""
        lengths = self.lengths[rows]
        offsets = offsets_of(lengths)
        start = np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths)
        return Ragged(offsets, self.items[start + np.arange(offsets[-1])])

    @classmethod
    def from_pairs(cls, rows: np.ndarray, items: np.ndarray, count: int) -> Ragged:
        """Group items by row; within a row the given order is kept."""
        order = np.argsort(rows, kind="stable")
        lengths = np.bincount(rows, minlength=count)
        return cls(offsets_of(lengths), items[order])

    @classmethod
    def same(cls, items: np.ndarray, count: int) -> Ragged:
        """Every row holds the same items."""
        lengths = np.full(count, len(items), np.int64)
        return cls(offsets_of(lengths), np.tile(items, count))


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    """Offsets int64 (rows+1,) of rows with these lengths."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
