"""What the bounds of the variables prove, by interval arithmetic and weak duality.

Ranges of a tape's slots and of functions' arguments and results; a bound of the objective.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.core.model.blocks import Function, Functions, Quadratic, Rows
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import interval
from treemip.core.model.squares import without_squares
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Step, Tape

Range = tuple[np.ndarray, np.ndarray]


def tape_ranges(tape: Tape, lower: np.ndarray, upper: np.ndarray) -> Range:
    """Least and greatest value of each slot over the box lower <= x <= upper, float64 (slots,).

    A slot that is undefined on a part of the box is bounded on the rest of it.
    """
    low, high = np.zeros(0), np.zeros(0)
    for step in tape.steps:
        more_low, more_high = step_range(step, lower, upper, low, high)
        low, high = np.concatenate([low, more_low]), np.concatenate([high, more_high])
    return low, high


def step_range(
    step: Step, lower: np.ndarray, upper: np.ndarray, low: np.ndarray, high: np.ndarray
) -> Range:
    """The ranges of one step's slots from those of the columns and of the slots before it."""
    if isinstance(step, Affine):
        a = interval(step.columns, step.constants, lower, upper)
        b = interval(step.slots, np.zeros(step.length), low, high)
        return a[0] + b[0], a[1] + b[1]
    if isinstance(step, Product):
        return _product(step, low, high)
    return elementwise_range(
        step.function, step.exponent, low[step.arguments], high[step.arguments]
    )


def _product(step: Product, low: np.ndarray, high: np.ndarray) -> Range:
    least, most = np.ones(step.length), np.ones(step.length)
    counts = np.diff(step.offsets)
    for k in range(int(counts.max(initial=0))):
        at = np.flatnonzero(counts > k)
        factor = step.factors[step.offsets[:-1][at] + k]
        own, other = (least[at], most[at]), (low[factor], high[factor])
        least[at], most[at] = _product_range(own, other)
    return least, most


def _product_range(a: Range, b: Range) -> Range:
    """The least and greatest product of a number of each range, where 0 times infinity is 0."""
    with np.errstate(invalid="ignore"):
        corners = np.array([one * other for one in a for other in b])
    ends = np.nan_to_num(corners, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return ends.min(axis=0), ends.max(axis=0)


def elementwise_range(
    function: Smooth, exponent: float, low: np.ndarray, high: np.ndarray
) -> Range:
    """The range of a function over ranges of its argument, where it is defined."""
    with np.errstate(all="ignore"):
        if function is Smooth.EXP:
            return np.exp(low), np.exp(high)
        if function is Smooth.LOG:
            return np.log(np.maximum(low, 0.0)), np.log(np.maximum(high, 0.0))
        if function is Smooth.LOGISTIC:
            return 0.5 * (1 + np.tanh(low / 2)), 0.5 * (1 + np.tanh(high / 2))
        return _power(exponent, low, high)


def _power(p: float, low: np.ndarray, high: np.ndarray) -> Range:
    if not float(p).is_integer():  # defined from 0 on
        low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    if p < 0:
        return _inverse_power(p, low, high)
    a, b = low**p, high**p
    least, most = np.minimum(a, b), np.maximum(a, b)
    return (np.where((low < 0) & (high > 0), 0.0, least) if p % 2 == 0 else least), most


def _inverse_power(p: float, low: np.ndarray, high: np.ndarray) -> Range:
    """With a pole at 0, on each side of which it is monotone."""
    odd = p % 2 == 1
    right, left = low >= 0, high <= 0

    def at(u: np.ndarray, pole: float) -> np.ndarray:
        return np.where(u == 0, pole, u**p)

    beyond = -np.inf if odd else np.inf
    least = np.where(left, at(high if odd else low, beyond), beyond)
    most = np.where(left, at(low if odd else high, beyond), np.inf)
    if not odd:
        least = np.where(left, least, np.minimum(low**p, high**p))
    return np.where(right, at(high, np.inf), least), np.where(right, at(low, np.inf), most)


def slopes(step: Elementwise, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether each slot rises, whether it falls with its argument, bool (length,).

    `low` and `high` are the ranges of all slots. Neither is true where nothing is proven, or where
    the function is undefined on a part of the range: an argument could move out of its domain.
    """
    a, b = low[step.arguments], high[step.arguments]
    always, never = np.ones(step.length, bool), np.zeros(step.length, bool)
    if step.function is Smooth.LOG:
        return a > 0, never
    if step.function is not Smooth.POWER:
        return always, never
    p = step.exponent
    if not float(p).is_integer():
        return (a >= 0, never) if p > 0 else (never, a > 0)
    if p > 0:
        return (always, never) if p % 2 == 1 else (a >= 0, b <= 0)
    return (never, (a > 0) | (b < 0)) if p % 2 == 1 else (b < 0, a > 0)


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
    first = q.coef * lower[q.first], q.coef * upper[q.first]
    least, most = _product_range(first, (lower[q.second], upper[q.second]))
    square = (q.first == q.second) & (lower[q.first] <= 0) & (upper[q.first] >= 0)
    least = np.where(square & (q.coef > 0), 0.0, least)
    return least, np.where(square & (q.coef < 0), 0.0, most)


def result_bounds(
    function: Function, low: np.ndarray, high: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of results from those of their arguments, group by group."""
    size_low = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    size_high = np.maximum(np.abs(low), np.abs(high))
    groups = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    count = len(offsets) - 1

    def fold(values: np.ndarray, ufunc: np.ufunc, start: float) -> np.ndarray:
        folded = np.full(count, start)
        ufunc.at(folded, groups, values)
        return folded

    if function is Function.MAX:
        return fold(low, np.maximum, -np.inf), fold(high, np.maximum, -np.inf)
    if function is Function.MIN:
        return fold(low, np.minimum, np.inf), fold(high, np.minimum, np.inf)
    return fold(size_low, np.maximum, 0.0), fold(size_high, np.maximum, 0.0)


# -------------------------------------------------------------------------------------- objective


def objective_bound(model: Model) -> float:
    """The greatest value that the objective can have (the least one where it is minimized), read
    off the model without solving anything.

    Every column alone is held by its bounds. That is weak for `sum weight * (1 - correct)`, where
    correct is a sum over leaves of which one can be 1, so two kinds of rows are used as well, each
    for columns that no other row has been used for: x <= y replaces x by y, and sum a y <= b with
    a > 0 and y >= 0 bounds a whole sum. Both steps are weak duality with one multiplier per row.

    A square of a sum is 0 at least, though its products are not.

    A valid bound, not always the best; infinite where none is found. Implications, functions and
    integrality are left aside, which only makes it weaker.
    """
    box = _Box(*model.box)
    sign = -model.objective.sign
    products = model.objective.quadratic
    minimized = replace(products, coef=-sign * products.coef)
    squares = without_squares(minimized, -sign * model.costs, box.lower, box.upper)
    gained, form = _of_shares(squares.form, box)
    lifts = [one for one in map(_upper_bounds, model.rows) if one is not None]
    ways = [more - squares.costs for more in gained]
    ways += [_lifted(way, lift) for way in ways for lift in lifts]
    gains = np.logical_or.reduce([way > 0 for way in ways])
    packings = [one for block in model.rows if (one := _packing(block, box, gains)) is not None]
    most = min(_most(way, box, packings) for way in ways)
    total = sign * model.objective.constant - squares.least
    total += most + _products(form, box)
    total += _of_tape(model, box, sign)
    return sign * total + 0.0 if np.isfinite(total) else sign * np.inf


@dataclass(frozen=True)
class _Box:
    """Bounds of all columns, float64 (columns,); those of binaries are within 0 and 1."""

    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True)
class _Lift:
    """Rows x <= y of one family: columns `small` (x) and `great` (y)."""

    small: np.ndarray
    great: np.ndarray


@dataclass(frozen=True)
class _Packing:
    """Rows sum a y <= most of one family, by entries: row and column, coefficients above 0.

    Only entries of columns that some way of counting gains from; the others hold nothing.
    """

    row: np.ndarray
    column: np.ndarray
    coef: np.ndarray
    most: np.ndarray


def _upper_bounds(block: Rows) -> _Lift | None:
    """The rows of a family that say x <= y."""
    matrix = block.matrix
    if not block.is_affine:
        return None
    two = np.flatnonzero(np.diff(matrix.indptr) == 2)
    first = matrix.indptr[two]
    a, b = matrix.data[first], matrix.data[first + 1]
    opposite = a == -b
    # a (x1 - x2) <= 0 says x1 <= x2 where a > 0; a (x1 - x2) >= 0 says so where a < 0
    below = opposite & (block.upper[two] == 0)
    above = opposite & (block.lower[two] == 0) & ~below
    stated = below | above
    if not stated.any():
        return None
    one, other = matrix.indices[first][stated], matrix.indices[first + 1][stated]
    ordered = ((a > 0) == below)[stated]
    return _Lift(np.where(ordered, one, other), np.where(ordered, other, one))


def _packing(block: Rows, box: _Box, gains: np.ndarray) -> _Packing | None:
    """The rows of a family that bound a sum of nonnegative columns from above.

    gains bool (columns,): the columns that count. Families without them, often the largest of a
    model, cost one look at their indices.
    """
    matrix = block.matrix
    if not block.is_affine:
        return None
    counts = gains[matrix.indices]
    if not counts.any():
        return None
    row = matrix.row_of
    fit = np.isfinite(block.upper) & (np.diff(matrix.indptr) > 1)
    fit[row[(matrix.data <= 0) | (box.lower[matrix.indices] < 0)]] = False
    inside = fit[row] & counts
    if not inside.any():
        return None
    return _Packing(row[inside], matrix.indices[inside], matrix.data[inside], block.upper)


def _lifted(gain: np.ndarray, lift: _Lift) -> np.ndarray:
    """Gains with those of x > 0 moved to its y, for one row of each x."""
    _, at = np.unique(lift.small, return_index=True)
    small, great = lift.small[at], lift.great[at]
    useful = (gain[small] > 0) & ~np.isin(great, small)
    small, great = small[useful], great[useful]
    lifted = gain.copy()
    np.add.at(lifted, great, gain[small])
    lifted[small] = 0.0
    return lifted


def _most(gain: np.ndarray, box: _Box, packings: list[_Packing]) -> float:
    """The greatest value of gain x in the box, held by the rows of which each column is in one."""
    with np.errstate(invalid="ignore"):  # 0 times infinity is 0 here
        alone = np.where(gain > 0, gain * box.upper, np.where(gain < 0, gain * box.lower, 0.0))
    free, total = gain > 0, 0.0
    for packing in packings:
        entry = np.flatnonzero(free[packing.column])
        entry = entry[np.unique(packing.column[entry], return_index=True)[1]]
        row, column = packing.row[entry], packing.column[entry]
        rows = len(packing.most)
        ratio = np.zeros(rows)
        np.maximum.at(ratio, row, gain[column] / packing.coef[entry])
        held = ratio * packing.most
        # Where no column gains there is nothing to hold, and `most` may be below 0.
        better = (ratio > 0) & (held < np.bincount(row, alone[column], rows))
        total += float(held[better].sum())
        taken = column[better[row]]
        free[taken] = False
        alone[taken] = 0.0
    return total + float(alone.sum())


def _of_shares(form: Quadratic, box: _Box) -> tuple[list[np.ndarray], Quadratic]:
    """Gains of columns that hold products which are subtracted, and the products that are left.

    Where x and y are from 0 to 1, x y is x at most, and y at most: one way each, float64
    (columns,).
    """
    columns = len(box.lower)
    share = (box.lower >= 0) & (box.upper <= 1)
    held = (form.coef < 0) & share[form.first] & share[form.second]
    if not held.any():
        return [np.zeros(columns)], form
    ways = [np.bincount(c[held], -form.coef[held], columns) for c in (form.first, form.second)]
    return ways, form.take(~held)


def _products(form: Quadratic, box: _Box) -> float:
    """The greatest value of products that are subtracted, each alone."""
    return -float(_product_ranges(form, box.lower, box.upper)[0].sum()) if form.count else 0.0


def _of_tape(model: Model, box: _Box, sign: float) -> float:
    """The greatest value of what the objective takes from the tape."""
    slots = model.objective.slots
    if slots is None:
        return 0.0
    ranges = tape_ranges(model.tape, box.lower, box.upper)
    with np.errstate(invalid="ignore"):
        signed = replace(slots, data=sign * slots.data)
        most = float(interval(signed, np.zeros(1), *ranges)[1][0])
    return most if not np.isnan(most) else np.inf
