"""A short search and the solver for some seconds, before all else, where a model is so small that
the solver may prove its optimum before a search or an engine comes to an end.

How long a solver needs shows only when it runs. So it gets some seconds, which are few beside those
of what would come first, and what comes of them is not lost: the solution is another start.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treemip.engines.engine import Case, Engine
from treemip.model.answer import CONCLUSIVE, Answer
from treemip.registry import in_memory
from treemip.search.start import SECONDS as LONGEST_SEARCH
from treemip.search.sums import NoSums
from treemip.solving.handover import nonzeros
from treemip.strategy.incumbent import with_start
from treemip.strategy.settings import AUTOMATIC
from treemip.strategy.starts import exact
from treemip.strategy.starts.own_starts import BestStart
from treemip.strategy.starts.problem import WarmStart

if TYPE_CHECKING:
    from treemip.api.solving import Run
    from treemip.model.model import Model

SMALL = 8000
"""Nonzeros of a model that is tried."""

SEARCH = 0.5
"""Seconds of the search, whose tree the solver begins with."""

ALONE, BESIDE = LONGEST_SEARCH, 1.5
"""Seconds of the solver where the proof is left to it, as many as the search that would come first
may take, and where an engine may prove what the search finds, in seconds as well."""

SURE = 10.0
"""Seconds in which an engine that comes before a search should have its proof, by its own estimate,
so that nothing is tried before it."""

SHARE = 0.25
"""Of a time limit, at most."""


def seconds_of_try(run: Run) -> float:
    """Seconds that the solver is tried for; 0 for going without."""
    settings, model, limit = run.settings, run.model, run.limits.time
    asked = settings.start, settings.search_seconds, settings.decompose, run.separation
    if any(each is not None for each in asked) or (settings.solver or "auto") not in AUTOMATIC:
        return 0.0
    if run.solver not in in_memory() or not model.is_kept or not model.integer.any():
        return 0.0
    if nonzeros(model) > SMALL:
        return 0.0
    case = Case(run.compiled.instance, run.compiled.checked)
    seconds = ALONE if settings.solver == "mip" else _beside_engines(case)
    return seconds if limit is None else min(seconds, SHARE * limit)


def _beside_engines(case: Case) -> float:
    try:
        if exact.is_quick(case, SURE):
            return 0.0
        prover = exact.prover(case, placed=False)
    except NoSums:
        return 0.0
    return BESIDE if isinstance(prover, Engine) and not prover.missing else ALONE


def is_settled(answer: Answer | None) -> bool:
    """Whether nothing else needs to be tried: it is proven, the start cannot be improved, or a
    signal has ended it."""
    if answer is None:
        return False
    unneeded = answer.values is None and answer.status == "feasible"
    return unneeded or answer.status in CONCLUSIVE or answer.status == "interrupted"


def with_tried(
    model: Model, begun: WarmStart, tried: WarmStart, answer: Answer | None
) -> WarmStart:
    """A start, or the better one that came of the try and its solver's answer."""
    best = BestStart(model)
    best.add(begun)
    best.add(replace(tried, notes=()))
    if answer is not None and answer.values is not None:
        values = with_start(model, answer, tried.values).values
        best.add(WarmStart(values, by=answer.solver))
    return replace(best.start, obstacle=begun.obstacle)
