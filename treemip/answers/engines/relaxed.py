"""A bound where no engine takes all constraints of a spec together: the best tree without some.

It follows a search, since its own trees seldom keep what is left out. The objective alone comes
first, which is proven soonest, and then as many of the spec's constraints as the engine for
univariate trees takes beside it. No tree that keeps all of them is better; and where the best one
does, it is proven.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.answers.engines.own_rows import Summed, without_some
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.univariate import fits
from treemip.answers.engines.univariate_engine import UnivariateEngine
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import never
from treemip.answers.search.start import Searched
from treemip.answers.search.sums import NoSums
from treemip.core.model.tolerances import EQUAL
from treemip.core.source.suggest import listed

SHARE = 0.5
"""Of the time that is left after a search; the rest is the solver's."""

MOST = 30.0
"""Seconds at most."""

ALONE = 0.4
"""Of that, for the objective alone."""

MANY = 20_000
"""Points above which the objective alone gives the bound: each try reads all rows."""


@dataclass(frozen=True)
class _Relaxed(Case):
    """A case without the constraints of these names."""

    without: frozenset[str] = frozenset()

    @cached_property
    def spec(self) -> Summed:
        return without_some(self.instance, self.without)


class _WithoutGaps(UnivariateEngine):
    """Its tree breaks rows that were left out, which wider cuts would not change."""

    def _wide_enough(
        self, spec: Summed, until: float, narrow: Searched, tree: Candidate
    ) -> Searched:
        return narrow


class RelaxedEngine(Engine):
    def __init__(self, case: Case) -> None:
        self.case = case

    def run(self, effort: Effort) -> Searched:
        began, sign, known = time.perf_counter(), self.case.sign, effort.found
        seconds = min(MOST, SHARE * effort.seconds)
        bound = -sign * inf if known is None else known.bound
        steps = self._steps(lambda: time.perf_counter() - began > seconds)
        for number, step in enumerate(steps):
            left = max(0.0, seconds - (time.perf_counter() - began))
            share = 1.0 if number + 1 == len(steps) else ALONE
            one = _WithoutGaps(step)
            found = one.run(replace(effort, seconds=share * left, on_progress=None))
            if found.proven:
                return found
            bound = sign * max(sign * bound, sign * found.bound)
        spent, without = time.perf_counter() - began, self._without(steps)
        if known is None:
            return Searched(None, {}, bound, 0, spent, without=without)
        reached = known.values is not None and sign * (known.objective - bound) <= EQUAL
        return replace(known, bound=bound, proven=bool(reached), without=without)

    def _steps(self, late: Callable[[], bool]) -> list[_Relaxed]:
        """The cases of one run after the other: without all constraints, and with as many as the
        engine for univariate trees takes; none where it does not take the objective alone."""
        every = _Relaxed(self.case.instance, self.case.model, _required(self.case))
        if not _is_taken(every, late):
            return []
        fewest = every
        if len(self.case.instance.table.y) <= MANY:
            for name in sorted(every.without):
                more = replace(fewest, without=fewest.without - {name})
                if not late() and _is_taken(more, late):
                    fewest = more
        return [every] if fewest is every else [every, fewest]

    def _without(self, steps: list[_Relaxed]) -> str:
        """What the last of its runs does without, and what that run's trees may break."""
        guarded = {c.name for c in self.case.instance.spec.required if c.guards}
        return listed(sorted(steps[-1].without | guarded)) if steps else ""

    def described(self) -> str:
        steps = self._steps(never)
        what = f"the spec without {self._without(steps)}" if steps else "no part of the spec"
        return f"It takes {what}, for a bound of the objective."


def prepared(case: Case, late: Callable[[], bool]) -> Engine:
    if not _required(case):
        raise Refusal("it is for specs with constraints, and there are none")
    if _is_taken(case, late):
        raise Refusal("it is for specs with constraints that no other engine takes")
    return RelaxedEngine(case)


def _required(case: Case) -> frozenset[str]:
    """The names of the spec's constraints that sums count."""
    return frozenset(c.name for c in case.instance.spec.required if not c.guards)


def _is_taken(case: Case, late: Callable[[], bool]) -> bool:
    """Whether the engine for univariate trees takes a case."""
    try:
        return fits(case.instance, case.spec, late) is None
    except (NoSums, Refusal):
        return False


ENGINE = ExactEngine("relaxed", ("univariate",), prepared, after_search=True, bounds_only=True)
