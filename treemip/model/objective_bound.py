"""What the objective cannot pass, read off the model without solving anything.

Every column alone is held by its bounds. That says little of `sum weight * (1 - correct)`, where
correct is a sum over leaves of which one can be 1, so two kinds of rows are used as well, each for
columns that no other row has been used for: x <= y replaces x by y, and sum a y <= b with a > 0
and y >= 0 holds a whole sum. Both steps are weak duality with one multiplier for each row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.model.blocks import Kind, Rows, Variables
from treemip.model.model import Model
from treemip.model.rows import interval
from treemip.model.tape_ranges import tape_ranges


def objective_bound(model: Model) -> float:
    """The greatest value that the objective can have, the least one where it is minimized.

    A valid bound, not always the best; infinite where none is found. Implications, functions and
    integrality are left aside, which only makes it weaker.
    """
    box = _Box.of(model)
    sign = 1.0 if model.objective.sense == "maximize" else -1.0
    gain = sign * model.costs
    lifts = [one for one in map(_upper_bounds, model.rows) if one is not None]
    ways = [gain, *(_lifted(gain, lift) for lift in lifts)]
    gains = np.logical_or.reduce([way > 0 for way in ways])
    packings = [one for block in model.rows if (one := _packing(block, box, gains)) is not None]
    most = min(_most(way, box, packings) for way in ways)
    total = sign * model.objective.constant + most + _products(model, box, sign)
    total += _of_tape(model, box, sign)
    return sign * total + 0.0 if np.isfinite(total) else sign * np.inf


@dataclass(frozen=True)
class _Box:
    """Bounds of all columns, float64 (columns,); those of binaries are within 0 and 1."""

    lower: np.ndarray
    upper: np.ndarray

    @staticmethod
    def of(model: Model) -> _Box:
        ends = [np.zeros((2, 0)), *(np.stack(_domain(block)) for block in model.variables)]
        return _Box(*np.concatenate(ends, axis=1))


def _domain(block: Variables) -> tuple[np.ndarray, np.ndarray]:
    if block.kind is Kind.BINARY:
        return np.maximum(block.lower, 0.0), np.minimum(block.upper, 1.0)
    return block.lower, block.upper


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
    if block.quadratic.count or block.slots is not None:
        return None
    two = np.flatnonzero(np.diff(matrix.indptr) == 2)
    first = matrix.indptr[two]
    a, b = matrix.data[first], matrix.data[first + 1]
    opposite = a == -b
    # a (x1 - x2) <= 0 says x1 <= x2 where a > 0; a (x1 - x2) >= 0 says so where a < 0
    below = opposite & (block.upper[two] == 0)
    above = opposite & (block.lower[two] == 0) & ~below
    found = below | above
    if not found.any():
        return None
    one, other = matrix.indices[first][found], matrix.indices[first + 1][found]
    ordered = ((a > 0) == below)[found]
    return _Lift(np.where(ordered, one, other), np.where(ordered, other, one))


def _packing(block: Rows, box: _Box, gains: np.ndarray) -> _Packing | None:
    """The rows of a family whose sums of columns that are not negative have an upper end.

    gains bool (columns,): the columns that count. Families without them, often the largest of a
    model, cost one look at their indices.
    """
    matrix = block.matrix
    if block.quadratic.count or block.slots is not None:
        return None
    counts = gains[matrix.indices]
    if not counts.any():
        return None
    row = matrix.row_of
    fit = np.isfinite(block.upper) & (np.diff(matrix.indptr) > 1)
    fit[row[(matrix.data <= 0) | (box.lower[matrix.indices] < 0)]] = False
    kept = fit[row] & counts
    if not kept.any():
        return None
    return _Packing(row[kept], matrix.indices[kept], matrix.data[kept], block.upper)


def _lifted(gain: np.ndarray, lift: _Lift) -> np.ndarray:
    """Gains with those of x > 0 moved to its y, for one row of each x."""
    _, at = np.unique(lift.small, return_index=True)
    small, great = lift.small[at], lift.great[at]
    useful = (gain[small] > 0) & ~np.isin(great, small)
    small, great = small[useful], great[useful]
    found = gain.copy()
    np.add.at(found, great, gain[small])
    found[small] = 0.0
    return found


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


def _products(model: Model, box: _Box, sign: float) -> float:
    """The greatest value of the objective's products, each alone."""
    form = model.objective.quadratic
    if not form.count:
        return 0.0
    ends = np.array([(box.lower[c], box.upper[c]) for c in (form.first, form.second)])
    with np.errstate(invalid="ignore"):
        each = np.nan_to_num(
            [a * b for a in ends[0] for b in ends[1]], nan=0.0, posinf=np.inf, neginf=-np.inf
        )
    low, high = each.min(axis=0), each.max(axis=0)
    square = form.first == form.second
    low = np.where(square, np.maximum(low, 0.0), low)
    coef = sign * form.coef
    return float(np.where(coef > 0, coef * high, coef * low).sum())


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
