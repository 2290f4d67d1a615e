"""Lists of trees below one node and what each adds to the rows of a spec."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from treemip.answers.engines.plans import Plan, of_heap
from treemip.core.model.tolerances import NO_COST

PIVOTS = 1000  # trees against which all others of a side are compared


@dataclass(frozen=True)
class Parts:
    """Trees for some points: rows float64 (n, R), what the bound says of each (n,), and plans
    int64 (n, 2^(depth + 1) - 1) in the order of a heap (`plans.of_heap`)."""

    rows: np.ndarray
    bound: np.ndarray
    plans: np.ndarray

    def __len__(self) -> int:
        return len(self.bound)

    def take(self, which: np.ndarray) -> Parts:
        return Parts(self.rows[which], self.bound[which], self.plans[which])

    @classmethod
    def joined(cls, parts: Iterable[Parts]) -> Parts:
        fields = zip(*((p.rows, p.bound, p.plans) for p in parts), strict=True)
        return cls(*map(np.concatenate, fields))

    def plan(self, one: int) -> Plan:
        return of_heap(self.plans[one])


def pairs(cut: int, left: Parts, right: Parts) -> np.ndarray:
    """The plans of trees with a cut above the trees of two lists of the same length, int64."""
    count, below = left.plans.shape
    plans = np.empty((count, 2 * below + 1), int)
    plans[:, 0] = cut
    start = 0
    while start < below:
        width = start + 1
        for side, child in enumerate((left, right)):
            to = 2 * width - 1 + side * width
            plans[:, to : to + width] = child.plans[:, start : start + width]
        start += width
    return plans


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
