"""The best tree under rows that couple its leaves, by lists of the trees below each cut.

Under such rows the best tree of one side depends on that of the other. So all trees of a side that
a Lagrangian bound allows are listed, one for each sum of rows and without those that another
dominates (Pareto fronts, as in van der Linden, de Weerdt and Demirovic 2022); the lists of both
sides are joined by the same rule, and at the root each pair is a whole tree. This is also the
specification of what the compiled kernel computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.compiled_fronts import CompiledFronts
from treemip.answers.engines.duals import Relaxed, directions
from treemip.answers.engines.parts import Parts, pairs, undominated
from treemip.answers.engines.plans import Plan, Side
from treemip.answers.engines.separable import ROUNDED, better, unit_of
from treemip.answers.engines.subset import Both
from treemip.answers.engines.sweep import FeatureCuts, Sweep
from treemip.answers.engines.two_levels import TwoLevels
from treemip.core.model.tolerances import EQUAL, KNOWN_ROW

if TYPE_CHECKING:
    from treemip.answers.engines.problem import Problem

ALONE = 1_000_000  # pairs of trees that are joined at once
FIRST, GROWTH = 0.002, 1.5  # of the bound, by which the first goal is above it; of goals


class Fronts:
    """The trees of some depth below a node for the points `every`. rest float64 (R,): what the tree
    has beside them; each float64 (p, R): what features add once they are used below. `above`: what
    the bound of a whole tree is over that of its part."""

    def __init__(
        self,
        task: Relaxed,
        node: int,
        depth: int,
        every: np.ndarray,
        rest: np.ndarray,
        each: np.ndarray,
        above: float,
    ) -> None:
        self.task, self.problem = task, task.problem
        self.node, self.depth, self.every = node, depth, every
        self.rest, self.each = rest, each
        self.offset = above
        self.by_feature = bool(each.any())
        self.way = directions(self.problem)
        self.unit = unit_of(self.problem)
        self.dominance = not self.by_feature and dominates(self.problem, self.way)
        self.found: tuple[float, Plan] | None = None
        self.limit = self.goal = np.inf

    def best(self, limit: float, goal: float = np.inf) -> tuple[float, Plan] | None:
        """The best tree whose objective is below both, and that objective; None where there is
        none, or `task.complete` is false afterwards."""
        self.task.complete = True
        if self.task.compiled is not None:
            return CompiledFronts(self.task.compiled, self).best(limit, goal)
        self.found, self.limit, self.goal = None, limit, goal
        if self.depth == 1:
            self._judge(self.lists(self.node, 1, self.every, self.room))
            return self.found
        self._judge(self._single(self.depth, self.every, self.room))
        self._cuts(self.node, self.depth, self.every, None, None)
        return self.found

    def upwards(
        self, low: float, limit: float
    ) -> Iterator[tuple[tuple[float, Plan] | None, float]]:
        """Better and better trees whose objective is below `limit`, and a bound on all trees, until
        the two are a proof or the time is used up. low: a bound that is known."""
        size = max(EQUAL * max(1.0, abs(low)), ROUNDED * self.unit)
        more = max(self.unit, FIRST * max(abs(low), limit - low), size)
        if low < limit:
            low = self._next(low - size)
        while low < limit:
            goal = min(limit, low + max(size, more - self.unit + size))
            found = self.best(limit, goal)
            if found is not None:
                limit = better(found[0], self.unit, float(self.rest[0]))
            if not self.task.complete:
                yield found, -np.inf
                return
            low = self._next(goal) if goal < limit else max(limit, low)
            yield found, low
            more *= GROWTH

    def _next(self, low: float) -> float:
        """The least value from `low` on that an objective may have."""
        if not self.unit:
            return low
        first = float(self.rest[0])
        return first + ceil((low - first) / self.unit) * self.unit

    @property
    def room(self) -> float:
        """What the bound of a part of a better tree is below."""
        return min(self.limit, self.goal) - self.offset + self.task.tolerance

    # -------------------------------------------------------------------- lists

    def lists(
        self,
        node: int,
        depth: int,
        rows: np.ndarray,
        below: float,
        known: np.ndarray | None = None,
    ) -> Parts:
        """All trees of at most that depth below a node with a bound below `below`, as `Parts`."""
        some = [] if self.problem.unsplit is None else [self._single(depth, rows, below)]
        if depth == 1:
            some += self._of_one(node, rows, below)
        else:
            self._cuts(node, depth, rows, below, some, known)
        width = (2 << depth) - 1
        none = Parts(np.zeros((0, len(self.rest))), np.zeros(0), np.zeros((0, width), int))
        return self._front(Parts.joined([none, *some]))

    def _cuts(
        self,
        node: int,
        depth: int,
        rows: np.ndarray,
        below: float | None,
        into: list[Parts] | None,
        known: np.ndarray | None = None,
    ) -> None:
        if not len(rows):
            self._of_nobody(node, depth, below, into)
        elif depth == 2:
            ListsOfTwo(self, node, rows, below, into, known).run()
        else:
            ListsOfMore(self, node, depth, rows, below, into).run()

    def _of_nobody(
        self, node: int, depth: int, below: float | None, into: list[Parts] | None
    ) -> None:
        """No points where every branch must split: each feature's first split."""
        if self.problem.unsplit is not None:
            return
        bins, least = self.task.bins, self.task.least_price * (2 ** (depth - 1) - 1)
        nobody = np.zeros(0, int)
        for cut in bins.start[~bins.last[bins.start]].tolist():
            self.cut(node, depth, cut, (nobody, nobody), (least, least), below, into)

    def _of_one(self, node: int, rows: np.ndarray, below: float) -> list[Parts]:
        """One for each pair of labels of the two leaves."""
        task, problem, bins = self.task, self.problem, self.problem.bins
        number, labels = task.number(node), problem.points.shape[1]
        width = len(problem.constant)
        stats = np.concatenate([problem.points.reshape(len(problem.x), -1).T, task.leaf_stats])
        left = bins.cumulative(bins.histogram(stats, rows))
        right = stats[:, rows].sum(axis=1)[:, None] - left
        price = task.feature_price[number][bins.feature]
        possible = np.isfinite(price) & ~bins.last
        for side in (left, right):
            possible &= task.leaf_holds(side[labels * width :])
        low, high = (
            np.tensordot(side[: labels * width].reshape(labels, width, -1), task.by.rows, (1, 0))
            for side in (left, right)
        )
        base, some = self.shift(rows), []
        for a in range(labels):
            for b in range(labels):
                bound = low[a] + high[b] + price - base
                at = np.flatnonzero(possible & (bound < below))
                value = (
                    left[a * width : (a + 1) * width, at] + right[b * width : (b + 1) * width, at]
                )
                value = value.T + problem.by_split[number, bins.feature[at]]
                for side in (left, right):
                    value += problem.by_leaf * (side[-1, at] > 0.5)[:, None]
                leaves = np.tile([-1 - a, -1 - b], (len(at), 1))
                some.append(Parts(value, bound[at], np.column_stack([at, leaves])))
        return some

    def shift(self, rows: np.ndarray) -> float:
        """What the task takes off the costs of points so that none is below 0."""
        return shift(self.task, rows)

    def _single(self, depth: int, rows: np.ndarray, below: float) -> Parts:
        """The points in one leaf, with each label."""
        task, problem = self.task, self.problem
        sums = problem.points[rows].sum(axis=0) + problem.by_leaf * (len(rows) > 0)
        holds = problem.unsplit is not None and task.in_one_leaf(rows)
        bound = problem.points[rows].sum(axis=0) @ task.by.rows - self.shift(rows)
        at = np.flatnonzero(holds & (bound < below))
        return Parts(sums[at], bound[at], np.tile(-1 - at[:, None], (1, (2 << depth) - 1)))

    def _used(self, plans: np.ndarray) -> np.ndarray:
        """The features of each tree that count, bool (n, p)."""
        cuts = plans[:, : plans.shape[1] // 2]
        used = np.zeros((len(plans), len(self.each)), bool)
        one, at = np.nonzero(cuts >= 0)
        used[one, self.problem.bins.feature[cuts[one, at]]] = True
        return used & self.each.any(axis=1)

    def _front(self, parts: Parts) -> Parts:
        """One of those with the same rows beside the objective, and none that is dominated."""
        if not len(parts):
            return parts
        scale = self.problem.scale
        keys = np.round(parts.rows[:, 1:] / scale[1:], 9)
        if self.by_feature:
            keys = np.column_stack([keys, self._used(parts.plans)])
        order = np.lexsort([parts.rows[:, 0], *keys.T])
        changed = (keys[order][1:] != keys[order][:-1]).any(axis=1)
        parts = parts.take(order[np.append(True, changed)])
        if self.dominance:
            parts = parts.take(undominated(parts.rows / scale, self.way))
        return parts.take(np.argsort(parts.bound, kind="stable"))

    # -------------------------------------------------------------------- cuts

    def cut(
        self,
        node: int,
        depth: int,
        cut: int,
        sides: tuple[np.ndarray, np.ndarray],
        least: tuple[float, float],
        below: float | None,
        into: list[Parts] | None,
        known: tuple[np.ndarray | None, np.ndarray | None] = (None, None),
    ) -> None:
        """Joins the trees of both sides of a cut, whose trees are worth `least` at least: into a
        list those with a bound below `below`, or else whole trees, each judged."""
        task, topology = self.task, self.problem.topology
        number = task.number(node)
        price = float(task.price[number, cut])
        room = self.room if below is None else below
        if task.late:  # a list may take a second, and a round has hundreds of cuts
            task.complete = False
        if not task.complete or not least[0] + least[1] + price < room:
            return
        children = topology.children(node)
        first = self.lists(children[0], depth - 1, sides[0], room - price - least[1], known[0])
        if not len(first):
            return
        rest = room - price - first.bound[0]
        second = self.lists(children[1], depth - 1, sides[1], rest, known[1])
        own = self.problem.by_split[number, self.problem.bins.feature[cut]]
        for one in range(len(first)):
            room = self.room if below is None else below
            count = int(np.searchsorted(second.bound, room - price - first.bound[one]))
            if not count or task.late:
                task.complete &= not count
                break
            self._join(cut, own, price, first, one, second.take(np.arange(count)), into)

    def _join(
        self,
        cut: int,
        own: np.ndarray,
        price: float,
        first: Parts,
        one: int,
        second: Parts,
        into: list[Parts] | None,
    ) -> None:
        """One tree of the left side with some of the right side."""
        same = first.take(np.full(len(second), one))
        rows = second.rows + first.rows[one] + own
        bound = second.bound + first.bound[one] + price
        parts = Parts(rows, bound, pairs(cut, same, second))
        if into is None:
            self._judge(parts)
            return
        into.append(parts)
        if sum(map(len, into)) > ALONE:
            into[:] = [self._front(Parts.joined(into))]

    def _judge(self, parts: Parts) -> None:
        """Keeps the best of some trees of the whole depth."""
        if not len(parts):
            return
        rows = parts.rows + self.rest
        if self.by_feature:
            rows = rows + self._used(parts.plans) @ self.each
        objective, violation = self.problem.worth(rows)
        objective = np.where(violation <= KNOWN_ROW, objective, np.inf)
        at = int(objective.argmin())
        if objective[at] < self.limit:
            self.found = float(objective[at]), parts.plan(at)
            self.limit = better(self.found[0], self.unit, float(self.rest[0]))


class ListsOfTwo(TwoLevels):
    """The cuts of the first branch of trees of depth 2, each given to lists while its bound leaves
    room. most: what their bounds are below, None where
    these are the whole trees."""

    def __init__(
        self,
        fronts: Fronts,
        node: int,
        rows: np.ndarray,
        most: float | None,
        into: list[Parts] | None,
        known: np.ndarray | None,
    ) -> None:
        self.fronts, self.node, self.most, self.into = fronts, node, most, into
        super().__init__(fronts.task, node, rows, np.inf, known)
        self.best = np.inf

    @property
    def target(self) -> float:
        return self.fronts.room if self.most is None else self.most

    def _judge_all(self, picks: np.ndarray, both: Both) -> None:
        value = self.price[picks] + both.left_exact + both.right_exact
        for one in np.argsort(self.task.rank(value), kind="stable"):
            pick = int(picks[one])
            goes = self.points.bin[self.points.feature[pick]] <= pick
            sides = self.rows[goes], self.rows[~goes]
            least = float(both.left_exact[one]), float(both.right_exact[one])
            self._give(int(self.points.cut[pick]), sides, least)

    def _keep_one_sided(
        self, cuts: np.ndarray, sides: tuple[np.ndarray, np.ndarray], left: Side, right: Side
    ) -> None:
        for cut in cuts.tolist():
            self._give(cut, sides, (left.exact, right.exact))

    def _give(
        self, cut: int, sides: tuple[np.ndarray, np.ndarray], least: tuple[float, float]
    ) -> None:
        self.fronts.cut(self.node, 2, cut, sides, least, self.most, self.into)


class ListsOfMore(Sweep):
    """The same of deeper trees."""

    def __init__(
        self,
        fronts: Fronts,
        node: int,
        depth: int,
        rows: np.ndarray,
        most: float | None,
        into: list[Parts] | None,
    ) -> None:
        self.fronts, self.node, self.most, self.into = fronts, node, most, into
        super().__init__(fronts.task, node, depth, rows, np.inf)
        self.best = np.inf

    @property
    def whole(self) -> bool:
        return False

    @property
    def target(self) -> float:
        return self.fronts.room if self.most is None else self.most

    def judge(self, cuts: FeatureCuts, pick: int, left: Side, right: Side) -> None:
        at = cuts.position[pick]
        sides = cuts.order[:at], cuts.order[at:]
        cut, least, known = (
            int(cuts.cuts[pick]),
            (left.exact, right.exact),
            (left.bound, right.bound),
        )
        self.fronts.cut(self.node, self.depth, cut, sides, least, self.most, self.into, known)


def shift(task: Relaxed, rows: np.ndarray) -> float:
    """What the task takes off the costs of points so that none is below 0."""
    return float((task.problem.points[rows] @ task.by.rows).min(axis=1).sum())


def dominates(problem: Problem, way: np.ndarray) -> bool:
    """Whether a tree can be better than another whose rows beside the objective differ: not where
    each is wanted both ways, by itself or by another one that is its negative."""
    rows = problem.points.reshape(-1, problem.points.shape[2])[:, 1:]
    wanted = rows[:, way[1:] != 0] * way[1:][way[1:] != 0]
    size = np.abs(wanted).max(axis=0, initial=0.0)
    wanted = wanted[:, size > 0] / size[size > 0]
    opposed = [
        np.abs(wanted + column[:, None]).max(axis=0, initial=0.0).min() < EQUAL
        for column in wanted.T
    ]
    return not all(opposed)
