"""Whether a model can be handed to a solver within the time limit.

A solver looks at its clock only once it has the model. Handing over some millions of entries, and
the presolve that follows, take longer than many limits; a search makes better use of that time.
"""

from __future__ import annotations

from treemip.model.model import Model
from treemip.registry import solvers
from treemip.solving.solver import Solver

SHARE = 0.25
"""Of the seconds that are left, what handing over may take."""

OWN_SHARE = 0.5
"""Of a time limit, what start and solver get however long the rest takes."""

AFTERWARDS = 0.25
"""Of the seconds that reading the data and building the model took, what its rows take once more
where a tree is completed, read out, verified and written."""


def for_solving(limit: float | None, spent: float, after: float) -> float | None:
    """Seconds of a time limit for start and solver; None without a limit.

    spent: seconds of the limit that are gone. after: those to keep for what follows the solver.
    """
    return None if limit is None else max(OWN_SHARE * limit, limit - spent - after)


def nonzeros(model: Model) -> int:
    """Entries of rows and implications."""
    bodies = [*model.rows, *(block.body for block in model.implications)]
    return sum(len(block.matrix.data) for block in bodies)


def rate(solver: str) -> int:
    """Nonzeros that a second hands over to a solver."""
    known = solvers().get(solver)
    return Solver.nonzeros_per_second if known is None else known.nonzeros_per_second


def has_time_for(model: Model, seconds: float | None) -> bool:
    """Whether a solver that gets the model has most of these seconds for it; None is no limit."""
    return seconds is None or nonzeros(model) / rate("scip") <= SHARE * seconds


def is_hopeless(model: Model, solver: str, seconds: float | None) -> bool:
    """Whether handing the model to the solver takes all of these seconds; None is no limit."""
    return seconds is not None and nonzeros(model) / rate(solver) > seconds


def too_long(model: Model, solver: str) -> str:
    """Why a solver was not run, in words."""
    size = f"{nonzeros(model):,}"
    return f"handing {size} nonzeros to {solver} takes too long for the time limit"
