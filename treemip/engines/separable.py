"""The best univariate tree where its value is a sum over leaves and splits, by sweeps and bounds.

The cuts of a feature at the root give nested sides. A side's optimum, leaf conditions aside, does
not fall when points join it, and falls by at most their greatest cost when they leave: so what
some cuts are worth bounds all others (the similarity bound of Demirovic et al., MurTree 2022; on
thresholds of numbers Brita et al., ConTree 2025). At depth 1 one histogram evaluates all cuts.
"""

from __future__ import annotations

import time

import numpy as np

from treemip.engines.problem import Bins, Problem
from treemip.engines.subset import Subset
from treemip.frozen import dataclass

Plan = tuple[int, "Plan", "Plan"] | int
"""A tree: the bin of a split and the two sides, or the label of a leaf."""

NONE = -1  # no split
NEIGHBOURS = 4  # whose bounds a cut inherits
AT_ONCE = 256  # cuts of a branch
VALUES = 60  # of a feature, on average, up to which matrix products pay
LARGE = 1 << 30  # sums that 32 bits hold
PRODUCT = 1 << 23  # cells of the indicator matrix, at most


@dataclass(frozen=True)
class Side:
    """What is known of the points on one side: relaxed is at most the optimum, leaf conditions
    aside; exact is the optimum where that is below what was asked for, else infinite. bound float64
    (B,): what trees with each cut at the first branch are at least worth; None where unknown."""

    relaxed: float
    exact: float
    cut: int = NONE
    bound: np.ndarray | None = None


class Separable:
    """costs float64 (M, K) of each point by label; price (branches, B) of a split behind each bin,
    infinite where none is allowed. `until`: time.perf_counter() when it must stop."""

    def __init__(
        self, problem: Problem, costs: np.ndarray, price: np.ndarray, until: float = np.inf
    ) -> None:
        self.problem, self.bins, self.until = problem, problem.bins, until
        least = costs.min(axis=1)
        self.constant = float(least.sum())
        self.costs = costs - least[:, None]
        self.most = self.costs.max(axis=1)
        self.price = np.where(self.bins.last, np.inf, price)
        finite = self.price[np.isfinite(self.price)]
        self.least_price = min(0.0, float(finite.min(initial=0.0)))
        self.feature_price = self.price[:, self.bins.start]
        self.same_price = [
            float(p[0]) if len(p) and (p == p[0]).all() else np.nan
            for p in self.price[:, ~self.bins.last]
        ]
        self.labels = costs.shape[1]
        conditions = problem.conditions
        self.has_conditions = bool(len(conditions.low))
        self.leaf_price = float(problem.by_leaf[0])
        self.plain = not self.has_conditions and self.leaf_price == 0
        differences = (self.costs[:, 1:] - self.costs[:, :1]).T
        extra = [] if self.plain else [*conditions.stats, problem.count]
        self.stats = np.array([*differences, *extra]).reshape(-1, len(costs))
        self.step = _step(self.costs, self.price, self.leaf_price)
        self.tolerance = 1e-9 * max(1.0, float(self.most.sum()))
        self.unit, self.units, self.whole = 1.0, self.stats, False
        if self.plain and self.step and np.abs(self.stats).sum() / self.step < LARGE:
            self.whole, self.unit = True, self.step
            self.units = np.rint(self.stats / self.step).astype(np.int32)
        self.indicators = _indicators(self.bins, self.units)
        self.evaluated = 0
        self.complete = True

    @property
    def late(self) -> bool:
        return time.perf_counter() > self.until

    def below(self, best: float) -> float:
        """A bound from here on shows that nothing better than `best` is to come."""
        if np.isinf(best):
            return best
        return best - self.step + self.tolerance if self.step else best - self.tolerance

    # ------------------------------------------------------------------ one split

    def leaf_values(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Leaves' values but for the cost of label 0, relaxed and exact; sums float64 (s, ...)."""
        k = self.labels - 1
        relaxed = np.minimum(sums[:k].min(axis=0), 0.0) if k else np.zeros(sums.shape[1:])
        if self.plain:
            return relaxed, relaxed
        count = sums[-1]
        exact = relaxed + self.leaf_price * (count > 0.5)
        if self.has_conditions:
            exact = np.where(self.problem.conditions.hold(sums[k:-1], count), exact, np.inf)
        return relaxed, exact

    def single(self, node: int, histogram: np.ndarray, total: np.ndarray, base: float) -> Side:
        """The best tree of depth 1 below `node`; base is the cost of label 0 for all points."""
        self.evaluated += 1
        left = self.bins.cumulative(histogram)
        low, low_exact = self.leaf_values(left)
        high, high_exact = self.leaf_values(total[:, None] - left)
        values = low + high + self.price[node]
        relaxed = float(values.min())
        if self.plain:
            at, exact = int(values.argmin()), relaxed
        else:
            values = low_exact + high_exact + self.price[node]
            at = int(values.argmin())
            exact = float(values[at])
        stop, stop_exact = map(float, self.unsplit(total))
        if stop_exact <= exact:
            at, exact = NONE, stop_exact
        return Side(base + min(relaxed, stop), base + exact, at if np.isfinite(exact) else NONE)

    def unsplit(self, total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All points in one leaf and none in the others, where a branch may be without a split;
        total float64 (s, ...)."""
        if self.problem.unsplit is None:
            never = np.full(total.shape[1:], np.inf)
            return never, never
        relaxed, exact = self.leaf_values(total)
        empty = self.leaf_values(np.zeros((len(total), 1)))[1][0]
        return relaxed, exact + (empty if np.isinf(empty) else 0.0)

    # ------------------------------------------------------------------- more levels

    def solve(
        self,
        node: int,
        depth: int,
        rows: np.ndarray,
        below: float,
        known: np.ndarray | None = None,
    ) -> Side:
        """The best tree of some depth below `node` for the points `rows`, if below `below`.

        known float64 (B,): what trees with each cut at `node` are at least worth.
        """
        base = float(self.costs[rows, 0].sum())
        total = self.stats[:, rows].sum(axis=1)
        if not len(rows) and self.problem.unsplit is not None:
            return self._empty(total)
        if depth == 1:
            return self.single(
                self.number(node), self.bins.histogram(self.stats, rows), total, base
            )
        if depth == 2:
            return TwoLevels(self, node, rows, below, known).run()
        return Sweep(self, node, depth, rows, below).run()

    def found(self, node: int, depth: int, rows: np.ndarray, side: Side) -> Plan:
        """The plan, for which there is always time."""
        complete, until = self.complete, self.until
        self.until = np.inf
        plan = self.plan(node, depth, rows, side)
        self.complete, self.until = complete, until
        return plan

    def plan(self, node: int, depth: int, rows: np.ndarray, side: Side) -> Plan:
        """The tree that `solve` found for these points; side.cut says its first split."""
        if depth == 0 or side.cut == NONE:
            return self.label(rows)
        bins, topology = self.bins, self.problem.topology
        left = bins.flat[bins.feature[side.cut], rows] <= side.cut
        below: list[Plan] = []
        for child, part in zip(
            (topology.left[node], topology.right[node]), (rows[left], rows[~left]), strict=True
        ):
            if depth == 1:
                below.append(self.label(part))
                continue
            found = self.solve(int(child), depth - 1, part, np.inf)
            below.append(self.plan(int(child), depth - 1, part, found))
        return side.cut, below[0], below[1]

    def label(self, rows: np.ndarray) -> int:
        return int(self.costs[rows].sum(axis=0).argmin())

    def _empty(self, total: np.ndarray) -> Side:
        """No points: any splits, all free where a branch may be without."""
        exact = float(self.leaf_values(total[:, None])[1][0])
        return Side(0.0, exact if np.isinf(exact) else 0.0)

    def number(self, node: int) -> int:
        return int(np.searchsorted(self.problem.topology.branches, node))


def _indicators(bins: Bins, units: np.ndarray) -> np.ndarray | None:
    """Whether points go left of cuts, (M, B) in the shortest type whose sums are exact; None where
    features have so many values that cumulative sums are faster anyway."""
    points = bins.flat.shape[1]
    if bins.count > VALUES * len(bins.start) or points * bins.count > PRODUCT:
        return None
    short = units.dtype == np.int32 and np.abs(units).sum(axis=1).max(initial=0) < 1 << 24
    left = np.empty((points, bins.count), np.float32 if short else np.float64)
    ends = np.append(bins.start[1:], bins.count)
    for flat, start, end in zip(bins.flat, bins.start, ends, strict=True):
        left[:, start:end] = flat[:, None] <= np.arange(start, end)
    return left


def _step(costs: np.ndarray, price: np.ndarray, leaf: float) -> float:
    """A number that all costs and prices are whole multiples of, 0 where none is known."""
    finite = price[np.isfinite(price)]
    sizes = np.unique(np.abs(np.concatenate([costs.ravel(), np.unique(finite), [leaf]])))
    sizes = sizes[sizes > 1e-12]
    if not len(sizes):
        return 0.0
    ratio = sizes / sizes[0]
    whole = np.abs(ratio - np.round(ratio)).max() < 1e-9 and ratio[-1] < 1e6
    return float(sizes[0]) if whole else 0.0


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
        topology = task.problem.topology
        self.children = int(topology.left[node]), int(topology.right[node])
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
        self._rounds(np.where(self.open, first, np.inf))
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
        picks = self._starts(first)
        while len(picks):
            if task.late:
                task.complete = False
                return
            self._evaluate(picks)
            picks = self._middles()

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
            picks = np.sort(picks[np.argsort(bound[picks], kind="stable")[:AT_ONCE]])
        return picks

    def _evaluate(self, picks: np.ndarray) -> None:
        task = self.task
        task.evaluated += 2 * len(picks)
        both = self.points.both_sides(picks, self.numbers)
        np.maximum.at(self.low, picks, both.left)
        np.maximum.at(self.high, picks, both.right)
        self.open[picks] = False
        self._spread()
        value = self.price[picks] + both.left_exact + both.right_exact
        for one in np.argsort(value, kind="stable"):
            if not value[one] < self.best - 0.5 * task.tolerance or not self._judge(
                int(picks[one]), float(both.left_exact[one]), float(both.right_exact[one])
            ):
                break

    def _spread(self) -> None:
        """Bounds of all cuts from those of others: sides that grow cost no less, and those that
        lose points at most what these may cost."""
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
            whole = task.solve(self.children[side], 1, self.rows, np.inf)
            empty = task.solve(self.children[1 - side], 1, nobody, np.inf)
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


class Sweep:
    """All cuts of the root of a tree of depth 3, by bounds from those evaluated."""

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
        self.similar = Similar(task)

    @property
    def target(self) -> float:
        return min(self.task.below(self.best), self.goal)

    def run(self) -> Side:
        task, points = self.task, self.points
        price = task.feature_price[self.number][points.feature]
        first = task.leaf_values(points.sums)[0] + price
        first += task.leaf_values(points.total[:, None] - points.sums)[0]
        least = np.minimum.reduceat(first, points.start)
        features = [
            FeatureCuts(self, int(f), first)
            for f in np.argsort(least, kind="stable")
            if np.isfinite(least[f])
        ]
        for one in features:
            if len(one.cuts) and not task.late:
                one.step(int(one.first.argmin()))
        for one in features:
            one.run()
            self.relaxed = min(self.relaxed, one.bound())
        exact = self.best if self.best < self.goal else np.inf
        return Side(min(self.relaxed, self.best), exact, self.cut)


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
        self.order = bins.order[feature]
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
        self.known: dict[int, tuple[np.ndarray | None, np.ndarray | None]] = {}

    def bound(self) -> float:
        return float((self.price + self.low + self.high).min(initial=np.inf))

    def run(self) -> None:
        task, sweep = self.task, self.sweep
        if not len(self.cuts):
            return
        low, high = sweep.similar.bounds(self.order, self.position)
        np.maximum(self.low, low, out=self.low)
        np.maximum(self.high, high, out=self.high)
        while True:
            left = np.flatnonzero((self.price + self.low + self.high < sweep.target) & ~self.done)
            if not len(left):
                break
            if task.late:
                task.complete = False
                return
            self.step(int(left[len(left) // 2]))
        self.known.clear()

    def step(self, pick: int) -> None:
        """Evaluates a cut, and bounds all others by it."""
        left, right = self._evaluate(pick)
        moved = np.abs(self.weight - self.weight[pick])
        low, high = self.low, self.high
        np.maximum(low[pick:], left.relaxed, out=low[pick:])
        np.maximum(low[:pick], left.relaxed - moved[:pick], out=low[:pick])
        self.done[pick] = True
        self.known[pick] = left.bound, None if right is None else right.bound
        sweep = self.sweep
        if right is None:
            return
        np.maximum(high[: pick + 1], right.relaxed, out=high[: pick + 1])
        np.maximum(high[pick:], right.relaxed - moved[pick:], out=high[pick:])
        value = self.price[pick] + left.exact + right.exact
        if value < sweep.best - 0.5 * self.task.tolerance:
            sweep.best, sweep.cut = float(value), int(self.cuts[pick])

    def _evaluate(self, pick: int) -> tuple[Side, Side | None]:
        """Both sides of a cut; the right one is None where the left one rules it out."""
        task, sweep = self.task, self.sweep
        rows = self.order[: self.position[pick]], self.order[self.position[pick] :]
        rest = sweep.target - self.price[pick]
        depth = sweep.depth - 1
        goal = rest - self.high[pick]
        left = task.solve(sweep.children[0], depth, rows[0], goal, self._inherited(pick, 0))
        sweep.similar.add(rows[0], left.relaxed)
        room = rest - left.relaxed
        if np.isinf(left.exact) or self.high[pick] >= room:
            return left, None
        right = task.solve(sweep.children[1], depth, rows[1], room, self._inherited(pick, 1))
        sweep.similar.add(rows[1], right.relaxed)
        return left, right

    def _inherited(self, pick: int, side: int) -> np.ndarray | None:
        """What trees with each cut at the child are worth at least, from neighbouring cuts."""
        known = [k for k in self.known if self.known[k][side] is not None]
        if not known:
            return None
        near = sorted(known, key=lambda k: abs(k - pick))[:NEIGHBOURS]
        best = np.full(self.task.bins.count, -np.inf)
        for one in near:
            bound = self.known[one][side]
            assert bound is not None
            larger = (one > pick) == (side == 0)
            moved = abs(self.weight[one] - self.weight[pick]) if larger else 0.0
            np.maximum(best, bound - moved, out=best)
        return best
