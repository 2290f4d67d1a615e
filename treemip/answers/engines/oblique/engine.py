"""The registry's entry for the engine for oblique trees: it begins with a search's tree, raises the
bound, and searches on if a proof fails.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine
from treemip.answers.engines.oblique.fits import oblique_problem
from treemip.answers.engines.oblique.problem import ObliqueProblem
from treemip.answers.engines.oblique.proof import prove
from treemip.answers.engines.own_rows import relaxed_lines
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.reports import Reports
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import complete
from treemip.answers.search.start import Searched, as_columns, search
from treemip.core.model.tolerances import EQUAL
from treemip.core.model.values import objective_value
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.solving.optional import is_installed
from treemip.core.source.extras import pip_install

SEARCH = 10.0  # seconds of a search before a proof, at most; it ends sooner where it stalls
PROOF = 0.8  # share of the seconds for a proof; the rest is for another search where it fails
FIRST = 4.0  # seconds of the first proof; a tree that the search has missed makes it fail
ONE_OF = ("pysat", "pyscipopt")
PROVABLE = 1000  # points up to which a proof may come in time; above, a search has all its time
RELAXED = "all rows of the formulation: a tree counts only where the whole model accepts it"
HINT = "a proof for this spec by an exact engine needs python-sat (or SCIP): "


def prepared(case: Case, late: Callable[[], bool]) -> Engine:
    return ObliqueEngine(case, oblique_problem(case.instance, case.stated))


ENGINE = ExactEngine("oblique", ("oblique",), prepared, after_search=True)


class ObliqueEngine(Engine):
    def __init__(self, case: Case, problem: ObliqueProblem) -> None:
        self.case, self.problem = case, problem
        self.instance, self.stated, self.sign = case.instance, case.stated, case.sign
        if not is_installed("highspy") or not any(is_installed(name) for name in ONE_OF):
            self.missing = HINT + pip_install("sat")
        if len(problem.x) <= PROVABLE:
            self.search_seconds = SEARCH

    def run(self, effort: Effort) -> Searched:
        """The search's tree with the bound that is proven, or a better tree.

        Nothing is done if the search's tree meets its bound, or if a variable of its solution is
        left to a solver. A proof that fails is followed by a search from other trees, until it
        stalls; the first proof is a short one, since a tree that the search has missed makes it
        fail.
        """
        began, seconds, best = time.perf_counter(), effort.seconds, effort.found
        if best is None:
            best = Searched(None, {}, -self.sign * np.inf, 0, 0.0)
        if best.values is not None and np.isnan(best.values).any():
            return best
        reports = Reports(effort.on_progress, self.sign)
        for turn, most in enumerate(_turns(PROOF * seconds)):
            if self._is_reached(best) or asked_to_stop():
                break
            try:
                better = self._proved(best, most, effort.seed, reports)
            except Refusal:
                return self._searched_again(best, began + seconds, effort.seed + 1)
            if better.values is not best.values or better.proven:
                better = replace(better, by="engine")
            best = better
            if best.proven:
                break
            until = min(began + seconds, time.perf_counter() + max(most, seconds - PROOF * seconds))
            best = self._searched_again(best, until, effort.seed + 1 + turn)
        return best

    def described(self) -> str:
        """The points' losses are whole numbers of a unit; constraints are left to completion."""
        problem, leaves = self.problem, len(self.problem.topology.leaves)
        branches = "1 branch" if leaves == 2 else f"{leaves - 1} branches"
        lines = [
            "Trees",
            f"  {branches}, {leaves} leaves, a hyperplane at each branch",
            f"  {len(self.instance.table.y)} points, {len(problem.x)} of them different in their "
            "features",
            f"  at a branch, points on the two sides are apart by at least {problem.gap:.6g}, "
            "where the weights of the hyperplane add up to 1",
            "",
            "Objective",
            f"  to be minimized: {problem.base:.6g} and {problem.unit:.6g} for each unit that a "
            "point loses",
            f"  a point loses 0 to {problem.loss.max(initial=0)} units, by its leaf's label",
            "  the least sum of losses is raised, beginning with the tree of a search, until a "
            "tree reaches it",
            *relaxed_lines(self.instance, RELAXED),
        ]
        return "\n".join(lines)

    def _is_reached(self, searched: Searched) -> bool:
        """Whether no tree can be better than the search's, by its bound."""
        if searched.values is None:
            return False
        worth = self.sign * objective_value(self.stated, searched.values)
        return bool(worth <= self.sign * searched.bound + EQUAL)

    def _proved(self, searched: Searched, seconds: float, seed: int, reports: Reports) -> Searched:
        """The search's tree, or a better one of the engine, with the engine's bound.

        Raises Refusal where the engine does not take the problem.
        """
        sign, stated, goal = self.sign, self.stated, np.inf
        if searched.values is not None:
            goal = sign * objective_value(stated, searched.values)
        completed: dict[float, np.ndarray] = {}
        until = time.perf_counter() + seconds / PROOF

        def judge(tree: Candidate) -> float | None:
            late = partial(_is_past, until)
            completion = complete(self.instance, stated, tree, late=late)
            if completion.violations or completion.unknown:
                return None
            values = as_columns(stated, completion.values)
            worth = sign * objective_value(stated, values)
            completed[worth] = values
            return worth

        reports.better(goal)
        reports.ruled_out(sign * searched.bound)
        reports.tell()
        proof = prove(self.problem, goal, judge, seconds, seed, reports)
        values, best = searched.values, goal
        if proof.tree is not None:
            best = min(completed)
            values = completed[best]
        bound = self.problem.objective(proof.low)
        if proof.proven and values is not None:
            bound = best
        bound = max(bound, sign * searched.bound)
        better = replace(searched, values=values, bound=sign * bound, objective=sign * best)
        return replace(better, seconds=searched.seconds + proof.seconds, proven=proof.proven)

    def _searched_again(self, before: Searched, until: float, seed: int) -> Searched:
        """The better one of a tree and what a search by another seed finds; the bound stays."""
        began = time.perf_counter()
        if asked_to_stop() or began > until:
            return before
        again = search(self.instance, self.stated, self.stated, until - began, seed)
        sign = self.sign
        seconds, starts = before.seconds + again.seconds, before.starts + again.starts
        unknown = again.values is None or np.isnan(again.values).any()
        worse = before.values is not None and sign * again.objective >= sign * before.objective
        if unknown or worse:
            again = before
        off = before.cut_off or again.cut_off
        return replace(again, bound=before.bound, seconds=seconds, starts=starts, cut_off=off)


def _turns(seconds: float) -> tuple[float, ...]:
    """Seconds of each proof."""
    return (FIRST, seconds - 2 * FIRST) if seconds > 4 * FIRST else (seconds,)


def _is_past(until: float) -> bool:
    return time.perf_counter() > until
