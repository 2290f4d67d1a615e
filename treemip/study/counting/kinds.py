"""Kinds of rows: equal ones together, with how many they are, once numbers are in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treemip.core.instance.columns import Column
from treemip.core.instance.encodings.bins import quantile_edges
from treemip.core.lower.frame import distinct
from treemip.core.model.arrays import unique
from treemip.core.source.diagnostic import refused
from treemip.core.source.memory import room
from treemip.study.counting.held import ColumnHeld, Reading

TOGETHER = 1 << 20
"""Kinds of batches that are gathered before equal ones are sought among them."""

BYTES = 8
"""Of memory for each byte of codes while equal rows are sought."""


@dataclass(frozen=True)
class Coding:
    """How a column's cells become codes, 0 where a cell is missing.

    edges: a number's code is 1 and how many of these it reaches. values: ascending, a number's code
    is 1 and its position. levels: the same of texts. One of the three is there.
    least: the column's least number.
    """

    edges: tuple[float, ...] | None = None
    values: tuple[float, ...] | None = None
    levels: tuple[str, ...] | None = None
    least: float = np.nan

    @classmethod
    def of(cls, held: ColumnHeld, sample: np.ndarray, bins: int) -> Coding:
        """Of a feature: numbers as they are where they are as few as bins, else in bins of about
        equally many rows of the sample (n,)."""
        if not held.numeric:
            return cls.as_they_are(held)
        if held.values is not None and len(held.values) <= bins:
            return cls.as_they_are(held)
        there = sample[~np.isnan(sample)]
        edges = quantile_edges(there, bins) if len(there) else np.zeros(0)
        edges = edges[edges > held.least]
        if not len(edges):  # nearly all rows have the same number
            edges = unique(there[there > held.least])[:1]
        if not len(edges) and held.values is not None:  # and so have all that were drawn
            edges = held.values[1:2]
        return cls(edges=tuple(edges.tolist()), least=held.least)

    @classmethod
    def as_they_are(cls, held: ColumnHeld) -> Coding:
        """Of a column whose values are known."""
        if held.numeric:
            assert held.values is not None
            return cls(values=tuple(held.values.tolist()))
        assert held.texts is not None
        return cls(levels=tuple(sorted(held.texts)))

    def codes(self, column: Column) -> np.ndarray:
        """int32 (n,)."""
        if self.levels is not None:
            texts = column.texts
            position = {level: k + 1 for k, level in enumerate(self.levels)}
            found = np.array([0, *(position[level] for level in texts.levels)], np.int32)
            coded: np.ndarray = found[texts.codes + 1]
            return coded
        if self.edges is not None:
            at = np.searchsorted(np.array(self.edges), column.numbers, "right")
        else:
            at = np.searchsorted(np.array(self.values or ()), column.numbers, "left")
        return np.where(column.missing, 0, at + 1).astype(np.int32)

    @property
    def cells(self) -> list[float | str | None]:
        """By code what stands for it: of a bin its lower edge, of the first one the least
        number."""
        if self.edges is not None:
            return [None, self.least, *self.edges]
        return [None, *(self.levels or ()), *(self.values or ())]

    @property
    def is_constant(self) -> bool:
        return len(self.cells) <= 2


@dataclass(frozen=True)
class Kinds:
    """codes int32 (n x columns,), each row once, ascending; counts float64 (n,): rows, or the sum
    of their weights."""

    codes: np.ndarray
    counts: np.ndarray


def kinds_of(path: Path, reading: Reading, codings: dict[str, Coding]) -> Kinds:
    """The kinds of a file's rows. Raises TreemipError as `Reading.batches`, and E902 where there
    are too many."""
    found = [Kinds(np.zeros((0, len(codings)), np.int32), np.zeros(0))]
    for columns, counts, _ in reading.batches(path):
        codes = np.stack([coding.codes(columns[name]) for name, coding in codings.items()], axis=1)
        found.append(together([Kinds(codes, counts)]))
        if sum(len(each.counts) for each in found[1:]) > max(TOGETHER, len(found[0].counts)):
            found = [together(found)]
    return together(found)


def together(parts: Sequence[Kinds]) -> Kinds:
    """The kinds of all parts. Raises E902 where they do not fit in memory."""
    if sum(each.codes.nbytes for each in parts) * BYTES > room():
        count = sum(len(each.counts) for each in parts)
        message = f"the rows hardly repeat: {count:,} kinds so far, more than memory takes"
        raise refused(message, "name fewer columns with --use, or fewer bins with --bins")
    codes = np.vstack([each.codes for each in parts])
    if not len(codes):
        return parts[0]
    first, which = distinct([codes[:, j] for j in range(codes.shape[1])])
    counts = np.concatenate([each.counts for each in parts])
    return Kinds(codes[first], np.bincount(which, weights=counts, minlength=len(first)))
