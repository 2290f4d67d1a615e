"""A tape's slots as CasADi expressions, and the few operations on arrays they are made with.

Everything known goes to CasADi as lists: arrays of integers it takes eight times as slowly.
"""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from treemip.model.blocks import SparseRows
from treemip.model.tape import Affine, Elementwise, Product, Smooth, Tape

if TYPE_CHECKING:
    import casadi
    from casadi import MX


class Slots:
    """`blocks` are the tape's slots as columns of MX, one for each step; x: MX (columns, 1)."""

    def __init__(self, ca: casadi, tape: Tape, x: MX) -> None:
        self.ca = ca
        self.starts = tape.starts
        self.blocks: list[MX] = []
        self._joined: dict[bytes, MX] = {}
        for step in tape.steps:
            if isinstance(step, Affine):
                block = self._affine(step, x)
            elif isinstance(step, Product):
                block = self._product(step)
            else:
                block = self._function(step)
            self.blocks.append(block)

    def sums(self, rows: SparseRows) -> MX:
        """Rows of coefficients of slots, an MX column."""
        if rows.nonzeros == rows.count and (np.diff(rows.indptr) == 1).all():
            return scaled(self.ca, self.take(rows.indices), rows.data)
        used, places = np.unique(rows.indices, return_inverse=True)
        matrix = constant(self.ca, SparseRows(rows.indptr, places, rows.data), len(used))
        return self.ca.densify(self.ca.mtimes(matrix, self.take(used)))

    def take(self, slots: np.ndarray) -> MX:
        """Slots in the order given, an MX column; a whole step is passed on as it is."""
        if not len(slots):
            return self.ca.MX.zeros(0, 1)
        low, high = slots.min(), slots.max()
        first = int(np.searchsorted(self.starts, low, side="right")) - 1
        stop = int(np.searchsorted(self.starts, high, side="right"))
        if stop - first == 1:
            return gathered(self.ca, self.blocks[first], slots - self.starts[first])
        owner = np.searchsorted(self.starts, slots, side="right") - 1
        used = np.unique(owner)
        lengths = self.starts[used + 1] - self.starts[used]
        offset = np.zeros(len(self.starts), np.int64)
        offset[used] = np.cumsum(lengths) - lengths
        key = used.tobytes()
        if key not in self._joined:  # each time anew, derivatives would have it each time as well
            self._joined[key] = self.ca.vertcat(*(self.blocks[k] for k in used))
        places = offset[owner] + slots - self.starts[owner]
        return gathered(self.ca, self._joined[key], places)

    def _affine(self, step: Affine, x: MX) -> MX:
        parts = []
        if step.columns.nonzeros:
            parts.append(self.ca.mtimes(constant(self.ca, step.columns, x.numel()), x))
        if step.slots.nonzeros:
            parts.append(self.sums(step.slots))
        if step.constants.any() or not parts:
            parts.append(column(self.ca, step.constants))
        return self.ca.densify(sum(parts[1:], parts[0]))

    def _function(self, step: Elementwise) -> MX:
        ca, u = self.ca, self.take(step.arguments)
        match step.function:
            case Smooth.EXP:
                return ca.exp(u)
            case Smooth.LOG:
                return ca.log(u)
            case Smooth.LOGISTIC:
                # 1 / (1 + exp(-u)) by a function whose derivatives stay finite for every u.
                return 0.5 + 0.5 * ca.tanh(0.5 * u)
            case Smooth.POWER:
                return power(u, step.exponent)

    def _product(self, step: Product) -> MX:
        """Products of one length at a time, put back into their order."""
        ca, parts, places = self.ca, [], []
        for at, factors in by_length(step):
            columns = [self.take(each) for each in factors.T]
            parts.append(reduce(mul, columns) if columns else ca.MX.ones(len(at)))
            places.append(at)
        if len(parts) <= 1:
            return parts[0] if parts else ca.MX.zeros(0, 1)
        return gathered(ca, ca.vertcat(*parts), np.argsort(np.concatenate(places)))


def by_length(step: Product) -> list[tuple[np.ndarray, np.ndarray]]:
    """The products of each length: their places in the step, their factors (products, length)."""
    lengths = np.diff(step.offsets)
    found = []
    for length in np.unique(lengths):
        at = np.flatnonzero(lengths == length)
        found.append((at, step.factors[step.offsets[at][:, None] + np.arange(length)]))
    return found


def power(u: MX, exponent: float) -> MX:
    """u^exponent; whole exponents stay whole, so that CasADi takes negative u."""
    return u ** (int(exponent) if float(exponent).is_integer() else exponent)


def gathered(ca: casadi, values: MX, places: np.ndarray) -> MX:
    """values[places], a column: all of them, a slice where the places are evenly spaced."""
    count = len(places)
    if count == 0:
        return ca.MX.zeros(0, 1)
    first, step = int(places[0]), int(places[1] - places[0]) if count > 1 else 1
    if step > 0 and (count == 1 or (np.diff(places) == step).all()):
        if step == 1 and count == values.numel():
            return values
        return values.nz[first : first + (count - 1) * step + 1 : step]
    if values.numel() == 1:  # of which CasADi would make a row
        return ca.repmat(values, count, 1)
    return values.nz[places.tolist()]


def scaled(ca: casadi, values: MX, coefficients: np.ndarray) -> MX:
    """Elementwise; coefficients that are all alike are one number."""
    if not len(coefficients):
        return values
    first = float(coefficients[0])
    if (coefficients == first).all():
        return values if first == 1 else first * values
    return column(ca, coefficients) * values


def column(ca: casadi, values: np.ndarray) -> casadi.DM:
    return ca.DM(values.tolist())


def constant(ca: casadi, rows: SparseRows, columns: int) -> casadi.DM:
    """The matrix (rows, columns)."""
    return transposed(ca, rows, columns).T


def transposed(ca: casadi, rows: SparseRows, columns: int) -> casadi.DM:
    """The matrix (columns, rows): its columns, which CasADi stores, are the rows given."""
    pattern = ca.Sparsity(columns, rows.count, rows.indptr.tolist(), rows.indices.tolist())
    return ca.DM(pattern, rows.data.tolist())


def pattern(
    ca: casadi, shape: tuple[int, int], row: np.ndarray, col: np.ndarray
) -> casadi.Sparsity:
    """Of entries given column by column, rows ascending."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(col, minlength=shape[1]))])
    return ca.Sparsity(*shape, starts.tolist(), row.tolist())
