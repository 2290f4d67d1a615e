"""The engine for univariate trees of small depth as an entry of the registry: its best tree as a
solution of the stated model.

Rows of the formulation that the best tree breaks become part of the problem, where sums can say
them. Where the formulation wants cuts wider than the data allow, the best tree without these cuts
is the answer, with the bound of all.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np

from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine, Listing
from treemip.answers.engines.lowered import is_reached, worth_completed
from treemip.answers.engines.near_optimal import near_optimal
from treemip.answers.engines.own_rows import Summed, with_families
from treemip.answers.engines.problem import has_shape
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.univariate import HOPEFUL, EngineResult, best_tree, fits, work
from treemip.answers.engines.univariate_text import described
from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import Completion, complete, cut_off
from treemip.answers.search.gaps import feature_gaps
from treemip.answers.search.leaf_answers import has_slopes
from treemip.answers.search.prices import Prices
from treemip.answers.search.start import Searched, as_columns
from treemip.core.compiled.library import unbuilt
from treemip.core.instance.encoded_table import LARGE
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import OnProgress
from treemip.core.model.tolerances import EQUAL
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.source.memory import give_back
from treemip.core.source.span import Span


def prepared(case: Case, late: Callable[[], bool]) -> Engine:
    why = fits(case.instance, case.spec, late)
    if why is not None:
        raise Refusal(why, _place(case.instance))
    return UnivariateEngine(case)


def _place(instance: Instance) -> Span | None:
    """Of what no objective or constraint could change: the shape, or what leaves answer."""
    spec = instance.spec
    if not has_shape(instance.topology):
        return None if spec.topology is None else spec.topology.span
    if spec.predict is not None and has_slopes(instance):
        return spec.predict.span
    if spec.data is not None and instance.data is not None and instance.table.categorical:
        return next((e.span for e in spec.data.encode if e.kind == "keep"), None)
    return None


ENGINE = ExactEngine("univariate", ("univariate",), prepared)


class UnivariateEngine(Engine):
    def __init__(self, case: Case) -> None:
        self.case, self.instance, self.stated = case, case.instance, case.stated
        self.threads = 1

    def best_tree(
        self,
        spec: Summed,
        seconds: float,
        incumbent: Candidate | None = None,
        on_progress: OnProgress | None = None,
        gaps: np.ndarray | None = None,
    ) -> EngineResult:
        """As `univariate.best_tree`."""
        told = on_progress
        return best_tree(self.instance, spec, seconds, incumbent, told, gaps, self.threads)

    def run(self, effort: Effort) -> Searched:
        until, self.threads = time.perf_counter() + effort.seconds, effort.threads
        spec, known = self.case.spec, effort.found
        first = self._by_weights(spec, until) if known is None else known.tree
        while True:
            left = max(0.0, until - time.perf_counter())
            result = self.best_tree(spec, left, first, effort.on_progress)
            found = Searched(None, {}, result.bound, result.evaluated, result.seconds, by="engine")
            if not result.proven:
                short = (
                    f"{result.seconds:.2g} s were too short for its bound to reach the best tree"
                )
                if asked_to_stop():
                    short = f"it was stopped after {result.seconds:.2g} s"
                short += unbuilt()
                if result.unsure:
                    short = "the costs of its points span too many digits: another tree may be "
                    short += f"better by up to {result.unsure:.2g}"
                found = replace(found, unproven=short)
            if result.tree is None:
                return replace(found, proven=result.proven)
            if known is not None and result.tree is known.tree:
                return self._no_better(known, found, result)
            completion = self._completed(result.tree)
            broken = {violation.name for violation in completion.violations}
            more = with_families(self.instance, spec, broken) if broken else spec
            if more is spec or time.perf_counter() > until:
                break
            spec = more  # with rows that no random tree has broken
        if broken:  # OCT cannot part values that are too close; the bound holds
            found = replace(found, failed=Counter(v.name for v in completion.violations))
            found = replace(found, cut_off=cut_off(self.instance, completion))
            return self._wide_enough(spec, until, found, result.tree)
        values, worth = self._worth(spec, as_columns(self.stated, completion.values), result.value)
        reached = is_reached(worth, result.value) if spec.lowered else not completion.unknown
        if result.proven and not reached:
            found = replace(found, unproven=_may_be_worth_less(spec))
        found = replace(found, tree=result.tree)
        return replace(found, values=values, objective=worth, proven=result.proven and reached)

    def _no_better(self, known: Searched, found: Searched, result: EngineResult) -> Searched:
        """The tree that the engine began with, with its bound."""
        sure = result.proven and is_reached(known.objective, result.value)
        if result.proven and not sure:
            found = replace(found, unproven=_may_be_worth_less(self.case.spec))
        own = replace(found, values=known.values, objective=known.objective, by=known.by)
        return replace(own, tree=known.tree, proven=sure)

    def _completed(self, tree: Candidate) -> Completion:
        """A tree as a solution. Of large tables, what the kernel took is given back before, and
        what rows took after."""
        many = len(self.instance.table.y) > LARGE
        if many:
            give_back()
        completion = complete(self.instance, self.stated, tree)
        if many:
            give_back()
        return completion

    def _worth(self, spec: Summed, values: np.ndarray, value: float) -> tuple[np.ndarray, float]:
        """A tree's columns and what they are worth: its value by the sums, unless that is a bound
        alone; infinite where it is not known then."""
        if not spec.lowered:
            return values, value
        values, worth = worth_completed(self.stated, spec.lowered, values)
        return values, spec.sums.sign * inf if worth is None else worth

    def doubt(self, seconds: float) -> str:
        least = work(self.case.spec.problem)
        return f"goes through {least}" if least.seconds > HOPEFUL * seconds else ""

    def described(self) -> str:
        return described(self.case)

    def near_optimal(self, worst: float, most: int, seconds: float) -> Listing | None:
        spec = self.case.spec
        if spec.sums.answers.values is not None:
            return None
        try:
            return near_optimal(self.instance, spec, worst, most, seconds)
        except Refusal:
            return None

    def _by_weights(self, spec: Summed, until: float) -> Candidate | None:
        """CART's best tree of weighted points, improved, where its own breaks rows over all points:
        the engine may find its first tree late."""
        sums, table = spec.sums, self.instance.table
        if sums.rows == 1 or self.instance.topology is None:
            return None
        rng, counts = np.random.default_rng(0), np.zeros((len(spec.x), sums.classes))
        if sums.answers.values is None:
            np.add.at(counts, (spec.of_point, table.y), table.weight)
        values = Alternation(self.instance.topology, spec.x, sums, rng, until, True, counts)
        prices = Prices(values)
        tree = prices.kept_by_weights(counts.sum(axis=1))
        return None if tree is None else prices.improved_by_weights(tree)

    def _wide_enough(
        self, spec: Summed, until: float, narrow: Searched, tree: Candidate
    ) -> Searched:
        """The best tree whose cuts are all as wide as the formulation wants them for points that
        all reach them, with the bound of the trees whose cuts need not be; `narrow` where there is
        none.

        tree: one that breaks rows. until: of the clock.
        """
        instance, stated = self.instance, self.stated
        first = np.flatnonzero(tree.weights.any(axis=0))
        empty = replace(tree, weights=np.zeros_like(tree.weights))

        def late() -> bool:
            return time.perf_counter() > until

        gaps = feature_gaps(instance, stated, spec.x, empty, first, late)
        if not gaps.any() or late():
            return narrow
        result = self.best_tree(spec, until - time.perf_counter(), gaps=gaps)
        if result.tree is None:
            return narrow
        completion = complete(instance, stated, result.tree)
        if completion.violations:
            return narrow
        values, worth = self._worth(spec, as_columns(stated, completion.values), result.value)
        return replace(
            narrow,
            values=values,
            seconds=narrow.seconds + result.seconds,
            objective=worth,
            proven=bool(spec.sums.sign * (worth - narrow.bound) <= EQUAL),
        )


def _may_be_worth_less(spec: Summed) -> str:
    names = ", ".join(f"'{name}'" for name in spec.lowered) or "variables without a meaning"
    return f"{names} may be worth less"
