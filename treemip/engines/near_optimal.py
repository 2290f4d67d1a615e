"""All trees of depth 1 or 2 nearly as good as the best one, where objectives are separable.

Every cut of the root that a bound does not rule out is joined with all pairs of trees of depth 1
below it. Trees differ in what they tell apart: a split is counted once for each gap between the
points it parts, with the best labels; a branch whose two leaves have one label is counted once.
"""

from __future__ import annotations

import time

import numpy as np

from treemip.engines.problem import counts, problem_of
from treemip.engines.refusal import Refusal
from treemip.engines.separable import Separable
from treemip.engines.side import Plan, Side
from treemip.engines.subset import Subset
from treemip.engines.two_levels import TwoLevels
from treemip.engines.univariate import candidate, separable
from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.search.candidate import Candidate
from treemip.search.sums import Sums

SPARE = 4  # times as many trees as asked for are held before the worst are let go
DEEPEST = 2


@dataclass(frozen=True)
class Options:
    """Trees of depth at most 1 for some points, by increasing value float64 (n,). cut int64 (n,):
    the bin of the split, or a label where there is none; labels int64 (n, 2); split bool (n,)."""

    value: np.ndarray
    cut: np.ndarray
    labels: np.ndarray
    split: np.ndarray

    def plan(self, one: int) -> Plan:
        left, right = (int(k) for k in self.labels[one])
        return (int(self.cut[one]), left, right) if self.split[one] else left


def near_optimal(
    instance: Instance, sums: Sums, x: np.ndarray, within: float, most: int, seconds: float
) -> tuple[list[Candidate], bool]:
    """Trees whose objective is at most `within` worse than the optimum, best first; and whether
    these are all of them.

    x float64 (M, p): the points of `sums`. within: in units of the objective. most: the number of
    trees, the best ones where there are more. Call it where `fits` has no objection. Raises Refusal
    where rows couple the leaves or the tree is deeper than 2.
    """
    until = time.perf_counter() + seconds
    problem = problem_of(instance, sums, x, counts(instance, x))
    if problem.coupled or problem.depth > DEEPEST:
        raise Refusal(f"it lists trees of depth 1 to {DEEPEST} whose leaves no constraint couples")
    task = separable(problem, until)
    every = np.arange(len(x))
    best = task.solve(0, problem.depth, every, np.inf).exact
    if not np.isfinite(best):
        return [], task.complete
    found = Found(task, best + within + task.tolerance, most)
    if problem.depth == 1:
        options = options_of(task, 0, every)
        for one in range(int(np.searchsorted(options.value, found.limit, side="right"))):
            found.add(float(options.value[one]), options.plan(one))
    else:
        Enumeration(task, found).run()
    found.shorten()
    complete = task.complete and not found.dropped
    return [candidate(problem, plan) for _, plan in found.trees], complete


class Found:
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
    value = points.whole + task.leaf_values(left)[1] + task.leaf_values(right)[1]
    value += points.price(number)
    labels = np.column_stack([_labels(task, left), _labels(task, right)])
    same = labels[:, 0] == labels[:, 1]
    keep = np.isfinite(value) & ~same & ~points.ends
    if task.problem.unsplit is None:
        alike = np.where(same | points.ends, value, np.inf)
        if len(alike) and np.isfinite(alike.min()):
            keep[int(alike.argmin())] = True
    at = np.flatnonzero(keep)
    options = Options(value[at], points.cut[at], labels[at], np.ones(len(at), bool))
    stop = points.whole + float(task.unsplit(points.total)[1])
    if np.isfinite(stop):
        label = int(_labels(task, points.total[:, None])[0])
        options = Options(
            np.append(options.value, stop),
            np.append(options.cut, label),
            np.concatenate([options.labels, [[label, label]]]),
            np.append(options.split, False),
        )
    order = np.argsort(options.value, kind="stable")
    return Options(
        options.value[order], options.cut[order], options.labels[order], options.split[order]
    )


def _labels(task: Separable, sums: np.ndarray) -> np.ndarray:
    """The cheapest label of leaves, int64 (n,)."""
    others = sums[: task.labels - 1]
    return np.concatenate([np.zeros((1, sums.shape[1])), others]).argmin(axis=0)


class Enumeration(TwoLevels):
    """All trees of depth 2 up to a limit."""

    def __init__(self, task: Separable, found: Found) -> None:
        self.found = found
        super().__init__(task, 0, np.arange(len(task.costs)), np.inf)
        stop = self.base + float(task.unsplit(self.points.total)[1])
        if stop <= found.limit:
            found.add(stop, int(_labels(task, self.points.total[:, None])[0]))
        self.best = np.inf

    @property
    def target(self) -> float:
        return self.found.limit

    def _keep_one_sided(
        self, cuts: np.ndarray, sides: tuple[np.ndarray, np.ndarray], left: Side, right: Side
    ) -> None:
        """Those trees tell the same apart as others whose root parts points."""

    def _judge(self, pick: int, left: float, right: float) -> bool:
        price = float(self.price[pick])
        if price + left + right > self.found.limit:
            return False
        goes = self.points.bin[self.points.feature[pick]] <= pick
        low = options_of(self.task, self.children[0], self.rows[goes])
        high = options_of(self.task, self.children[1], self.rows[~goes])
        self._pairs(int(self.points.cut[pick]), price, low, high)
        return True

    def _pairs(self, cut: int, price: float, low: Options, high: Options) -> None:
        """All pairs of trees of the two sides up to the limit, the best first."""
        labels = [one.labels[:, 0] == one.labels[:, 1] for one in (low, high)]
        for one in range(len(low.value)):
            value = price + low.value[one] + high.value
            for other in range(int(np.searchsorted(value, self.found.limit, side="right"))):
                if value[other] > self.found.limit:
                    break
                alike = labels[0][one] and labels[1][other]
                if alike and low.labels[one, 0] == high.labels[other, 0]:
                    continue  # one label everywhere: no split
                self.found.add(float(value[other]), (cut, low.plan(one), high.plan(other)))
            if self.task.late:
                self.task.complete = False
                return
