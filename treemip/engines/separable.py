"""The best univariate tree where its value is a sum over leaves and splits, by sweeps and bounds.

The cuts of a feature at the root give nested sides. A side's optimum, leaf conditions aside, does
not fall when points join it, and falls by at most their greatest cost when they leave: so what
some cuts are worth bounds all others (the similarity bound of Demirovic et al., MurTree 2022; on
thresholds of numbers Brita et al., ConTree 2025). At depth 1 one histogram evaluates all cuts.
"""

from __future__ import annotations

import time

import numpy as np

from treemip.emit.watch import asked_to_stop
from treemip.engines.problem import Problem
from treemip.frozen import dataclass

Plan = tuple[int, "Plan", "Plan"] | int
"""A tree: the bin of a split and the two sides, or the label of a leaf."""

NONE = -1  # no split


@dataclass(frozen=True)
class Side:
    """What is known of the points on one side: relaxed is at most the optimum, leaf conditions
    aside; exact is the optimum where that is below what was asked for, else infinite."""

    relaxed: float
    exact: float
    cut: int = NONE


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
        self.evaluated = 0
        self.complete = True

    @property
    def late(self) -> bool:
        return time.perf_counter() > self.until or (np.isfinite(self.until) and asked_to_stop())

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
        stop, stop_exact = self.unsplit(total)
        if stop_exact <= exact:
            at, exact = NONE, stop_exact
        return Side(base + min(relaxed, stop), base + exact, at if np.isfinite(exact) else NONE)

    def unsplit(self, total: np.ndarray) -> tuple[float, float]:
        """All points in one leaf and none in the others, where a branch may be without a split."""
        if self.problem.unsplit is None:
            return np.inf, np.inf
        relaxed, exact = self.leaf_values(total[:, None])
        empty = self.leaf_values(np.zeros((len(total), 1)))[1][0]
        return float(relaxed[0]), float(exact[0] + (empty if np.isinf(empty) else 0.0))

    # ------------------------------------------------------------------- more levels

    def solve(self, node: int, depth: int, rows: np.ndarray, below: float) -> Side:
        """The best tree of some depth below `node` for the points `rows`, if below `below`."""
        base = float(self.costs[rows, 0].sum())
        total = self.stats[:, rows].sum(axis=1)
        if not len(rows) and self.problem.unsplit is not None:
            return self._empty(total)
        if depth == 1:
            return self.single(
                self.number(node), self.bins.histogram(self.stats, rows), total, base
            )
        return Sweep(self, node, depth, rows, below, total, base).run()

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


class Sweep:
    """All cuts of the root of a tree of depth 2 or more, by bounds from those evaluated."""

    def __init__(
        self,
        task: Separable,
        node: int,
        depth: int,
        rows: np.ndarray,
        below: float,
        total: np.ndarray,
        base: float,
    ) -> None:
        self.task, self.depth, self.rows = task, depth, rows
        self.number = task.number(node)
        topology = task.problem.topology
        self.children = int(topology.left[node]), int(topology.right[node])
        self.total, self.base, self.goal = total, base, below
        self.histogram = task.bins.histogram(task.stats, rows)
        stop, exact = task.unsplit(total)
        self.relaxed, self.best, self.cut = base + stop, base + exact, NONE

    @property
    def target(self) -> float:
        return min(self.task.below(self.best), self.goal)

    def run(self) -> Side:
        task, bins = self.task, self.task.bins
        inside = np.zeros(len(task.costs), bool)
        inside[self.rows] = True
        price = task.price[self.number]
        left = bins.cumulative(self.histogram)
        first = task.leaf_values(left)[0] + task.leaf_values(self.total[:, None] - left)[0] + price
        by_feature = np.minimum.reduceat(first, bins.start)
        for feature in np.argsort(by_feature, kind="stable"):
            if np.isfinite(by_feature[feature]):
                self._feature(int(feature), inside, first)
        exact = self.best if self.best < self.goal else np.inf
        return Side(min(self.relaxed, self.best), exact, self.cut)

    def _feature(self, feature: int, inside: np.ndarray, first: np.ndarray) -> None:
        """The cuts of one feature: those that part points, and where every branch must split, one
        cut for each way to send all points to one side."""
        task, bins = self.task, self.task.bins
        order = bins.order[feature]
        order = order[inside[order]]
        bin_of = bins.flat[feature, order]
        begin = bins.start[feature]
        end = begin + int(np.argmax(bins.last[begin:]))
        every = np.arange(begin, end)
        position = np.searchsorted(bin_of, every, side="right")
        keep = np.append(position[1:] != position[:-1], True)
        if task.problem.unsplit is not None:
            keep &= (position > 0) & (position < len(order))
        keep &= np.isfinite(task.price[self.number, every])
        cuts, position = every[keep], position[keep]
        if not len(cuts):
            return
        self._search(cuts, position, order, first[cuts])

    def _search(
        self, cuts: np.ndarray, position: np.ndarray, order: np.ndarray, first: np.ndarray
    ) -> None:
        task = self.task
        weight = np.append(0.0, np.cumsum(task.most[order]))[position]
        price = task.price[self.number, cuts]
        least = task.least_price * (2 ** (self.depth - 1) - 1)
        low, high = np.full(len(cuts), least), np.full(len(cuts), least)
        done = np.zeros(len(cuts), bool)
        pick = int(first.argmin())
        while True:
            if task.late:
                task.complete = False
                break
            left, right = self._evaluate(order, int(position[pick]), price[pick], low, high, pick)
            moved = np.abs(weight - weight[pick])
            np.maximum(low[pick:], left.relaxed, out=low[pick:])
            np.maximum(low[:pick], left.relaxed - moved[:pick], out=low[:pick])
            done[pick] = True
            if right is not None:
                np.maximum(high[: pick + 1], right.relaxed, out=high[: pick + 1])
                np.maximum(high[pick:], right.relaxed - moved[pick:], out=high[pick:])
                self._judge(int(cuts[pick]), order, int(position[pick]), left, right)
            still = np.flatnonzero((price + low + high < self.target) & ~done)
            if not len(still):
                break
            pick = int(still[len(still) // 2])
        self.relaxed = min(self.relaxed, float((price + low + high).min()))

    def _judge(self, cut: int, order: np.ndarray, position: int, left: Side, right: Side) -> None:
        """Keeps the best trees of both sides where they are better than the best so far."""
        value = self.task.price[self.number, cut] + left.exact + right.exact
        if value < self.best - 0.5 * self.task.tolerance:
            self.best, self.cut = float(value), cut

    def _evaluate(
        self,
        order: np.ndarray,
        position: int,
        price: float,
        low: np.ndarray,
        high: np.ndarray,
        pick: int,
    ) -> tuple[Side, Side | None]:
        """Both sides of a cut; the right one is None where the left one rules it out."""
        task = self.task
        sides = order[:position], order[position:]
        if self.depth > 2:
            left = task.solve(
                self.children[0], self.depth - 1, sides[0], self.target - price - high[pick]
            )
            room = self.target - price - left.relaxed
            if np.isinf(left.exact) or high[pick] >= room:
                return left, None
            return left, task.solve(self.children[1], self.depth - 1, sides[1], room)
        small = int(len(sides[1]) < len(sides[0]))
        histogram = task.bins.histogram(task.stats, sides[small])
        total = task.stats[:, sides[small]].sum(axis=1)
        base = float(task.costs[sides[small], 0].sum())
        parts = [
            (histogram, total, base),
            (self.histogram - histogram, self.total - total, self.base - base),
        ]
        if small:
            parts.reverse()
        left, right = (
            task.single(task.number(child), *part)
            if len(side) or task.problem.unsplit is None
            else task._empty(part[1])
            for child, part, side in zip(self.children, parts, sides, strict=True)
        )
        return left, right
