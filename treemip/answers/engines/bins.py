"""Bins: the values of a feature between neighbouring thresholds, and features of nested columns."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_int64, c_void_p
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treemip.core.compiled.library import kernel

FEW, MANY = 4, 64  # bins of a feature, for all cuts of a branch in one round
PER_PAIR = 32.0  # points for each two bins, from which on they are: the kernel sums by both
BLOCK = 1024  # points

Rows = slice | np.ndarray
"""Points, by a slice or by their numbers int64 (m,)."""


@dataclass(frozen=True)
class Bins:
    """Bins numbered through all features: B in all. rank int32 (p, M): of each point, its bin among
    those of the feature.

    start int64 (p,): a feature's first bin. feature int64 (B,): of each bin. threshold float64
    (B,): the upper end of each bin; a split at a bin sends it and the bins below it left, and there
    is none at a feature's last bin. column int64 (B,): the table's column that has the threshold; a
    feature may be a chain of columns.
    """

    rank: np.ndarray
    start: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    last: np.ndarray
    column: np.ndarray

    @property
    def count(self) -> int:
        return len(self.feature)

    @property
    def points(self) -> int:
        return self.rank.shape[1]

    def goes_left(self, cut: int, rows: Rows = slice(None)) -> np.ndarray:
        """Whether points are in this bin or below it, bool (m,)."""
        feature = self.feature[cut]
        left: np.ndarray = self.rank[feature, rows] <= cut - self.start[feature]
        return left

    def of_points(self, rows: Rows = slice(None)) -> np.ndarray:
        """The numbers of the bins of points among all, int64 (p, m)."""
        bins: np.ndarray = self.rank[:, rows] + self.start[:, None]
        return bins

    @cached_property
    def order(self) -> np.ndarray:
        """The points by increasing bin of each feature, int32 (p, M)."""
        order = np.empty_like(self.rank)
        for row, rank in zip(order, self.rank, strict=True):
            few = rank.max(initial=0) < 1 << 16  # which are sorted by their digits
            row[:] = np.argsort(rank.astype(np.uint16) if few else rank, kind="stable")
        return order

    def histogram(self, stats: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sums of stats float64 (s, M) over the points `rows` in each bin, float64 (s, B)."""
        ends = np.append(self.start[1:], self.count)
        sums = np.empty((len(stats), self.count))
        for rank, start, end in zip(self.rank, self.start, ends, strict=True):
            at = rank[rows]
            for stat, total in zip(stats, sums, strict=True):
                total[start:end] = np.bincount(at, stat[rows], end - start)
        return sums

    def cumulative(self, histogram: np.ndarray) -> np.ndarray:
        """What goes left when each bin is the last to do so, float64 (s, B)."""
        ends = np.cumsum(histogram, axis=1)
        before = ends[:, self.start] - histogram[:, self.start]
        ends -= before[:, self.feature]
        return ends


def are_few(bins: int, features: int, points: int, per_pair: float = PER_PAIR) -> bool:
    """Whether so many bins in all are few enough to be summed by each two of them."""
    few = FEW * features <= bins <= MANY * features
    return few and points * features**2 >= per_pair * bins**2


def bins_of(
    columns: np.ndarray,
    thresholds: list[np.ndarray],
    features: list[np.ndarray],
    heed: Callable[[], None] = lambda: None,
) -> Bins:
    """Bins of points (M,) by columns (p, M) with increasing thresholds, one array each. features:
    the columns of each, several where they are nested, by growing sets of points that go left.
    heed: called for each; what it raises ends it."""
    lengths = np.array([sum(len(thresholds[j]) for j in own) + 1 for own in features])
    start = np.cumsum(lengths) - lengths
    rank = np.empty((len(start), columns.shape[1]), np.int32)
    for g, own in enumerate(features):
        heed()
        rank[g] = _ranks(thresholds, columns, own)
    last = np.zeros(int(lengths.sum()), bool)
    last[start + lengths - 1] = True
    cuts = [(j, t) for own in features for j in own for t in thresholds[j]]
    threshold, column = np.full(len(last), np.inf), np.repeat([c[-1] for c in features], lengths)
    column[~last], threshold[~last] = [j for j, _ in cuts], [t for _, t in cuts]
    return Bins(
        rank=rank,
        start=start,
        feature=np.repeat(np.arange(len(start)), lengths),
        threshold=threshold,
        last=last,
        column=column,
    )


def _ranks(thresholds: list[np.ndarray], columns: np.ndarray, some: np.ndarray) -> np.ndarray:
    """How many of the thresholds of some of the columns each point is above, int32 (M,)."""
    rank, library = np.zeros(columns.shape[1], np.int32), kernel()
    for j in some.tolist():
        one, own = thresholds[j], columns[j]
        if len(one) == 1:
            rank += _above(own, one[0])
        elif library is None:
            rank += np.searchsorted(one, own, side="left")
        else:
            values, cuts = (np.ascontiguousarray(each, np.float64) for each in (own, one))
            at, by, to = (c_void_p(each.ctypes.data) for each in (values, cuts, rank))
            library.treemip_ranks(at, c_int64(len(values)), by, c_int64(len(cuts)), to)
    return rank


def _above(column: np.ndarray, threshold: float) -> np.ndarray:
    """Where a column is above a threshold, bool (M,)."""
    if column.dtype == np.uint8 and 0 < threshold < 1:
        return column != 0  # without doubles
    return np.asarray(column > threshold)


def column_arrays(x: np.ndarray) -> np.ndarray:
    """x (M, p) as columns (p, M), bytes next to each other: in rows, a column takes as long as
    all of them."""
    if x.dtype != np.uint8:
        return x.T
    columns = np.empty(x.shape[::-1], x.dtype)
    for at in range(0, len(x), BLOCK):  # in one step each byte would be fetched from memory
        columns[:, at : at + BLOCK] = x[at : at + BLOCK].T
    return columns


def chains(
    columns: np.ndarray, thresholds: list[np.ndarray], price: np.ndarray
) -> list[np.ndarray]:
    """The columns of each feature, int64, a chain by growing sets of points that go left.

    columns (p, M); thresholds: increasing, of each column; price (..., p): what tells splits on
    columns apart beside the points. Only columns next to each other are joined, those with one
    threshold each.
    """
    columns_of: list[list[int]] = []
    left: np.ndarray | None = None  # of the last column of a chain
    grows = 0  # 1 where sets grow along the columns, -1 where they shrink, 0 where both will do
    for j, cuts in enumerate(thresholds):
        goes = ~_above(columns[j], cuts[0]) if len(cuts) == 1 else None
        way = 0
        same = j > 0 and np.array_equal(price[..., j], price[..., j - 1])
        if same and goes is not None and left is not None:
            up, down = not (left & ~goes).any(), not (goes & ~left).any()
            way = 1 if up and grows >= 0 else -1 if down and grows <= 0 else 0
            if way and not (up and down):
                grows = way
        if way:
            columns_of[-1].append(j)
        else:
            columns_of.append([j])
            grows = 0
        left = goes
    return [_by_size(columns, thresholds, np.array(some)) for some in columns_of]


def _by_size(columns: np.ndarray, thresholds: list[np.ndarray], some: np.ndarray) -> np.ndarray:
    if len(some) == 1:
        return some
    sizes = [np.count_nonzero(~_above(columns[j], thresholds[j][0])) for j in some]
    ordered: np.ndarray = some[np.argsort(sizes, kind="stable")]
    return ordered
