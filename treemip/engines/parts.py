"""Lists of trees of depth at most 1 and what each adds to the rows of a spec.

Under rows that couple leaves the best tree of one side depends on that of the other, so that all
trees of a side are listed which a bound allows and no other tree dominates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.engines.duals import Relaxed, directions
from treemip.engines.plans import NONE, Plan
from treemip.engines.problem import Problem
from treemip.model.tolerances import NO_COST

PIVOTS = 1000  # trees against which all others of a side are compared


@dataclass(frozen=True)
class Parts:
    """Trees of depth at most 1 for some points: rows (n, R), what the bound says of each (n,),
    the bin of the split, NONE without, and the labels of the two leaves."""

    rows: np.ndarray
    bound: np.ndarray
    cut: np.ndarray
    labels: np.ndarray

    def take(self, which: np.ndarray) -> Parts:
        return Parts(self.rows[which], self.bound[which], self.cut[which], self.labels[which])

    @classmethod
    def joined(cls, parts: list[Parts]) -> Parts:
        fields = zip(*((p.rows, p.bound, p.cut, p.labels) for p in parts), strict=True)
        return cls(*map(np.concatenate, fields))

    def head(self, count: int) -> Parts:
        return self.take(np.arange(min(count, len(self.cut))))

    def plan(self, one: int) -> Plan:
        a, b = (int(k) for k in self.labels[one])
        return a if self.cut[one] == NONE else (int(self.cut[one]), a, b)


def undominated(rows: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Which rows float64 (n, R) to keep: another is no worse anywhere than each one left out.

    way int64 (R,): 1 where less is better, -1 more, 0 where only the same is as good. Those that
    dominate most come first, and after PIVOTS of them the rest is kept.
    """
    same = way == 0
    costs = np.concatenate([rows * np.where(same, 1, way), -rows[:, same]], axis=1)
    left = np.argsort(costs.sum(axis=1), kind="stable")
    front: list[int] = []
    while len(left) and len(front) < PIVOTS:
        first = left[0]
        front.append(int(first))
        left = left[1:]
        left = left[(costs[left] < costs[first] - NO_COST).any(axis=1)]
    return np.concatenate([np.array(front, int), left])


class PartLists:
    """The lists of a problem. by_feature: features that are used have a price of their own."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.way = problem, directions(problem)
        self.by_feature = bool(problem.anywhere.any())

    def below(self, task: Relaxed, node: int, rows: np.ndarray, room: float) -> Parts:
        """Trees of depth at most 1 below a node that keep leaf conditions, with a bound below
        `room`, those left out that others are never worse than."""
        problem, bins = self.problem, self.problem.bins
        number, labels = task.number(node), problem.points.shape[1]
        width = len(problem.constant)
        stats = np.concatenate([problem.points.reshape(len(problem.x), -1).T, task.leaf_stats])
        histogram = bins.histogram(stats, rows)
        left = bins.cumulative(histogram)
        right = stats[:, rows].sum(axis=1)[:, None] - left
        price = task.feature_price[number][bins.feature]
        possible = np.isfinite(price) & ~bins.last
        possible &= task.leaf_holds(left[labels * width :]) & task.leaf_holds(
            right[labels * width :]
        )
        low, high = (
            np.tensordot(side[: labels * width].reshape(labels, width, -1), task.by.rows, (1, 0))
            for side in (left, right)
        )
        base = self.shift(task, rows)
        by_labels: list[Parts] = []
        for a in range(labels):
            for b in range(labels):
                bound = low[a] + high[b] + price - base
                at = np.flatnonzero(possible & (bound < room))
                value = (
                    left[a * width : (a + 1) * width, at] + right[b * width : (b + 1) * width, at]
                )
                value = value.T + problem.by_split[number, bins.feature[at]]
                if problem.by_leaf.any():
                    value += problem.by_leaf * (left[-1, at] > 0.5)[:, None]
                    value += problem.by_leaf * (right[-1, at] > 0.5)[:, None]
                by_labels.append(Parts(value, bound[at], at, np.tile([a, b], (len(at), 1))))
        if problem.unsplit is not None:
            by_labels.append(self.single(task, rows, room))
        return self._front(Parts.joined(by_labels))

    def shift(self, task: Relaxed, rows: np.ndarray) -> float:
        """What the task takes off the costs of points so that none is below 0."""
        return float((self.problem.points[rows] @ task.by.rows).min(axis=1).sum())

    def single(self, task: Relaxed, rows: np.ndarray, room: float) -> Parts:
        """The points in one leaf, with each label."""
        sums = self.problem.points[rows].sum(axis=0)
        leaf = task.leaf_stats[:, rows].sum(axis=1)[:, None]
        holds = bool(task.leaf_holds(leaf)[0] and task.leaf_holds(leaf * 0)[0])
        bound = sums @ task.by.rows - self.shift(task, rows)
        at = np.flatnonzero(holds & (bound < room))
        return Parts(sums[at], bound[at], np.full(len(at), NONE), np.column_stack([at, at]))

    def _front(self, parts: Parts) -> Parts:
        """One of those with the same rows beside the objective, and none that is dominated."""
        if not len(parts.cut):
            return parts
        bins, scale = self.problem.bins, self.problem.scale
        keys = np.round(parts.rows[:, 1:] / scale[1:], 9)
        if self.by_feature:
            uses = np.where(parts.cut == NONE, -1, bins.feature[parts.cut])
            keys = np.column_stack([keys, uses])
        order = np.lexsort([parts.rows[:, 0], *keys.T])
        changed = (keys[order][1:] != keys[order][:-1]).any(axis=1)
        parts = parts.take(order[np.append(True, changed)])
        if not self.by_feature and (self.way[1:] != 0).any():
            parts = parts.take(undominated(parts.rows / scale, self.way))
        return parts.take(np.argsort(parts.bound, kind="stable"))
