"""The engine that lists trees as an entry of the registry: trees in the order of what their sums
say, each settled in the stated model, until none that is left can be better.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.engines.frontier.cells import Cells, Judged
from treemip.engines.frontier.fitting import demand_few, fitted
from treemip.engines.frontier.rows import Rows
from treemip.engines.own_rows import Summed
from treemip.engines.refusal import Refusal
from treemip.engines.reports import Reports
from treemip.search.candidate import Candidate
from treemip.search.settle import settle
from treemip.search.start import Searched
from treemip.solving.interrupt import asked_to_stop

SHARE = 0.6
"""Of the seconds: where it does not finish, a search has the others."""


def prepared(case: Case, late: Callable[[], bool]) -> Engine | Refusal:
    try:
        spec, rows = fitted(case.instance, case.stated, late)
    except Refusal as refusal:
        return refusal
    return FrontierEngine(case, spec, rows)


ENGINE = ExactEngine("frontier", ("univariate",), prepared)


class FrontierEngine(Engine):
    def __init__(self, case: Case, spec: Summed, rows: Rows) -> None:
        self.case, self.spec, self.rows = case, spec, rows

    def run(self, effort: Effort) -> Searched:
        """The optimum over trees that have a solution, or what was found until the time was up.
        Raises Refusal where there is no chance in so many seconds."""
        began, sign = time.perf_counter(), self.case.sign
        until = began + SHARE * effort.seconds
        demand_few(self.rows, SHARE * effort.seconds)
        reports = Reports(effort.on_progress, sign)
        best, goal = None, np.inf
        if effort.found is not None and effort.found.values is not None:
            if not np.isnan(effort.found.values).any():
                best, goal = effort.found.values, sign * effort.found.objective
                reports.better(goal)

        def late() -> bool:
            return time.perf_counter() > until or asked_to_stop()

        def judge(tree: Candidate, least: float) -> Judged:
            nonlocal best, goal
            found = settle(self.case.instance, self.case.stated, tree, least, goal, late)
            if found.values is not None and found.worth < goal:
                best, goal = found.values, found.worth
            return Judged(found.worth, found.closed)

        found = Cells(self.rows, self.spec.sums.answers, judge, late, goal, reports).run()
        took = time.perf_counter() - began
        searched = Searched(None, {}, sign * found.bound, found.judged, took, by="engine")
        searched = replace(searched, proven=found.proven)
        if best is None:
            return searched
        return replace(searched, values=best, objective=sign * goal)
