"""The best tree of depth 3 or more: feature by feature, each cut bounding its neighbours."""

from __future__ import annotations

from bisect import bisect, insort
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treemip.engines.plans import NONE, Side
from treemip.engines.subset import Subset

if TYPE_CHECKING:
    from treemip.engines.separable import Separable

NEIGHBOURS = 4  # whose bounds a cut inherits


class Sweep:
    """All cuts of the first branch of a tree of depth 3 or more, by bounds from those evaluated."""

    def __init__(
        self, task: Separable, node: int, depth: int, rows: np.ndarray, below: float
    ) -> None:
        self.task, self.depth, self.rows, self.goal = task, depth, rows, below
        self.number = task.number(node)
        topology = task.problem.topology
        self.children = int(topology.left[node]), int(topology.right[node])
        self.points = Subset(task, rows)
        stop, exact = map(float, task.unsplit(self.points.total))
        base = self.points.whole
        self.relaxed, self.best, self.cut = base + stop, base + exact, NONE
        self.below: tuple[Side, Side] | None = None
        self.similar = self._similar()
        self.features: list[FeatureCuts] = []

    @property
    def target(self) -> float:
        return min(self.task.below(self.best), self.goal)

    def run(self) -> Side:
        task, points = self.task, self.points
        price = task.feature_price[self.number][points.feature]
        first = task.leaf_values(points.sums)[0] + price
        first += task.leaf_values(points.total[:, None] - points.sums)[0]
        first = task.rank(first)
        least = np.minimum.reduceat(first, points.start)
        self.features = features = [
            FeatureCuts(self, int(f), first)
            for f in np.argsort(least, kind="stable")
            if np.isfinite(least[f])
        ]
        for one in features:
            if len(one.cuts) and not task.late:
                one.begin()
        for one in features:
            one.run()
            self.relaxed = min(self.relaxed, one.bound())
        exact = self.best if self.best < self.goal else np.inf
        return Side(min(self.relaxed, self.best), exact, self.cut, below=self.below)

    def judge(self, cuts: FeatureCuts, pick: int, left: Side, right: Side) -> None:
        """Keeps the best trees of both sides of a cut."""
        value = cuts.price[pick] + left.exact + right.exact
        if value < self.best - 0.5 * self.task.tolerance:
            self.best, self.cut = float(value), int(cuts.cuts[pick])
            self.below = replace(left, bound=None), replace(right, bound=None)
            self.task.report(self.depth, self.best)

    def _similar(self) -> tuple[Similar, Similar]:
        """Of the left and of the right child, the same where splits below both cost the same."""
        task, one = self.task, Similar(self.task)
        topology, price = task.problem.topology, task.feature_price
        pairs = np.array(self.children)[:, None]  # the same places below each child
        while not topology.is_leaf[pairs].any():
            left, right = price[np.searchsorted(topology.branches, pairs)]
            if (left != right).any():
                return one, Similar(task)
            pairs = np.hstack([topology.left[pairs], topology.right[pairs]])
        return one, one

    def report_bound(self) -> None:
        """Reports what is ruled out so far, where this is the whole tree and a report is due."""
        task = self.task
        whole = task.above_root is not None and self.depth == task.problem.depth
        if whole and task.problem.reports.due:
            low = min([self.relaxed, self.best, *(one.bound() for one in self.features)])
            task.problem.reports.ruled_out(low + (task.above_root or 0.0))


class Similar:
    """Points whose best tree is known; those of others lack at most what the points in which they
    differ may cost."""

    def __init__(self, task: Separable) -> None:
        self.most = task.most
        self.inside: list[np.ndarray] = []
        self.worth: list[float] = []

    def add(self, rows: np.ndarray, worth: float) -> None:
        inside = np.zeros(len(self.most), bool)
        inside[rows] = True
        self.inside.append(inside)
        self.worth.append(worth)

    def bounds(self, order: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the first points of an order, and of the others, for each position; float64 (c,)."""
        if not self.inside:
            none = np.full(len(position), -np.inf)
            return none, none
        low, high = [], []
        for start in range(0, len(self.inside), 64):
            some = np.array(self.inside[start : start + 64])[:, order]
            worth = np.array(self.worth[start : start + 64])[:, None]
            within = np.cumsum(some * self.most[order], axis=1)
            whole, within = within[:, -1:], np.pad(within, ((0, 0), (1, 0)))[:, position]
            low.append((worth - (whole - within)).max(axis=0))
            high.append((worth - within).max(axis=0))
        return np.max(low, axis=0), np.max(high, axis=0)


class FeatureCuts:
    """The cuts of one feature at the root: those that part points, and where every branch must
    split, one for each way to send all points to one side."""

    def __init__(self, sweep: Sweep, feature: int, first: np.ndarray) -> None:
        task = sweep.task
        bins = task.bins
        self.sweep, self.task = sweep, task
        self.order = sweep.rows[sweep.points.order[feature]]
        bin_of = bins.flat[feature, self.order]
        begin = bins.start[feature]
        every = np.arange(begin, begin + int(np.argmax(bins.last[begin:])))
        position = np.searchsorted(bin_of, every, side="right")
        keep = np.append(position[1:] != position[:-1], True)[: len(every)]
        if task.problem.unsplit is not None:
            keep &= (position > 0) & (position < len(self.order))
        keep &= np.isfinite(task.price[sweep.number, every])
        self.cuts, self.position = every[keep], position[keep]
        self.first = sweep.points.expand(first, np.inf)[self.cuts]
        count = len(self.cuts)
        self.weight = np.append(0.0, np.cumsum(task.most[self.order]))[self.position]
        self.price = task.price[sweep.number, self.cuts]
        least = task.least_price * (2 ** (sweep.depth - 1) - 1)
        self.low, self.high = np.full(count, least), np.full(count, least)
        self.done = np.zeros(count, bool)
        self.known: tuple[dict[int, np.ndarray], dict[int, np.ndarray]] = ({}, {})
        self.evaluated: tuple[list[int], list[int]] = ([], [])  # cuts with known sides, in order

    def bound(self) -> float:
        return float((self.price + self.low + self.high).min(initial=np.inf))

    def begin(self) -> None:
        """Evaluates the cut that is best by its own leaves, unless others rule it out."""
        self._by_similar()
        first = int(self.first.argmin())
        if self.price[first] + self.low[first] + self.high[first] < self.sweep.target:
            self.step(first)

    def _by_similar(self) -> None:
        sweep = self.sweep
        of_left, of_right = sweep.similar
        low, high = of_left.bounds(self.order, self.position)
        if of_right is not of_left:
            high = of_right.bounds(self.order, self.position)[1]
        np.maximum(self.low, low, out=self.low)
        np.maximum(self.high, high, out=self.high)

    def run(self) -> None:
        task, sweep = self.task, self.sweep
        if not len(self.cuts):
            return
        self._by_similar()
        while True:
            left = np.flatnonzero((self.price + self.low + self.high < sweep.target) & ~self.done)
            if not len(left):
                break
            sweep.report_bound()
            if task.late:
                task.complete = False
                return
            self.step(int(left[len(left) // 2]))
        for known in self.known:
            known.clear()

    def step(self, pick: int) -> None:
        """Evaluates a cut, and bounds all others by it."""
        left, right = self._evaluate(pick)
        moved = np.abs(self.weight - self.weight[pick])
        low, high = self.low, self.high
        np.maximum(low[pick:], left.relaxed, out=low[pick:])
        np.maximum(low[:pick], left.relaxed - moved[:pick], out=low[:pick])
        self.done[pick] = True
        for side, one in enumerate((left, right)):
            if one is not None and one.bound is not None:
                self.known[side][pick] = one.bound
                insort(self.evaluated[side], pick)
        sweep = self.sweep
        if right is None:
            return
        np.maximum(high[: pick + 1], right.relaxed, out=high[: pick + 1])
        np.maximum(high[pick:], right.relaxed - moved[pick:], out=high[pick:])
        sweep.judge(self, pick, left, right)

    def _evaluate(self, pick: int) -> tuple[Side, Side | None]:
        """Both sides of a cut; the right one is None where the left one rules it out."""
        task, sweep = self.task, self.sweep
        rows = self.order[: self.position[pick]], self.order[self.position[pick] :]
        rest = sweep.target - self.price[pick]
        depth = sweep.depth - 1
        goal = rest - self.high[pick]
        left = task.solve(sweep.children[0], depth, rows[0], goal, self._inherited(pick, 0))
        sweep.similar[0].add(rows[0], left.relaxed)
        room = rest - left.relaxed
        if np.isinf(left.exact) or self.high[pick] >= room:
            return left, None
        right = task.solve(sweep.children[1], depth, rows[1], room, self._inherited(pick, 1))
        sweep.similar[1].add(rows[1], right.relaxed)
        return left, right

    def _inherited(self, pick: int, side: int) -> np.ndarray | None:
        """What trees with each cut at the child are worth at least, from neighbouring cuts."""
        known, cuts = self.known[side], self.evaluated[side]
        if not known:
            return None
        at = bisect(cuts, pick)
        near = cuts[max(0, at - NEIGHBOURS) : at + NEIGHBOURS]
        near = sorted(near, key=lambda k: abs(k - pick))[:NEIGHBOURS]
        best = np.full(self.task.bins.count, -np.inf)
        for one in near:
            bound = known[one]
            larger = (one > pick) == (side == 0)
            moved = abs(self.weight[one] - self.weight[pick]) if larger else 0.0
            np.maximum(best, bound - moved, out=best)
        return best
