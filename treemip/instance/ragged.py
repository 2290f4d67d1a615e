"""Ragged tables: one list of items per row, in two arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
