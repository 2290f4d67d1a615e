"""From what a solver reports to an `Answer`: the same rules for every solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.emit.arrays import Arrays, objective_at
from treemip.model.answer import WITHOUT_SOLUTION, Answer, Limits, Status, finite, relative_gap
from treemip.model.model import Model

PROVEN = 1e-6
"""Solvers call a difference of this size between bound and objective none (HiGHS mip_abs_gap)."""


TINY = 1e-9
"""Coefficients up to here are zero to HiGHS (small_matrix_value) and SCIP (numerics/epsilon)."""


@dataclass(frozen=True)
class Outcome:
    """A solver's report in its own terms; bound in the model's sense, infinite when unknown."""

    status: Status
    values: np.ndarray | None
    bound: float
    nodes: int
    message: str = ""


def settle(
    model: Model,
    limits: Limits,
    outcome: Outcome,
    *,
    seconds: float,
    solver: tuple[str, str],
    start_accepted: bool | None,
) -> Answer:
    """Objective and gap recomputed from the values; "optimal" kept for what was proven.

    Solvers say "optimal" too when the search ended because the gap asked for was reached.
    """
    status = outcome.status
    values = None if status in WITHOUT_SOLUTION else outcome.values
    if values is None and status in ("optimal", "gap_limit"):
        status = "no_solution"
    objective = None if values is None else objective_at(model, values)
    bound = None if status in WITHOUT_SOLUTION else finite(outcome.bound)
    gap = relative_gap(objective, bound)
    if status == "optimal":
        if (limits.gap or limits.absolute_gap) and not _closed(objective, bound):
            status = "gap_limit"
        else:
            gap = 0.0
    return Answer(
        status,
        values,
        objective,
        bound,
        gap,
        seconds,
        outcome.nodes,
        *solver,
        start_accepted,
        outcome.message,
    )


def tiny_note(arrays: Arrays, solver: str) -> list[str]:
    """What to say when the solver drops coefficients; they are kept in the model."""
    tiny = int(np.count_nonzero(np.abs(arrays.matrix.data) <= TINY))
    return [f"{solver} takes {tiny} coefficients of at most {TINY:g} for zero"] if tiny else []


def _closed(objective: float | None, bound: float | None) -> bool:
    if objective is None or bound is None:
        return False
    return abs(bound - objective) <= PROVEN * max(1.0, abs(objective))
