"""What functions of variables are worth at a point, and what bounds prove about their arguments."""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Function, Functions, Quadratic
from treemip.model.rows import interval
from treemip.model.tape_ranges import Range
from treemip.model.tape_values import products_at, row_sums

START = {Function.ABS: 0.0, Function.NORMINF: 0.0, Function.MAX: -np.inf, Function.MIN: np.inf}
"""The value over no arguments at all; of these, lowering lets only that of norminf happen."""


def function_values(block: Functions, x: np.ndarray, slots: np.ndarray | None = None) -> np.ndarray:
    """The results at x (columns,), float64 (length,). `slots`: the tape's values, if used."""
    arguments = row_sums(block.arguments, x) + block.constants
    arguments += products_at(block.quadratic, x, block.arguments.count)
    if block.slots is not None:
        assert slots is not None
        arguments += row_sums(block.slots, slots)
    if block.function in (Function.ABS, Function.NORMINF):
        arguments = np.abs(arguments)
    least = block.function is Function.MIN
    found = np.full(block.length, START[block.function])
    (np.minimum if least else np.maximum).at(found, block.owner, arguments)
    return found


def argument_ranges(
    block: Functions, lower: np.ndarray, upper: np.ndarray, slots: Range | None = None
) -> Range:
    """Least and greatest value of each argument over the box lower <= x <= upper.

    float64 (arguments,) each. `slots`: ranges of the tape's slots, if the arguments have any.
    """
    low, high = interval(block.arguments, block.constants, lower, upper)
    if block.quadratic.count:
        least, most = _product_ranges(block.quadratic, lower, upper)
        row, count = block.quadratic.row, block.arguments.count
        low = low + np.bincount(row, least, count)
        high = high + np.bincount(row, most, count)
    if block.slots is not None:
        assert slots is not None
        least, most = interval(block.slots, np.zeros(block.slots.count), *slots)
        low, high = low + least, high + most
    return low, high


def _product_ranges(q: Quadratic, lower: np.ndarray, upper: np.ndarray) -> Range:
    """The range of each coef * x[first] * x[second]; that of a square begins at 0 or above."""
    with np.errstate(invalid="ignore"):  # 0 times infinity is 0 here
        ends = np.nan_to_num(
            [q.coef * a[q.first] * b[q.second] for a in (lower, upper) for b in (lower, upper)],
            nan=0.0,
            posinf=np.inf,
            neginf=-np.inf,
        )
    least, most = ends.min(axis=0), ends.max(axis=0)
    square = (q.first == q.second) & (lower[q.first] <= 0) & (upper[q.first] >= 0)
    least = np.where(square & (q.coef > 0), 0.0, least)
    return least, np.where(square & (q.coef < 0), 0.0, most)
