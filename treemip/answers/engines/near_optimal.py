"""All trees of depth 1 or 2 nearly as good as the best one, where objectives are separable.

Every cut of the root that a bound does not rule out is joined with all pairs of trees of depth 1
below it. Trees are different if they partition the points differently: splits in the same gap
between points count once. Leaves have the best labels, and where several are equally good,
different ones on the two sides of a split; a branch whose two leaves must have one label counts as
no split.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from treemip.answers.engines.engine import Listing
from treemip.answers.engines.own_rows import Summed
from treemip.answers.engines.plans import NONE, Plan, Side
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.separable import Separable
from treemip.answers.engines.subset import Subset
from treemip.answers.engines.two_levels import TwoLevels
from treemip.answers.engines.univariate import candidate, separable
from treemip.core.instance.instance import Instance

SPARE = 4  # times as many trees as asked for are held before the worst are let go
DEEPEST = 2


@dataclass(frozen=True)
class Options:
    """Trees of depth at most 1 for some points, by increasing value float64 (n,). cut int64 (n,):
    the bin of the split, NONE where there is none; labels int64 (n, 2) of its two leaves, or where
    the points have one label, two that are equally good for all of them. alike bool (n,): whether
    they have one label."""

    value: np.ndarray
    cut: np.ndarray
    labels: np.ndarray
    alike: np.ndarray

    def plan(self, one: int, choice: int = 0) -> Plan:
        """choice: which of two equally good labels a single leaf has."""
        left, right = (int(k) for k in self.labels[one])
        if self.alike[one]:
            left = right = (left, right)[choice]
        return (int(self.cut[one]), left, right) if self.cut[one] != NONE else left

    def take(self, which: np.ndarray) -> Options:
        return Options(self.value[which], self.cut[which], self.labels[which], self.alike[which])


def near_optimal(
    instance: Instance, spec: Summed, worst: float, most: int, seconds: float
) -> Listing:
    """The trees whose objective is no worse than `worst`.

    worst: in the objective's own sense. most: the number of
    trees, the best ones where there are more. Call it where `fits` has no objection. Raises Refusal
    where rows couple the leaves, the tree is deeper than 2, or no tree says what the objective is.
    """
    if spec.lowered:
        raise Refusal(f"what a tree is worth depends on '{next(iter(spec.lowered))}'")
    until = time.perf_counter() + seconds
    sums = spec.sums
    problem = problem_of(instance, sums, joined=False)
    if problem.by_depth is not None:
        raise Refusal("branches differ in price")
    if problem.coupled or problem.depth > DEEPEST:
        raise Refusal(f"it lists trees of depth 1 to {DEEPEST} whose leaves no constraint couples")
    task = separable(problem, until)
    constant = float(problem.constant[0]) + task.constant
    best = BestTrees(task, sums.sign * worst - constant + task.tolerance, most)
    if problem.depth == 1:
        options = options_of(task, 0, np.arange(len(spec.x)))
        for one in range(int(np.searchsorted(options.value, best.limit, side="right"))):
            best.add(float(options.value[one]), options.plan(one))
    else:
        Enumeration(task, best).run()
    best.shorten()
    trees = [candidate(problem, plan) for _, plan in best.trees]
    values = np.array([value for value, _ in best.trees]) + constant
    return Listing(trees, values, task.complete, best.dropped)


class BestTrees:
    """The best trees so far, at most `most` of them in the end; limit: the greatest value kept."""

    def __init__(self, task: Separable, limit: float, most: int) -> None:
        self.limit, self.most, self.tolerance = limit, most, task.tolerance
        self.trees: list[tuple[float, Plan]] = []
        self.dropped = False

    def add(self, value: float, plan: Plan) -> None:
        self.trees.append((value, plan))
        if len(self.trees) > SPARE * self.most:
            self.shorten()

    def shorten(self) -> None:
        self.trees.sort(key=lambda pair: pair[0])
        if len(self.trees) > self.most:
            self.dropped = True
            self.trees = self.trees[: self.most]
            self.limit = self.trees[-1][0] + self.tolerance if self.trees else -np.inf


def options_of(task: Separable, node: int, rows: np.ndarray) -> Options:
    """All trees of depth at most 1 below a node for the points `rows`."""
    points, number = Subset(task, rows), task.number(node)
    left, right = points.sums, points.total[:, None] - points.sums
    relaxed, exact = map(np.add, task.leaf_values(left), task.leaf_values(right))
    price = points.whole + points.price(number)
    labels, differ = _apart(_best_labels(task, left), _best_labels(task, right))
    split = np.flatnonzero(np.isfinite(exact + price) & differ & ~points.ends)
    options = Options(
        (exact + price)[split], points.cut[split], labels[split], np.zeros(len(split), bool)
    )
    single = _single(task, points, exact - relaxed + price)
    if np.isfinite(single.value[0]):
        pairs = ((a, getattr(single, name)) for name, a in vars(options).items())
        options = Options(*(np.concatenate(pair) for pair in pairs))
    return options.take(np.argsort(options.value, kind="stable"))


def _single(task: Separable, points: Subset, price: np.ndarray) -> Options:
    """One label for all points: without a split, or where there must be one, by the cheapest.

    price float64 (B,): of each split, and of its two leaves but for their labels' costs.
    """
    total = points.total[:, None]
    best = _best_labels(task, total)[0]
    value, cut = points.whole + float(task.unsplit(points.total)[1]), NONE
    if task.problem.unsplit is None and len(price):
        cheapest = np.flatnonzero(price == price.min())
        at = int(cheapest[points.ends[cheapest].argmax()])  # one that parts nothing, if possible
        value = float(price[at] + task.leaf_values(total)[0][0])
        cut = int(points.cut[at])
    return Options(np.array([value]), np.array([cut]), best[None], np.array([True]))


def _best_labels(task: Separable, sums: np.ndarray) -> np.ndarray:
    """The first and the last of the cheapest labels of leaves, int64 (n, 2)."""
    costs = np.concatenate([np.zeros((1, sums.shape[1])), sums[: task.labels - 1]])
    cheapest = costs <= costs.min(axis=0) + task.tolerance
    last = task.labels - 1 - cheapest[::-1].argmax(axis=0)
    return np.column_stack([cheapest.argmax(axis=0), last])


def _apart(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One of the cheapest labels for each side, int64 (n, 2), different ones where there are such,
    and whether there are, bool (n,). left, right int64 (n, 2): the first and last of each."""
    labels = np.column_stack([left[:, 0], right[:, 0]])
    for a, b in ((0, 1), (1, 0)):
        same = labels[:, 0] == labels[:, 1]
        labels[same] = np.column_stack([left[:, a], right[:, b]])[same]
    return labels, labels[:, 0] != labels[:, 1]


class Enumeration(TwoLevels):
    """All trees of depth 2 up to a limit."""

    def __init__(self, task: Separable, best: BestTrees) -> None:
        self.trees = best
        super().__init__(task, 0, np.arange(len(task.costs)), np.inf)
        self.single = self.base + float(task.unsplit(self.points.total)[1])
        self.single_plan: Plan = task.label(self.rows)
        self.best = np.inf

    def run(self) -> Side:
        side = super().run()
        if self.single <= self.trees.limit:
            self.trees.add(self.single, self.single_plan)
        return side

    @property
    def target(self) -> float:
        return self.trees.limit

    def _keep_one_sided(
        self, cuts: np.ndarray, sides: tuple[np.ndarray, np.ndarray], left: Side, right: Side
    ) -> None:
        """Those trees tell the same apart as others whose root parts points."""

    def _judge(self, pick: int, left: float, right: float) -> bool:
        price = float(self.price[pick])
        if price + left + right > self.trees.limit:
            return False
        goes = self.points.bin[self.points.feature[pick]] <= pick
        low = options_of(self.task, self.children[0], self.rows[goes])
        high = options_of(self.task, self.children[1], self.rows[~goes])
        if self.task.problem.unsplit is None:
            self._one_label(pick, low, high)
        self._pairs(int(self.points.cut[pick]), price, low, high)
        return True

    def _one_label(self, pick: int, low: Options, high: Options) -> None:
        """The tree that has this split, though all leaves have one label."""
        one, other = np.flatnonzero(low.alike), np.flatnonzero(high.alike)
        if not len(one) or not len(other):
            return
        left = self.points.sums[:, pick]
        sides = (self.points.total, left, self.points.total - left)
        whole, first, second = (float(self.task.leaf_values(s[:, None])[0][0]) for s in sides)
        value = float(self.price[pick] + low.value[one[0]] + high.value[other[0]])
        value += whole - first - second
        if value < self.single:
            label = self.task.label(self.rows)
            below: list[Plan] = [
                (int(cut), label, label) for cut in (low.cut[one[0]], high.cut[other[0]])
            ]
            self.single = value
            self.single_plan = int(self.points.cut[pick]), below[0], below[1]

    def _pairs(self, cut: int, price: float, low: Options, high: Options) -> None:
        """All pairs of trees of the two sides up to the limit, the best first."""
        for one in range(len(low.value)):
            value = price + low.value[one] + high.value
            for other in range(int(np.searchsorted(value, self.trees.limit, side="right"))):
                if value[other] > self.trees.limit:
                    break
                self._pair(float(value[other]), cut, (low, one), (high, other))
            if self.task.late:
                self.task.complete = False
                return

    def _pair(
        self, value: float, cut: int, low: tuple[Options, int], high: tuple[Options, int]
    ) -> None:
        (first, one), (second, other) = low, high
        choice = 0, 0
        if first.alike[one] and second.alike[other]:
            labels = first.labels[one], second.labels[other]
            ways = [(a, b) for a in (0, 1) for b in (0, 1) if labels[0][a] != labels[1][b]]
            if not ways:  # one label everywhere is no split
                return
            choice = ways[0]
        self.trees.add(value, (cut, first.plan(one, choice[0]), second.plan(other, choice[1])))
