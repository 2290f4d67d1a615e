"""Bounds that rows of one variable state: a x >= b and a x <= c bound x as its declaration would.

So a spec bounds what a formulation leaves unbounded by a row of its own,
`cap {t in branches, j in features}: -10 <= coef[t,j] <= 10;`, and big-Ms are proven from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from treemip.lower.build import result_bounds
from treemip.model.blocks import Rows, Variables
from treemip.model.function_values import argument_ranges
from treemip.model.model import Model
from treemip.model.tape_ranges import tape_ranges


def tightened(
    lower: np.ndarray, upper: np.ndarray, families: Iterable[Rows]
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds float64 (columns,) of all variables, narrowed by the rows that hold one of them."""
    lower, upper = lower.copy(), upper.copy()
    for rows in families:
        matrix = rows.matrix
        alone = np.diff(matrix.indptr) == 1
        if rows.quadratic.count:
            alone[rows.quadratic.row] = False
        alone = np.flatnonzero(alone)
        if not len(alone):
            continue
        at = matrix.indptr[alone]
        variable, coef = matrix.indices[at], matrix.data[at]
        ends = np.sort([rows.lower[alone] / coef, rows.upper[alone] / coef], axis=0)
        np.maximum.at(lower, variable, ends[0])
        np.minimum.at(upper, variable, ends[1])
    return lower, upper


def narrowed_results(
    variables: list[Variables],
    model: Model,
    lower: np.ndarray,
    upper: np.ndarray,
) -> list[Variables]:
    """Blocks of variables, those of functions' results with what the bounds say of them.

    lower, upper: float64 (columns,), changed in place; functions stand before those that use them.
    """
    found = {b.start: k for k, b in enumerate(variables)}
    made = list(variables)
    for block in model.functions:
        slots = None if block.slots is None else tape_ranges(model.tape, lower, upper)
        ends = argument_ranges(block, lower, upper, slots)
        low, high = result_bounds(block.function, *ends, block.offsets)
        k = found[block.result]
        low, high = np.maximum(made[k].lower, low), np.minimum(made[k].upper, high)
        # rows that contradict each other are for the solver to report
        possible = low <= high
        low, high = np.where(possible, low, made[k].lower), np.where(possible, high, made[k].upper)
        made[k] = replace(made[k], lower=low, upper=high)
        at = slice(block.result, block.result + block.length)
        lower[at], upper[at] = np.maximum(lower[at], low), np.minimum(upper[at], high)
    return made
