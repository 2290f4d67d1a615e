"""Completing a start: from some of the values to a solution, or the finding that there is none.

The solvers offer this themselves, each in its own way: HiGHS keeps the integral values only, SCIP
gives up when many values are unknown, and neither says through its Python interface what became
of the start. Here the known values are fixed and the small rest is solved by the same solver, so
that "accepted" means one thing everywhere: a solution that holds the start's values was found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.core.model.model import Model
from treemip.core.model.tolerances import COMPLETE, START
from treemip.core.model.values import violation
from treemip.core.solving.arrays import Arrays
from treemip.core.source.diagnostic import fail

NODES = 500
"""Branch-and-bound nodes spent on one attempt (what HiGHS spends by default)."""

SHARE = 0.2
"""Part of the time limit spent on one attempt."""

Attempt = Callable[[np.ndarray, np.ndarray], "np.ndarray | None"]
"""(columns, values) -> a solution of the model with these columns fixed, or None."""


def complete(start: np.ndarray, arrays: Arrays, attempt: Attempt) -> np.ndarray | None:
    """A solution with the known values of `start`, float64 (columns,), nan where unknown.

    When the known values admit none, only the integral ones are kept: real ones come from other
    arithmetic and may miss a row by a rounding error. None when that fails as well.
    """
    known = np.flatnonzero(~np.isnan(start))
    values = start[known]
    integer = arrays.integer[known]
    values = np.where(integer & (abs(values - np.round(values)) <= START), np.round(values), values)
    lower, upper = arrays.lower[known], arrays.upper[known]
    if len(known) == 0 or not _near(values, lower, upper, integer):
        return None
    values = np.clip(values, lower, upper)
    found = attempt(known, values)
    if found is None and integer.any() and not integer.all():
        found = attempt(known[integer], values[integer])
    return found


def whole_solution(model: Model, start: np.ndarray) -> np.ndarray | None:
    """The start where it is a solution already, which a solver can be given as it is.

    Of linear models only: what solvers make of other ones has columns of its own.
    """
    if not model.is_linear or np.isnan(start).any():
        return None
    values = np.where(model.integer, np.round(start), start)
    near = np.abs(values - start).max(initial=0.0) <= START
    return values if near and violation(model, values) <= COMPLETE else None


def checked(start: np.ndarray, columns: int) -> np.ndarray:
    """The start as float64 (columns,); E607 when its length is another or a value is infinite."""
    start = np.asarray(start, dtype=np.float64)
    if start.shape != (columns,) or np.isinf(start).any():
        fail(
            "E607",
            f"a start of shape {start.shape} for a model of {columns} columns"
            if start.shape != (columns,)
            else "the start has infinite values",
            remedy="give one value per column, nan where it is unknown",
        )
    return start


def _near(values: np.ndarray, lower: np.ndarray, upper: np.ndarray, integer: np.ndarray) -> bool:
    inside = (values >= lower - START) & (values <= upper + START)
    integral = ~integer | (values == np.round(values))
    return bool((inside & integral).all())
