"""The exact engines as a start: their trees as solutions of the stated model, and their bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.emit.optional import is_installed
from treemip.engines.fits import fits
from treemip.engines.oblique.fits import oblique_problem
from treemip.engines.oblique.problem import ObliqueProblem
from treemip.engines.oblique.proof import prove
from treemip.engines.refusal import Refusal
from treemip.engines.univariate import best_tree
from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.model.tape_values import objective_value
from treemip.search.candidate import Candidate
from treemip.search.complete import complete
from treemip.search.start import SECONDS, Searched, as_columns, search
from treemip.search.sum_builder import NoSums, sums_of

SHARE = 0.25  # of the engine's time that the search before a proof takes, up to SEARCH
SEARCH = 2.0  # seconds
PROOF = 60.0  # seconds of a proof without a time limit
PACKAGES = ("pysat", "highspy")
SAME = 1e-9


def exact(instance: Instance, stated: Model, seconds: float | None) -> Searched | None:
    """What the engine finds; None where it does not take the spec, or its tree is no solution.

    seconds: of wall clock, SECONDS where it is None. Raises NoSums.
    """
    if instance.spec.split != "univariate":
        return None
    x, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    sums = sums_of(instance, of_point.ravel())
    if fits(instance, sums) is not None:
        return None
    found = best_tree(instance, sums, x, SECONDS if seconds is None else seconds)
    if found.tree is None:
        return Searched(None, {}, found.bound, found.evaluated, found.seconds, found.proven)
    completion = complete(instance, stated, found.tree)
    if completion.violations:
        return None
    values = as_columns(stated, completion.values)
    return Searched(values, {}, found.bound, found.evaluated, found.seconds)


def proven(
    instance: Instance, stated: Model, seconds: float | None, seed: int | None
) -> tuple[Searched, str, str]:
    """The best tree of a search and what is proven of it; who found it, "search" or "engine"; and
    a hint, empty where there is none.

    Where the engine for oblique trees takes the spec and the search has not reached what no tree
    can be better than, the engine raises that bound, and may find a better tree. It is called
    "engine" where its proof is complete. Raises NoSums.
    """
    problem = _problem(instance)
    if problem is None:
        return search(instance, stated, seconds, seed), "search", ""
    missing = [name for name in PACKAGES if not is_installed(name)]
    whole = PROOF if seconds is None else seconds
    first = seconds if missing else min(SEARCH, SHARE * whole)
    found = search(instance, stated, first, seed)
    sign = -1.0 if stated.objective.sense == "maximize" else 1.0
    goal = np.inf
    if found.values is not None and not np.isnan(found.values).any():
        goal = sign * objective_value(stated, found.values)
    if goal <= sign * found.bound + SAME or (found.values is not None and np.isinf(goal)):
        return found, "search", ""
    if missing:
        return found, "search", HINT if found.values is not None else ""
    kept: dict[float, np.ndarray] = {}

    def judge(tree: Candidate) -> float | None:
        completion = complete(instance, stated, tree)
        if completion.violations or completion.unknown:
            return None
        values = as_columns(stated, completion.values)
        worth = sign * objective_value(stated, values)
        kept[worth] = values
        return worth

    try:
        proof = prove(problem, goal, judge, max(0.0, whole - found.seconds), seed or 0)
    except Refusal:
        return found, "search", ""
    values, best = found.values, goal
    if proof.tree is not None:
        best = min(kept)
        values = kept[best]
    bound = problem.objective(proof.low)
    if proof.proven and values is not None:
        bound = best
    bound = max(bound, sign * found.bound)
    took = found.seconds + proof.seconds
    by = "engine" if proof.proven or proof.tree is not None else "search"
    result = replace(found, values=values, bound=sign * bound, seconds=took)
    return result, by, ""


HINT = (
    "a proof for this spec by an exact engine needs python-sat and highspy: "
    'pip install "treemip[sat]"'
)


def _problem(instance: Instance) -> ObliqueProblem | None:
    if instance.spec.split != "oblique":
        return None
    x, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    try:
        return oblique_problem(instance, sums_of(instance, of_point.ravel()), x)
    except (Refusal, NoSums):
        return None
