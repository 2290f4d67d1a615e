"""The best univariate tree under rows that couple leaves: recall floors, parity, budgets, maxima.

A Lagrangian bound makes the problem separable; it rules out most cuts of the root. For those left,
all trees of depth 1 on each side that the bound allows are listed by what they add to the rows, and
all pairs are evaluated.
"""

from __future__ import annotations

import time

import numpy as np

from treemip.engines.duals import Relaxed, best_multipliers, ceiling, multipliers
from treemip.engines.parts import PartLists, Parts
from treemip.engines.plans import NONE, Plan, Side, renumbered, rows_below, rows_of
from treemip.engines.problem import Problem, at_quantiles, with_splits
from treemip.engines.subset import Subset
from treemip.engines.two_levels import TwoLevels
from treemip.engines.used_features import over_feature_sets
from treemip.model.tolerances import EQUAL, KNOWN_ROW

ROUNDS = 40  # of column generation
FEW = 300  # trees of each side that are paired to begin with
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
        self.lists = PartLists(problem)
        self.tried: set[int] = set()
        self.evaluated, self.complete = 0, True
        self.every = np.arange(len(problem.x))
        self.node = 0
        self.rest, self.each = problem.constant, problem.anywhere

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
        if bound is not None:
            return bound
        if problem.depth > 2:
            self.begin()
        task, bound = self._relaxation()
        if not at_once and not np.isfinite(self.best):
            self._by_fewer_splits()
        if task is None or bound >= self.limit():
            return min(bound, self.best)
        if problem.depth > 2:
            self.complete = False
            self._try_roots(task)
            return min(bound, self.best)
        if problem.depth == 1:
            self.judge(self.lists.below(task, 0, self.every, np.inf))
            return self.best
        sweep = CoupledSweep(self, task)
        side = sweep.run()
        self.evaluated += task.evaluated
        self.complete = task.complete
        return max(bound, min(side.relaxed + task.offset, self.best))

    def _by_feature_sets(self) -> float | None:
        if self.problem.depth > 2:
            return over_feature_sets(self)
        if self.problem.depth == 2 and not self.problem.anywhere[:, 0].any():
            return over_feature_sets(self, FEW_SETS)
        return None

    def limit(self) -> float:
        """What a better tree is below; where there is none yet, what every tree is below."""
        best = self.best if np.isfinite(self.best) else self.most + 1.0
        return best - EQUAL * max(1.0, abs(best))

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
            by = multipliers(problem, wanted)
            task = Relaxed(problem, by, self.until)
            side = task.solve(0, problem.depth, self.every, np.inf)
            self.evaluated += task.evaluated
            low = (side.exact if task.complete else side.relaxed) + task.offset
            if best[0] is None or low > best[1]:
                best = task, low
                problem.reports.ruled_out(low)
            if np.isinf(side.exact):
                return (None, np.inf) if task.complete else best
            plan = task.found(0, problem.depth, self.every, side)
            rows = self.consider(plan)
            self._polish(task, plan)
            if not task.complete:
                break
            if any(np.allclose(rows, other, rtol=0, atol=KNOWN_ROW) for other in trees):
                break
            trees.append(rows)
            if best[1] >= self.limit() or task.late:
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
        """The most promising trees below the root: pairs of depth 1, or exchanges of depth 2."""
        if self.problem.depth == 1 or not isinstance(plan, tuple) or plan[0] in self.tried:
            return
        if self.problem.depth > 2:
            self.tried.add(plan[0])
            self._exchange(task, plan)
            return
        cut, topology = plan[0], self.problem.topology
        self.tried.add(cut)
        left = self.problem.bins.flat[self.problem.bins.feature[cut]] <= cut
        sides = self.every[left], self.every[~left]
        children = int(topology.left[0]), int(topology.right[0])
        first, second = (
            self.lists.below(task, child, rows, np.inf).head(FEW)
            for child, rows in zip(children, sides, strict=True)
        )
        self.pairs(task, cut, first, second)

    def begin(self) -> None:
        """Trees without a bound, for a share of the time: the first bound may take it all."""
        now = time.perf_counter()
        until = now + BEGIN * (self.until - now)
        wanted = np.eye(len(self.problem.constant))[0]
        self._try_roots(Relaxed(self.problem, multipliers(self.problem, wanted), until))
        self.tried.clear()

    def _try_roots(self, task: Relaxed) -> None:
        """Trees of depth 3 by the best cuts of each feature at the root, while there is time."""
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
            for child, rows in zip(self._children(0), sides, strict=True):
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
        if len(self.lists.single(task, rows, np.inf).cut) == 0:
            return []
        plan: Plan = task.label(rows)
        if problem.unsplit is None:
            if not problem.allowed[:, problem.bins.feature[cut]].all():
                return []
            for _ in range(problem.depth - 1):
                plan = cut, plan, plan
        return [plan]

    def _exchange(self, task: Relaxed, plan: tuple[int, Plan, Plan]) -> None:
        """Each side of the root in turn becomes the best tree of depth 2 beside the other, for as
        long as that is better."""
        idle, side = 0, 0
        while idle < 2 and not task.late:
            before = self.best
            exchange = Exchange(self, task, plan, side)
            CoupledSweep(exchange, task).run()
            if exchange.plan is not None:
                assert isinstance(exchange.plan, tuple)
                plan, self.plan, self.best = exchange.plan, exchange.plan, exchange.best
            idle = idle + 1 if self.best == before else 0
            side = 1 - side

    def _children(self, node: int) -> tuple[int, int]:
        topology = self.problem.topology
        return int(topology.left[node]), int(topology.right[node])

    def judge(self, parts: Parts) -> None:
        """Keeps the best of some trees of depth at most 1 for all points."""
        if not len(parts.cut):
            return
        problem, uses = self.problem, parts.cut != NONE
        rows = parts.rows + self.rest
        rows += self.each[problem.bins.feature[parts.cut]] * uses[:, None]
        objective, violation = problem.worth(rows)
        objective = np.where(violation <= KNOWN_ROW, objective, np.inf)
        at = int(objective.argmin())
        if objective[at] < self.limit():
            self.best, self.plan = float(objective[at]), self.around(parts.plan(at))

    def around(self, plan: Plan) -> Plan:
        """The whole tree of the part that is looked for."""
        return plan

    def offset(self, task: Relaxed) -> float:
        """What the relaxed value of the whole tree is above that of the part looked for."""
        return task.offset

    def pairs(self, task: Relaxed, cut: int, left: Parts, right: Parts) -> None:
        """Evaluates all pairs of trees of the two sides whose bounds leave room."""
        if not len(left.cut) or not len(right.cut):
            return
        problem = self.problem
        feature, number = problem.bins.feature[cut], task.number(self.node)
        constant = self.rest + problem.by_split[number, feature]
        price = task.feature_price[number, feature] + self.offset(task)
        for one in range(len(left.cut)):
            if task.late:
                task.complete = False
                return
            room = self.limit() - price - left.bound[one]
            count = int(np.searchsorted(right.bound, room))
            if not count:
                break
            rows = right.rows[:count] + (left.rows[one] + constant)
            if self.lists.by_feature:
                rows = rows + self._anywhere(feature, left.cut[one], right.cut[:count])
            objective, violation = problem.worth(rows)
            objective = np.where(violation <= KNOWN_ROW, objective, np.inf)
            at = int(objective.argmin())
            if objective[at] < self.limit():
                self.best = float(objective[at])
                self.plan = self.around((cut, left.plan(one), right.plan(at)))

    def _anywhere(self, root: int, left: int, right: np.ndarray) -> np.ndarray:
        """What the features add that the splits of trees use, each counted once, (n, R)."""
        feature, each = self.problem.bins.feature, self.each
        used = [root] if left == NONE else list({int(root), int(feature[left])})
        new = (right != NONE) & ~np.isin(feature[right], used)
        total: np.ndarray = each[used].sum(axis=0) + each[feature[right]] * new[:, None]
        return total


class Exchange(Coupled):
    """The best tree of depth 2 on one side of the root of a plan, the other side as it is. Its
    bounds are a guess where features have a price of their own."""

    def __init__(
        self, whole: Coupled, task: Relaxed, plan: tuple[int, Plan, Plan], side: int
    ) -> None:
        problem, bins = whole.problem, whole.problem.bins
        super().__init__(problem, whole.best, whole.until)
        children, feature = self._children(0), int(bins.feature[plan[0]])
        left = bins.flat[feature] <= plan[0]
        mine, others = (left, ~left) if side == 0 else (~left, left)
        self.node, self.every = children[side], np.flatnonzero(mine)
        self.whole, self.side = plan, side
        used = {feature}
        other = plan[2 - side]
        rest = rows_below(problem, other, children[1 - side], np.flatnonzero(others), used)
        rest = rest + problem.constant + problem.by_split[0, feature]
        self.each = problem.anywhere.copy()
        self.rest = rest + self.each[sorted(used)].sum(axis=0)
        self.each[sorted(used)] = 0.0
        self.above = task.by.constant + float(self.rest @ task.by.rows)
        self.above += self.lists.shift(task, self.every)

    def around(self, plan: Plan) -> Plan:
        cut, left, right = self.whole
        return (cut, plan, right) if self.side == 0 else (cut, left, plan)

    def offset(self, task: Relaxed) -> float:
        return self.above


class CoupledSweep(TwoLevels):
    """The cuts of the root, each judged by all pairs of trees below it."""

    def __init__(self, coupled: Coupled, task: Relaxed) -> None:
        self.coupled, self.relaxation = coupled, task
        super().__init__(task, coupled.node, coupled.every, np.inf)
        self.best = np.inf
        if coupled.problem.unsplit is not None:
            coupled.judge(coupled.lists.single(task, coupled.every, np.inf))

    @property
    def target(self) -> float:
        return self.coupled.limit() - self.coupled.offset(self.relaxation)

    def _judge(self, pick: int, left: float, right: float) -> bool:
        goes = self.points.bin[self.points.feature[pick]] <= pick
        sides = self.rows[goes], self.rows[~goes]
        return self._pair(int(self.points.cut[pick]), sides, left, right)

    def _keep_one_sided(
        self, cuts: np.ndarray, sides: tuple[np.ndarray, np.ndarray], left: Side, right: Side
    ) -> None:
        for cut in cuts.tolist():
            self._pair(cut, sides, left.exact, right.exact)

    def _pair(
        self, cut: int, sides: tuple[np.ndarray, np.ndarray], left: float, right: float
    ) -> bool:
        """All pairs of trees below a cut, where the bound leaves room for a better one."""
        task, coupled = self.relaxation, self.coupled
        if task.late:  # a list may take a second, and a round has hundreds of cuts
            task.complete = False
            return False
        room = self.target - float(task.price[self.number, cut])
        if left + right >= room:
            return False
        first = coupled.lists.below(task, self.children[0], sides[0], room - right)
        second = coupled.lists.below(task, self.children[1], sides[1], room - left)
        coupled.pairs(task, cut, first, second)
        return True
