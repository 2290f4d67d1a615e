"""The best tree of depth 3 or more: cut by cut of its first branch, each bounding others.

At the root the cut of least bound is next, so that what is proven rises from the beginning, and
several cuts are evaluated at once, on as many threads as the kernel may have. Each knows what was
merged before it began, and how many are under way follows from the number merged alone: any number
of threads finds the same tree.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.plans import NONE, Side
from treemip.answers.engines.questions import Answer, Ask, Question
from treemip.answers.engines.subset import Subset

if TYPE_CHECKING:
    from treemip.answers.engines.separable import Separable

NEIGHBOURS = 4  # whose bounds a cut inherits
OPEN, FLYING, DONE = range(3)


class Sweep:
    """All cuts of the first branch of a tree of depth 3 or more, by bounds from those evaluated."""

    def __init__(
        self,
        task: Separable,
        node: int,
        depth: int,
        rows: np.ndarray,
        below: float,
        known: np.ndarray | None = None,
        ask: Ask | None = None,
    ) -> None:
        """known float64 (B,): what trees with each cut are at least worth, from neighbours of these
        points. ask: who evaluates cuts; this process where nobody is named."""
        self.known, self.ask = known, ask or self._answer
        self.task, self.depth, self.rows, self.goal = task, depth, rows, below
        self.number = task.number(node)
        self.children = task.problem.topology.children(node)
        self.points = Subset(task, rows)
        stop, exact = map(float, task.unsplit(self.points.total))
        base = self.points.whole
        self.relaxed, self.best, self.cut = base + stop, base + exact, NONE
        self.below: tuple[Side, Side] | None = None
        self.similar = self._similar()
        self.features: list[FeatureCuts] = []
        self.begun = self.at = self.flying = 0
        self.parts_proven = False

    @property
    def target(self) -> float:
        return min(self.task.below(self.best), self.goal)

    @property
    def aim(self) -> float:
        """What trees are held against. Deep ones may take long for each cut of the root: so that
        something is proven of all cuts before the end of a time limit, that is a part of the
        target first."""
        return self.task.part * self.target if self.in_parts else self.target

    @property
    def in_parts(self) -> bool:
        task = self.task
        steps = task.evaluated * len(self.rows) * len(task.bins.start)
        possible = self.whole and self.depth > 3 and self.begun and not self.parts_proven
        return bool(possible and 0 < self.target < np.inf and steps >= task.patience)

    def run(self) -> Side:
        task, points = self.task, self.points
        price = task.feature_price[self.number][points.feature]
        first = task.leaf_values(points.sums)[0] + price
        first += task.leaf_values(points.total[:, None] - points.sums)[0]
        first = task.rank(first)
        least = np.minimum.reduceat(first, points.start)
        self.features = features = [
            FeatureCuts(self, int(f), first)
            for f in np.argsort(least, kind="stable")
            if np.isfinite(least[f])
        ]
        self._evaluate_all()
        self.relaxed = min([self.relaxed, *(one.bound() for one in features)])
        exact = self.best if self.best < self.goal else np.inf
        bound = None if self.whole else self._expand()
        return Side(min(self.relaxed, self.best), exact, self.cut, bound, self.below)

    def _expand(self) -> np.ndarray:
        """Bounds of cuts for all bins of the task, float64 (B,); nothing is known of those that
        part no points here."""
        bins, bound = self.task.bins, np.full(self.task.bins.count, -np.inf)
        for one in self.features:
            if len(one.cuts):
                begin = bins.start[one.feature]
                first = begin + (bins.rank[one.feature, one.order[0]] if one.position[0] else 0)
                every = np.arange(first, one.cuts[-1] + 1)
                bound[every] = one.bounds()[np.searchsorted(one.cuts, every)]
        return bound

    @property
    def whole(self) -> bool:
        """Whether this is all that is being solved."""
        return self.depth == self.task.top

    def _evaluate_all(self) -> None:
        flight: deque[Job] = deque()
        merged = 0
        while True:
            window = min(self.task.window, 1 + merged // 2) if self.whole else 1
            while len(flight) < window and (job := self._start()) is not None:
                flight.append(job)
            if not flight:
                return
            job = flight.popleft()
            answer = job.wait()
            if answer is None:
                self.task.complete = False
                return
            job.merge(answer)
            merged += 1
            self.report_bound()

    def _answer(
        self, question: Question, rows: tuple[np.ndarray, np.ndarray]
    ) -> Callable[[], Answer]:
        """By what is known when it is asked."""
        sets = self.task.sets if self.whole else None
        if sets is not None:
            sets.begin()
        sides = question.answered(self.task.subtree, rows)
        answer = Answer(*sides, None if sets is None else sets.own)
        return lambda: answer

    def _start(self) -> Job | None:
        """The next cut under way; None where none is left, or no time."""
        found = self._next()
        if found is None:
            return None
        if self.task.late:
            self.task.complete = False
            return None
        one, pick = found
        return one.start(pick)

    def _next(self) -> tuple[FeatureCuts, int] | None:
        """The best cut of each feature by its own leaves, then one of least bound, and below the
        root feature by feature."""
        if self.in_parts:
            found = self._of_least_bound()
            if found is not None or self.flying:
                return found
            self.parts_proven = True
            for one in self.features:
                one.forget_next()
        while self.begun < len(self.features):
            one = self.features[self.begun]
            self.begun += 1
            if len(one.cuts):
                one.by_similar()
                first = int(one.first.argmin())
                if one.state[first] == OPEN and one.bounds()[first] < self.target:
                    return one, first
                one.survey()
        return self._of_least_bound() if self.whole else self._of_next_feature()

    def _of_next_feature(self) -> tuple[FeatureCuts, int] | None:
        while self.at < len(self.features):
            one = self.features[self.at]
            one.by_similar()
            left = np.flatnonzero((one.bounds() < self.target) & (one.state == OPEN))
            if len(left):
                return one, int(left[len(left) // 2])
            one.forget()
            self.at += 1
        return None

    def _of_least_bound(self) -> tuple[FeatureCuts, int] | None:
        """Of features of which no cut is under way, where there are such."""
        while True:
            some = [one for one in self.features if one.next != NONE]
            if not some:
                return None
            one = min(some, key=lambda f: (f.flying, f.least))
            if not one.by_similar() and one.aim == self.aim:
                return one, one.next
            one.survey()

    def judge(self, cuts: FeatureCuts, pick: int, left: Side, right: Side) -> None:
        """Keeps the best trees of both sides of a cut."""
        value = cuts.price[pick] + left.exact + right.exact
        if value < self.best - 0.5 * self.task.tolerance:
            self.best, self.cut = float(value), int(cuts.cuts[pick])
            self.below = replace(left, bound=None), replace(right, bound=None)
            self.task.report(self.depth, self.best)

    def _similar(self) -> tuple[Similar, Similar]:
        """Of the left and of the right child, the same where splits below both cost the same."""
        task, one = self.task, Similar(self.task)
        topology, price = task.problem.topology, task.feature_price
        pairs = np.array(self.children)[:, None]  # the same places below each child
        while not topology.is_leaf[pairs].any():
            left, right = price[np.searchsorted(topology.branches, pairs)]
            if (left != right).any():
                return one, Similar(task)
            pairs = np.hstack([topology.left[pairs], topology.right[pairs]])
        return one, one

    def report_bound(self) -> None:
        """Reports what is ruled out so far, where this is the whole tree and a report is due."""
        task = self.task
        whole = task.above_root is not None and self.depth == task.problem.depth
        if whole and task.problem.reports.due:
            low = min([self.relaxed, self.best, *(one.bound() for one in self.features)])
            task.problem.reports.ruled_out(low + (task.above_root or 0.0))


class Similar:
    """Points whose best tree is known; those of others lack at most what the points in which they
    differ may cost."""

    def __init__(self, task: Separable) -> None:
        self.most = task.most
        self.inside: list[np.ndarray] = []
        self.worth: list[float] = []

    def __len__(self) -> int:
        return len(self.worth)

    def add(self, rows: np.ndarray, worth: float) -> None:
        inside = np.zeros(len(self.most), bool)
        inside[rows] = True
        self.inside.append(inside)
        self.worth.append(worth)

    def bounds(
        self, order: np.ndarray, position: np.ndarray, seen: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of the first points of an order, and of the others, for each position, by all but the
        first `seen`; float64 (c,)."""
        none = np.full(len(position), -np.inf)
        low, high = [none], [none]
        for start in range(seen, len(self.inside), 64):
            some = np.array(self.inside[start : start + 64])[:, order]
            worth = np.array(self.worth[start : start + 64])[:, None]
            within = np.cumsum(some * self.most[order], axis=1)
            whole, within = within[:, -1:], np.pad(within, ((0, 0), (1, 0)))[:, position]
            low.append((worth - (whole - within)).max(axis=0))
            high.append((worth - within).max(axis=0))
        return np.max(low, axis=0), np.max(high, axis=0)


class FeatureCuts:
    """The cuts of one feature at the root: those that part points, and where every branch must
    split, one for each way to send all points to one side."""

    def __init__(self, sweep: Sweep, feature: int, first: np.ndarray) -> None:
        task = sweep.task
        bins = task.bins
        self.sweep, self.task, self.feature = sweep, task, feature
        self.order = sweep.rows[sweep.points.order[feature]]
        begin = bins.start[feature]
        bin_of = bins.rank[feature, self.order] + begin
        every = np.arange(begin, begin + int(np.argmax(bins.last[begin:])))
        position = np.searchsorted(bin_of, every, side="right")
        keep = np.append(position[1:] != position[:-1], True)[: len(every)]
        if task.problem.unsplit is not None:
            keep &= (position > 0) & (position < len(self.order))
        keep &= np.isfinite(task.price[sweep.number, every])
        self.cuts, self.position = every[keep], position[keep]
        self.first = sweep.points.expand(first, np.inf)[self.cuts]
        count = len(self.cuts)
        self.weight = np.append(0.0, np.cumsum(task.most[self.order]))[self.position]
        self.price = task.price[sweep.number, self.cuts]
        least = task.least_price * (2 ** (sweep.depth - 1) - 1)
        self.low, self.high = np.full(count, least), np.full(count, least)
        self.inherited = None if sweep.known is None else sweep.known[self.cuts]
        self.state = np.full(count, OPEN)
        self.seen = [0, 0]  # similar points of each side whose bounds are in
        self.known: tuple[dict[int, np.ndarray], dict[int, np.ndarray]] = ({}, {})
        self.evaluated: tuple[list[int], list[int]] = ([], [])  # cuts with known sides, in order
        self.proven = np.full(count, -np.inf)  # what trees are not below, by what they were held to
        self.flying = 0
        self.forget_next()

    def forget_next(self) -> None:
        self.next, self.least, self.aim = 0 if len(self.cuts) else NONE, -np.inf, np.inf

    def bounds(self) -> np.ndarray:
        """Of each cut, float64 (c,)."""
        total: np.ndarray = self.price + self.low + self.high
        return total if self.inherited is None else np.maximum(total, self.inherited)

    def bound(self) -> float:
        return float(self.bounds().min(initial=np.inf))

    def by_similar(self) -> bool:
        """Bounds by all points whose trees are known; whether some were new."""
        more = False
        for side, bounds in enumerate((self.low, self.high)):
            similar = self.sweep.similar[side]
            if len(similar) > self.seen[side]:
                new = similar.bounds(self.order, self.position, self.seen[side])[side]
                np.maximum(bounds, new, out=bounds)
                self.seen[side], more = len(similar), True
        return more

    def survey(self) -> None:
        """Finds the next cut of a root: the middle of those around the first of least bound."""
        if not self.sweep.whole:
            return
        self.next, self.least, self.aim = NONE, np.inf, self.sweep.aim
        bounds = self.bounds()
        possible = np.maximum(bounds, self.proven) < self.aim
        left = np.flatnonzero(possible & (self.state == OPEN))
        if not len(left):
            return
        begin = np.append(0, np.flatnonzero(np.diff(left) > 1) + 1)
        first, last = left[begin], left[np.append(begin[1:], len(left)) - 1]
        flying = np.pad(self.state == FLYING, 1)
        waits = (last - first < self.task.few) & (flying[first] | flying[last + 2])
        least = np.minimum.reduceat(self.task.rank(bounds[left]), begin)
        least[waits] = np.inf
        one = int(least.argmin())
        if np.isfinite(least[one]):
            self.least = float(least[one])
            self.next = int(first[one] + (last[one] + 1 - first[one]) // 2)

    def forget(self) -> None:
        for known, evaluated in zip(self.known, self.evaluated, strict=True):
            known.clear()
            evaluated.clear()

    def start(self, pick: int) -> Job:
        """Begins to evaluate a cut, by what is known now."""
        sweep = self.sweep
        self.state[pick] = FLYING
        self.flying += 1
        sweep.flying += 1
        self.survey()
        rows = self.order[: self.position[pick]], self.order[self.position[pick] :]
        known = self._inherited(pick, 0), self._inherited(pick, 1)
        aim, high = sweep.aim, float(self.high[pick])
        rest, cut = float(aim - self.price[pick]), int(self.cuts[pick])
        question = Question(cut, sweep.depth - 1, sweep.children, rest, high, known)
        return Job(self, pick, aim, rows, sweep.ask(question, rows))

    def learn(self, pick: int, side: int, rows: np.ndarray, found: Side) -> None:
        """Bounds of other cuts by one side of a cut."""
        self.sweep.similar[side].add(rows, found.relaxed)
        bounds, at = (self.low, self.high)[side], np.arange(len(self.cuts))
        shrinks = at < pick if side == 0 else at > pick
        moved = np.where(shrinks, np.abs(self.weight - self.weight[pick]), 0.0)
        np.maximum(bounds, found.relaxed - moved, out=bounds)
        if found.bound is None:
            return
        known, evaluated = self.known[side], self.evaluated[side]
        if pick in known:  # held against a part of the target before
            known[pick] = found.bound
            return
        if len(known) == self.task.kept:
            oldest = next(iter(known))
            del known[oldest]
            evaluated.remove(oldest)
        known[pick] = found.bound
        insort(evaluated, pick)

    def _inherited(self, pick: int, side: int) -> np.ndarray | None:
        """What trees with each cut at the child are worth at least, from neighbouring cuts."""
        known, cuts = self.known[side], self.evaluated[side]
        if not known:
            return None
        at = bisect(cuts, pick)
        near = cuts[max(0, at - NEIGHBOURS) : at + NEIGHBOURS]
        near = sorted(near, key=lambda k: abs(k - pick))[:NEIGHBOURS]
        best = np.full(self.task.bins.count, -np.inf)
        for one in near:
            bound = known[one]
            larger = (one > pick) == (side == 0)
            moved = abs(self.weight[one] - self.weight[pick]) if larger else 0.0
            np.maximum(best, bound - moved, out=best)
        return best


@dataclass(frozen=True)
class Job:
    """A cut that is being evaluated, and the points on its two sides. wait: for what is found."""

    of: FeatureCuts
    pick: int
    aim: float
    rows: tuple[np.ndarray, np.ndarray]
    wait: Callable[[], Answer | None]

    def merge(self, answer: Answer) -> None:
        one, pick, left, right = self.of, self.pick, answer.left, answer.right
        sweep = one.sweep
        one.flying -= 1
        sweep.flying -= 1
        sweep.task.evaluated += answer.evaluated
        sweep.task.complete = sweep.task.complete and answer.complete
        if answer.found is not None and sweep.task.sets is not None:
            sweep.task.sets.merged.take(answer.found)
        solved = right is not None and np.isfinite(right.exact)
        one.state[pick] = DONE if solved or self.aim >= sweep.target else OPEN
        one.proven[pick] = self.aim
        one.learn(pick, 0, self.rows[0], left)
        if right is not None:
            one.learn(pick, 1, self.rows[1], right)
        one.survey()
        if right is None:
            return
        sweep.judge(one, pick, left, right)
