"""The best univariate tree under rows that couple leaves: recall floors, parity, budgets, maxima.

A Lagrangian bound makes the problem separable; it rules out most trees. Those left are listed by
what they add to the rows (`fronts.py`).
"""

from __future__ import annotations

import time

import numpy as np

from treemip.answers.engines.duals import Relaxed, best_multipliers, ceiling, multipliers
from treemip.answers.engines.fronts import Fronts, shift
from treemip.answers.engines.plans import Plan, Side, renumbered, rows_below, rows_of
from treemip.answers.engines.problem import Problem, at_quantiles, with_splits
from treemip.answers.engines.separable import better, unit_of
from treemip.answers.engines.subset import Subset
from treemip.answers.engines.used_features import over_coupled_sets, over_feature_sets
from treemip.core.model.tolerances import EQUAL, KNOWN_ROW

LISTS = 0.8  # of the time, for lists of trees
ROUNDS = 40  # of column generation
SOON = 0.05  # of the time, in which a bound is no reason to look for trees without one
BEGIN = 0.3  # of the time, for trees of depth 3 before any bound
FEWER = (20, 60)  # splits of each feature, for a tree to begin with
SOME = 0.8  # of the time for trees by these, at most
FEW_SETS = 200  # of features, so many of which are faster than pairs of trees of depth 1
CELLS = 4_000_000  # bins times points, above which the first round alone may take all the time


class Coupled:
    """best: the least objective so far, of `plan`; `goal` is one to beat from elsewhere."""

    def __init__(self, problem: Problem, goal: float, until: float) -> None:
        self.problem, self.until = problem, until
        self.best = goal
        self.plan: Plan | None = None
        self.most = ceiling(problem)
        self.unit = unit_of(problem)
        self.tried: set[int] = set()
        self.evaluated, self.complete = 0, True
        self.every = np.arange(len(problem.x))
        self.first: tuple[Relaxed, Side] | None = None

    @property
    def best(self) -> float:
        return self._best

    @best.setter
    def best(self, objective: float) -> None:
        self._best = objective
        self.problem.reports.better(objective)

    def run(self) -> float:
        """A bound on the objective of all trees; below `best` only where time was too short."""
        problem = self.problem
        at_once = problem.bins.count * len(problem.x) > CELLS
        if at_once:
            self._by_fewer_splits()
        bound = self._by_feature_sets()
        if bound is None:
            bound = over_coupled_sets(self)
        if bound is not None:
            return bound
        if problem.depth > 2 and not self._is_soon_bounded():
            self.begin()
        task, bound = self._relaxation()
        if task is None or bound >= self.next_limit():
            return min(bound, self.best)
        if not at_once and not np.isfinite(self.best):
            self._by_fewer_splits()
        return self._by_fronts(task, bound)

    def _is_soon_bounded(self) -> bool:
        """Whether the bound without the rows takes only a small part of the time."""
        now = time.perf_counter()
        task = self._relaxed(now + SOON * (self.until - now))
        self.first = task, self._solved(task)
        task.until = self.until
        return task.complete

    def _solved(self, task: Relaxed) -> Side:
        """The best tree of the relaxation, if it is below what a better tree is below."""
        goal = self.next_limit() - task.offset + task.tolerance
        return task.solve(0, self.problem.depth, self.every, goal)

    def _relaxed(self, until: float) -> Relaxed:
        """The relaxation without the rows."""
        wanted = np.eye(len(self.problem.constant))[0]
        return Relaxed(self.problem, multipliers(self.problem, wanted), until)

    def _by_fronts(self, task: Relaxed, low: float) -> float:
        """The best tree by lists of trees that the bound allows, for a value that rises from `low`,
        until there is a tree: what is listed grows fast with it. Where that takes most of the time,
        a tree by the best cuts of each feature at the root."""
        problem, now = self.problem, time.perf_counter()
        task.until = now + LISTS * (self.until - now)
        fronts = Fronts(
            task, 0, problem.depth, self.every, problem.constant, problem.anywhere, task.offset
        )
        for found, bound in fronts.upwards(low, self.next_limit()):
            if found is not None:
                self.best, self.plan = found
            low = max(low, bound)
            problem.reports.ruled_out(low)
            problem.reports.tick()
        self.evaluated += task.evaluated
        self.complete = task.complete
        if not self.complete:
            task.until = self.until
            self._try_roots(task)
        return min(low, self.best)

    def _by_feature_sets(self) -> float | None:
        if self.problem.depth > 2:
            return over_feature_sets(self)
        if self.problem.depth == 2 and not self.problem.anywhere[:, 0].any():
            return over_feature_sets(self, FEW_SETS)
        return None

    def over(self, problem: Problem) -> Coupled:
        """The same for another problem, whose trees have to be better."""
        return Coupled(problem, self.best, self.until)

    def limit(self) -> float:
        """An upper limit for better trees; while there is no tree yet, one for all trees."""
        best = self.best if np.isfinite(self.best) else self.most + 1.0
        return best - EQUAL * max(1.0, abs(best))

    def next_limit(self) -> float:
        """The limit for a better tree's objective, where all objectives are multiples of a unit."""
        return better(self.limit(), self.unit, float(self.problem.constant[0]))

    def _by_fewer_splits(self) -> None:
        """The best tree by few splits of each feature, at quantiles, or else by more of them: the
        rows may leave room for trees that no single split leads to."""
        for most in FEWER:
            kept = at_quantiles(self.problem, most)
            if self.plan is not None or 2 * kept.sum() >= (~self.problem.bins.last).sum():
                return
            fewer, number = with_splits(self.problem, kept)
            now = time.perf_counter()
            task = Coupled(fewer, self.best, now + SOME * max(0.0, self.until - now))
            task.run()
            if task.plan is not None:
                self.plan, self.best = renumbered(task.plan, number), task.best

    # -------------------------------------------------------------------- bounds

    def _relaxation(self) -> tuple[Relaxed | None, float]:
        """The best relaxation of some, and its bound; None where no tree keeps leaf conditions."""
        problem = self.problem
        wanted = np.eye(len(problem.constant))[0]
        trees: list[np.ndarray] = []
        best: tuple[Relaxed | None, float] = (None, -np.inf)
        penalty = 10.0 * max(EQUAL, float(np.abs(problem.points[:, :, 0]).max(axis=1).sum()))
        for _ in range(ROUNDS):
            if trees or self.first is None or not self.first[0].complete:
                task = Relaxed(problem, multipliers(problem, wanted), self.until)
                side = self._solved(task)
            else:
                task, side = self.first
            self.evaluated += task.evaluated
            low = (side.exact if task.complete else side.relaxed) + task.offset
            if np.isinf(low) and task.complete:
                return task, self.next_limit()
            if best[0] is None or low > best[1]:
                best = task, low
                problem.reports.ruled_out(low)
            if np.isinf(side.exact):
                return best
            plan = task.found(0, problem.depth, self.every, side)
            rows = self.consider(plan)
            problem.reports.tick()
            if self.plan is None:
                self._polish(task, plan)
            if not task.complete:
                break
            if any(np.allclose(rows, other, rtol=0, atol=KNOWN_ROW) for other in trees):
                break
            trees.append(rows)
            if best[1] >= self.next_limit() or task.late:
                break
            wanted = best_multipliers(problem, np.array(trees), penalty)
        return best

    def consider(self, plan: Plan) -> np.ndarray:
        """The rows of a tree, which is kept where it is the best so far."""
        rows = rows_of(self.problem, plan)
        objective, violation = self.problem.worth(rows)
        if violation <= KNOWN_ROW and objective < self.limit():
            self.best, self.plan = float(objective), plan
        return rows

    def _polish(self, task: Relaxed, plan: Plan) -> None:
        """The most promising trees with that cut at the root."""
        if self.problem.depth > 1 and isinstance(plan, tuple) and plan[0] not in self.tried:
            self.tried.add(plan[0])
            self._exchange(task, plan)

    def begin(self) -> None:
        """Trees without a bound, for a share of the time: the first bound may take it all."""
        now = time.perf_counter()
        self._try_roots(self._relaxed(now + BEGIN * (self.until - now)))
        self.tried.clear()

    def _try_roots(self, task: Relaxed) -> None:
        """Trees by the best cuts of each feature at the root, while there is time."""
        problem = self.problem
        points = Subset(task, self.every)
        value = task.leaf_values(points.sums)[0]
        value = value + task.leaf_values(points.total[:, None] - points.sums)[0]
        value += task.feature_price[0][points.feature]
        value[points.ends] = np.inf
        best = np.minimum.reduceat(value, points.start)
        for feature in np.argsort(best, kind="stable"):
            if task.late or not np.isfinite(best[feature]):
                break
            at = int(np.flatnonzero((points.feature == feature) & (value == best[feature]))[0])
            cut = int(points.cut[at])
            if cut in self.tried:
                continue
            self.tried.add(cut)
            goes = points.bin[feature] <= at
            below: list[Plan] = []
            sides = self.every[goes], self.every[~goes]
            for child, rows in zip(problem.topology.children(0), sides, strict=True):
                side = task.solve(child, problem.depth - 1, rows, np.inf)
                if np.isfinite(side.exact):
                    below.append(task.found(child, problem.depth - 1, rows, side))
            bare = [plan for rows in sides for plan in self._of_one_label(task, cut, rows)]
            if self.plan is None and len(bare) == 2:
                # a budget may leave nothing beside either of the two best
                self._exchange(task, (cut, bare[0], bare[1]))
            if len(below) == 2:
                self._exchange(task, (cut, below[0], below[1]))

    def _of_one_label(self, task: Relaxed, cut: int, rows: np.ndarray) -> list[Plan]:
        """The tree below the root that gives these points one label, none where a leaf's condition
        forbids it; where every branch must split, all repeat the cut of the root."""
        problem = self.problem
        if not task.in_one_leaf(rows):
            return []
        plan: Plan = task.label(rows)
        if problem.unsplit is None:
            if not problem.allowed[:, problem.bins.feature[cut]].all():
                return []
            for _ in range(problem.depth - 1):
                plan = cut, plan, plan
        return [plan]

    def _exchange(self, task: Relaxed, plan: tuple[int, Plan, Plan]) -> None:
        """Each side of the root in turn becomes the best tree of depth at most 2 beside the other,
        for as long as that is better."""
        idle, side = 0, 0
        while idle < 2 and not task.late:
            before = self.best
            fronts = self._beside(task, plan, side)
            low = task.solve(fronts.node, fronts.depth, fronts.every, np.inf).exact + fronts.offset
            for found, _ in fronts.upwards(low, self.next_limit()):
                if found is not None:
                    one, two, part = plan[1], plan[2], found[1]
                    plan = (plan[0], part, two) if side == 0 else (plan[0], one, part)
                    self.best, self.plan = found[0], plan
                    break
            idle = idle + 1 if self.best == before else 0
            side = 1 - side

    def _beside(self, task: Relaxed, plan: tuple[int, Plan, Plan], side: int) -> Fronts:
        """The trees on one side of the root of a plan, the other side as it is. Their bounds are a
        guess where features have a price of their own."""
        problem, bins = self.problem, self.problem.bins
        children, feature = problem.topology.children(0), int(bins.feature[plan[0]])
        left = bins.goes_left(plan[0])
        mine, others = (left, ~left) if side == 0 else (~left, left)
        every, used = np.flatnonzero(mine), {feature}
        rest = rows_below(problem, plan[2 - side], children[1 - side], np.flatnonzero(others), used)
        rest = rest + problem.constant + problem.by_split[0, feature]
        each = problem.anywhere.copy()
        rest = rest + each[sorted(used)].sum(axis=0)
        each[sorted(used)] = 0.0
        above = task.by.constant + float(rest @ task.by.rows) + shift(task, every)
        depth = min(problem.depth - 1, 2)
        return Fronts(task, children[side], depth, every, rest, each, above)
