"""The engine for ratios of sums over univariate trees, such as F1 or a precision: Dinkelbach's
method (1967) over trees.

A tree has a ratio N / D below v where N - v D, a sum, is below 0. So the best tree of such a sum,
with v the ratio of the best tree so far, is a better one, or there is none. Where D may be 0 the
ratio has no value; trees with which it is 0 are left out by a row only where they are in the way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import gcd, inf, isfinite

import numpy as np

from treemip.answers.engines.duals import directions
from treemip.answers.engines.engine import Case, Engine, ExactEngine, Listing
from treemip.answers.engines.own_rows import Summed
from treemip.answers.engines.problem import Problem
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.reports import Reports
from treemip.answers.engines.separable import common_unit
from treemip.answers.engines.univariate import (
    EngineResult,
    best_tree,
    demand_agreement,
    demand_form,
)
from treemip.answers.engines.univariate_engine import UnivariateEngine
from treemip.answers.search.agreement import by_sums
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.intervals import least_value, sum_ranges
from treemip.answers.search.ratios import Ratio, of_structure, ratio_of
from treemip.answers.search.sums import Sums
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import OnProgress, Progress
from treemip.core.model.tolerances import KNOWN_ROW, ROUNDING

FIRST = 16
"""The first ratio that trees are held against is a multiple of this part of the units."""


def prepared(case: Case, late: Callable[[], bool]) -> Engine:
    demand_form(case.instance, case.spec.sums)
    quotient = Quotient.of(case.spec.sums)
    for end in quotient.ends:
        problem = _problem(case.instance, quotient.step(end))
    demand_agreement(case.instance, case.spec, problem, late)
    return RatioEngine(case)


ENGINE = ExactEngine("ratio", ("univariate",), prepared)


@dataclass(frozen=True)
class Step:
    """The objective N - ratio * D, times `factor`, as a sum to be minimized."""

    ratio: float
    factor: float
    sums: Sums


def _problem(instance: Instance, step: Step) -> Problem:
    """Raises Refusal where the step is none for the engine of sums. What that asks of prices and
    rows is linear in the ratio: it holds between two ratios for which it holds."""
    problem = problem_of(instance, step.sums)
    if problem.coupled:
        directions(problem)
    return problem


@dataclass(frozen=True)
class Quotient:
    """A ratio to be minimized whose denominator is never negative.

    low, high: of the denominator; least: of those that are not 0. units: N and D are whole
    multiples of these, 0 where none are known. ends: no tree's ratio is beyond.
    """

    ratio: Ratio
    low: float
    high: float
    least: float
    units: tuple[float, float]
    ends: tuple[float, float]

    @classmethod
    def of(cls, sums: Sums) -> Quotient:
        """Raises Refusal where the objective is none, or its denominator may have any sign."""
        ratio = ratio_of(sums)
        if ratio is None:
            raise Refusal("its objective is no ratio of two sums")
        for divisor in ratio.divisors:
            low, high = _range(ratio, divisor)
            if low <= 0 <= high:
                raise Refusal("it divides by more than one sum that may be 0")
        low, high = _range(ratio, ratio.fraction.bottom)
        if high <= 0:
            ratio, low, high = ratio.turned(), -high, -low
        if low < 0:
            raise Refusal("the denominator of its ratio may have any sign")
        top, bottom = ratio.fraction.top, ratio.fraction.bottom
        added = _added(ratio, bottom)
        least = low if low > 0 else _least(added)
        units = common_unit(_added(ratio, top)), common_unit(added)
        return cls(ratio, low, high, least, units, _ends(_range(ratio, top), (least, high)))

    @property
    def may_be_0(self) -> bool:
        return self.low <= 0

    def parts(self) -> tuple[Sums, Sums]:
        """N and D as objectives."""
        return self.ratio.at(self.ratio.fraction.top), self.ratio.at(self.ratio.fraction.bottom)

    def step(self, ratio: float) -> Step:
        """At a ratio; in whole numbers, at one near to it."""
        top, bottom = self.units
        if not (top and bottom):
            return self._step(ratio, 1.0, ratio)
        return self.step_at(round(ratio * bottom / top * FIRST) * top, FIRST * bottom)

    def step_at(self, above: float, below: float) -> Step:
        """At the ratio of a tree with this numerator and denominator."""
        top, bottom = self.units
        if not (top and bottom):
            return self._step(above / below, 1.0, above / below)
        n, d = round(above / top), round(below / bottom)
        n, d = n // gcd(n, d), d // gcd(n, d)
        return self._step(n * top / (d * bottom), d / top, n / bottom, whole=True)

    def _step(self, ratio: float, of_top: float, of_bottom: float, whole: bool = False) -> Step:
        fraction = self.ratio.fraction
        weights = fraction.top * of_top - fraction.bottom * of_bottom
        return Step(ratio, of_top, self.ratio.at(weights, whole))

    def bound(self, step: Step, low: float) -> float:
        """What no tree's ratio is below where none has a sum below `low`."""
        gap = low / step.factor
        return step.ratio + gap / (self.high if gap >= 0 else self.least)


def _range(ratio: Ratio, weights: np.ndarray) -> tuple[float, float]:
    low, high = sum_ranges(ratio.at(weights))
    return float(low[0]), float(high[0])


def _added(ratio: Ratio, weights: np.ndarray) -> np.ndarray:
    """The different numbers that points, labels and splits add, and the constant."""
    sums = ratio.at(weights)
    parts = (sums.shared[..., 0], sums.label[..., 0], of_structure(sums)[:, 0], sums.constant[:1])
    return np.unique(np.concatenate([part.ravel() for part in parts]))


def _least(added: np.ndarray) -> float:
    """The least sum of such numbers that is not 0, where none of them is negative; else 0."""
    return 0.0 if (added < 0).any() else float(added[added > 0].min(initial=inf))


def _ends(top: tuple[float, float], bottom: tuple[float, float]) -> tuple[float, float]:
    if not np.isfinite([*top, *bottom]).all() or not bottom[0] > 0:
        raise Refusal("nothing bounds its ratio")
    every = [above / below for above in top for below in bottom]
    return min(every), max(every)


class RatioEngine(UnivariateEngine):
    def best_tree(
        self,
        spec: Summed,
        seconds: float,
        incumbent: Candidate | None = None,
        on_progress: OnProgress | None = None,
        gaps: np.ndarray | None = None,
    ) -> EngineResult:
        return Dinkelbach(self.instance, spec, on_progress, gaps, self.threads).run(
            seconds, incumbent
        )

    def described(self) -> str:
        return (
            "The ratio of two sums over univariate trees. A tree's ratio is below v where its "
            "numerator less v times its denominator is below 0: the best tree of such sums is "
            "looked for, with v the best ratio so far, until there is none."
        )

    def near_optimal(self, worst: float, most: int, seconds: float) -> Listing | None:
        return None


class Dinkelbach:
    """best, low: the ratio of `tree`, and what none is below, to be minimized."""

    def __init__(
        self,
        instance: Instance,
        spec: Summed,
        on_progress: OnProgress | None = None,
        gaps: np.ndarray | None = None,
        threads: int = 1,
    ) -> None:
        self.instance, self.spec, self.gaps, self.threads = instance, spec, gaps, threads
        self.quotient = Quotient.of(spec.sums)
        self.parts = self.quotient.parts()
        self.tree: Candidate | None = None
        self.best, self.low = inf, -inf
        self.evaluated, self.without_0 = 0, False
        self.reports = Reports(on_progress, spec.sums.sign)
        self.rule_out(least_value(spec.sums))

    def run(self, seconds: float, incumbent: Candidate | None = None) -> EngineResult:
        """The tree of the least ratio. Raises Refusal where trees whose ratio has no value are in
        the way, and a row that leaves them out is none that the engine takes."""
        began, proven = time.perf_counter(), False
        step = self._first(incumbent)
        while not proven:
            result = self._solved(step, max(0.0, began + seconds - time.perf_counter()))
            self.evaluated += result.evaluated
            tree = result.tree
            if tree is None and self.without_0:  # no tree has a ratio, or none was found
                break
            self.rule_out(self.quotient.bound(step, result.bound))
            if tree is None:
                proven = result.proven
                break
            above, below = self.fraction(tree)
            if below > 0:
                better = self._keep(tree, above, below)
                proven = result.proven and not better and self._is_at_best(step)
                if proven or not result.proven:
                    break
                step = self.quotient.step_at(*self.fraction(self.tree or tree))
            elif not result.proven or self.without_0:
                break
            else:
                self.without_0 = True
        return self._told_of(proven, time.perf_counter() - began)

    def _told_of(self, proven: bool, seconds: float) -> EngineResult:
        sign = self.spec.sums.sign
        low = self.best if proven else min(self.low, self.best)
        return EngineResult(
            self.tree, sign * self.best, sign * low, proven, seconds, self.evaluated
        )

    def _is_at_best(self, step: Step) -> bool:
        """Whether the step holds trees against the best ratio."""
        return abs(step.ratio - self.best) <= ROUNDING * max(1.0, abs(self.best))

    def _first(self, incumbent: Candidate | None) -> Step:
        """That of the tree to begin with. Else at the best ratio that may be, which asks for a good
        tree at once; where the denominator may be 0, at the worst."""
        if incumbent is not None:
            above, below = self.fraction(incumbent)
            broken = by_sums(self.instance, self.spec.sums, self.spec.x, incumbent)[1]
            if below > 0 and broken <= KNOWN_ROW:
                self._keep(incumbent, above, below)
                return self.quotient.step_at(above, below)
        low, high = self.quotient.ends
        return self.quotient.step(high if self.quotient.may_be_0 else max(low, self.low))

    def _solved(self, step: Step, seconds: float) -> EngineResult:
        sums = step.sums
        if self.without_0:
            sums = sums.with_row(self.parts[1], self.quotient.least)
        told = None if self.reports.on_progress is None else partial(self._told, step)
        spec = replace(self.spec, sums=sums)
        return best_tree(self.instance, spec, seconds, self.tree, told, self.gaps, self.threads)

    def _told(self, step: Step, progress: Progress) -> None:
        if progress.bound is not None:
            self.rule_out(self.quotient.bound(step, progress.bound))
        self.reports.tick()

    def fraction(self, tree: Candidate) -> tuple[float, float]:
        """The numerator and the denominator of a tree; one that is rounding is 0."""
        above, below = (by_sums(self.instance, sums, self.spec.x, tree)[0] for sums in self.parts)
        return above, below if below > 0.5 * self.quotient.least else 0.0

    def _keep(self, tree: Candidate, above: float, below: float) -> bool:
        """Whether the tree is better than the best so far, which it then is."""
        value = above / below
        if isfinite(self.best) and value >= self.best - ROUNDING * max(1.0, abs(self.best)):
            return False
        self.tree, self.best = tree, value
        self.reports.better(value)
        return True

    def rule_out(self, low: float) -> None:
        self.low = max(self.low, low)
        self.reports.ruled_out(self.low)
