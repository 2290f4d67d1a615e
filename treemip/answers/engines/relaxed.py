"""A bound where no engine takes all constraints of a spec together: the best tree without some.

The objective alone comes first, which is proven soonest, and then as many of the spec's constraints
as the engine for univariate trees takes beside it. No tree that keeps all of them is better; and
where the best one does, it is proven.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.answers.engines.own_rows import Summed, without_some
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.univariate import fits
from treemip.answers.engines.univariate_engine import UnivariateEngine
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.start import Searched
from treemip.answers.search.sums import NoSums
from treemip.core.source.suggest import listed

ALONE = 0.4
"""Of the time, for the objective alone."""

MANY = 20_000
"""Points above which the objective alone gives the bound: each try reads all rows."""


@dataclass(frozen=True)
class _Relaxed(Case):
    """A case without the constraints of these names."""

    without: frozenset[str] = frozenset()

    @property
    def spec(self) -> Summed:
        return without_some(self.instance, self.without)


class _WithoutGaps(UnivariateEngine):
    """Its tree breaks rows that were left out, which wider cuts would not change."""

    def _wide_enough(
        self, spec: Summed, until: float, narrow: Searched, tree: Candidate
    ) -> Searched:
        return narrow


class RelaxedEngine(Engine):
    """without: names of constraints, the most first; the engine takes the case without them."""

    def __init__(self, case: Case, without: tuple[frozenset[str], ...]) -> None:
        self.case, self.without = case, without

    def run(self, effort: Effort) -> Searched:
        began, best, sign = time.perf_counter(), None, self.case.sign
        for number, names in enumerate(self.without):
            left = effort.seconds - (time.perf_counter() - began)
            share = 1.0 if number + 1 == len(self.without) else ALONE
            one = _WithoutGaps(_relaxed(self.case, names))
            found = one.run(replace(effort, seconds=max(0.0, share * left), on_progress=None))
            if found.proven:
                return replace(found, seconds=time.perf_counter() - began)
            if best is None or sign * found.bound > sign * best.bound:
                best = found
        assert best is not None
        spent = time.perf_counter() - began
        return replace(best, unproven="", without=self._left_out(), seconds=spent)

    def _left_out(self) -> str:
        """What the last of its runs does without, and what that run's trees may break."""
        guarded = {c.name for c in self.case.instance.spec.required if c.guards}
        return listed(sorted(self.without[-1] | guarded))

    def described(self) -> str:
        return f"It takes the spec without {self._left_out()}, for a bound of the objective."


def prepared(case: Case, late: Callable[[], bool]) -> Engine:
    required = {c.name for c in case.instance.spec.required if not c.guards}
    if not required or _takes(case, frozenset(), late):
        raise Refusal("it is for specs with constraints that no other engine takes")
    if not _takes(case, frozenset(required), late):
        raise Refusal("its objective alone is not one that the engine takes")
    fewest = frozenset(required)
    if len(case.instance.table.y) <= MANY:
        for name in sorted(required):
            if not late() and _takes(case, fewest - {name}, late):
                fewest -= {name}
    steps = (frozenset(required), fewest)
    return RelaxedEngine(case, tuple(dict.fromkeys(steps)))


def _relaxed(case: Case, names: frozenset[str]) -> Case:
    return _Relaxed(case.instance, case.model, names, late=case.late)


def _takes(case: Case, names: frozenset[str], late: Callable[[], bool]) -> bool:
    try:
        return fits(case.instance, _relaxed(case, names).spec, late) is None
    except (NoSums, Refusal):
        return False


ENGINE = ExactEngine("relaxed", ("univariate",), prepared, bounds_only=True)
