"""The best tree of depth 2: rounds of cuts of its first branch, all of a round at once; a single
round where features have few bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.bins import are_few
from treemip.answers.engines.plans import NONE, Side
from treemip.answers.engines.subset import Both, Subset

if TYPE_CHECKING:
    from treemip.answers.engines.separable import Separable

AT_ONCE = 256  # cuts of a branch
EXACT = 16  # of those whose relaxed value is good enough, before the others are judged by it


class TwoLevels:
    """All trees of depth 2 for some points: rounds of cuts of the first branch, evaluated together,
    with bounds on all others of the same feature from those that were."""

    def __init__(
        self,
        task: Separable,
        node: int,
        rows: np.ndarray,
        below: float,
        known: np.ndarray | None = None,
    ) -> None:
        self.task, self.rows, self.goal = task, rows, below
        self.number = task.number(node)
        self.children = task.problem.topology.children(node)
        self.numbers = task.number(self.children[0]), task.number(self.children[1])
        self.points = Subset(task, rows)
        stop, exact = map(float, task.unsplit(self.points.total))
        self.base = self.points.whole
        self.relaxed, self.best, self.cut = self.base + stop, self.base + exact, NONE
        self.known = None if known is None else known[self.points.cut]

    @property
    def target(self) -> float:
        return min(self.task.below(self.best), self.goal)

    def run(self) -> Side:
        task, points = self.task, self.points
        count = len(points.cut)
        least = task.least_price
        self.low, self.high = np.full(count, least), np.full(count, least)
        self.price = task.feature_price[self.number][points.feature]
        self._one_sided()
        self.open = ~points.ends & np.isfinite(self.price)
        first = self.base + self.price + least * 2
        first += task.leaf_values(points.sums)[0]
        first += task.leaf_values(points.total[:, None] - points.sums)[0]
        self._rounds(task.rank(np.where(self.open, first, np.inf)))
        bound = self.bound()
        allowed = ~points.ends & np.isfinite(self.price)
        self.relaxed = min(self.relaxed, float(bound[allowed].min(initial=np.inf)))
        exact = self.best if self.best < self.goal else np.inf
        return Side(min(self.relaxed, self.best), exact, self.cut, points.expand(bound, -np.inf))

    def bound(self) -> np.ndarray:
        bound = self.price + self.low + self.high
        return bound if self.known is None else np.maximum(bound, self.known)

    def _rounds(self, first: np.ndarray) -> None:
        """first float64 (B,): how good cuts are by themselves."""
        if not len(first):
            return
        task = self.task
        at_once = self._at_once()
        picks = self._all_open() if at_once else self._starts(first)
        while len(picks):
            if task.late:
                task.complete = False
                return
            self._evaluate(picks)
            picks = self._middles() if not at_once else picks[:0]

    def _at_once(self) -> bool:
        bins, features = len(self.points.cut), len(self.points.bin)
        return are_few(bins, features, len(self.rows), self.task.per_pair)

    def _all_open(self) -> np.ndarray:
        return np.flatnonzero(self.open & (self.bound() < self.target))

    def _starts(self, first: np.ndarray) -> np.ndarray:
        """The best cut of each feature that is not ruled out."""
        possible = np.where(self.bound() < self.target, first, np.inf)
        least = np.minimum.reduceat(possible, self.points.start)[self.points.feature]
        best = np.flatnonzero((possible == least) & np.isfinite(possible))
        feature = self.points.feature[best]
        return best[np.append(True, feature[1:] != feature[:-1])] if len(best) else best

    def _middles(self) -> np.ndarray:
        """The middle of each run of cuts that are left, those of the least bounds."""
        bound = self.bound()
        left = np.flatnonzero(self.open & (bound < self.target))
        if not len(left):
            return left
        feature = self.points.feature[left]
        new = np.append(True, (np.diff(left) > 1) | (np.diff(feature) > 0))
        begin = np.flatnonzero(new)
        end = np.append(begin[1:], len(left))
        picks = left[(begin + end) // 2]
        if len(picks) > AT_ONCE:
            picks = np.sort(
                picks[np.argsort(self.task.rank(bound[picks]), kind="stable")[:AT_ONCE]]
            )
        return picks

    def _evaluate(self, picks: np.ndarray) -> None:
        task = self.task
        task.evaluated += 2 * len(picks)
        both = self.points.both_sides(picks, self.numbers)
        np.maximum.at(self.low, picks, both.left)
        np.maximum.at(self.high, picks, both.right)
        self.open[picks] = False
        self._spread()
        if task.plain:
            self._judge_all(picks, both)
            return
        relaxed = self.price[picks] + both.left + both.right
        order = np.argsort(task.rank(relaxed), kind="stable")
        for some in np.split(order, np.arange(EXACT, len(order), EXACT)):
            better = some[relaxed[some] < self.target]
            if not len(better):
                break
            if task.late:
                task.complete = False
                break
            self._judge_all(picks[better], self.points.exact_sides(picks[better], self.numbers))

    def _judge_all(self, picks: np.ndarray, both: Both) -> None:
        value = self.price[picks] + both.left_exact + both.right_exact
        for one in np.argsort(self.task.rank(value), kind="stable"):
            if not value[one] < self.best - 0.5 * self.task.tolerance or not self._judge(
                int(picks[one]), float(both.left_exact[one]), float(both.right_exact[one])
            ):
                break

    def _spread(self) -> None:
        """Bounds of all cuts from those of others: sides that grow cost no less, and those that
        lose points at most what these may cost."""
        if not np.isfinite(self.low).all():  # infinite bounds would turn the shifts below into nan
            return
        weight, feature = self.points.weight, self.points.feature
        apart = (2.0 * float(weight.max(initial=0.0)) + 1.0 + 4 * np.abs(self.low).max()) * 2
        shift = apart * feature
        low = np.maximum.accumulate(self.low + shift) - shift
        falling = (low - weight - shift)[::-1]
        self.low = np.maximum(low, np.maximum.accumulate(falling)[::-1] + weight + shift)
        high = np.maximum.accumulate((self.high - shift)[::-1])[::-1] + shift
        rising = np.maximum.accumulate(high + weight + shift) - weight - shift
        self.high = np.maximum(high, rising)

    def _judge(self, pick: int, left: float, right: float) -> bool:
        """Keeps the best trees of both sides of a cut; whether to look at another one."""
        self.best = float(self.price[pick] + left + right)
        self.cut = int(self.points.cut[pick])
        self.task.report(2, self.best)
        return False

    def _one_sided(self) -> None:
        """Where every branch must split: all points on one side, by a threshold beyond them."""
        task, points = self.task, self.points
        if task.problem.unsplit is not None:
            return
        bins = task.bins
        last = points.cut[points.ends]
        first = points.cut[points.start]
        price = task.feature_price[self.number]
        nobody = np.zeros(0, int)
        for side, possible, cut in (
            (0, ~bins.last[last], last),
            (1, first > bins.start, first - 1),
        ):
            allowed = possible & np.isfinite(price)
            if not allowed.any():
                continue
            whole = task.subtree(self.children[side], 1, self.rows, np.inf)
            empty = task.subtree(self.children[1 - side], 1, nobody, np.inf)
            best = float(price[allowed].min())
            self.relaxed = min(self.relaxed, best + whole.relaxed + empty.relaxed)
            parts = [(self.rows, whole), (nobody, empty)][:: 1 if side == 0 else -1]
            (left, low), (right, high) = parts
            self._keep_one_sided(cut[allowed], (left, right), low, high)

    def _keep_one_sided(
        self, cuts: np.ndarray, sides: tuple[np.ndarray, np.ndarray], left: Side, right: Side
    ) -> None:
        price = self.task.price[self.number, cuts]
        value = float(price.min() + left.exact + right.exact)
        if value < self.best - 0.5 * self.task.tolerance:
            self.best, self.cut = value, int(cuts[price.argmin()])
