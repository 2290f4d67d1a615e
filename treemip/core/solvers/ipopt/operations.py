"""Operations on CasADi's MX columns, each called by the one signature that is meant.

An overloaded function of CasADi's Python layer, `a * b` for one, tries double, Sparsity, DM and SX
before MX: 20 µs a call, ten times what it then does. `MX.binary`, `MX.nzref` and the constructors
from one list have no overloads, and make the same nodes. Everything known goes to CasADi as lists:
arrays of integers it takes eight times as slowly.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.model.blocks import SparseRows
from treemip.core.model.tape import Product

if TYPE_CHECKING:
    import casadi
    from casadi import DM, MX


def plus(ca: casadi, a: MX | DM | float, b: MX | DM | float) -> MX:
    return ca.MX.binary(ca.OP_ADD, a, b)


def minus(ca: casadi, a: MX | DM | float, b: MX | DM | float) -> MX:
    return ca.MX.binary(ca.OP_SUB, a, b)


def times(ca: casadi, a: MX | DM | float, b: MX | DM | float) -> MX:
    return ca.MX.binary(ca.OP_MUL, a, b)


def zeros(ca: casadi, count: int) -> MX:
    return ca.MX.zeros(count, 1)


def gathered(ca: casadi, values: MX, places: np.ndarray) -> MX:
    """values[places], a column: all of them, a slice where the places are evenly spaced."""
    count = len(places)
    if count == 0:
        return zeros(ca, 0)
    step = _spacing(places)
    if not step:
        return _picked(ca, values, places.tolist())
    first = int(places[0])
    if step == 1 and count == values.numel():
        return values
    return values.nz[first : first + (count - 1) * step + 1 : step]


def _picked(ca: casadi, values: MX, places: list[int]) -> MX:
    if hasattr(values, "nzref"):
        return values.nzref(ca.Sparsity.dense(len(places), 1), places)
    # An older CasADi, which makes a row of what it takes from a single number.
    return ca.reshape(values.nz[places], len(places), 1)


def _spacing(places: np.ndarray) -> int:
    """By how much each place exceeds the one before, 0 unless that is always the same."""
    if len(places) == 1:
        return 1
    step = int(places[1]) - int(places[0])
    if step <= 0 or int(places[-1]) - int(places[0]) != step * (len(places) - 1):
        return 0
    return step if (places[1:] - places[:-1] == step).all() else 0


def scaled(ca: casadi, values: MX, coefficients: np.ndarray) -> MX:
    """Elementwise product; equal coefficients become one number."""
    if not len(coefficients):
        return values
    first = float(coefficients[0])
    if (coefficients == first).all():
        return values if first == 1 else times(ca, first, values)
    return times(ca, column(ca, coefficients), values)


def shifted(ca: casadi, values: MX, constants: np.ndarray) -> MX:
    """Elementwise sum; equal constants become one number."""
    first = float(constants[0]) if len(constants) else 0.0
    if (constants == first).all():
        return values if first == 0 else plus(ca, values, first)
    return plus(ca, values, column(ca, constants))


def column(ca: casadi, values: np.ndarray) -> DM:
    return ca.DM(values.tolist())


def multiplied(ca: casadi, matrix: DM, values: MX, others: MX | None = None) -> MX:
    """matrix @ values, dense, added to `others`.

    `mtimes` would find out which rows of the matrix are empty.
    """
    return ca.mac(matrix, values, zeros(ca, matrix.size1()) if others is None else others)


def summed(ca: casadi, which: np.ndarray, count: int, values: MX) -> MX:
    """A column of `count` sums: values[k] is added to number which[k]."""
    terms = len(which)
    layout = np.concatenate([[count, terms], np.arange(terms + 1), which])
    return multiplied(ca, ca.DM(ca.Sparsity.compressed(layout.tolist()), 1.0), values)


def vertical(ca: casadi, parts: list[MX]) -> MX:
    """The parts one below the other."""
    return parts[0] if len(parts) == 1 else ca.vertcat(*parts)


def constant(ca: casadi, rows: SparseRows, columns: int) -> DM:
    """The matrix (rows, columns)."""
    return transposed(ca, rows, columns).T


def transposed(ca: casadi, rows: SparseRows, columns: int) -> DM:
    """The matrix (columns, rows): its columns, which CasADi stores, are the rows given."""
    layout = np.concatenate([[columns, rows.count], rows.indptr, rows.indices])
    data, shape = rows.data, ca.Sparsity.compressed(layout.tolist())
    alike = len(data) and (data == data[0]).all()
    return ca.DM(shape, float(data[0]) if alike else data.tolist())


def pattern(
    ca: casadi, shape: tuple[int, int], row: np.ndarray, col: np.ndarray
) -> casadi.Sparsity:
    """Of entries given column by column, rows ascending."""
    ends = np.cumsum(np.bincount(col, minlength=shape[1]))
    return ca.Sparsity.compressed(np.concatenate([shape, [0], ends, row]).tolist())


# ------------------------------------------------- products of slots, those of one length at a time


class Products:
    """Products of one length: places in their step, factors int64 (products, length), as MX."""

    def __init__(self, ca: casadi, at: np.ndarray, factors: np.ndarray, columns: list[MX]) -> None:
        self.ca, self.at, self.factors, self.columns = ca, at, factors, columns

    def of(self, which: Iterable[int]) -> MX:
        """The products of some of the factors."""
        kept = [self.columns[m] for m in which]
        if not kept:
            return self.ca.MX.ones(len(self.at), 1)
        return reduce(lambda a, b: times(self.ca, a, b), kept)


def by_length(step: Product) -> list[tuple[np.ndarray, np.ndarray]]:
    """The products of each length: their places in the step, their factors (products, length)."""
    lengths, found = step.offsets[1:] - step.offsets[:-1], []
    if step.length and (lengths == lengths[0]).all():
        return [(np.arange(step.length), step.factors.reshape(step.length, -1))]
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        at = np.flatnonzero(lengths == length)
        found.append((at, step.factors[step.offsets[at][:, None] + np.arange(length)]))
    return found


def together(ca: casadi, step: list[Products]) -> MX:
    """The products of all lengths in their order in the step."""
    parts = [some.of(range(len(some.columns))) for some in step]
    if len(parts) <= 1:
        return parts[0] if parts else zeros(ca, 0)
    places = np.concatenate([some.at for some in step])
    return gathered(ca, ca.vertcat(*parts), np.argsort(places))
