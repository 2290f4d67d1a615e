"""Some of the points, and what trees of depth 1 on both sides of many cuts are worth at once.

Bins that no point of the subset is in are left out, so that arrays are as long as there are values
to part. One histogram holds the points left of every cut that is evaluated; where features have few
values a matrix product is faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from treemip.answers.engines.separable import Separable

CELLS = 1 << 18  # sums held at once, so that they stay in the processor's cache
LEAST = 32  # cuts evaluated at once, unless their sums are many
MOST_SUMS = 1 << 24  # held at once: 128 MB
SHARE = 0.07  # time of a multiplication in a matrix product, in that of a step of a cumulative sum


@dataclass(frozen=True)
class Both:
    """Of cuts (k,): what the best trees of depth 1 on both sides are worth, relaxed and exact."""

    left: np.ndarray
    right: np.ndarray
    left_exact: np.ndarray
    right_exact: np.ndarray


Values = Callable[[np.ndarray, np.ndarray, tuple[int, int]], Both]
"""What cuts are worth by the sums left of them."""


class Subset:
    """The points `rows` int64 (m,). bin int64 (p, m): the bins of the points, numbered by those
    that have points, B of them. cut int64 (B,): their numbers among all bins; feature (B,);
    start (p,); `ends` bool (B,): a cut behind the bin parts nothing."""

    def __init__(self, task: Separable, rows: np.ndarray) -> None:
        bins = task.bins
        self.task, self.rows = task, rows
        flat = bins.of_points(rows)
        self.present = np.zeros(bins.count, bool)
        self.present[flat.ravel()] = True
        self.number = np.cumsum(self.present) - 1
        self.bin = self.number[flat]
        self.cut = np.flatnonzero(self.present)
        self.feature = bins.feature[self.cut]
        self.start = np.searchsorted(self.feature, np.arange(len(bins.start)))
        self.ends = np.append(self.feature[1:] != self.feature[:-1], True)
        self.stats = task.stats[:, rows]
        self.total = self.stats.sum(axis=1)
        self._units = task.units[:, rows]
        self.sums = self._cumulative(self.stats)
        self.weight, self.base = self._cumulative(np.array([task.most[rows], task.costs[rows, 0]]))
        self.whole = float(task.costs[rows, 0].sum())

    def _cumulative(self, stats: np.ndarray) -> np.ndarray:
        """Sums of stats (s, m) over the points left of each cut, float64 (s, B)."""
        at, features = self.bin.ravel(), len(self.bin)
        count = len(self.cut)
        sums = np.array([np.bincount(at, np.tile(one, features), count) for one in stats])
        sums = sums.reshape(len(stats), count)
        sums[:, self.start[1:]] -= stats.sum(axis=1)[:, None]
        return np.cumsum(sums, axis=1)

    @cached_property
    def _unit_sums(self) -> np.ndarray:
        task = self.task
        sums = self.sums[: task.labels - 1]
        return np.rint(sums / task.unit) if task.whole else sums

    def expand(self, bound: np.ndarray, otherwise: float) -> np.ndarray:
        """Bounds of cuts (B,) for all bins of the task; a bin without points cuts as the one
        before it of its feature, or else like nothing that is known: `otherwise`."""
        number = self.number
        known = number >= self.start[self.task.bins.feature]
        return np.where(known, bound[number], otherwise)

    def price(self, node: int) -> np.ndarray:
        """The price of a split behind each bin at a branch, float64 (B,), infinite where there is
        none: where each branch must split, a threshold beyond all points will do."""
        task, bins = self.task, self.task.bins
        price = task.feature_price[node][self.feature]
        if task.problem.unsplit is not None:
            return np.where(self.ends, np.inf, price)
        first = self.cut[self.start] > bins.start
        last = ~bins.last[self.cut[self.ends]]
        price = price.copy()
        price[self.ends] = np.where(first | last, price[self.ends], np.inf)
        return price

    @cached_property
    def order(self) -> np.ndarray:
        """The points by increasing bin of each feature, int64 (p, m): numbers within `rows`."""
        bins = self.task.bins
        number = np.full(bins.points, -1)
        number[self.rows] = np.arange(len(self.rows))
        order = number[bins.order]
        return order[order >= 0].reshape(len(bins.start), len(self.rows))

    @cached_property
    def _last(self) -> np.ndarray | None:
        """Where in the flat order each bin ends, int64 (B,); None where each has one point."""
        if len(self.cut) == self.bin.size:
            return None
        return np.cumsum(np.bincount(self.bin.ravel(), minlength=len(self.cut))) - 1

    @cached_property
    def _goes(self) -> np.ndarray:
        """Whether points go left of cuts, (m, B)."""
        assert self.task.indicators is not None
        return self.task.indicators[np.ix_(self.rows, self.cut)]

    # ------------------------------------------------------------------ many cuts

    def both_sides(self, picks: np.ndarray, children: tuple[int, int]) -> Both:
        """The best trees of depth 1 on both sides of cuts, conditions and prices of leaves aside:
        picks int64 (k,), numbers of bins of this subset."""
        return self._sides(picks, children, self._units, self._values)

    def exact_sides(self, picks: np.ndarray, children: tuple[int, int]) -> Both:
        """The same, with conditions and prices of leaves."""
        return self._sides(picks, children, self.stats, self._exact_values)

    def _sides(
        self, picks: np.ndarray, children: tuple[int, int], stats: np.ndarray, values: Values
    ) -> Both:
        product = self.task.indicators is not None and len(self.cut) * SHARE < len(self.bin)
        sums_of = self._by_product if product else self._by_counting
        cells = len(self.cut) if product else self.bin.size
        step = max(LEAST, CELLS // max(1, cells))
        step = min(step, max(1, MOST_SUMS // max(1, cells * len(stats))))
        parts = [
            values(some, sums_of(self._inside(some), stats), children)
            for some in np.split(picks, np.arange(step, len(picks), step))
        ]
        if len(parts) == 1:
            return parts[0]
        names = ("left", "right", "left_exact", "right_exact")
        return Both(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))

    def _inside(self, picks: np.ndarray) -> np.ndarray:
        """Which points go left of picks, bool (m, k)."""
        return (self.bin[self.feature[picks]] <= picks[:, None]).T

    def _by_product(self, inside: np.ndarray, stats: np.ndarray) -> np.ndarray:
        """Sums of stats (s, m) of the points left of picks and of each cut, (s, B, k)."""
        goes = self._goes.T
        short = stats.dtype == np.int32
        goes = goes if short else goes.astype(np.float64, copy=False)
        return np.array([goes @ (stat[:, None] * inside) for stat in stats.astype(goes.dtype)])

    def _by_counting(self, inside: np.ndarray, stats: np.ndarray) -> np.ndarray:
        features, points = self.bin.shape
        order = self.order.ravel()
        sums = np.empty((len(stats), len(self.cut), inside.shape[1]), stats.dtype)
        for stat, result in zip(stats, sums, strict=True):
            added = (stat[:, None] * inside).take(order, axis=0)
            table = added.reshape(features, points, -1)
            if self._last is None:
                np.cumsum(table, axis=1, out=result.reshape(table.shape))
            else:
                np.cumsum(table, axis=1, out=table)
                np.take(added, self._last, axis=0, out=result)
        return sums

    def _values(self, picks: np.ndarray, left: np.ndarray, children: tuple[int, int]) -> Both:
        total, base = self.sums[:, picks], self.base[picks]
        low = base + self._best(left, total, children[0])
        whole = self._unit_sums.astype(left.dtype)[:, :, None]
        other = np.subtract(whole, left, out=left)
        high = self.whole - base + self._best(other, self.total[:, None] - total, children[1])
        return Both(low, high, low, high)

    def _best(self, left: np.ndarray, total: np.ndarray, node: int) -> np.ndarray:
        """What the best tree of depth 1 is worth for sides of sums (s, k) with sums (s, B, k) left
        of cuts, in units of the task."""
        task = self.task
        if task.labels == 2:
            best = self._by_extremes(left[0], total[0], node)
        else:
            best = self._by_sums(left, total[: task.labels - 1], node)
        result: np.ndarray = np.minimum(best, task.unsplit(total)[0])
        return result

    def _exact_values(self, picks: np.ndarray, left: np.ndarray, children: tuple[int, int]) -> Both:
        total, base = self.sums[:, picks], self.base[picks]
        low = self._exact(left, total, children[0])
        other = self.sums[:, :, None] - left
        high = self._exact(other, self.total[:, None] - total, children[1])
        rest = self.whole - base
        return Both(base + low[0], rest + high[0], base + low[1], rest + high[1])

    def _exact(
        self, left: np.ndarray, total: np.ndarray, node: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The best tree of depth 1, relaxed and exact, with sums (s, B, k) left of cuts."""
        task = self.task
        stop, stop_exact = task.unsplit(total)
        price = self.price(node)[:, None]
        low, low_exact = task.leaf_values(left)
        high, high_exact = task.leaf_values(total[:, None, :] - left)
        relaxed = np.minimum((low + high + price).min(axis=0), stop)
        exact = np.minimum((low_exact + high_exact + price).min(axis=0), stop_exact)
        return relaxed, exact

    def _by_extremes(self, left: np.ndarray, total: np.ndarray, node: int) -> np.ndarray:
        """For two labels: min(a, 0) + min(t - a, 0) is the least of 0, t, a and t - a, so that the
        least and greatest a of a feature say what its best cut is worth."""
        task = self.task
        price, same = task.feature_price[node], task.same_price[node]
        neither = np.minimum(total, 0.0)
        if np.isfinite(same):
            least, most = left.min(axis=0) * task.unit, left.max(axis=0) * task.unit
            result: np.ndarray = np.minimum(np.minimum(least, total - most), neither) + same
            return result
        least = np.minimum.reduceat(left, self.start, axis=0) * task.unit
        most = np.maximum.reduceat(left, self.start, axis=0) * task.unit
        best = np.minimum(np.minimum(least, total - most), neither)
        result = (best + price[:, None]).min(axis=0)
        return result

    def _by_sums(self, left: np.ndarray, total: np.ndarray, node: int) -> np.ndarray:
        """For any number of labels."""
        task = self.task
        if task.curve is not None:
            both = task.least(left)
            both += task.least(total[:, None, :] - left)
            return np.asarray((both + self.price(node)[:, None]).min(axis=0))
        units = (np.rint(total / task.unit) if task.whole else total).astype(left.dtype)
        both = np.minimum(left.min(axis=0), 0)
        np.subtract(units[:, None, :], left, out=left)
        both += np.minimum(left.min(axis=0), 0)
        np.subtract(units[:, None, :], left, out=left)  # as it was
        same = task.same_price[node]
        if np.isfinite(same):
            result: np.ndarray = both.min(axis=0) * task.unit + same
            return result
        result = (both * task.unit + self.price(node)[:, None]).min(axis=0)
        return result
