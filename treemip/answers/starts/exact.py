"""The exact engines of the registry behind a start: which of them take a spec, run one after
another as long as nothing is proven.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.answers.engines.engine import Case, Effort, Engine, ExactEngine, Listing
from treemip.answers.engines.obstacle import located, prepared
from treemip.answers.engines.refusal import NO_TIME, Refusal
from treemip.answers.engines.registry import bounding, engines
from treemip.answers.search.start import Searched
from treemip.core.model.answer import Progress
from treemip.core.model.tolerances import EQUAL
from treemip.core.solving.interrupt import asked_to_stop

PLACE_SECONDS = 1.0
"""For finding what of a spec stands in the way of an engine."""

MANY = 20_000
"""Points above which the place of an obstacle is not looked for: each look reads all rows."""


def answered(
    case: Case, effort: Effort, begin: Callable[[], Searched | None] | None = None
) -> tuple[Searched | None, Refusal | None]:
    """The best tree and bound of the engines that need no search, None where none takes the case;
    and then why the last one does not, or where they have no proof, why the first one does not.

    The next engine runs where those before it have not proven their tree, with what they have
    found. Where the best tree breaks rows that the engines do not know, `failed` has them, and
    there may be no tree; `unproven` has what else each of them says. begin: finds a tree for an
    engine that may be long without one.
    """
    until = time.perf_counter() + effort.seconds
    best: Searched | None = None
    refusals, said = list[tuple[ExactEngine, Refusal]](), list[str]()

    def late() -> bool:
        return time.perf_counter() > until or asked_to_stop()

    case = replace(case, late=late)
    for entry in engines(case.instance.spec.split, after_search=False):
        if late():
            refusals += [(entry, Refusal(NO_TIME))] if best is None else []
            said.append("there was no time for another engine")
            break
        engine = prepared(entry, case, late)
        if isinstance(engine, Refusal):
            refusals += [(entry, engine)] if best is None else []
            continue
        if effort.on_progress is not None:
            effort.on_progress(Progress(0.0, None, None, None, 0, "engine"))
        if begin is not None and best is None and engine.doubt(until - time.perf_counter()):
            best = begin()
            if late():
                said.append("there was no time left for it")
                break
        left = max(0.0, until - time.perf_counter())
        try:
            found = engine.run(replace(effort, seconds=left, found=best))
        except Refusal as late_refusal:
            refusals += [(entry, late_refusal)] if best is None else []
            said += [str(late_refusal)] if best is not None else []
            continue
        said += [found.unproven] if found.unproven else []
        best = found if best is None else _joined(best, found, case.sign)
        if best.proven:
            break
    if best is not None and best.proven:
        return replace(best, unproven=""), None
    why = None
    if refusals:
        entry, refusal = refusals[-1 if best is None else 0]
        why = _located(case, entry, refusal, min(PLACE_SECONDS, effort.seconds))
    return None if best is None else replace(best, unproven="; ".join(said)), why


def _located(
    case: Case, entry: ExactEngine, refusal: Refusal, seconds: float = PLACE_SECONDS
) -> Refusal:
    """The refusal with its place; that there was no time comes from no part of the spec."""
    of_none = str(refusal) == NO_TIME
    until = time.perf_counter() + seconds

    def late() -> bool:
        return of_none or time.perf_counter() > until or asked_to_stop()

    return located(case, entry, refusal, late)


def _joined(before: Searched, found: Searched, sign: float) -> Searched:
    """What two engines have found about one case, the better tree and the better bound; also where
    one contradicts the other, which a second look will see."""
    agree = found.values is None or sign * before.bound <= sign * found.objective + EQUAL
    if found.proven and agree:
        return replace(found, seconds=before.seconds + found.seconds)
    best = better_of(before, found, sign)
    known = best.values is not None and not np.isnan(best.values).any()
    best = replace(best, failed=best.failed or found.failed)
    proven = known and bool(sign * (best.objective - best.bound) <= EQUAL)
    return replace(best, proven=proven, seconds=before.seconds + found.seconds)


def better_of(engine: Searched, other: Searched, sign: float) -> Searched:
    """The better one of two trees, with the better one of their bounds; the first where they are
    equally good."""
    bound = sign * max(sign * engine.bound, sign * other.bound)
    ahead = other.values is None or sign * engine.objective <= sign * other.objective
    best = engine if engine.values is not None and ahead else other
    return replace(best, bound=bound, cut_off=engine.cut_off or other.cut_off)


def prover(case: Case) -> Engine | Refusal | None:
    """The engine that raises the bound of what a search finds, or why the last one does not take
    the case; None where none is about such trees."""
    refusal: Refusal | None = None
    for entry in engines(case.instance.spec.split, after_search=True):
        engine = prepared(entry, case)
        if not isinstance(engine, Refusal):
            return engine
        seconds = PLACE_SECONDS if len(case.instance.table.y) <= MANY else 0.0
        refusal = _located(case, entry, engine, seconds)
    return refusal


def bounder(case: Case) -> Engine | None:
    """The engine that has a bound where none takes the whole case."""
    several = (prepared(entry, case) for entry in bounding(case.instance.spec.split))
    return next((engine for engine in several if not isinstance(engine, Refusal)), None)


def listed(case: Case, worst: float, most: int, seconds: float) -> Listing | None:
    """The trees whose objective is no worse than `worst`, at most `most` of them; None where no
    engine lists them."""
    for entry in engines(case.instance.spec.split, after_search=False):
        engine = prepared(entry, case)
        if isinstance(engine, Refusal):
            continue
        listing = engine.near_optimal(worst, most, seconds)
        if listing is not None:
            return listing
    return None
