"""Bounds that rows of one variable state: a x >= b and a x <= c bound x as its declaration would.

So a spec bounds what a formulation leaves unbounded by a row of its own,
`cap {t in branches, j in features}: -10 <= coef[t,j] <= 10;`, and big-Ms are proven from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from treemip.core.model.blocks import Rows, SparseRows, Variables
from treemip.core.model.bounds import argument_ranges, result_bounds, tape_ranges
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import scale_rows


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
        if rows.slots is not None:
            alone &= np.diff(rows.slots.indptr) == 0
        alone = np.flatnonzero(alone)
        if not len(alone):
            continue
        at = matrix.indptr[alone]
        variable, coef = matrix.indices[at], matrix.data[at]
        ends = np.sort([rows.lower[alone] / coef, rows.upper[alone] / coef], axis=0)
        np.maximum.at(lower, variable, ends[0])
        np.minimum.at(upper, variable, ends[1])
    return lower, upper


def closed(
    lower: np.ndarray, upper: np.ndarray, families: Iterable[Rows]
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds float64 (columns,) where what is infinite is bounded by rows of several variables.

    Finite bounds stay as they are. A row bounds a variable when all others of the row are bounded;
    S-OCT's hit[i,l] is free, but at most reach[i,l]. Rows are taken in order, once.
    """
    lower, upper = lower.copy(), upper.copy()
    for rows in families:
        if not rows.is_affine:
            continue
        _close(rows.matrix, rows.upper, lower, upper)
        _close(scale_rows(rows.matrix, np.full(rows.length, -1.0)), -rows.lower, lower, upper)
    return lower, upper


def _close(matrix: SparseRows, ends: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """What matrix x <= ends says of columns without a bound, written into lower and upper."""
    row, column, coef = matrix.row_of, matrix.indices, matrix.data
    least = coef * np.where(coef > 0, lower[column], upper[column])
    free = ~np.isfinite(least)
    alone = np.bincount(row, free, matrix.count)[row] - free == 0
    wanted = ~np.isfinite(np.where(coef > 0, upper[column], lower[column]))
    at = np.flatnonzero(alone & wanted & np.isfinite(ends)[row])
    if not len(at):
        return
    rest = np.bincount(row, np.where(free, 0.0, least), matrix.count)[row] - np.where(
        free, 0, least
    )
    limit = (ends[row[at]] - rest[at]) / coef[at]
    rises = coef[at] > 0
    np.minimum.at(upper, column[at[rises]], limit[rises])
    np.maximum.at(lower, column[at[~rises]], limit[~rises])


def narrowed_results(
    variables: list[Variables], model: Model, lower: np.ndarray, upper: np.ndarray
) -> list[Variables]:
    """Blocks of variables, those of functions' results with what the bounds say of them.

    lower, upper: float64 (columns,), changed in place; functions stand before those that use them.
    """
    position = {b.start: k for k, b in enumerate(variables)}
    blocks = list(variables)
    for block in model.functions:
        slots = None if block.slots is None else tape_ranges(model.tape, lower, upper)
        ends = argument_ranges(block, lower, upper, slots)
        low, high = result_bounds(block.function, *ends, block.offsets)
        k = position[block.result]
        low, high = np.maximum(blocks[k].lower, low), np.minimum(blocks[k].upper, high)
        # rows that contradict each other are for the solver to report
        possible = low <= high
        low, high = (
            np.where(possible, low, blocks[k].lower),
            np.where(possible, high, blocks[k].upper),
        )
        blocks[k] = replace(blocks[k], lower=low, upper=high)
        at = slice(block.result, block.result + block.length)
        lower[at], upper[at] = np.maximum(lower[at], low), np.minimum(upper[at], high)
    return blocks
