"""The solver for some seconds before a search of its usual length, where a model is so small that
it may prove its optimum sooner.

How long a solver needs shows only when it runs. So it gets some seconds, which are few beside those
of what would come first, and what comes of them is not lost: the solution is another start.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treemip.answers.search.start import SECONDS as LONGEST_SEARCH
from treemip.answers.starts.problem import WarmStart
from treemip.core.model.answer import CONCLUSIVE
from treemip.core.registry import in_memory
from treemip.core.solving.handover import nonzeros
from treemip.core.source.diagnostic import TreemipError
from treemip.core.strategy.incumbent import with_start
from treemip.core.strategy.settings import AUTOMATIC

if TYPE_CHECKING:
    from treemip.api.solving import Run

SMALL = 8000
"""Nonzeros of a model that is tried."""

ALONE, BESIDE = LONGEST_SEARCH, 1.5
"""Seconds of the solver where the proof is left to it, as many as the search that would come first
may take, and where an engine may prove what the search finds, in seconds as well."""

SHARE = 0.25
"""Of a time limit, at most."""


def is_tried(run: Run) -> bool:
    """Whether the model is small, and nobody says how to begin or by which solver."""
    settings, model = run.settings, run.model
    said = settings.start, settings.search_seconds, settings.decompose, run.separation
    if any(each is not None for each in said) or (settings.solver or "auto") not in AUTOMATIC:
        return False
    if run.solver not in in_memory() or not model.is_kept or not model.integer.any():
        return False
    return nonzeros(model) <= SMALL


def first_try(run: Run, begun: WarmStart, beside: bool) -> tuple[bool, WarmStart]:
    """Whether nothing else has to be looked for, and the start or the solver's better solution.

    begun: of a short search. beside: whether an engine may prove what a search finds. What settles
    the matter is the run's `early` answer.
    """
    run.begun = begun
    if begun.stopped is not None:
        return True, begun
    if begun.refuted:  # a proof with these cuts would be none
        return False, begun
    limit, seconds = run.limits.time, BESIDE if beside else ALONE
    left = replace(run.limits, time=seconds if limit is None else min(seconds, SHARE * limit))
    try:
        answer = run.answer_within(left)
    except TreemipError:  # of a solver that fails; it is told when it fails again
        return False, begun
    unneeded = answer.values is None and answer.status == "feasible"  # the start is the best
    if unneeded or answer.status in CONCLUSIVE or answer.status == "interrupted":
        run.early = answer
        return True, begun
    best = with_start(run.model, answer, begun.values)
    if best.values is None or best.values is begun.values:
        return False, begun
    return False, replace(begun, values=best.values, by=answer.solver)
