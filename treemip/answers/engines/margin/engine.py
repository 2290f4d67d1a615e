"""The registry's entry for the engine for margin trees: a short search for a tree, then branch and
bound, whose best tree is completed in the stated model.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.answers.engines.margin.problem import MarginProblem
from treemip.answers.engines.margin.programs import best_plane
from treemip.answers.engines.margin.reading import margin_problem
from treemip.answers.engines.margin.sides import Task, Tree, prove
from treemip.answers.engines.own_rows import relaxed_lines
from treemip.answers.engines.reports import Reports
from treemip.answers.search.margin_trees.margin_search import MarginSearch
from treemip.answers.search.margin_trees.margin_worth import MarginTree
from treemip.answers.search.start import Searched, as_columns
from treemip.core.compiled.library import kernel, unbuilt
from treemip.core.model.tolerances import PROVEN, SVM_KEPT

SHARE = {True: 0.95, False: 0.6}
"""Of the seconds, with the kernel and without it: the others are for a search and a solver."""

KEPT = "all rows but those that keep points on their side of a hyperplane"

STARTS = 1
"""Trees of a search to begin with."""


def prepared(case: Case, late: Callable[[], bool]) -> Engine:
    search = MarginSearch(case.instance, case.stated, 0.0, 0)
    return MarginEngine(case, margin_problem(case, search.worth))


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
            search.consider(self._planes(search, tree, search.best_value))
        return self._searched(search, low, task, time.perf_counter() - began)

    def _planes(self, search: MarginSearch, tree: Tree, goal: float) -> MarginTree:
        """The best hyperplanes of a tree, and where they send the points."""
        problem, leaf = self.problem.tightened(SVM_KEPT).shared(tree.share), tree.place.copy()
        topology, features = problem.topology, problem.x.shape[1]
        planes, none = np.zeros((topology.size, features + 1)), np.zeros(features, np.int8)
        for node in topology.branches.tolist():
            here = problem.known_rows(node, tree.place)
            plane = best_plane(problem, node, here, none, goal, tree.uses[node])
            planes[node] = np.append(plane.w, plane.b)
            ends, left = leaf == node, search.programs.one @ planes[node] < 0
            leaf[ends & left] = topology.left[node]
            leaf[ends & ~left] = topology.right[node]
        return MarginTree(planes, tree.uses, leaf)

    def _searched(self, search: MarginSearch, low: float, task: Task, seconds: float) -> Searched:
        sign, best, value = self.case.sign, search.best, search.best_value
        if best is None:
            failed = dict(search.failed)
            why = "" if failed else self._why(task)
            none = Searched(None, failed, sign * low, task.nodes, seconds, by="engine")
            return replace(none, unproven=why)
        proven = value - low <= PROVEN * max(1.0, abs(value))
        values = as_columns(self.case.stated, best.completion.values)
        bound = value if proven else min(low, value)
        found = Searched(values, {}, sign * bound, task.nodes, seconds, sign * value, proven)
        return replace(found, by="engine", unproven="" if proven else self._why(task))

    def _why(self, task: Task) -> str:
        if task.late():
            return f"{task.nodes} nodes were parted, and others may be better{unbuilt()}"
        return "rows of the model that it does not know exclude the best trees that it finds"

    def described(self) -> str:
        problem, topology = self.problem, self.problem.topology
        branches = topology.branches.tolist()
        named = [f"  branch {int(topology.heap[t])}: {self._priced(t)}" for t in branches]
        norms = "and of each branch |w|^2 / 2 and"
        if problem.widest:
            norms = "the greatest |w|^2 / 2 of all branches, and of each"
        lines = [
            "Trees",
            f"  {len(branches)} branch{'es' * (len(branches) > 1)}, a hyperplane w . x + b at each",
            f"  {len(problem.x)} points, {problem.x.shape[1]} features",
            "",
            f"Objective, to be minimized: {problem.constant:.6g}, {norms}",
            *named,
            "  a bound is the sum of what the branches pay for points that are known to pass them,",
            *["  where the best shares of the greatest norm add up to 1,"] * problem.widest,
            "  points are sent to one side and the other until that is a tree",
            *relaxed_lines(self.case.instance, KEPT),
        ]
        return "\n".join(lines)

    def _priced(self, node: int) -> str:
        rows, counts = self.problem.rows[node], self.problem.counts[node]
        hard = np.isinf(rows.price)
        prices = np.unique(rows.price[~hard])
        said = [f"{(~hard).sum()} rows with prices"]
        if len(prices):
            said[0] += f" of {prices[0]:.6g}" + (f" to {prices[-1]:.6g}" * (len(prices) > 1))
        said += ["sides that points keep"] * bool(hard.any())
        most = int(np.isfinite(counts).sum()) - 1
        said += [f"{most} feature{'s' * (most != 1)} at most"] * (most < len(counts) - 1)
        said += ["a price of the split"] * bool(self.problem.charge[node])
        said += ["prices of features"] * bool((self.problem.marginal[node, :most] > 0).any())
        return ", ".join(said)
