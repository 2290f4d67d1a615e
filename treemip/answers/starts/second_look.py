"""A second look at what an exact engine claims: trees that owe nothing to it must not be better.

A wrong bound is the one fault of an engine that nothing else shows: the tree is verified, and the
proof is taken on trust. Simple trees cost next to nothing beside it. Where one of them is better
than the bound, by what the spec itself says of it, the claim is not made.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from math import inf, isfinite

import numpy as np

from treemip.answers.search.agreement import by_meaning
from treemip.answers.search.beginnings import Beginnings
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import complete
from treemip.answers.search.greedy import valued_trees
from treemip.answers.search.start import Searched, as_columns
from treemip.answers.search.sums import NoSums
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.tolerances import PROVEN
from treemip.core.model.values import objective_value
from treemip.core.source.diagnostic import Diagnostic, Severity

POINTS = 1000
"""Points of the table up to which there is a second look."""

SECONDS, SHARE = 0.02, 0.02
"""Of a short search: in seconds, or as a share of the engine's where that is more."""


def second_look(
    instance: Instance, stated: Model, searched: Searched
) -> tuple[Searched, tuple[Diagnostic, ...]]:
    """What an engine has found, as it is; or, where a tree is better than its bound, that tree
    without bound and proof, and W608."""
    sign = stated.objective.sign
    low = inf if searched.infeasible else sign * searched.bound
    if low == -inf or len(instance.table.y) > POINTS:
        return searched, ()
    limit = low - PROVEN * max(1.0, abs(low)) if isfinite(low) else low
    for who, values in _solutions(instance, stated, searched, sign * limit):
        objective = objective_value(stated, values)
        if sign * objective < limit:
            withdrawn = replace(searched, values=values, objective=objective, proven=False)
            note = _withdrawn(searched, who, objective)
            return replace(withdrawn, bound=-sign * inf), (note,)
    return searched, ()


def _solutions(
    instance: Instance, stated: Model, searched: Searched, limit: float
) -> Iterator[tuple[str, np.ndarray]]:
    """Solutions of the stated model, float64 (columns,), and whose they are: the engine's own, and
    those of trees that are better than `limit` by the spec's own objective."""
    own = searched.values
    if own is not None and not np.isnan(own).any():
        yield "its own tree", own[: stated.column_count]
    sign = stated.objective.sign
    for who, tree in _trees(instance, max(SECONDS, SHARE * searched.seconds)):
        value, violated = by_meaning(instance, tree)
        if violated or not sign * value < sign * limit:
            continue
        completion = complete(instance, stated, tree)
        if not completion.violations and not completion.unknown:
            yield who, as_columns(stated, completion.values)


def _trees(instance: Instance, seconds: float) -> Iterator[tuple[str, Candidate]]:
    """The tree without a split, CART's, and the best of a search of so many seconds."""
    try:
        search = valued_trees(instance)
    except NoSums:
        return
    begin, bare = Beginnings(search), search.empty()
    search.relabelled(bare)
    yield "the tree without a split", bare
    best = begin.purest_tree()
    yield "CART's tree", best.copy()
    search.until = time.perf_counter() + seconds
    least = search.improve(best, -inf)
    while not search.late:
        tree = begin.perturbed(best)
        value = search.improve(tree, -inf)
        if value < least:
            least, best = value, tree
    yield "a tree of a short search", best


def _withdrawn(searched: Searched, who: str, objective: float) -> Diagnostic:
    what = f"no tree is better than {searched.bound:.9g}, but {who} reaches {objective:.9g}"
    if searched.infeasible:
        what = f"no tree keeps all constraints, but {who} does"
    return Diagnostic(
        "W608",
        f"an exact engine claims that {what}, so nothing is reported as proven",
        None,
        "this is a fault of treemip, not of the spec: please report it with the spec and its "
        "table; --solver scip or --solver highs solves without the engine",
        severity=Severity.WARNING,
    )
