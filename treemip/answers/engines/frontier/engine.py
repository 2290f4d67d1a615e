"""The registry's entry for the engine that lists trees: in the order of what their sums say, each
settled in the stated model, until no remaining tree can be better.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.answers.engines.frontier.cells import Cells, Found, Judged
from treemip.answers.engines.frontier.fitting import demand_few, fitted, with_families, work
from treemip.answers.engines.frontier.rows import Rows, rows_of
from treemip.answers.engines.own_rows import Summed
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.reports import Reports
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.propagate import broken_by_routing
from treemip.answers.search.settle import is_loose, settle
from treemip.answers.search.start import Searched
from treemip.core.model.tolerances import EQUAL
from treemip.core.solving.interrupt import asked_to_stop

SHARE = 0.6
"""Of the seconds: where it does not finish, a search has the others."""

LOOKED = 20
"""Trees without a solution, of which the rows that they break are looked at."""


def prepared(case: Case, late: Callable[[], bool]) -> Engine:
    return FrontierEngine(case, *fitted(case.instance, case.stated, late))


ENGINE = ExactEngine("frontier", ("univariate",), prepared)


def _unproven(found: Found, seconds: float) -> str:
    """Why a search has no proof."""
    trees = f"{found.judged} tree{'s' * (found.judged != 1)}"
    if found.open:
        return (
            f"of the {trees} that it tried, {found.open} may be better than found, because some "
            "variables stay open where the tree is given"
        )
    have = "have" if found.judged != 1 else "has"
    return f"in {seconds:.2g} s {trees} {have} been evaluated, and others may be better"


class MoreRows(Exception):
    """Sums can say rows that a tree breaks."""

    def __init__(self, spec: Summed) -> None:
        super().__init__()
        self.spec = spec


class FrontierEngine(Engine):
    def __init__(self, case: Case, spec: Summed, rows: Rows) -> None:
        self.case, self.spec, self.rows = case, spec, rows
        self.looked, self.tried = 0, set[str]()
        self.best: np.ndarray | None = None
        self.goal = np.inf

    def run(self, effort: Effort) -> Searched:
        """The optimum over trees that have a solution, or what was found until the time was up.
        Raises Refusal where there is no chance in so many seconds, and where the model leaves
        variables more room than what they mean."""
        began, sign = time.perf_counter(), self.case.sign
        until = began + SHARE * effort.seconds
        demand_few(self.rows, SHARE * effort.seconds)
        before, reports = effort.found, Reports(effort.on_progress, sign)
        if before is not None and before.values is not None and not np.isnan(before.values).any():
            self.best, self.goal = before.values, sign * before.objective
            reports.better(self.goal)

        found = self._found(until, reports)
        took = time.perf_counter() - began
        searched = Searched(None, {}, sign * found.bound, found.judged, took, by="engine")
        why = "" if found.proven else _unproven(found, took)
        searched = replace(searched, proven=found.proven, unproven=why)
        if self.best is None:
            return searched
        if is_loose(self.case.stated, self.best, began + effort.seconds):
            raise Refusal(
                "its rows let variables differ from what they mean, for a better objective"
            )
        return replace(searched, values=self.best, objective=sign * self.goal)

    def doubt(self, seconds: float) -> str:
        least = work(self.rows)
        return f"lists {least}" if least.seconds > SHARE * seconds else ""

    def described(self) -> str:
        rows, spec = self.rows, self.spec
        known = f"{rows.width - 1} rows beside the objective" if rows.width > 1 else "no rows"
        left = ", ".join(sorted(spec.relaxed))
        return (
            f"Univariate trees of the spec's topology, {rows.options.count} ways to part points at "
            f"each branch, in the order of what sums over points, labels and splits say, with "
            f"{known}. Each is settled in the stated model until none that is left can be better."
            + (f" Left to that: {left}." if left else "")
        )

    def _found(self, until: float, reports: Reports) -> Found:
        """The search, begun again where a tree breaks rows that sums can say."""

        def late() -> bool:
            return time.perf_counter() > until or asked_to_stop()

        def judge(tree: Candidate, least: float) -> Judged:
            found = settle(self.case.instance, self.case.stated, tree, least, self.goal, until)
            if found.worth < min(least, self.goal) - EQUAL * max(1.0, abs(least)):
                raise Refusal("a tree is better than its sums say")
            if found.values is None:
                self._look(tree)
            elif found.worth < self.goal:
                self.best, self.goal = found.values, found.worth
            return Judged(found.worth, found.closed)

        while True:
            answers = self.spec.sums.answers
            try:
                return Cells(self.rows, answers, judge, late, self.goal, reports).run()
            except MoreRows as more:
                try:
                    rows = rows_of(self.case.instance, self.case.stated, more.spec)
                except Refusal:
                    continue
                self.spec, self.rows = more.spec, rows

    def _look(self, tree: Candidate) -> None:
        """Raises MoreRows where the tree breaks rows that sums can say, and have not yet."""
        self.looked += 1
        if self.looked > LOOKED:
            return
        instance = self.case.instance
        names = set(broken_by_routing(instance, self.case.stated, tree, integers=True))
        fresh, self.tried = names - self.tried, self.tried | names
        more = with_families(instance, self.spec, fresh)
        if more is not self.spec:
            raise MoreRows(more)
