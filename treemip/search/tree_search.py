"""Search for a good tree of any spec: random trees improved branch by branch, a pool, restarts.

What a tree is worth comes from the spec's own objective and side constraints (`sums`). A tree
counts once it is a complete solution of the model, every row checked (`complete`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.model.answer import OnProgress, Progress, relative_gap
from treemip.model.model import Model
from treemip.model.tape_values import objective_value
from treemip.search.alternate import Alternation
from treemip.search.best_numbers import best_numbers, numbers_matter
from treemip.search.candidate import Candidate
from treemip.search.complete import Completion, complete, unsplit_left
from treemip.search.learned import Learned
from treemip.search.sum_builder import sums_of
from treemip.search.sums import Sums
from treemip.search.widest_gap import widest_gap
from treemip.tree.rows import model_violations

POOL = 5
FRESH = 12  # trees from random starts before the first perturbed one
RESTART = 0.3  # share of random starts after that
WAIT = 1.5  # seconds without a better tree before a search ends early, at least
PATIENCE = 2.0  # times the seconds that the last better tree took
STARTS = 50  # starts without a better tree before it ends, at least
MANY = 300  # starts that need not wait for so many seconds
AXIS_EVERY = 3  # starts from one tree of univariate splits to the next, where numbers matter
PRICES = (1.0, 3.0, 10.0, 30.0)
EVERY = 0.5  # seconds between two routine reports


@dataclass(frozen=True)
class Found:
    """A solution: values by variable, nan where only a solver can say; its objective in the spec's
    sense, by the sums where values are unknown; its tree."""

    completion: Completion
    objective: float
    tree: Candidate
    seconds: float


@dataclass(frozen=True)
class SearchReport:
    """best: None where no tree was feasible; then `failed` counts the families that failed."""

    best: Found | None
    starts: int
    seconds: float
    failed: Counter[str]
    met_bound: bool


class Stall:
    """When a search is worth no more time: nothing better for PATIENCE times as long as the last
    better tree took, at least WAIT seconds and STARTS starts. On a tiny table MANY starts do, and
    PATIENCE times as many as the last better tree took."""

    def __init__(self) -> None:
        self.best, self.start, self.at = (True, np.inf), 0, 0.0

    def note(self, standing: tuple[bool, float], starts: int, seconds: float) -> None:
        if standing < (self.best[0], self.best[1] - 1e-9):
            self.best, self.start, self.at = standing, starts, seconds

    def over(self, starts: int, seconds: float) -> bool:
        since = starts - self.start
        if since >= max(MANY, PATIENCE * self.start):
            return True
        return since >= STARTS and seconds - self.at >= max(WAIT, PATIENCE * self.at)


class TreeSearch:
    """seconds of wall clock; `seed` fixes the sequence of trees. on_progress: told of each better
    solution, and once in EVERY seconds; `nodes` are the trees tried.

    model: the stated one. reformed: what becomes of it, with which a tree gets its best numbers
    where the objective counts them; None for leaving them where they are.
    met: is told every improved tree that keeps the constraints, and its objective, to be minimized.
    """

    def __init__(
        self,
        instance: Instance,
        model: Model,
        seconds: float,
        seed: int,
        on_progress: OnProgress | None = None,
        reformed: Model | None = None,
    ) -> None:
        assert instance.topology is not None
        self.instance, self.model = instance, model
        self.began = time.perf_counter()
        self.rng = np.random.default_rng(seed)
        inputs = instance.table.inputs
        x, of_point = np.unique(inputs, axis=0, return_inverse=True)
        self.sums: Sums = sums_of(instance, of_point.ravel())
        self.learned = Learned(instance, model, of_point.ravel())
        self.refuted: set[bytes] = set()
        self.reformed = reformed if numbers_matter(self.sums) else None
        self.spent = 0.0  # seconds on best numbers
        self.univariate = instance.spec.split == "univariate"
        self.search = Alternation(
            instance.topology, x, self.sums, self.rng, self.began + seconds, self.univariate
        )
        self.axis: Alternation | None = None
        if self.reformed is not None and not self.univariate:
            until = self.began + seconds
            self.axis = Alternation(instance.topology, x, self.sums, self.rng, until, True)
        own = self.sums.sign * self.sums.shared[:, :, 0]
        if not np.ptp(own, axis=1).any():  # functions of sums are all that counts
            own = np.zeros_like(own)
            np.add.at(own, (of_point.ravel(), instance.table.y), -1.0)
        self.classes = own.argmin(axis=1)
        self.unit = self.sums.unit
        self.pool: list[tuple[float, float, Candidate]] = []
        self.best: Found | None = None
        self.stall = Stall()
        self.failed: Counter[str] = Counter()
        self.met: Callable[[Candidate, float], None] | None = None
        self.on_progress, self._reported, self._told = on_progress, -EVERY, False

    def _report(self, starts: int, goal: float) -> None:
        """Tells of a better solution at once, and else once in EVERY seconds."""
        seconds = time.perf_counter() - self.began
        if self.on_progress is None or (self._told and seconds < self._reported + EVERY):
            return
        self._reported, self._told = seconds, True
        objective = None if self.best is None else self.best.objective
        bound = self.sums.sign * goal if isfinite(goal) else None
        gap = relative_gap(objective, bound)
        self.on_progress(Progress(seconds, objective, bound, gap, starts, "search"))

    def run(
        self, goal: float = -np.inf, patient: bool = True, first: Sequence[Candidate] = ()
    ) -> SearchReport:
        """goal: a value, to be minimized, that no tree is below. patient: whether all seconds are
        used, also where nothing better turns up for long. first: trees to begin with, as they are
        and improved."""
        starts = 0
        self._begin()
        for tree in first:
            self._considered(tree)
        while not self.search.late and (patient or not self.stall.over(starts, self.seconds)):
            self.search.price = self.unit * PRICES[starts % len(PRICES)]
            tree = first[starts].copy() if starts < len(first) else self._next(starts)
            if self.axis is not None and starts >= len(first) and starts % AXIS_EVERY == 0:
                tree = self._of_single_features(self.axis, goal)
            value = self.search.improve(tree, goal)
            starts += 1
            self._keep(value, *self._considered(tree))
            self.stall.note(self._standing(value), starts, self.seconds)
            self._report(starts, goal)
            if self.best is not None and self._signed(self.best.objective) <= goal + 1e-9:
                break
        if self.best is None:
            self._try_constant()
        seconds = self.seconds
        met = self.best is not None and self._signed(self.best.objective) <= goal + 1e-9
        return SearchReport(self.best, starts, seconds, self.failed, met)

    def _begin(self) -> None:
        """The tree without a split, which keeps most limits on splits and leaves."""
        tree = Candidate.empty(self.search.topology, self.search.x.shape[1])
        value = self.search.relabelled(tree)
        self._keep(value, *self._considered(tree))

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return time.perf_counter() - self.began

    def _standing(self, value: float) -> tuple[bool, float]:
        """How far the search is, the less the better: solutions by their objective, and as long as
        there is none, trees by their priced value."""
        if self.best is not None:
            return False, self._signed(self.best.objective)
        return True, value

    def _of_single_features(self, axis: Alternation, goal: float) -> Candidate:
        """A tree of univariate splits, improved as such. It has few weights and wide gaps."""
        axis.price = self.search.price
        tree = axis.random_tree(self.classes)
        axis.improve(tree, goal)
        self._considered(tree)
        return tree.copy()

    def _next(self, starts: int) -> Candidate:
        if starts < FRESH or not self.pool or self.rng.random() < RESTART:
            return self.search.random_tree(self.classes)
        return self.search.perturbed(self.pool[int(self.rng.integers(len(self.pool)))][2])

    def _keep(self, value: float, gap: float, tree: Candidate) -> None:
        """Puts a tree into the pool: the best by value, of equal ones those with the widest gap."""
        self.pool.append((round(value / self.unit, 9), -gap, tree))
        self.pool.sort(key=lambda entry: entry[:2])
        del self.pool[POOL:]

    def _signed(self, objective: float) -> float:
        return self.sums.sign * objective

    def _worth(self, tree: Candidate) -> tuple[float, float]:
        """Objective, to be minimized, and violation, by the sums."""
        leaf = self.search.leaf_number[tree.ends(self.search.x)]
        added, broken = self.search.of_splits(tree, leaf)
        objective, violation = self.sums.worth(self.search.totals(tree) + added)
        return float(objective), float(violation) + broken

    def _considered(self, tree: Candidate) -> tuple[float, Candidate]:
        """The narrowest gap of a tree's hyperplanes and the tree with the widest ones.

        A tree that is better than the best so far is completed to a solution first; one that is
        no better has a gap of 0.
        """
        objective, violation = self._worth(tree)
        if violation > 1e-9:
            return 0.0, tree
        if self.met is not None:
            self.met(tree, objective)
        if not self._promising(objective):
            return 0.0, tree
        widened, gap = (tree, 0.0) if self.univariate else self._widened(tree)
        self._complete(widened, objective)
        return gap, widened

    def _complete(self, tree: Candidate, objective: float) -> None:
        """Makes a tree a solution, which is kept where it is the best. objective: by the sums."""
        shape = self._shape(tree)
        if shape in self.refuted:
            return
        completion = complete(self.instance, self.model, tree)
        if self.reformed is not None:
            completion = self._with_best_numbers(completion)
        if completion.violations:
            self.failed.update(v.name for v in completion.violations)
            self.refuted.add(shape)
            self._learn(completion)
            return
        value = self._signed(objective)
        if not completion.unknown:
            x = np.concatenate([completion.values[b.name] for b in self.model.variables])
            value = objective_value(self.model, x)
        if self.best is None or self._signed(value) < self._signed(self.best.objective) - 1e-9:
            seconds = time.perf_counter() - self.began
            self.best, self._told = Found(completion, value, tree, seconds), False

    def _try_constant(self) -> None:
        """Trees without splits, of one class each, the best by the sums first, for as long as there
        is time, and at least one. Then the pool's, of which `failed` counts what they break."""
        forest, features = self.search.topology, self.search.x.shape[1]
        constant = []
        for label in range(self.sums.classes):
            tree = Candidate.empty(forest, features, unsplit_left(self.instance))
            tree.labels[:] = label
            constant.append((*self._worth(tree)[::-1], label, tree))
        for _, objective, _, tree in sorted(constant, key=lambda entry: entry[:3]):
            self._complete(tree, objective)
            if self.best is not None or self.search.late:
                return
        for value, _, tree in list(self.pool):
            if not self.search.late:
                self._complete(tree, value * self.unit)

    def _shape(self, tree: Candidate) -> bytes:
        """What trees have in common that break the same rows, but for where hyperplanes are: the
        ways of the points, the labels, and what each branch uses."""
        ends = self.search.leaf_number[tree.ends(self.search.x)]
        return ends.tobytes() + tree.labels.tobytes() + (tree.weights != 0).tobytes()

    def _learn(self, completion: Completion) -> None:
        """Rows of the formulation that a tree has broken count from now on, where they can."""
        sums = self.learned.from_broken((v.name for v in completion.violations), self.sums)
        if sums is not None:
            self.sums = sums
            self.search.count(sums)
            self.pool.clear()

    def _promising(self, objective: float) -> bool:
        """Whether a tree with that value by the sums may be better than the best so far."""
        if self.best is None or objective < self._signed(self.best.objective) - 1e-9:
            return True
        return self.reformed is not None and 2 * self.spent < time.perf_counter() - self.began

    def _with_best_numbers(self, completion: Completion) -> Completion:
        """The solution with the same integers and the best numbers, where there is one."""
        assert self.reformed is not None
        began = time.perf_counter()
        values = np.full(self.reformed.column_count, np.nan)
        known = np.concatenate([completion.values[b.name] for b in self.model.variables])
        values[: len(known)] = known
        x = best_numbers(self.reformed, values, max(1.0, self.search.until - began))
        self.spent += time.perf_counter() - began
        if x is None:
            return completion
        numbers = {b.name: x[b.start : b.stop] for b in self.model.variables}
        violations = tuple(model_violations(self.model, numbers))
        return (
            completion
            if violations
            else replace(completion, values=numbers, violations=(), unknown=())
        )

    def _widened(self, tree: Candidate) -> tuple[Candidate, float]:
        """Each hyperplane with the widest gap between the points it must part, from the root down,
        and the narrowest of these gaps.

        A point that is worth the same on both sides may go either way; the hyperplane then takes
        the widest part of the gap that has none of these.
        """
        tree, narrowest = tree.copy(), np.inf
        for node in tree.topology.branches:
            rows = self.search.members(tree, int(node))
            used = np.flatnonzero(tree.weights[node])
            if len(used) and len(rows) > 1:
                narrowest = min(narrowest, self._widen(tree, int(node), rows, used))
        return tree, narrowest

    def _widen(self, tree: Candidate, node: int, rows: np.ndarray, used: np.ndarray) -> float:
        """The same for one branch: the width of its gap, infinite where it parts nothing."""
        x, left = self.search.x[rows], tree.goes_left(node, self.search.x[rows])
        matter = self.search.matter(tree, node, rows)
        if not (left & matter).any() or not (~left & matter).any():
            tree.weights[node] = 0.0  # nothing is to be parted here
            tree.threshold[node] = -1.0 if (~left & matter).any() else 1.0
            return np.inf
        x = x[:, used]
        weights = tree.weights[node, used]
        gap = widest_gap(x[left & matter], x[~left & matter], weights, 10.0)
        if gap is None:
            return 0.0
        weights, low, width = gap
        inside = np.clip(x[~matter] @ weights, low, low + width)
        stops = np.sort(np.concatenate([[low], inside, [low + width]]))
        at = int(np.diff(stops).argmax())
        tree.weights[node, used] = weights
        tree.threshold[node] = (stops[at] + stops[at + 1]) / 2
        return float(stops[at + 1] - stops[at])
