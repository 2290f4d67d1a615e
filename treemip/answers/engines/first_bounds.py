"""A first tree and a first bound of univariate trees that are deep or have many points, before the
cuts of the root are swept, each of which may take long.

The tree: the best one of two levels, or of one where two take long, and below each of its leaves
again. The bound: what trees are worth on disjoint parts of the points sums up to at most what they
are worth on all. Parts are small enough to be solved, and consist of close pairs of points that
want different labels, since these are hard to separate.
"""

from __future__ import annotations

import time

import numpy as np

from treemip.answers.engines.plans import Plan
from treemip.answers.engines.problem import work_of
from treemip.answers.engines.separable import Separable
from treemip.core.model.tolerances import EQUAL

LEVELS = 2  # of a tree, solved at once
QUICK = 100.0  # seconds for all cuts of so many levels; with bounds they take few of them
POINTS = 6  # of the first part, for each leaf
GROWTH = 1.5  # of the next one where all points were parted; it shrinks where time was short
SHARE = 0.5  # of the time that is left, for one part
SOON = 0.05  # seconds
AMONG = 4096  # points, of which pairs are made


def first_tree(
    task: Separable, node: int, depth: int, rows: np.ndarray
) -> tuple[float, Plan | None]:
    """What it is worth, infinite where none was found."""
    levels = min(LEVELS, depth)
    if work_of(task.problem, levels, len(rows))[1] > QUICK:
        levels = 1
    side = task.solve(node, levels, rows, np.inf)
    if not np.isfinite(side.exact):
        return np.inf, None
    plan = task.found(node, levels, rows, side)
    return (side.exact, plan) if levels == depth else _grown(task, node, depth, rows, plan, levels)


def _grown(
    task: Separable, node: int, depth: int, rows: np.ndarray, plan: Plan, levels: int
) -> tuple[float, Plan | None]:
    """The plan of so many levels, with others below its leaves."""
    if levels == 0:
        return first_tree(task, node, depth, rows)
    if not isinstance(plan, tuple):
        return task.subtree(node, 0, rows, np.inf).exact, plan
    bins, topology = task.bins, task.problem.topology
    left = bins.goes_left(plan[0], rows)
    value = float(task.price[task.number(node), plan[0]])
    below: list[Plan] = []
    children = topology.children(node)
    for child, part, under in zip(children, (rows[left], rows[~left]), plan[1:], strict=True):
        worth, grown = _grown(task, child, depth - 1, part, under, levels - 1)
        if grown is None:
            return np.inf, None
        value += worth
        below.append(grown)
    return value, (plan[0], below[0], below[1])


def bound_by_parts(task: Separable, depth: int, seconds: float) -> float:
    """A lower bound on all trees, without conditions and prices; -inf where prices are negative."""
    if task.least_price < 0 or task.leaf_price < 0:
        return -np.inf
    problem, until = task.problem, time.perf_counter() + seconds
    free = Separable(problem, task.costs, np.where(np.isfinite(task.price), 0.0, np.inf))
    pairs, bound, size = Pairs(free), 0.0, POINTS << depth
    while (now := time.perf_counter()) < until - SOON and len(rows := pairs.next(size)):
        free.complete, free.until = True, now + SHARE * (until - now)
        worth = max(0.0, free.solve(0, depth, rows, np.inf).relaxed)
        bound += worth
        task.report(depth, np.inf, bound)
        if not free.complete:
            size = int(size / GROWTH)
        elif worth <= EQUAL:
            size = int(size * GROWTH)
    task.evaluated += free.evaluated
    return bound


class Pairs:
    """Points of the most frequent label that fewer than half of them want, each with one near to it
    that wants another; by the ranks of their values."""

    def __init__(self, task: Separable) -> None:
        wants, rng = task.costs.argmin(axis=1), np.random.default_rng(0)
        some = rng.permutation(len(wants))[:AMONG]
        often = np.bincount(wants[some])
        rare = int(np.where(2 * often <= len(some), often, -1).argmax())
        place = task.bins.rank[:, some].T.astype(np.float32)
        self.place = place / (place.std(axis=0) + np.float32(EQUAL))
        self.some, mine = some, wants[some] == rare
        self.one, self.other = np.flatnonzero(mine), np.flatnonzero(~mine)

    def next(self, size: int) -> np.ndarray:
        """So many points, or fewer, that have not been given: int64 (k,)."""
        from scipy.optimize import linear_sum_assignment  # half a second, which few specs need

        one, self.one = np.split(self.one, [min(size // 2, len(self.other))])
        here, there = self.place[one], self.place[self.other]
        apart = (here**2).sum(axis=1)[:, None] + (there**2).sum(axis=1) - 2 * here @ there.T
        of_one, near = linear_sum_assignment(apart)
        pairs = np.concatenate([one[of_one], self.other[near]])
        self.other = np.delete(self.other, near)
        rows: np.ndarray = np.sort(self.some[pairs])
        return rows
