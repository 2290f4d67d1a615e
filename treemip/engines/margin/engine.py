"""The engine for margin trees as an entry of the registry: a short search for a tree, then branch
and bound, whose best tree is completed in the stated model.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from treemip.engines.compiled.library import kernel, unbuilt
from treemip.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.engines.margin.problem import BOTH, MarginProblem
from treemip.engines.margin.reading import margin_problem
from treemip.engines.margin.sides import Task, Tree, prove
from treemip.engines.refusal import Refusal
from treemip.engines.reports import Reports
from treemip.model.tolerances import PROVEN
from treemip.search.margin_trees.margin_search import MarginSearch
from treemip.search.margin_trees.margin_worth import MarginTree
from treemip.search.start import Searched, as_columns

SHARE = {True: 0.95, False: 0.6}
"""Of the seconds, with the kernel and without it: the others are for a search and a solver."""

STARTS = 1
"""Trees of a search to begin with."""


def prepared(case: Case, late: Callable[[], bool]) -> Engine | Refusal:
    search = MarginSearch(case.instance, case.stated, 0.0, 0)
    try:
        problem = margin_problem(case, search.worth)
    except Refusal as refusal:
        return refusal
    return MarginEngine(case, problem)


ENGINE = ExactEngine("margin", ("margin",), prepared)


class MarginEngine(Engine):
    def __init__(self, case: Case, problem: MarginProblem) -> None:
        self.case, self.problem = case, problem

    def run(self, effort: Effort) -> Searched:
        """The best tree, proven where its completion is worth the bound."""
        began, sign = time.perf_counter(), self.case.sign
        seconds = SHARE[kernel() is not None] * effort.seconds
        search = MarginSearch(self.case.instance, self.case.stated, seconds, effort.seed)
        search.run(most=STARTS)
        reports = Reports(effort.on_progress, sign)
        reports.better(search.best_value)
        reports.tell()
        task = Task(self.problem, search.best_value, began + seconds, reports)
        tree, low = prove(task)
        if tree is not None:
            search.consider(self._planes(search, tree))
        return self._searched(search, low, task, time.perf_counter() - began)

    def _planes(self, search: MarginSearch, tree: Tree) -> MarginTree:
        """The best hyperplanes of a tree, and where they send the points."""
        topology, points = self.problem.topology, len(self.problem.x)
        leaf = tree.place.copy()
        planes = np.zeros((topology.size, self.problem.x.shape[1] + 1))
        for node in topology.branches.tolist():
            left = search.worth.passed(leaf)[topology.left[node]]
            here = search.worth.passed(leaf)[node]
            support = tree.uses[node]
            if self.problem.rows[node].sided:
                plane = search.programs.on_sides(node, left, here & ~left, support).plane
            else:
                plane = search.programs.free(node, here, support[None])[0][0]
            planes[node] = plane
            ends = leaf == node
            to_left = search.programs.position(plane, np.arange(points)) < 0
            leaf[ends & to_left] = topology.left[node]
            leaf[ends & ~to_left] = topology.right[node]
        return MarginTree(planes, tree.uses, leaf)

    def _searched(self, search: MarginSearch, low: float, task: Task, seconds: float) -> Searched:
        sign, best = self.case.sign, search.best
        failed = {} if best is not None else dict(search.failed)
        if best is None:
            return Searched(
                None, failed, sign * low, task.nodes, seconds, by="engine", unproven=""
            )
        proven = search.best_value - low <= PROVEN * max(1.0, abs(search.best_value))
        low = min(low, search.best_value)
        return Searched(
            as_columns(self.case.stated, best.completion.values),
            failed,
            sign * (search.best_value if proven else low),
            task.nodes,
            seconds,
            sign * search.best_value,
            proven,
            by="engine",
            unproven="" if proven else self._why(search, low, task),
        )

    def _why(self, search: MarginSearch, low: float, task: Task) -> str:
        if task.late():
            return f"{task.nodes} nodes were parted, and others may have better trees{unbuilt()}"
        return "rows of the model that it does not know cut off the trees that it finds"

    def described(self) -> str:
        problem = self.problem
        return "\n".join([])
