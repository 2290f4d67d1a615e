"""Trees completed to solutions of the model: the best one, and what the others break.

Where a formulation has numbers that a tree does not determine, a solver finds the best ones.

A completion reads all rows of the model, which takes a good share of the time when there are many
points. A tree may then wait (`Waiting`), since a better one may turn up soon.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.answers.search.best_numbers import NotHanded, best_numbers, numbers_matter
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import Completion, as_columns, complete, cut_off
from treemip.answers.search.leaf_answers import has_slopes
from treemip.answers.search.propagate import propagated_by_splits
from treemip.answers.search.search_report import Found
from treemip.answers.search.sums import Sums
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.tolerances import SAME_WORTH
from treemip.core.model.values import objective_value
from treemip.core.source.deadline import TimeEnded
from treemip.core.tree.residuals import Violation, model_violations

LEAST = 1.0  # seconds for the best numbers of the first solution, however late it is
COSTLY = 0.02  # share of the time limit, from which on a completion is worth waiting for
STAND_BY = 2  # trees that wait beside the best one
REST = 10  # times the seconds of a completion, after which the next one is due


class Waiting:
    """The best trees that are still to be completed. limit: seconds of the search. seconds: of the
    last completion."""

    def __init__(self, limit: float) -> None:
        self.limit, self.seconds, self.ended = limit, 0.0, 0.0
        self._trees: list[tuple[float, Candidate]] = []

    @property
    def objective(self) -> float:
        """Of the best one, to be minimized; infinite without one."""
        return self._trees[-1][0] if self._trees else np.inf

    def put(self, objective: float, tree: Candidate) -> None:
        """A tree that is better than those that wait, which stay in case that it breaks rows."""
        self._trees = [*self._trees[-STAND_BY:], (objective, tree)]

    def taken(self) -> list[tuple[float, Candidate]]:
        """The trees and their objectives, the best first, none of which waits any more."""
        trees, self._trees = self._trees[::-1], []
        return trees

    def note(self, began: float, ended: float) -> None:
        """A completion, in seconds of the search."""
        self.seconds, self.ended = ended - began, ended

    @property
    def costly(self) -> bool:
        return self.seconds >= COSTLY * self.limit

    @property
    def until(self) -> float:
        """When time for one more completion is left, in seconds of the search; infinite where
        completions cost little."""
        return self.limit - self.seconds if self.costly else np.inf

    def pays(self, now: float) -> bool:
        """Whether the next completion is better put off."""
        return self.costly and now - self.ended <= REST * self.seconds


class Solutions:
    """model, reformed: see `TreeSearch`. limit: seconds of the search, which `began` then.

    best: None without a solution. failed: how often rows of each name were broken. cut_off: of a
    tree that breaks cuts alone, the worst row of each. not_handed: why no solver found the numbers.
    refuted: the shapes of trees that broke rows.
    """

    def __init__(
        self,
        instance: Instance,
        model: Model,
        reformed: Model | None,
        sums: Sums,
        limit: float,
        began: float,
    ) -> None:
        self.instance, self.model, self.began, self.sign = instance, model, began, sums.sign
        self.slopes = has_slopes(instance)
        self.numbers = numbers_matter(sums) or self.slopes
        self.tried_values = sums.curve is None and sums.answers.values is not None
        self.reformed = reformed if self.numbers or self.tried_values else None
        self.waiting = Waiting(limit)
        self.best: Found | None = None
        self.failed: Counter[str] = Counter()
        self.cut_off: tuple[Violation, ...] = ()
        self.not_handed = ""
        self.refuted: set[bytes] = set()
        self._least_by_sums = np.inf  # of the trees completed so far, to be minimized
        self._spent = 0.0  # seconds on best numbers

    @property
    def best_value(self) -> float:
        """The best objective, to be minimized; infinite without a solution."""
        return np.inf if self.best is None else self.sign * self.best.objective

    @property
    def until(self) -> float:
        """When a search has to end to leave time for one more completion, if these are costly; else
        infinite."""
        return self.began + self.waiting.until

    def standing(self, value: float) -> tuple[bool, float]:
        """How far the search is, the less the better: solutions by their objective, and as long as
        there is none, trees by their priced value."""
        return (True, value) if self.best is None else (False, self.best_value)

    def promising(self, objective: float, seconds: float) -> bool:
        """Whether a tree with that value by the sums may be better than the best so far. seconds:
        of the search until now."""
        best = min(self.best_value, self.waiting.objective)
        if self.tried_values and not self.numbers:  # the best one's values are not those tried
            best = max(best, self._least_by_sums)
        if self.best is None or objective < best - SAME_WORTH:
            return True
        return self.numbers and self.reformed is not None and 2 * self._spent < seconds

    def complete(
        self,
        tree: Candidate,
        shape: bytes,
        objective: float,
        late: Callable[[], bool],
        until: float,
    ) -> tuple[Violation, ...]:
        """Makes a tree a solution, which is kept where it is the best; the rows that it breaks.

        shape: what trees have in common that break the same rows. objective: by the sums, to be
        minimized. late: see `complete`. until: when the search ends. Raises TimeEnded where there
        is no solution yet.
        """
        began = time.perf_counter()
        try:
            completion = complete(self.instance, self.model, tree, late=late)
        except TimeEnded:
            if self.best is None:
                raise
            return ()  # the solution that is there counts
        self.waiting.note(began - self.began, time.perf_counter() - self.began)
        self._least_by_sums = min(self._least_by_sums, objective)
        if self.reformed is not None:
            completion = self._with_best_numbers(completion, self.reformed, min(until, self.until))
        if completion.violations:
            self.failed.update(v.name for v in completion.violations)
            self.cut_off = self.cut_off or cut_off(self.instance, completion)
            if not late():  # else not all of its forms were tried
                self.refuted.add(shape)
            return completion.violations
        value = self.sign * objective
        if not completion.unknown:
            value = objective_value(self.model, as_columns(self.model, completion.values))
        if self.best is None or self.sign * value < self.best_value - SAME_WORTH:
            self.best = Found(completion, value, tree, time.perf_counter() - self.began)
        return ()

    def _with_best_numbers(
        self, completion: Completion, reformed: Model, until: float
    ) -> Completion:
        """The solution with the same integers and the best numbers, where there is one."""
        began = time.perf_counter()
        values = np.full(reformed.column_count, np.nan)
        known = as_columns(self.model, completion.values)
        tree, placed = completion.tree, completion.placed
        if self.slopes and tree is not None and placed is not None:
            known = propagated_by_splits(self.instance, self.model, tree, placed)
        values[: len(known)] = known
        left = max(0.0 if self.best is not None else LEAST, until - began)
        try:
            x = best_numbers(reformed, values, left)
        except NotHanded as reason:
            x, self.not_handed = None, str(reason)
        self._spent += time.perf_counter() - began
        if x is None:
            return completion
        numbers = self.model.by_name(x)
        if model_violations(self.model, numbers):
            return completion
        return replace(completion, values=numbers, violations=(), unknown=())
