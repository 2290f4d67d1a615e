"""The digits that a solution file leaves out, found again from the model's rows.

lp_solve prints six digits, GLPK's ``-o`` and HiGHS's readable style too: rows are then missed by
1e-6 of their size, and a price of 1000 on slack, or a split that comes close to a point, makes that
a tree that is not verified. What the solver had is a number that prints so, and keeps the rows.
Where integers are whole, such numbers are found by a linear program over the intervals that the
printed digits leave, in place of the values themselves.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.emit.optional import is_installed
from treemip.model.answer import Limits
from treemip.model.blocks import Kind
from treemip.model.model import Model
from treemip.model.tolerances import EXACT
from treemip.model.values import violation
from treemip.read.solution import SolutionFile

FEW = 10
"""Digits; with more the values are taken as they are."""

SECONDS = 10.0


def completed(model: Model, solution: SolutionFile, values: np.ndarray) -> np.ndarray:
    """float64 (columns,): values that print as the file's do and keep the model's rows.

    The values themselves where they keep them, where the file has all digits or leaves zeros out,
    where the model is not linear, and where no such numbers are found.
    """
    few = solution.complete and solution.digits < FEW
    whole = np.abs(values[model.integer]) < 10.0**solution.digits
    if not (few and model.is_linear and whole.all() and is_installed("highspy")):
        return values
    if violation(model, values) <= EXACT:
        return values
    from treemip.emit.highs import solve_highs

    limits = Limits(SECONDS, feasibility=EXACT)
    found = solve_highs(_printed(model, solution.digits, values), limits)
    if found.values is None or found.status != "optimal":
        return values
    return found.values


def _printed(model: Model, digits: int, values: np.ndarray) -> Model:
    """The model without integers, each column in the interval that prints as its value."""
    whole, size = np.round(values), np.maximum(np.abs(values), np.finfo(float).tiny)
    half = np.maximum(0.5 * 10.0 ** (np.floor(np.log10(size)) - digits + 1), EXACT)
    lower = np.where(model.integer, whole, values - half)
    upper = np.where(model.integer, whole, values + half)
    lower = np.clip(lower, model.lower, model.upper)
    upper = np.clip(upper, model.lower, model.upper)
    blocks = (
        replace(
            block,
            lower=lower[block.start : block.stop],
            upper=upper[block.start : block.stop],
            kind=Kind.CONTINUOUS,
        )
        for block in model.variables
    )
    return replace(model, variables=tuple(blocks))
