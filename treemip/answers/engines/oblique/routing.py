"""Which points can be right together, for given labels of the leaves, as clauses.
A point that is right, or better than its worst label, passes the nodes down to a leaf of such a
label. One that is not claims nothing and is held to nothing, unless `follow` says that it must end
somewhere. An assumption bounds the sum of the losses, so that clauses outlive each bound. The sum
is encoded by the generalized totalizer of Joshi, Martins and Manquinho (2015): each node of a
balanced tree has a literal for each sum that its inputs can have, true if their sum is at least
that much.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from treemip.answers.engines.oblique.labelings import anchored
from treemip.answers.engines.oblique.problem import ObliqueProblem
from treemip.answers.engines.oblique.supports import Support
from treemip.core.solving.interrupt import Watch, asked_to_stop
from treemip.core.solving.optional import needed

CONFLICTS = 2000  # between two looks at the clock


class Late(Exception):
    """There was no time for an answer."""


def demand_time(until: float) -> None:
    """Raises Late after `until` of time.perf_counter(), and when the user ends the search."""
    if time.perf_counter() > until or asked_to_stop():
        raise Late


class Routing:
    """labels: of the leaves. `low`: no tree of these labels loses less, in units. `cap`: losses
    from here on are all alike to the clauses. `known`: how many of all supports are forbidden.
    `stalled`: SAT got no further in the time it had. tick: called again and again while SAT runs,
    from its thread."""

    def __init__(
        self,
        problem: ObliqueProblem,
        labels: tuple[int, ...],
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self.problem, self.labels, self.tick = problem, labels, tick
        self.certain = int(problem.loss[:, list(set(labels))].min(axis=1).sum())
        self.low, self.cap = self.certain, 0
        self.solver: Any = None
        self.known = 0
        self.followed: set[int] = set()
        self.stalled = False

    def begin(self, cap: int, until: float) -> None:
        """Sets up the clauses, anew where there are some. Raises Late as `solve` does."""
        self.end()
        self.cap, self.until, self.known = cap, until, 0
        self.loss = self.problem.loss[:, list(self.labels)]
        points = len(self.loss)
        module = needed("pysat.solvers", "sat")
        self.solver, self.top = module.Solver(name="cadical195"), 0
        self.passes = np.zeros((points, self.problem.topology.size), np.int64)
        self.clauses: set[tuple[int, ...]] = set()
        worst = self.loss.max(axis=1)
        pays: list[int] = []
        weights: list[int] = []
        for point in np.flatnonzero(self.loss.min(axis=1) < worst):
            demand_time(self.until)
            for leaf in np.flatnonzero(self.loss[point] < worst[point]):
                self._pass(int(point), int(leaf))
            levels = np.unique(self.loss[point])
            for less, more in pairwise(levels):
                pays.append(self._fresh())
                weights.append(int(more - less))
                better = self._leaves(int(point), self.loss[point] < more)
                self.solver.add_clause([*better, pays[-1]])
        cap = self.cap - self.certain
        self.at_least = totalizer(pays, weights, cap, self._fresh, self._add_in_time)
        self._break_symmetry()
        followed, self.followed = self.followed, set()
        self.follow(followed, [])

    def _fresh(self) -> int:
        self.top += 1
        return self.top

    def _add_in_time(self, clause: list[int]) -> None:
        demand_time(self.until)
        self.solver.add_clause(clause)

    def _leaves(self, point: int, which: np.ndarray) -> list[int]:
        leaves = self.problem.topology.leaves[which]
        literals = self.passes[point, leaves]
        return [int(v) for v in literals if v]

    def _pass(self, point: int, leaf: int) -> None:
        """Literals for the nodes of a leaf's path: each is passed only with the one above, and
        never with its sibling."""
        below, topology = 0, self.problem.topology
        for node in self.problem.paths[leaf]:
            literal = int(self.passes[point, node])
            known = literal > 0
            if not known:
                literal = self._fresh()
                self.passes[point, node] = literal
                parent = topology.parent[node]
                sibling = int(topology.left[parent] + topology.right[parent] - node)
                if self.passes[point, sibling]:
                    self.solver.add_clause([-literal, -int(self.passes[point, sibling])])
            if below:
                self.solver.add_clause([-below, literal])
            if known:
                return
            below = literal

    def _break_symmetry(self) -> None:
        for point, node in anchored(self.problem, self.labels):
            literal = int(self.passes[point, node])
            if literal:
                self.solver.add_clause([-literal])

    def follow(self, points: set[int], supports: list[Support]) -> None:
        """From now on, these points end in a leaf."""
        for point in sorted(points - self.followed):
            for leaf in range(self.loss.shape[1]):
                if not self.passes[point, self.problem.topology.leaves[leaf]]:
                    self._pass(point, leaf)
            every = np.ones(self.loss.shape[1], bool)
            self.solver.add_clause(self._leaves(point, every))
        self.followed |= points
        self.forbid(supports)

    def forbid(self, supports: list[Support]) -> None:
        """No branch parts these points, in either direction."""
        topology = self.problem.topology
        for one, other in supports:
            for node in topology.branches:
                left, right = topology.left[node], topology.right[node]
                for a, b in ((left, right), (right, left)):
                    literals = [*self.passes[list(one), a], *self.passes[list(other), b]]
                    if all(literals):
                        self._add(tuple(sorted(-int(v) for v in literals)))

    def _add(self, clause: tuple[int, ...]) -> None:
        if clause not in self.clauses:
            self.clauses.add(clause)
            self.solver.add_clause(clause)

    def solve(self, most: int, until: float) -> np.ndarray | None:
        """Which nodes each point passes, bool (M, nodes), where all lose `most` units at most;
        None where that cannot be. Raises Late as `demand_time` does."""
        above = [v for value, v in self.at_least.items() if value > most - self.certain]
        answer = self._answer([-above[0]] if above else [], until)
        if not answer:
            return None
        true = np.zeros(self.top + 1, bool)
        model = np.array(self.solver.get_model(), np.int64)
        model = model[(model > 0) & (model <= self.top)]
        true[model] = True
        return true[self.passes] & (self.passes > 0)

    def _answer(self, assumptions: list[int], until: float) -> bool:
        """Whether the clauses can be kept. Raises Late as `demand_time` does.

        In the main thread, python-sat would take signals over and leave the solver by a long jump.
        """
        watch = Watch()
        answer: bool | None = None

        def work() -> None:
            nonlocal answer
            while answer is None and time.perf_counter() < until and not watch.stopping.is_set():
                self.tick()
                self.solver.conf_budget(CONFLICTS)
                answer = self.solver.solve_limited(assumptions=assumptions)

        watch.run(work, stop=lambda: None)
        if answer is None:
            raise Late
        return answer

    def following(self, most: int) -> int:
        """The least sum of losses above `most`."""
        sums = (value + self.certain for value in self.at_least)
        return min((s for s in sums if s > most), default=self.cap)

    def end(self) -> None:
        if self.solver is not None:
            self.solver.delete()
            self.solver = None


def totalizer(
    literals: Sequence[int],
    weights: Sequence[int],
    cap: int,
    fresh: Callable[[], int],
    add: Callable[[list[int]], None],
) -> dict[int, int]:
    """For each sum that can be had, up to one that is `cap` or more, the literal that says "at
    least this much", which is true where the weights of the true `literals` come to that.

    fresh: a new variable; add: takes a clause.
    """
    level = [{min(w, cap): v} for v, w in sorted(zip(literals, weights, strict=True), key=_weight)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        merged = [_merged(a, b, cap, fresh, add) for a, b in pairs]
        level = merged + level[2 * len(merged) :]
    return level[0] if level else {}


def _weight(pair: tuple[int, int]) -> int:
    return pair[1]


def _merged(
    one: dict[int, int],
    other: dict[int, int],
    cap: int,
    fresh: Callable[[], int],
    add: Callable[[list[int]], None],
) -> dict[int, int]:
    sums = {min(a + b, cap) for a in (0, *one) for b in (0, *other)} - {0}
    result = {value: fresh() for value in sorted(sums)}
    for a, v in one.items():
        add([-v, result[a]])
        for b, w in other.items():
            add([-v, -w, result[min(a + b, cap)]])
    for b, w in other.items():
        add([-w, result[b]])
    for less, more in pairwise(result):
        add([-result[more], result[less]])
    return result
