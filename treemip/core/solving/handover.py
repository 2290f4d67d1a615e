"""Whether a model can be handed to a solver within the time limit and the memory that is free.

A solver looks at its clock only once it has the model. Handing over some millions of entries, and
the presolve that follows, take longer than many limits; a search makes better use of that time.
"""

from __future__ import annotations

from treemip.core.model.model import Model
from treemip.core.model.on_demand import entries
from treemip.core.registry import solvers
from treemip.core.solving.solver import Solver
from treemip.core.source.memory import room

SHARE = 0.25
"""Of the seconds that are left, what handing over may take."""

BYTES = 440
"""Of memory that a solver takes for a nonzero: HiGHS with its presolve, measured on SVM1-ODT with 3
million."""

MEMORY_SHARE = 0.5
"""Of the memory that is free, what a solver may take that nobody asks for by name."""

OWN_SHARE = 0.5
"""Of a time limit, what start and solver get however long the rest takes."""

AFTERWARDS = 0.4
"""Of the seconds that reading the data and building the model took, what its rows take once more
where a tree is completed, read out, verified and written."""


def for_solving(limit: float | None, spent: float, after: float) -> float | None:
    """Seconds of a time limit for start and solver; None without a limit.

    spent: seconds of the limit that are gone. after: those to keep for what follows the solver.
    """
    return None if limit is None else max(OWN_SHARE * limit, limit - spent - after)


def nonzeros(model: Model) -> int:
    """Entries of rows and implications."""
    if not model.is_kept:
        return entries(model.rows) + entries(model.implications)
    bodies = [*model.rows, *(block.body for block in model.implications)]
    return sum(len(block.matrix.data) for block in bodies)


def rate(solver: str) -> int:
    """Nonzeros that a second hands over to a solver."""
    known = solvers().get(solver)
    return Solver.nonzeros_per_second if known is None else known.nonzeros_per_second


def has_time_for(model: Model, seconds: float | None) -> bool:
    """Whether a solver that gets the model has most of these seconds for it; None is no limit."""
    return seconds is None or nonzeros(model) / rate("scip") <= SHARE * seconds


def has_room_for(model: Model) -> bool:
    """Whether a solver that gets the model leaves enough memory free."""
    return nonzeros(model) * BYTES <= MEMORY_SHARE * room()


def is_hopeless(model: Model, solver: str, seconds: float | None) -> bool:
    """Whether handing the model to the solver takes all of these seconds; None is no limit."""
    return seconds is not None and nonzeros(model) / rate(solver) > seconds


def why_not(model: Model, solver: str) -> str:
    """Why a solver was not run, in words."""
    size = f"handing {nonzeros(model):,} nonzeros to {solver}"
    if has_room_for(model):
        return f"{size} takes too long for the time limit"
    needed, free = nonzeros(model) * BYTES / 1e9, room() / 1e9
    return f"{size} takes about {needed:.2g} GB of memory, and {free:.2g} GB are free"
