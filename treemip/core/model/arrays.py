"""Arrays: their distinct values, and lists of different lengths in two arrays (`Ragged`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np


def unique(values: np.ndarray) -> np.ndarray:
    """The different values of `values` (any shape, without NaN), ascending, (count,).

    What numpy.unique gives, but that imports numpy.ma, 6 ms at every start.
    """
    if values.dtype == np.uint8:
        return np.flatnonzero(np.bincount(values.ravel())).astype(np.uint8)
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


def joined(parts: Sequence[np.ndarray], dtype: type = float) -> np.ndarray:
    """The parts one behind the other; without any, nothing of that type."""
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def first_places(codes: np.ndarray, span: int) -> tuple[np.ndarray, np.ndarray]:
    """The first place of each code that occurs, codes ascending, and each place's number among
    these, both int64. codes: int64, from 0 up to `span` exclusive."""
    first = np.full(span, -1)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    present = np.flatnonzero(first >= 0)
    number = np.empty(span, np.int64)
    number[present] = np.arange(len(present))
    return first[present], number[codes]


def begins(ordered: np.ndarray) -> np.ndarray:
    """Whether each value of an ordered array is another than the one before, bool."""
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


class Sparse:
    """A matrix float64 (n, m) of which most is 0, to multiply by: in one thread, where a product of
    small dense matrices is slowed down by others that wait."""

    def __init__(self, matrix: np.ndarray) -> None:
        column, self._row = np.nonzero(matrix.T)
        self._data = matrix[self._row, column]
        self._first = np.flatnonzero(begins(column))
        self._filled, self._width = column[self._first], matrix.shape[1]

    def times(self, values: np.ndarray) -> np.ndarray:
        """values float64 (..., n) times the matrix, (..., m)."""
        product = np.zeros((*values.shape[:-1], self._width))
        if len(self._first):
            parts = values[..., self._row] * self._data
            product[..., self._filled] = np.add.reduceat(parts, self._first, axis=-1)
        return product


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
        start = self.offsets[rows]
        places = Ragged.runs(start, self.offsets[rows + 1] - start)
        return Ragged(places.offsets, self.items[places.items])

    @classmethod
    def runs(cls, start: np.ndarray, lengths: np.ndarray) -> Ragged:
        """Row r holds lengths[r] numbers: start[r], start[r] + 1, …"""
        offsets = offsets_of(lengths)
        return cls(offsets, np.repeat(start - offsets[:-1], lengths) + np.arange(offsets[-1]))

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


def mixed_bits(values: np.ndarray, salt: np.ndarray | np.uint64) -> np.ndarray:
    """64 bits of each value and salt, both uint64, mixed (splitmix64, Steele et al. 2014)."""
    z = values + np.uint64(0x9E3779B97F4A7C15) * salt
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = z ^ (z >> np.uint64(31))
    return mixed


def distinct_rows(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of all rows of x (N, p), float64, or uint8 of 0 and 1, that are equal, int64 (M,)
    ascending, and which of these each row is, int64 (N,).

    Rows are told apart by a hash and compared where that is the same, so that it takes one pass
    over x and the sorting of one number a row.
    """
    keys = _hashes(x)
    _, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
    for rows in _blocks(x):  # a hash of two different rows: once in 10^7 tables of 10^6 rows
        if not np.array_equal(x[rows], x[first[of_row[rows]]]):
            _, first, of_row = np.unique(x, axis=0, return_index=True, return_inverse=True)
            break
    order = np.argsort(first)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return first[order], number[of_row.ravel()]


BLOCK = 1 << 15  # rows at a time


def _blocks(x: np.ndarray) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, len(x), BLOCK))


def _hashes(x: np.ndarray) -> np.ndarray:
    """A number for each row, uint64 (N,): the same where rows are equal, 0 and -0 too."""
    words = _words(x[:1]).shape[1]
    odd = np.random.default_rng(0).integers(1 << 62, size=words, dtype=np.uint64) * 2 + 1
    keys = np.zeros(len(x), np.uint64)
    for rows in _blocks(x):
        bits = _words(x[rows])
        bits ^= bits >> np.uint64(29)
        bits *= odd
        bits ^= bits >> np.uint64(32)
        keys[rows] = bits.sum(axis=1, dtype=np.uint64)
    return keys


def _words(x: np.ndarray) -> np.ndarray:
    """The rows as words of 64 bits, uint64 (N, w), the same where they are equal."""
    if x.dtype != np.uint8:
        return (x + 0.0).view(np.uint64)  # -0.0 + 0.0 is 0.0
    packed = np.packbits(x, axis=1)
    words = np.zeros((len(x), -(-packed.shape[1] // 8) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(np.uint64)
