"""Trees of the univariate engine: how it writes them down, and lists of small ones.

A plan is nested tuples of bins and labels and costs less than a `Candidate`; only the best one
becomes such a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.engines.problem import Problem
from treemip.model.tolerances import NO_COST

Plan = tuple[int, "Plan", "Plan"] | int
"""A tree: the bin of a split and the two sides, or the label of a leaf."""

NONE = -1  # no split

PIVOTS = 1000  # trees against which all others of a side are compared


@dataclass(frozen=True)
class Side:
    """What is known of the points on one side: relaxed is at most the optimum, leaf conditions
    aside; exact is the optimum where that is below what was asked for, else infinite. bound float64
    (B,): what trees with each cut at the first branch are at least worth; None where unknown."""

    relaxed: float
    exact: float
    cut: int = NONE
    bound: np.ndarray | None = None


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
    kept: list[int] = []
    while len(left) and len(kept) < PIVOTS:
        first = left[0]
        kept.append(int(first))
        left = left[1:]
        left = left[(costs[left] < costs[first] - NO_COST).any(axis=1)]
    return np.concatenate([np.array(kept, int), left])


def rows_of(problem: Problem, plan: Plan) -> np.ndarray:
    """The rows of a tree, float64 (R,)."""
    used: set[int] = set()
    rows = problem.constant + rows_below(problem, plan, 0, np.arange(len(problem.x)), used)
    total: np.ndarray = rows + problem.anywhere[sorted(used)].sum(axis=0)
    return total


def rows_below(
    problem: Problem, plan: Plan, node: int, rows: np.ndarray, used: set[int]
) -> np.ndarray:
    if not isinstance(plan, tuple):
        leaf: np.ndarray = problem.points[rows, plan].sum(axis=0) + problem.by_leaf * (
            len(rows) > 0
        )
        return leaf
    topology, bins = problem.topology, problem.bins
    feature = int(bins.feature[plan[0]])
    used.add(feature)
    left = bins.flat[feature, rows] <= plan[0]
    own = problem.by_split[int(np.searchsorted(topology.branches, node)), feature]
    low = rows_below(problem, plan[1], int(topology.left[node]), rows[left], used)
    high = rows_below(problem, plan[2], int(topology.right[node]), rows[~left], used)
    total: np.ndarray = own + low + high
    return total
