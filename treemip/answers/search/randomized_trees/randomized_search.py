"""Search for a good randomized tree: oblique trees, as steep as is best, polished by Ipopt.

Training a randomized tree has many local optima, most of them poor (Amaldi, Consolo and Manno 2023
take the best of ten random starts). A good oblique tree lies near a good one: its splits are the
centres of the logistic functions, one multiplier of all weights is found by evaluating the model,
and `Polish` leaves a local solver only the details.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import as_columns, completion_of
from treemip.answers.search.randomized_trees.chance_splits import ChanceSplits
from treemip.answers.search.randomized_trees.proposals import Proposals
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.model.answer import Limits
from treemip.core.model.blocks import Kind, Variables
from treemip.core.model.bounds import objective_bound
from treemip.core.model.model import Model
from treemip.core.model.tolerances import COMPLETE, PROVEN
from treemip.core.model.values import logistic, objective_value, violation
from treemip.core.solvers.ipopt.solve import Ipopt
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.solving.optional import is_installed
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.residuals import Violation, model_violations


class Polish:
    """Ipopt from points that are nearly solutions. stopped: the user has ended a run."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model, self.stopped = model, False
        self.limits = Limits(feasibility=COMPLETE, seed=seed)
        self.able = is_installed("casadi")
        self._ipopt: Ipopt | None = None

    def __call__(self, start: np.ndarray, seconds: float) -> np.ndarray | None:
        """The local solution near a start, nan where unknown; integers stay as they are there.

        None where there is none, no time, or a model that Ipopt does not take.
        """
        if not self.able or seconds <= 0:
            return None
        try:
            ipopt = self._built(start)
        except TreemipError:
            self.able = False
            return None
        answer = ipopt.solve([ipopt.point(0, start)], near=1, seconds=seconds)
        self.stopped |= answer.status == "interrupted"
        return answer.values

    def _built(self, start: np.ndarray) -> Ipopt:
        """Ipopt of the model; a new one for each start where integers are fixed to its values."""
        if self.model.integer.any():
            blocks = tuple(_fixed(block, start) for block in self.model.variables)
            return Ipopt(replace(self.model, variables=blocks), self.limits)
        if self._ipopt is None:
            self._ipopt = Ipopt(self.model, self.limits)
        return self._ipopt


def _fixed(block: Variables, start: np.ndarray) -> Variables:
    if block.kind is Kind.CONTINUOUS:
        return block
    own = start[block.start : block.stop]
    return replace(block, lower=own, upper=own, kind=Kind.CONTINUOUS)


# ------------------------------------------------------------------------------- search


MULTIPLIERS = 10.0 ** -np.arange(0.0, 3.1, 0.5)
"""Shares of the greatest multiplier that are tried."""

FRESH = 6  # trees from random starts before the first perturbed one
RESTART = 0.5  # share of random starts after that
POOL = 4  # trees that are perturbed
ENOUGH = 30  # trees in a row that were no better, after which the search ends
POINTS = 20  # starting points kept for the solver


@dataclass(frozen=True)
class Start:
    """A tree as a point of the model: float64 (columns,), nan where only a solver can say.

    violations: the rows of the stated model that it breaks.
    """

    tree: Candidate
    point: np.ndarray
    objective: float
    violations: tuple[Violation, ...]


@dataclass(frozen=True)
class RandomizedReport:
    """values float64 (columns,) of the best solution, None where there is none. points (k,
    columns): where other good runs began, the best first. failed: families of rows that starts
    broke, with how many did. starts: trees tried. stopped: the user ended the search."""

    values: np.ndarray | None
    points: np.ndarray
    failed: Counter[str]
    starts: int
    seconds: float
    stopped: bool


@dataclass(frozen=True)
class _Tried:
    """values: of a solution; worth: its objective, to be minimized."""

    worth: float
    start: Start
    values: np.ndarray


class RandomizedSearch:
    """seconds: of wall clock. seed: fixes the trees that are tried and their order.

    model: the stated one reformulated for its solver, whose first columns are the stated ones.
    Raises NoSums where the route's coefficients cannot be told apart.
    """

    def __init__(
        self, instance: Instance, stated: Model, model: Model, seconds: float, seed: int
    ) -> None:
        self.began = time.perf_counter()
        self.until = self.began + seconds
        self.instance, self.stated, self.model = instance, stated, model
        self.rng = np.random.default_rng(seed)
        self.splits = ChanceSplits(instance, stated)
        self.proposals = Proposals(instance, stated, self.rng, self.until)
        self.polish = Polish(model, seed)
        self.sign = model.objective.sign
        self.goal = self.sign * objective_bound(model)
        self.tried: list[_Tried] = []
        self.failed: Counter[str] = Counter()

    def run(self, patient: bool = False) -> RandomizedReport:
        """patient: whether all seconds are used, also where ENOUGH trees were no better."""
        starts = stale = 0
        best = np.inf
        while (patient or stale < ENOUGH) and not self._over(best):
            start = min(map(self.start, self._next(starts)), key=self._rank)
            starts += 1
            solution = self._solution(start)
            stale += 1
            if solution is None:
                self.failed.update({violation.name for violation in start.violations})
                continue
            self.tried.append(solution)
            if solution.worth < best - PROVEN * max(1.0, abs(solution.worth)):
                best, stale = solution.worth, 0
        return self._report(starts)

    def _over(self, best: float) -> bool:
        reached = best < np.inf and best <= self.goal + PROVEN * max(1.0, abs(best))
        late = time.perf_counter() >= self.until
        return reached or late or self.polish.stopped or asked_to_stop()

    def _next(self, starts: int) -> list[Candidate]:
        if starts < FRESH or not self.tried or self.rng.random() < RESTART:
            return self.proposals.fresh()
        pool = self._ranked()[:POOL]
        return self.proposals.beside(pool[int(self.rng.integers(len(pool)))].start.tree)

    def _ranked(self) -> list[_Tried]:
        """One of each worth, the best first."""
        by_worth: dict[float, _Tried] = {}
        for one in self.tried:
            by_worth.setdefault(round(one.worth, 6), one)
        return [by_worth[worth] for worth in sorted(by_worth)]

    def _report(self, starts: int) -> RandomizedReport:
        ranked, seconds = self._ranked(), time.perf_counter() - self.began
        points = np.array([one.start.point for one in ranked[:POINTS]])
        values = ranked[0].values if ranked else None
        return RandomizedReport(
            values,
            points.reshape(-1, self.model.column_count),
            self.failed,
            starts,
            seconds,
            self.polish.stopped,
        )

    # ------------------------------------------------------------------ a tree as a point

    def start(self, tree: Candidate) -> Start:
        """The tree with the multiplier of its splits that the model thinks best of: feasible
        before infeasible, then by the objective."""
        weights, threshold = _left_is_likely(tree)
        greatest = self.splits.greatest(weights, threshold, self.instance.table.inputs)
        best: Start | None = None
        for share in MULTIPLIERS:
            steep = share * greatest
            one = self._at(tree, weights * steep[:, None], threshold * steep)
            if best is None or self._rank(one) < self._rank(best):
                best = one
        assert best is not None
        return best

    def _rank(self, start: Start) -> tuple[float, float]:
        broken = sum(violation.amount for violation in start.violations)
        worth = self.sign * start.objective
        return round(broken, 6), np.inf if np.isnan(worth) else worth

    def _at(self, tree: Candidate, weights: np.ndarray, threshold: np.ndarray) -> Start:
        """The tree's point with these weights and thresholds of its logistic functions."""
        instance, topology = self.instance, tree.topology
        passed = chances(topology, weights, threshold, self.proposals.search.x)
        chosen = self.proposals.labels(tree, passed)
        columns = np.clip(
            self.splits.solved(weights, threshold), self.splits.lower, self.splits.upper
        )
        values = self.splits.by_name(columns)
        labels = np.zeros((topology.size, len(instance.table.classes)))
        labels[topology.leaves, chosen] = 1.0
        path = passed[self.proposals.of_point]
        tables = {"routed": path.ravel(), "given_label": labels.ravel()}
        completion = completion_of(instance, self.stated, values, tables)
        stated = as_columns(self.stated, completion.values)
        point = np.full(self.model.column_count, np.nan)
        point[: len(stated)] = stated
        return Start(tree, point, objective_value(self.stated, stated), completion.violations)

    def _solution(self, start: Start) -> _Tried | None:
        """The local solution near a start, or the start itself where that is better or all."""
        solutions = []
        polished = self.polish(start.point, self.until - time.perf_counter())
        if polished is not None:
            solutions.append((self.sign * objective_value(self.model, polished), polished))
        if not start.violations and not np.isnan(start.point).any() and self._keeps(start.point):
            solutions.append((self.sign * start.objective, start.point))
        if not solutions:
            return None
        worth, values = min(solutions, key=lambda one: one[0])
        return _Tried(worth, start, values)

    def _keeps(self, point: np.ndarray) -> bool:
        """Whether the point is a solution of the reformulated model."""
        close = violation(self.model, point) <= COMPLETE
        return close and not model_violations(self.model, self.model.by_name(point))


def _left_is_likely(tree: Candidate) -> tuple[np.ndarray, np.ndarray]:
    """Weights and thresholds with weights x - threshold above 0 where points go left."""
    bare = ~tree.weights.any(axis=1)
    sides = np.where((tree.threshold > 0) | ((tree.threshold == 0) & tree.unsplit_left), 1.0, -1.0)
    return -tree.weights, -np.where(bare, sides, tree.threshold)


def chances(
    topology: Forest, weights: np.ndarray, threshold: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """The probability of passing each node, float64 (M, nodes), of points x (M, p)."""
    passed = np.ones((len(x), topology.size))
    for node in topology.branches:
        left = logistic(x @ weights[node] - threshold[node])
        passed[:, topology.left[node]] = passed[:, node] * left
        passed[:, topology.right[node]] = passed[:, node] * (1.0 - left)
    return passed
