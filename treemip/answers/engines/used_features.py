"""The best tree where only the features that splits use couple its parts: budgets and prices.

Every set of features that the limits allow is a separable problem over a few features, with few
distinct points. Of sets without a price only the largest count: a tree on fewer features is one on
more. With prices, those of a set are left out that cost more than a tree may gain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.bins import Bins
from treemip.answers.engines.plans import Plan, Side, renumbered
from treemip.answers.engines.problem import Conditions, Problem
from treemip.answers.engines.reports import Reports
from treemip.answers.engines.separable import Separable
from treemip.answers.engines.subset import Subset
from treemip.answers.search.folds import arguments_of
from treemip.core.model.tolerances import KNOWN_ROW

if TYPE_CHECKING:
    from treemip.answers.engines.coupled import Coupled

BOUND = 0.1  # of the time, for a bound over all features
FEW = 500  # that are coupled problems of their own
MOST = 5000  # sets of features, a few milliseconds to seconds each

BY_ROW = "points by_split by_leaf anywhere constant low high scale"
"""Of a problem, what has its rows as the last axis."""


def over_feature_sets(coupled: Coupled, most: int = MOST) -> float | None:
    """Gives `coupled` the best tree of each set of features that may be used; a bound on all trees,
    or None where other rows couple its parts too, or there are more than `most` sets."""
    problem, until = coupled.problem, coupled.until
    if not only_by_features(problem):
        return None
    if problem.anywhere[:, 0].any():
        coupled.begin()  # how many sets there are depends on what is to beat
    task, _ = separable_on(problem, np.arange(len(problem.anywhere)), until)
    low = _base(coupled, task) + _cheapest(coupled, task)
    if problem.anywhere[:, 0].any():
        low = max(low, _solved(coupled, task, 0.0)[0].relaxed + _base(coupled, task))
        coupled.complete = True
    sets = FeatureSets(problem, _order(task)).allowed(coupled.limit() - low, most)
    if sets is None:
        return None
    for features in sets:
        price = float(problem.anywhere[features, 0].sum())
        if low + price >= coupled.limit():
            continue
        task, number = separable_on(problem, features, until)
        if task.late:
            coupled.complete = False
            break
        plan = _solved(coupled, task, price)[1]
        if plan is not None:
            coupled.consider(renumbered(plan, number))
    return coupled.best if coupled.complete else min(low, coupled.best)


def over_coupled_sets(coupled: Coupled) -> float | None:
    """The same where other rows couple a tree's parts beside the features: a coupled problem for
    each set. None where features are not rows of their own, or there are more than FEW sets."""
    problem = coupled.problem
    rows = rows_of_features(problem)
    if rows is None or not problem.anywhere.any():
        return None
    counted = rows.copy()
    counted[0] = True
    task, _ = separable_on(problem, np.arange(len(problem.anywhere)), coupled.until)
    low = -inf  # where functions add to the objective
    if not any(fold.to[:, 0].any() for fold in problem.folds):
        now = time.perf_counter()
        task.until = now + BOUND * (coupled.until - now)
        low = _solved(coupled, task, 0.0)[0].relaxed + _base(coupled, task)
        low = max(low, _base(coupled, task) + _cheapest(coupled, task))
        coupled.complete = True
    elif problem.anywhere[:, 0].any():
        return None  # and what prices may add up to is not known
    room = coupled.limit() - low
    sets = FeatureSets(with_rows(problem, counted), _order(task)).allowed(room, FEW)
    if sets is None:
        return None
    others, bound = with_rows(problem, ~rows), inf
    for features in sets:
        small, number = on_features(others, features)
        constant = small.constant.copy()
        constant[0] += float(problem.anywhere[features, 0].sum())
        one = coupled.over(replace(small, constant=constant, reports=Reports()))
        bound = min(bound, one.run())
        coupled.evaluated += one.evaluated
        coupled.complete &= one.complete
        if one.plan is not None:
            coupled.consider(renumbered(one.plan, number))
    return min(max(bound, low), coupled.best)


def _base(coupled: Coupled, task: Separable) -> float:
    """What the objective is above the value of the task."""
    return float(coupled.problem.constant[0]) + task.constant


def _cheapest(coupled: Coupled, task: Separable) -> float:
    """What the splits of a tree cost at least."""
    return task.least_price * len(coupled.problem.topology.branches)


def _solved(coupled: Coupled, task: Separable, price: float) -> tuple[Side, Plan | None]:
    """The best tree of the task that is better than the best so far with a price added to it."""
    depth, points = coupled.problem.depth, np.arange(len(task.problem.x))
    goal = task.below(coupled.limit() - _base(coupled, task) - price)
    side = task.solve(0, depth, points, goal)
    coupled.evaluated += task.evaluated
    coupled.complete &= task.complete
    return side, task.found(0, depth, points, side) if np.isfinite(side.exact) else None


def _order(task: Separable) -> np.ndarray:
    """The features by what the best tree of depth 1 on each is worth."""
    points = Subset(task, np.arange(len(task.problem.x)))
    value = task.leaf_values(points.sums)[0]
    value = value + task.leaf_values(points.total[:, None] - points.sums)[0]
    value += task.feature_price[0][points.feature]
    return np.argsort(np.minimum.reduceat(value, points.start), kind="stable")


class FeatureSets:
    """The sets of features that trees may use. order int64: the features that count towards a price
    or limit, in the order in which they are tried; the others are in every set."""

    def __init__(self, problem: Problem, order: np.ndarray) -> None:
        self.problem = problem
        counts = np.array(problem.anywhere.any(axis=1))
        self.free = np.flatnonzero(~counts)
        self.order = order[counts[order]]
        self.priced = bool(problem.anywhere[:, 0].any())

    def allowed(self, room: float, most: int = MOST) -> list[np.ndarray] | None:
        """The sets, int64 (k,) each, whose price is below `room`; None where there are more than
        `most`."""
        sets = list(islice(self._sets((), 0, room), most + 1))
        return None if len(sets) > most else sets

    def _sets(self, chosen: tuple[int, ...], start: int, room: float) -> Iterator[np.ndarray]:
        """`chosen` and what it becomes with features from `start` on."""
        possible = self._possible(chosen, room)
        for k in np.flatnonzero(possible[start:]) + start:
            yield from self._sets((*chosen, int(self.order[k])), int(k) + 1, room)
        if self.priced or not possible.any():
            yield np.sort(np.concatenate([self.free, np.array(chosen, int)]))

    def _possible(self, chosen: tuple[int, ...], room: float) -> np.ndarray:
        """Which features may join those chosen, bool, in order."""
        problem, slack = self.problem, KNOWN_ROW * self.problem.scale
        added = problem.anywhere[list(chosen)].sum(axis=0) + problem.anywhere[self.order]
        rows = problem.constant + added
        holds = np.logical_and(rows <= problem.high + slack, rows >= problem.low - slack)
        holds[:, 0] = added[:, 0] < room
        possible: np.ndarray = holds.all(axis=1) & ~np.isin(self.order, chosen)
        return possible


def only_by_features(problem: Problem) -> bool:
    """Whether nothing but the features that splits use couples a tree's parts, and more of them
    can only cost or break a limit."""
    rows = rows_of_features(problem)
    if rows is None or problem.folds or not problem.anywhere.any():
        return False
    return not (_filled(problem) & ~rows)[1:].any()


def rows_of_features(problem: Problem) -> np.ndarray | None:
    """The rows that nothing but the features that splits use adds to, bool (R,); None where others
    count features, too, or where more of them may be worth something."""
    rows: np.ndarray = np.array(problem.anywhere.any(axis=0))
    rows[0] = False
    folded = arguments_of(problem.folds, len(rows))
    for fold in problem.folds:
        folded[np.flatnonzero(fold.to.any(axis=0))] = True
    if (rows & (_filled(problem) | folded)).any():
        return None
    added, constant = problem.anywhere[:, rows], problem.constant[rows]
    up = (added >= 0).all(axis=0) & (constant >= problem.low[rows])
    down = (added <= 0).all(axis=0) & (constant <= problem.high[rows])
    holds = bool((problem.anywhere[:, 0] >= 0).all() and (up | down).all())
    return rows if holds else None


def _filled(problem: Problem) -> np.ndarray:
    """The rows that points, splits or leaves add to, bool (R,)."""
    tables = problem.points.any(axis=(0, 1)), problem.by_split.any(axis=(0, 1)), problem.by_leaf
    return np.asarray(np.array(tables, bool).any(axis=0))


def separable_on(
    problem: Problem, features: np.ndarray, until: float
) -> tuple[Separable, np.ndarray]:
    """The separable problem over some features, prices of features aside, and the numbers of its
    bins among all, int64 (B,)."""
    small, number = on_features(with_rows(problem, np.arange(len(problem.low)) == 0), features)
    price = np.where(small.allowed, small.by_split[:, :, 0], inf)
    task = Separable(small, small.points[:, :, 0], price[:, small.bins.feature], until)
    return task, number


def with_rows(problem: Problem, keep: np.ndarray) -> Problem:
    """The problem with some of its rows alone, bool (R,), and all functions of these."""
    folds = tuple(fold.over(keep) for fold in problem.folds if keep[fold.rows].all())
    fields = {name: getattr(problem, name)[..., keep] for name in BY_ROW.split()}
    return replace(problem, folds=folds, **fields)


def _alike(rank: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The group of points with the same ranks (features, M) that each is in, int64 (M,), and the
    first point of each group. length (features,): how many ranks there are of each."""
    key = np.zeros(rank.shape[1], np.int64)
    for values, most in zip(rank, length, strict=True):  # renumbered, so that it never overflows
        key = np.unique(key * int(most) + values, return_inverse=True)[1].ravel()
    first = np.empty(int(key.max(initial=-1)) + 1, np.int64)
    first[key[::-1]] = np.arange(len(key))[::-1]
    return key, first


def on_features(problem: Problem, features: np.ndarray) -> tuple[Problem, np.ndarray]:
    """The problem over some features, without what features add once they are used, and the numbers
    of its bins among all, int64 (B,). Points that these features cannot tell apart are one."""
    some = bool(len(features))
    features = features if some else np.zeros(1, int)  # one that no split may use
    bins = problem.bins
    length = np.diff(np.append(bins.start, bins.count))[features]
    start = np.cumsum(length) - length
    number = np.repeat(bins.start[features] - start, length) + np.arange(int(length.sum()))
    rank = bins.rank[features]
    key, first = _alike(rank, length)

    def summed(values: np.ndarray) -> np.ndarray:
        """Over the points of each group; values float64 (M, ...)."""
        result = np.zeros((len(first), *values.shape[1:]))
        np.add.at(result, key, values)
        return result

    conditions = problem.conditions
    small = replace(
        problem,
        x=problem.x[first],
        bins=Bins(
            rank=rank[:, first],
            start=start,
            feature=np.repeat(np.arange(len(features)), length),
            threshold=bins.threshold[number],
            last=bins.last[number],
            column=bins.column[number],
        ),
        count=summed(problem.count),
        points=summed(problem.points),
        by_split=problem.by_split[:, features],
        anywhere=np.zeros((len(features), len(problem.constant))),
        allowed=problem.allowed[:, features] & some,
        conditions=Conditions(
            summed(conditions.stats.T).T, conditions.low, conditions.high, conditions.jump
        ),
    )
    return small, number
