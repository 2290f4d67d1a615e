"""The best oblique tree: a lower bound on the loss is raised until a tree reaches it.

With few features, all ways to part the points are enumerated. Otherwise SAT raises the bound, and a
mixed-integer program where SAT gets no further or is not installed.

A routing of points is possible if each branch parts its points by the formulation's gap. This is
checked lazily: for each answer, linear programs find points that no hyperplane parts, which become
clauses. Labelings of the leaves are taken one after another, the one with the lowest bound
first."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treemip.answers.engines.oblique.enumeration import Enumeration, is_small
from treemip.answers.engines.oblique.labelings import labelings
from treemip.answers.engines.oblique.problem import ObliqueProblem
from treemip.answers.engines.oblique.program import Program
from treemip.answers.engines.oblique.routing import Late, Routing, demand_time
from treemip.answers.engines.oblique.supports import Support, Supports
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.reports import Reports
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.gaps import widest_gap
from treemip.core.model.tolerances import PROGRAM_BAND
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.solving.optional import is_installed

SECONDS = 10.0  # for one hyperplane, at most

LEAST = 0.5  # and at least, so that a tree that is known already is not lost to the clock

FEW = 30  # supports that are looked for at one branch in one round

ROOM = 40  # units of loss beyond the bound that the clauses can tell apart

SAT, SCIP = "pysat", "pyscipopt"

PATIENCE = 15.0  # seconds of SAT without a better bound, at least, before SCIP has its turn

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
    problem: ObliqueProblem,
    goal: float,
    judge: Judge,
    seconds: float,
    seed: int = 0,
    reports: Reports | None = None,
) -> Proof:
    """goal: an objective that is known, to be minimized, or infinity. reports: told of better trees
    and bounds. Raises Refusal."""
    return _Proving(problem, goal, judge, seconds, seed, reports or Reports()).run()


class _Proving:
    def __init__(
        self,
        problem: ObliqueProblem,
        goal: float,
        judge: Judge,
        seconds: float,
        seed: int,
        reports: Reports,
    ) -> None:
        self.problem, self.judge, self.reports = problem, judge, reports
        self.began = time.perf_counter()
        self.until = self.began + seconds
        most = int(problem.loss.max(axis=1).sum()) + 1
        self.best = min(most, problem.losses(goal)) if np.isfinite(goal) else most
        self.tree: Candidate | None = None
        self.pool: list[Support] = []
        self.finder = Supports(problem.x, problem.gap, np.random.default_rng(seed))
        choices = labelings(problem.topology, problem.loss.shape[1])
        self.routings = [Routing(problem, labels, reports.tick) for labels in choices]
        self.room = max(ROOM, 2 * int(problem.loss.max(initial=0)))
        self.rounds = 0
        self.methods = {name for name in (SAT, SCIP) if is_installed(name)}

    def run(self) -> Proof:
        low = 0
        try:
            if is_small(self.problem):
                low, ended = self._enumerate()
                if ended:
                    return self._proof(low)
                for routing in self.routings:
                    routing.low = max(routing.low, low)
            while True:
                routing = min(self.routings, key=lambda r: r.low)
                low = min(routing.low, self.best)
                self.reports.ruled_out(self.problem.objective(low))
                self.reports.tick()
                if low >= self.best or not self._advance(routing):
                    break
        except Late:
            pass
        finally:
            for routing in self.routings:
                routing.end()
        return self._proof(low)

    def _proof(self, low: int) -> Proof:
        took = time.perf_counter() - self.began
        low = min(low, self.best)
        return Proof(self.tree, self.best, low, self.rounds, len(self.pool), took)

    def _enumerate(self) -> tuple[int, bool]:
        """The bound by going through all ways to part the points, and whether that came to its
        end."""
        until = (time.perf_counter() + self.until) / 2

        def offer(labels: tuple[int, ...], passes: np.ndarray) -> bool:
            return self._keep(tree_of(self.problem, labels, passes, until)[0])

        try:
            every = Enumeration(self.problem, self.finder, lambda: self.best, offer, until)
        except Refusal:
            return 0, False
        except Late:
            return 0, asked_to_stop()
        try:
            every.run()
        except Late:
            return every.low, asked_to_stop()
        return every.low, True

    def _advance(self, routing: Routing) -> bool:
        """Raises the bound of these labels, or finds a tree that meets it; False where neither can
        be had. Raises Late."""
        if SAT in self.methods and not routing.stalled:
            now = time.perf_counter()
            until = now + max(PATIENCE, now - self.began) if SCIP in self.methods else self.until
            try:
                return self._by_clauses(routing, min(until, self.until))
            except Late:
                demand_time(self.until)
                routing.stalled = True
        if SCIP not in self.methods:
            raise Late
        return self._by_program(routing)

    def _by_clauses(self, routing: Routing, until: float) -> bool:
        if routing.low >= routing.cap:
            routing.begin(min(self.best, routing.low + self.room), until)
        while True:
            routing.forbid(self.pool[routing.known :])
            routing.known = len(self.pool)
            passes = routing.solve(routing.low, until)
            self.rounds += 1
            if passes is None:
                routing.low = routing.following(routing.low)
                return True
            if not self._separate(passes):
                tree, inside = tree_of(self.problem, routing.labels, passes, self.until)
                if self._keep(tree):
                    return True
                if inside <= routing.followed:
                    return False
                routing.follow(inside, self.pool)

    def _by_program(self, routing: Routing) -> bool:
        followed = set(routing.followed)
        program = Program(self.problem, routing.labels, followed)
        while True:
            demand_time(self.until)
            self.reports.tick()
            routed = program.solve(self.best, self.until)
            routing.low = max(routing.low, routed.low)
            if routed.passes is None:
                if routing.low < self.best:
                    raise Late
                return True
            before = len(self.pool)
            if self._separate(routed.passes):
                program.forbid(self.pool[before:])
                continue
            tree, inside = tree_of(self.problem, routing.labels, routed.passes, self.until)
            if self._keep(tree):
                return True
            if inside <= followed:
                return False
            followed |= inside
            program = Program(self.problem, routing.labels, followed)
            program.forbid(self.pool)

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
        self.reports.better(value)
        return True


def tree_of(
    problem: ObliqueProblem,
    labels: tuple[int, ...],
    passes: np.ndarray,
    until: float = np.inf,
) -> tuple[Candidate, set[int]]:
    """The tree, and the points that lie inside a gap, which the formulation does not allow.

    passes bool (M, nodes): where points go that are right; the others go where they fall. until: of
    time.perf_counter(), when hyperplanes should have their place.
    """
    topology = problem.topology
    tree = Candidate.empty(topology, problem.x.shape[1])
    tree.labels[:] = labels
    inside: set[int] = set()
    rows = {0: np.arange(len(problem.x))}
    for node in topology.branches:
        here = rows[int(node)]
        left, right = topology.children(int(node))
        seconds = min(SECONDS, max(LEAST, until - time.perf_counter()))
        sides = passes[:, left], passes[:, right]
        inside |= _place(problem, tree, int(node), here, sides, seconds)
        goes_left = tree.goes_left(int(node), problem.x[here])
        rows[left], rows[right] = here[goes_left], here[~goes_left]
    return tree, inside


def _place(
    problem: ObliqueProblem,
    tree: Candidate,
    node: int,
    here: np.ndarray,
    sides: tuple[np.ndarray, np.ndarray],
    seconds: float,
) -> set[int]:
    """Sets one hyperplane; returns the points inside its gap where no part is wide enough."""
    x, (left, right) = problem.x, sides
    if not left.any() or not right.any():
        tree.threshold[node] = 1.0 if left.any() or not right.any() else -1.0
        return set()
    gap = widest_gap(x[left], x[right], np.zeros(x.shape[1]), seconds)
    if gap is None:
        return set(here[~left[here] & ~right[here]].tolist())
    weights, low, width = gap
    free = here[~left[here] & ~right[here]]
    height = x[free] @ weights
    stops = np.sort(np.concatenate([[low], np.clip(height, low, low + width), [low + width]]))
    at = int(np.diff(stops).argmax())
    tree.weights[node] = problem.norm(node) * weights
    tree.threshold[node] = problem.norm(node) * (stops[at] + stops[at + 1]) / 2
    if stops[at + 1] - stops[at] >= problem.gap - 10 * PROGRAM_BAND:
        return set()
    return set(free[(height > low) & (height < low + width)].tolist())
