"""Search for margin trees: support vector problems branch by branch, sides and features in turn.

A tree is where its points go, with the best hyperplanes for it. A branch gets hyperplanes from its
own problem, from what the branches below make of each point, and from the points that hold it back;
each is tried with the problems below it solved anew. A tree counts once it is a complete solution
of the stated model.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from treemip.answers.search.answer_columns import split_values
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import Completion, as_columns, completion_of, cut_off
from treemip.answers.search.margin_trees.branch_rows import SideRows
from treemip.answers.search.margin_trees.feature_sets import FeatureSets
from treemip.answers.search.margin_trees.margin_worth import MarginTree, MarginWorth
from treemip.answers.search.pool import Stall
from treemip.answers.search.search_report import Found, SearchReport
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.tolerances import (
    BINDING,
    COMPLETE,
    EQUAL,
    MARGIN_BETTER,
    SAME_TREE,
    SAME_WORTH,
)
from treemip.core.model.values import objective_value
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.tree.residuals import Violation, row_distance

POOL = 6
FRESH = 4  # random trees before the first perturbed one
RESTART = 0.3
PRICES = (1.0, 10.0, 100.0, 1000.0)
TRIED = 4  # hyperplanes of a branch that are tried with what is below
ROUNDS = 30
SHARES = 12  # steps towards the balance of branches under one price of the greatest norm
LEAST_SHARE = 1e-3


class MarginSearch:
    """seconds of wall clock; `seed` fixes the sequence of trees."""

    def __init__(self, instance: Instance, model: Model, seconds: float, seed: int) -> None:
        self.instance, self.model, self.topology = instance, model, instance.nodes
        self.began = time.perf_counter()
        self.until = self.began + seconds
        self.rng = np.random.default_rng(seed)
        self.worth = MarginWorth(instance, model)
        self.programs = self.worth.programs
        self.sets = FeatureSets(self.worth, self.rng)
        self.pool: list[tuple[float, MarginTree]] = []
        self.best: Found | None = None
        self.best_value = np.inf
        self.stall = Stall()
        self.failed: Counter[str] = Counter()
        self.cut_off: tuple[Violation, ...] = ()
        self.reformed: Model | None = None
        self.met: Callable[[Candidate, float], None] | None = None

    @property
    def late(self) -> bool:
        return time.perf_counter() > self.until or asked_to_stop()

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return time.perf_counter() - self.began

    def run(
        self,
        model: Model | None = None,
        most: int | None = None,
        goal: float = -np.inf,
        patient: bool = True,
    ) -> SearchReport:
        """The best solution found in the time; the first tree is always considered.

        model: the stated one with its big-M, which trees have to keep as well; None for no such.
        most: the greatest number of starts. goal: a value, to be minimized, that is good enough.
        patient: whether all seconds are used, also where nothing better turns up for long.
        """
        self.reformed = model
        starts = 0
        while not starts or not (starts == most or self._is_over(patient, starts, goal)):
            self.worth.price = self.worth.unit * PRICES[starts % len(PRICES)]
            tree = self._next(starts)
            starts += 1
            if tree is not None:
                self.consider(tree)
                if self.best_value > goal:
                    self.consider(self._improved(tree))
            self.stall.note(self._standing, starts, self.seconds)
        own = self.cut_off
        return SearchReport(self.best, starts, self.seconds, self.failed, False, cut_off=own)

    def _is_over(self, patient: bool, starts: int, goal: float) -> bool:
        stalled = not patient and self.stall.over(starts, self.seconds)
        return stalled or self.late or self.best_value <= goal

    @property
    def _standing(self) -> tuple[bool, float]:
        """How far the search has come, less being better: the objective of its solution or, as long
        as it has none, that of the best tree that is no solution of the model."""
        if self.best is not None:
            return False, self.best_value
        return True, self.pool[0][0] if self.pool else np.inf

    # ------------------------------------------------------------------------ starts

    def _next(self, starts: int) -> MarginTree | None:
        branches = self.topology.branches
        weight = np.ones(len(branches)) if starts == 0 else self.rng.exponential(1.0, len(branches))
        self.programs.share[branches] = weight / weight.sum()
        if starts == 0:
            return self._grown(None)
        if starts <= FRESH or not self.pool or self.rng.random() < RESTART:
            return self._grown(
                self.rng.exponential(1.0, self.worth.points) ** self.rng.uniform(0.3, 3)
            )
        return self._perturbed(self.pool[int(self.rng.integers(len(self.pool)))][1])

    def _empty(self) -> MarginTree:
        features, nodes = self.programs.features, self.topology.size
        leaf = np.full(self.worth.points, self.topology.leaves[0])
        return MarginTree(np.zeros((nodes, features + 1)), np.zeros((nodes, features), bool), leaf)

    def _grown(self, factor: np.ndarray | None) -> MarginTree | None:
        """Every branch by its own problem, from the root down, as the Local SVM heuristic does it.

        factor float64 (N,): of the points' prices, None for 1.
        """
        tree = self._empty()
        return tree if self._grow(tree, 0, np.ones(self.worth.points, bool), factor) else None

    def _grow(
        self, tree: MarginTree, node: int, points: np.ndarray, factor: np.ndarray | None
    ) -> bool:
        if self.topology.is_leaf[node]:
            tree.leaf[points] = node
            return True
        if points.any():
            choice = self.sets.chosen(tree, node, points, factor)
            tree.planes[node], tree.supports[node] = choice
            if not self._kept(tree, node, points):
                return False
        left = self.programs.one @ tree.planes[node] < 0
        sides = zip(self.topology.children(node), (points & left, points & ~left), strict=True)
        return all(self._grow(tree, child, here, factor) for child, here in sides)

    def _perturbed(self, tree: MarginTree) -> MarginTree | None:
        """A copy with the hyperplane of one branch that sends points on moved or replaced."""
        tree, rng = tree.copy(), self.rng
        inner = [int(t) for t in self.topology.branches if self.worth.sided[int(t)]]
        node = int(rng.choice(inner or self.topology.branches))
        points = self.worth.passed(tree.leaf)[node]
        if points.sum() < 2:
            return None
        support = tree.supports[node]
        if rng.random() < 0.5 and support.any():
            size = 10 ** rng.uniform(-1.5, 0.3) * np.abs(tree.planes[node]).max()
            tree.planes[node, :-1][support] += rng.standard_normal(int(support.sum())) * size
            at = self.programs.position(tree.planes[node], np.flatnonzero(points))
            tree.planes[node, -1] -= np.quantile(at, rng.uniform(0.05, 0.95))
        else:
            power = rng.uniform(0.3, 4)
            factor = rng.exponential(1.0, self.worth.points) ** power
            if self.worth.by_feature and rng.random() < 0.5:
                tree.planes[node], tree.supports[node] = self.sets.chosen(
                    tree, node, points, factor
                )
            else:
                planes, _ = self.programs.free(node, points, support[None], factor=factor)
                tree.planes[node] = planes[0]
        return tree if self._settled(tree, node, points) else None

    # ----------------------------------------------------------------------- settling

    def _kept(self, tree: MarginTree, node: int, points: np.ndarray) -> bool:
        """The best hyperplane that keeps the sides which the branch's present one gives."""
        left = self.programs.one @ tree.planes[node] < 0
        hyperplane = self.programs.on_sides(
            node, points & left, points & ~left, tree.supports[node]
        )
        if not np.isfinite(hyperplane.value):
            return False
        tree.planes[node] = hyperplane.plane
        return True

    def _settled(self, tree: MarginTree, node: int, points: np.ndarray) -> bool:
        """The best hyperplanes for where the present ones of a branch and below send its points.

        False where no hyperplane keeps their sides.
        """
        if self.topology.is_leaf[node]:
            tree.leaf[points] = node
            return True
        if not points.any():
            tree.planes[node] = 0.0
        elif not self._kept(tree, node, points):
            return False
        left = self.programs.one @ tree.planes[node] < 0
        for child, here in ((self.topology.left[node], left), (self.topology.right[node], ~left)):
            below = points & here
            if not self.topology.is_leaf[child] and below.any():
                self._refresh(tree, int(child), below)
            if not self._settled(tree, int(child), below):
                return False
        return True

    def _refresh(self, tree: MarginTree, node: int, points: np.ndarray) -> None:
        """A hyperplane for a branch without one, and for a last branch its own problem's best."""
        if not tree.planes[node].any() and not tree.supports[node].any():
            tree.planes[node], tree.supports[node] = self.sets.chosen(tree, node, points, None)
        elif node in self.topology.last_branches and not self.worth.sums.shared.any():
            planes, _ = self.programs.free(node, points, tree.supports[node][None])
            tree.planes[node] = planes[0]

    # ---------------------------------------------------------------------- improving

    def _improved(self, tree: MarginTree) -> MarginTree:
        """Branch by branch, the last ones first, until nothing helps."""
        order = np.argsort(-self.topology.depth[self.topology.branches], kind="stable")
        value = self.worth.value(tree)
        for _ in range(ROUNDS):
            before = value
            for node in self.topology.branches[order]:
                tree, value = self._improved_branch(tree, int(node), value)
                if self.late:
                    return tree
            if self.programs.model.widest:
                tree = self._balanced(tree, 1)
                value = self.worth.value(tree)
            if value >= before - MARGIN_BETTER * max(1.0, abs(before)):
                break
        return tree

    def _improved_branch(
        self, tree: MarginTree, node: int, value: float
    ) -> tuple[MarginTree, float]:
        points = self.worth.passed(tree.leaf)[node]
        if points.sum() < 2:
            return tree, value
        best, gain = tree, self.worth.gain(tree, node, points)
        for plane, support in self._proposed(tree, node, points, gain):
            other = tree.copy()
            other.planes[node], other.supports[node] = plane, support
            if not self._settled(other, node, points):
                continue
            worth = self.worth.value(other)
            if worth < value - MARGIN_BETTER * max(1.0, abs(value)):
                best, value = other, worth
            if self.late:
                break
        return best, value

    def _proposed(
        self, tree: MarginTree, node: int, points: np.ndarray, gain: np.ndarray
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Hyperplanes and their features, the most promising first, TRIED at most."""
        choices = self.sets.near(tree, node, points)
        support = tree.supports[node]
        if self.worth.sided[node]:
            choices += self._flipped(tree, node, points)
        if np.abs(gain).max() > SAME_WORTH * self.worth.unit:
            for wish in self._wishes(gain):
                planes, _ = self.programs.free(node, points, support[None], wish)
                choices.append((planes[0], support))
        supports = np.array([s for _, s in choices])
        prices, _ = self.worth.of_supports(tree, node, supports)
        scores = []
        for (plane, _), price in zip(choices, prices, strict=True):
            left = self.programs.one @ plane < 0
            own = self.programs.norm(node, plane) + sum(
                float(self.programs.losses(node, side, plane)[points & (left == side)].sum())
                for side in (True, False)
            )
            scores.append(own + price - float(gain[~left].sum()))
        order = np.argsort(scores, kind="stable")
        return [choices[k] for k in order[: TRIED if self.worth.sided[node] else 2]]

    def _wishes(self, gain: np.ndarray) -> list[SideRows]:
        """Rows that ask each point to the side where it is cheaper, at prices of some size."""
        point = np.flatnonzero(gain)
        sign = np.where(gain[point] > 0, 1.0, -1.0)
        rows = self.programs.one[point] * sign[:, None]
        wishes = []
        for _ in range(2):
            size = np.abs(gain[point]) * 10 ** self.rng.uniform(-1, 1)
            least = np.full(len(point), 10 ** self.rng.uniform(-2, 0.3))
            wishes.append(SideRows(rows, point, least, size))
        return wishes

    def _flipped(
        self, tree: MarginTree, node: int, points: np.ndarray
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """With the points on the other side that hold the hyperplane back most."""
        left = self.programs.one @ tree.planes[node] < 0
        support = tree.supports[node]
        now = self.programs.on_sides(node, points & left, points & ~left, support)
        order = np.argsort(-now.held, kind="stable")
        active = int((now.held > BINDING * self.worth.unit).sum())
        choices = []
        for count in np.unique(np.minimum([1, 2, 4, 8], active)):
            if not count:
                continue
            chosen = (
                order[:count]
                if self.rng.random() < 0.7
                else self.rng.choice(order[:active], count, False)
            )
            side = left.copy()
            side[chosen] = ~side[chosen]
            hyperplane = self.programs.on_sides(node, points & side, points & ~side, support)
            if np.isfinite(hyperplane.value):
                choices.append((hyperplane.plane, support))
        return choices

    def _balanced(self, tree: MarginTree, steps: int) -> MarginTree:
        """Moves the weights of branches in a price of the greatest norm to where norms are equal,
        the sides of all points as they are; the best tree on the way."""
        best, value = tree, self.worth.value(tree)
        path, last = self.worth.passed(tree.leaf), tree
        branches = [int(t) for t in self.topology.branches if path[t].any()]
        for step in range(steps):
            half = (last.planes[branches, :-1] ** 2).sum(axis=1)
            if not half.max(initial=0.0):
                break
            power = 1 / (1 + step / 4)  # steps get smaller, so that they do not swing
            share = np.maximum(self.programs.share[branches], LEAST_SHARE)
            share *= np.maximum(half / half.max(), LEAST_SHARE) ** power
            self.programs.share[:] = 0.0
            self.programs.share[branches] = share / share.sum()
            last = last.copy()
            for node in branches:
                left, right = path[self.topology.left[node]], path[self.topology.right[node]]
                hyperplane = self.programs.on_sides(node, left, right, tree.supports[node])
                if np.isfinite(hyperplane.value):
                    last.planes[node] = hyperplane.plane
            if (worth := self.worth.value(last)) < value:
                best, value = last, worth
        return best

    # --------------------------------------------------------------------- completing

    def consider(self, tree: MarginTree) -> None:
        """Puts a tree into the pool, and completes it where it is better than the best so far."""
        value = self.worth.value(tree)
        if self.programs.model.widest and value < 1.2 * self.best_value:
            tree = self._balanced(tree, SHARES)
            value = self.worth.value(tree)
        if self.met is not None and np.isfinite(value):
            self.met(self._candidate(tree), value)
        if all(abs(value - other) > SAME_TREE * max(1.0, abs(value)) for other, _ in self.pool):
            self.pool.append((value, tree))
            self.pool.sort(key=lambda entry: entry[0])
            del self.pool[POOL:]
        if value >= self.best_value - MARGIN_BETTER * max(1.0, abs(value)):
            return
        completion = self._completed(tree)
        if completion.violations or completion.unknown:
            self.failed.update(v.name for v in completion.violations)
            self.cut_off = self.cut_off or cut_off(self.instance, completion)
            return
        x = as_columns(self.model, completion.values)
        if not self._fits(x):
            return
        objective = objective_value(self.model, x)
        signed = self.worth.sums.sign * objective
        if signed < self.best_value - EQUAL * max(1.0, abs(signed)):
            self.best_value = signed
            self.best = Found(completion, objective, self._candidate(tree), self.seconds)

    def _fits(self, x: np.ndarray) -> bool:
        """Whether a solution keeps the big-M of the model that solvers get."""
        if self.reformed is None or self.reformed.column_count != len(x):
            return True
        broken = [
            block.name
            for block in self.reformed.rows
            if row_distance(block, x)[0].max(initial=0.0) > COMPLETE
        ]
        self.failed.update(broken)
        return not broken

    def _candidate(self, tree: MarginTree) -> Candidate:
        weights, threshold = tree.planes[:, :-1], -tree.planes[:, -1]
        return Candidate(self.topology, weights, threshold, self.worth.labels, False)

    def _completed(self, tree: MarginTree) -> Completion:
        path = self.worth.passed(tree.leaf).T.astype(float)
        table = np.zeros((self.topology.size, len(self.instance.table.classes)))
        table[self.topology.leaves, self.worth.labels] = 1.0
        values = split_values(self.instance, self._candidate(tree))
        tables = {"routed": path.ravel(), "given_label": table.ravel()}
        return completion_of(self.instance, self.model, values, tables)
