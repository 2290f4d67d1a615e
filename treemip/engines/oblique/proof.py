"""The best oblique tree by SAT: how few points can be wrong, bound after bound, until it is proven.

A routing of points is possible where each branch parts its points by the formulation's gap. That is
known lazily: at each answer, linear programs find points that no hyperplane parts, which become
clauses. Labels of leaves are taken one choice after another, the one with the lowest bound first.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from treemip.engines.oblique.decode import tree_of
from treemip.engines.oblique.labelings import labelings
from treemip.engines.oblique.problem import ObliqueProblem
from treemip.engines.oblique.routing import Late, Routing, demand_time
from treemip.engines.oblique.supports import Support, Supports
from treemip.frozen import dataclass
from treemip.search.candidate import Candidate

FEW = 30  # supports that are looked for at one branch in one round
ROOM = 40  # units of loss beyond the bound that the clauses can tell apart

Judge = Callable[[Candidate], float | None]
"""The objective of a tree, to be minimized, None where it is no solution of the model."""


@dataclass(frozen=True)
class Proof:
    """tree: better than the goal, None where there is none. losses: of it or of the goal. low: no
    tree loses less, in units; proven where low is losses. rounds: answers of the SAT solver."""

    tree: Candidate | None
    losses: int
    low: int
    rounds: int
    supports: int
    seconds: float

    @property
    def proven(self) -> bool:
        return self.low >= self.losses


def prove(
    problem: ObliqueProblem, goal: float, judge: Judge, seconds: float, seed: int = 0
) -> Proof:
    """goal: an objective that is known, to be minimized, or infinity. Raises Refusal."""
    return _Proving(problem, goal, judge, seconds, seed).run()


class _Proving:
    def __init__(
        self, problem: ObliqueProblem, goal: float, judge: Judge, seconds: float, seed: int
    ) -> None:
        self.problem, self.judge = problem, judge
        self.began = time.perf_counter()
        self.until = self.began + seconds
        most = int(problem.loss.max(axis=1).sum()) + 1
        self.best = min(most, problem.losses(goal)) if np.isfinite(goal) else most
        self.tree: Candidate | None = None
        self.pool: list[Support] = []
        self.finder = Supports(problem.x, problem.gap, np.random.default_rng(seed))
        choices = labelings(problem.topology, problem.loss.shape[1])
        self.routings = [Routing(problem, labels) for labels in choices]
        self.room = max(ROOM, 2 * int(problem.loss.max(initial=0)))
        self.rounds = 0

    def run(self) -> Proof:
        low = 0
        try:
            while True:
                routing = min(self.routings, key=lambda r: r.low)
                low = min(routing.low, self.best)
                if low >= self.best or not self._advance(routing):
                    break
        except Late:
            pass
        finally:
            for routing in self.routings:
                routing.end()
        took = time.perf_counter() - self.began
        return Proof(self.tree, self.best, low, self.rounds, len(self.pool), took)

    def _advance(self, routing: Routing) -> bool:
        """Raises the bound of these labels, or finds a tree that meets it; False where neither can
        be had."""
        if routing.low >= routing.cap:
            routing.begin(min(self.best, routing.low + self.room), self.until)
        while True:
            routing.forbid(self.pool[routing.known :])
            routing.known = len(self.pool)
            passes = routing.solve(routing.low, self.until)
            self.rounds += 1
            if passes is None:
                routing.low = routing.following(routing.low)
                return True
            if not self._separate(passes):
                tree, inside = tree_of(self.problem, routing.labels, passes)
                if self._keep(tree):
                    return True
                if inside <= routing.followed:
                    return False
                routing.follow(inside, self.pool)

    def _separate(self, passes: np.ndarray) -> bool:
        """Adds supports that the routing parts; whether there are any."""
        topology, before = self.problem.topology, len(self.pool)
        for node in topology.branches:
            demand_time(self.until)
            left = np.flatnonzero(passes[:, topology.left[node]])
            right = np.flatnonzero(passes[:, topology.right[node]])
            self.pool += self.finder.among(left, right, FEW, self.until)
        return len(self.pool) > before

    def _keep(self, tree: Candidate) -> bool:
        """Whether the tree is a solution better than the best so far, which it then is."""
        value = self.judge(tree)
        if value is None or self.problem.losses(value) >= self.best:
            return False
        self.best, self.tree = self.problem.losses(value), tree
        return True
