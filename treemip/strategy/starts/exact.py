"""The exact engines as a start: their trees as solutions of the stated model, and their bounds.

The engine for univariate trees answers alone; the one for oblique trees improves on what a search
found and proves a bound of it.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from functools import partial
from math import inf

import numpy as np

from treemip.engines.lowered import is_reached, worth_completed
from treemip.engines.near_optimal import Listing, near_optimal
from treemip.engines.oblique.fits import oblique_problem
from treemip.engines.oblique.problem import ObliqueProblem
from treemip.engines.oblique.proof import prove
from treemip.engines.own_rows import Summed, summed, with_families
from treemip.engines.problem import Refusal
from treemip.engines.reports import Reports
from treemip.engines.univariate import best_tree, fits
from treemip.instance.instance import Instance
from treemip.model.answer import OnProgress, Progress
from treemip.model.model import Model
from treemip.model.tolerances import EQUAL
from treemip.model.values import objective_value
from treemip.search.alternate import Alternation
from treemip.search.candidate import Candidate
from treemip.search.complete import complete, cut_off
from treemip.search.gaps import feature_gaps
from treemip.search.prices import Prices
from treemip.search.start import SECONDS, Searched, as_columns, search
from treemip.search.sums import NoSums
from treemip.solving.interrupt import asked_to_stop
from treemip.solving.optional import is_installed
from treemip.source.extras import pip_install

SEARCH = 10.0  # seconds of a search before a proof, at most; it ends sooner where it stalls
PROOF = 0.8  # share of the seconds for a proof; the rest is for another search where it fails
FIRST = 4.0  # seconds of the first proof; a tree that the search has missed makes it fail
ONE_OF = ("pysat", "pyscipopt")
PROVABLE = 1000  # points up to which a proof may come in time; above, a search has all its time


def exact(
    instance: Instance,
    stated: Model,
    seconds: float | None,
    on_progress: OnProgress | None = None,
) -> Searched | None:
    """The engine's tree and bound; None where splits are not univariate. Where its best tree breaks
    rows that the engine does not know, `failed` has them, and there may be no tree.

    seconds: of wall clock for all of it, SECONDS where it is None. Raises NoSums, and Refusal where
    the engine does not take the spec.
    """
    until = time.perf_counter() + (SECONDS if seconds is None else seconds)
    if instance.spec.split != "univariate":
        return None
    late, spec = partial(_is_past, until), summed(instance)
    if (why := fits(instance, spec, late)) is not None:
        raise Refusal(why)
    if on_progress is not None:
        on_progress(Progress(0.0, None, None, None, 0, "engine"))
    first = _by_weights(instance, spec, until)
    while True:
        left = max(0.0, until - time.perf_counter())
        result = best_tree(instance, spec, left, first, on_progress)
        found = Searched(None, {}, result.bound, result.evaluated, result.seconds)
        if result.tree is None:
            return replace(found, proven=result.proven)
        completion = complete(instance, stated, result.tree)
        broken = {violation.name for violation in completion.violations}
        more = with_families(instance, spec, broken) if broken else spec
        if more is spec or late():
            break
        spec = more  # with rows that no random tree has broken
    if broken:  # OCT cannot part values that are too close; the bound holds
        found = replace(found, failed=Counter(v.name for v in completion.violations))
        found = replace(found, cut_off=cut_off(instance, completion))
        return _wide_enough(instance, stated, spec, until, found, result.tree)
    values = as_columns(stated, completion.values)
    if spec.lowered:  # the value by the sums is a bound, and what the tree is worth may be more
        values, worth = worth_completed(stated, spec.lowered, values)
        proven = result.proven and is_reached(worth, result.value)
        worth = spec.sums.sign * inf if worth is None else worth
        return replace(found, values=values, objective=worth, proven=proven)
    proven = result.proven and not completion.unknown
    return replace(found, values=values, objective=result.value, proven=proven)


def _by_weights(instance: Instance, spec: Summed, until: float) -> Candidate | None:
    """CART's best tree of weighted points, where its own breaks rows over all points: the engine
    may find its first tree late."""
    sums, table = spec.sums, instance.table
    if sums.rows == 1 or instance.topology is None:
        return None
    rng, counts = np.random.default_rng(0), np.zeros((len(spec.x), sums.classes))
    if sums.answers.values is None:
        np.add.at(counts, (spec.of_point, table.y), table.weight)
    values = Alternation(instance.topology, spec.x, sums, rng, until, True, counts)
    return Prices(values).kept_by_weights(counts.sum(axis=1))


def _wide_enough(
    instance: Instance,
    stated: Model,
    spec: Summed,
    until: float,
    narrow: Searched,
    tree: Candidate,
) -> Searched:
    """The best tree whose cuts are all as wide as the formulation wants them for points that all
    reach them, with the bound of the trees whose cuts need not be; `narrow` where there is none.

    tree: one that breaks rows. until: of the clock.
    """
    late, first = partial(_is_past, until), np.flatnonzero(tree.weights.any(axis=0))
    empty = replace(tree, weights=np.zeros_like(tree.weights))
    gaps = feature_gaps(instance, stated, spec.x, empty, first, late)
    if not gaps.any() or late():
        return narrow
    result = best_tree(instance, spec, until - time.perf_counter(), gaps=gaps)
    if result.tree is None:
        return narrow
    completion = complete(instance, stated, result.tree)
    if completion.violations:
        return narrow
    values, worth = as_columns(stated, completion.values), result.value
    if spec.lowered:
        values, known = worth_completed(stated, spec.lowered, values)
        worth = spec.sums.sign * inf if known is None else known
    return replace(
        narrow,
        values=values,
        seconds=narrow.seconds + result.seconds,
        objective=worth,
        proven=bool(spec.sums.sign * (worth - narrow.bound) <= EQUAL),
    )


def listed(instance: Instance, worst: float, most: int, seconds: float) -> Listing | None:
    """The trees whose objective is no worse than `worst`, at most `most` of them; None where the
    engine does not take the spec. Raises NoSums."""
    if instance.spec.split != "univariate":
        return None
    spec = summed(instance)
    if fits(instance, spec) is not None or spec.sums.answers.values is not None:
        return None
    try:
        return near_optimal(instance, spec, worst, most, seconds)
    except Refusal:
        return None


def oblique(instance: Instance, stated: Model) -> ObliqueProblem | None:
    """The spec as the engine for oblique trees takes it; None where it does not."""
    if instance.spec.split != "oblique":
        return None
    try:
        spec = summed(instance)
        return oblique_problem(instance, stated, spec.sums, spec.x, spec.of_point)
    except (Refusal, NoSums):
        return None


def _is_past(until: float) -> bool:
    return time.perf_counter() > until


def lacking() -> bool:
    """Whether a package is missing that a proof of oblique trees needs."""
    return not is_installed("highspy") or not any(is_installed(name) for name in ONE_OF)


def raised(
    instance: Instance,
    stated: Model,
    problem: ObliqueProblem,
    searched: Searched,
    seconds: float,
    seed: int | None,
    on_progress: OnProgress | None = None,
) -> tuple[Searched, str]:
    """A search's tree with the bound that the engine for oblique trees proves, or a better tree
    that it finds; and whose the tree is, "search" or "engine".

    seconds: of wall clock. Nothing is done where the search has reached what no tree can be better
    than, or where a variable of its solution is left to a solver. A proof that fails is followed by
    a search from other trees, until it stalls; the first proof is a short one, since a tree that
    the search has missed makes it fail. on_progress: told of better trees and bounds of the proof.
    """
    began, by = time.perf_counter(), "search"
    if searched.values is not None and np.isnan(searched.values).any():
        return searched, by
    reports = Reports(on_progress, _sign(stated))
    best = searched
    for turn, most in enumerate(_turns(PROOF * seconds)):
        if _is_reached(stated, best) or asked_to_stop():
            break
        try:
            better = _proved(instance, stated, problem, best, most, seed or 0, reports)
        except Refusal:
            return _searched_again(instance, stated, best, began + seconds, (seed or 0) + 1), by
        if better.values is not best.values or better.proven:
            by = "engine"
        best = better
        if best.proven:
            break
        until = min(began + seconds, time.perf_counter() + max(most, seconds - PROOF * seconds))
        better = _searched_again(instance, stated, best, until, (seed or 0) + 1 + turn)
        if better.values is not best.values:
            by = "search"
        best = better
    return best, by


def _turns(seconds: float) -> tuple[float, ...]:
    """Seconds of each proof."""
    return (FIRST, seconds - 2 * FIRST) if seconds > 4 * FIRST else (seconds,)


def _sign(stated: Model) -> float:
    return -1.0 if stated.objective.sense == "maximize" else 1.0


def _is_reached(stated: Model, searched: Searched) -> bool:
    """Whether no tree can be better than the search's, by its bound."""
    if searched.values is None:
        return False
    sign = _sign(stated)
    worth = sign * objective_value(stated, searched.values)
    return bool(worth <= sign * searched.bound + EQUAL)


def _proved(
    instance: Instance,
    stated: Model,
    problem: ObliqueProblem,
    searched: Searched,
    seconds: float,
    seed: int,
    reports: Reports,
) -> Searched:
    """The search's tree, or a better one of the engine for oblique trees, with the engine's bound.

    Raises Refusal where the engine does not take the problem.
    """
    sign, goal = _sign(stated), np.inf
    if searched.values is not None:
        goal = sign * objective_value(stated, searched.values)
    completed: dict[float, np.ndarray] = {}
    until = time.perf_counter() + seconds / PROOF

    def judge(tree: Candidate) -> float | None:
        late = partial(_is_past, until)
        completion = complete(instance, stated, tree, late=late)
        if completion.violations or completion.unknown:
            return None
        values = as_columns(stated, completion.values)
        worth = sign * objective_value(stated, values)
        completed[worth] = values
        return worth

    reports.better(goal)
    reports.ruled_out(sign * searched.bound)
    reports.tell()
    proof = prove(problem, goal, judge, seconds, seed, reports)
    values, best = searched.values, goal
    if proof.tree is not None:
        best = min(completed)
        values = completed[best]
    bound = problem.objective(proof.low)
    if proof.proven and values is not None:
        bound = best
    bound = max(bound, sign * searched.bound)
    better = replace(searched, values=values, bound=sign * bound, objective=sign * best)
    return replace(better, seconds=searched.seconds + proof.seconds, proven=proof.proven)


def _searched_again(
    instance: Instance, stated: Model, before: Searched, until: float, seed: int
) -> Searched:
    """The better one of a tree and what a search by another seed finds; the bound stays."""
    began = time.perf_counter()
    if asked_to_stop() or began > until:
        return before
    again = search(instance, stated, stated, until - began, seed)
    sign = _sign(stated)
    seconds, starts = before.seconds + again.seconds, before.starts + again.starts
    unknown = again.values is None or np.isnan(again.values).any()
    if unknown or (before.values is not None and sign * again.objective >= sign * before.objective):
        again = before
    off = before.cut_off or again.cut_off
    return replace(again, bound=before.bound, seconds=seconds, starts=starts, cut_off=off)


def hint() -> str:
    return "a proof for this spec by an exact engine needs python-sat (or SCIP): " + pip_install(
        "sat"
    )
