"""A tape's slots as CasADi expressions."""

from __future__ import annotations

from bisect import bisect_right
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.casadi_ops import (
    column,
    constant,
    gathered,
    multiplied,
    plus,
    scaled,
    shifted,
    times,
    zeros,
)
from treemip.emit.casadi_sources import follows, sources
from treemip.model.blocks import SparseRows
from treemip.model.rows import stack
from treemip.model.tape import Affine, Elementwise, Product, Smooth, Tape

if TYPE_CHECKING:
    from collections.abc import Iterable

    import casadi
    from casadi import DM, MX


class Slots:
    """A tape's slots for x, MX (columns, 1).

    `raw`: raw values, a column of MX, by the number of their step, where `sources` has any of it.
    `rows`: the rows of columns in affine steps, one step below the other, DM (rows, columns).
    `products`: those of each step, by its number.
    """

    def __init__(self, ca: casadi, tape: Tape, x: MX) -> None:
        self.ca = ca
        self.starts = tape.starts
        self._starts: list[int] = self.starts.tolist()
        self.raw: dict[int, MX] = {}
        self.rows: DM = constant(ca, _affine_rows(tape), x.numel())
        self.products: dict[int, list[Products]] = {}
        self.sources = sources(tape)
        self._joined: dict[tuple[int, ...], MX] = {}
        self._images = multiplied(ca, self.rows, x)
        self._images_taken = 0
        for k, step in enumerate(tape.steps):
            if follows(step):
                continue
            if isinstance(step, Affine):
                self.raw[k] = self._affine(step)
            elif isinstance(step, Product):
                self.products[k] = [Products(*found, self) for found in by_length(step)]
                self.raw[k] = self._product(self.products[k])
            else:
                self.raw[k] = self._function(step)

    def sums(self, rows: SparseRows, others: MX | None = None) -> MX:
        """Rows of coefficients of slots, an MX column; added to `others`."""
        if rows.nonzeros == rows.count and (rows.indptr[1:] - rows.indptr[:-1] == 1).all():
            return self._added(scaled(self.ca, self.take(rows.indices), rows.data), others)
        low, high = int(rows.indices.min()), int(rows.indices.max())
        used, places = np.arange(low, high + 1), rows.indices - low
        if rows.nonzeros < len(used):
            used, places = _distinct(places)
            used += low
        if rows.count == 1 and rows.nonzeros == len(used):
            return self._added(self.ca.dot(column(self.ca, rows.data), self.take(used)), others)
        matrix = constant(self.ca, SparseRows(rows.indptr, places, rows.data), len(used))
        return multiplied(self.ca, matrix, self.take(used), others)

    def take(self, slots: np.ndarray) -> MX:
        """Slots in the order given, an MX column; a whole step is passed on as it is."""
        if not len(slots):
            return zeros(self.ca, 0)
        by, rates, shifts = (of[slots] for of in self.sources)
        return shifted(self.ca, scaled(self.ca, self._raw(by), rates), shifts)

    def _raw(self, slots: np.ndarray) -> MX:
        """Raw values of slots in the order given."""
        first = bisect_right(self._starts, int(slots.min())) - 1
        if first == bisect_right(self._starts, int(slots.max())) - 1:
            return gathered(self.ca, self.raw[first], slots - self._starts[first])
        owner = np.searchsorted(self.starts, slots, side="right") - 1
        used = np.flatnonzero(np.bincount(owner))
        lengths = self.starts[used + 1] - self.starts[used]
        offset = np.zeros(len(self.starts), np.int64)
        offset[used] = np.cumsum(lengths) - lengths
        key = tuple(used.tolist())
        if key not in self._joined:  # each time anew, derivatives would have it each time as well
            self._joined[key] = self.ca.vertcat(*(self.raw[k] for k in key))
        return gathered(self.ca, self._joined[key], (offset - self.starts)[owner] + slots)

    def _added(self, sums: MX, others: MX | None) -> MX:
        return sums if others is None else plus(self.ca, others, sums)

    def _affine(self, step: Affine) -> MX:
        ca, found = self.ca, None
        if step.columns.nonzeros:
            first = self._images_taken
            self._images_taken += step.length
            found = gathered(ca, self._images, np.arange(first, self._images_taken))
        if step.slots.nonzeros:
            found = self.sums(step.slots, found)
        if found is None:
            return ca.MX(column(ca, step.constants))
        return shifted(ca, found, step.constants)

    def _function(self, step: Elementwise) -> MX:
        """Raw values."""
        ca, u = self.ca, self.take(step.arguments)
        match step.function:
            case Smooth.EXP:
                return ca.MX.unary(ca.OP_EXP, u)
            case Smooth.LOG:
                return ca.MX.unary(ca.OP_LOG, u)
            case Smooth.LOGISTIC:
                # Unlike those of exp(-u), the derivatives of tanh stay finite for every u.
                return ca.MX.unary(ca.OP_TANH, times(ca, 0.5, u))
            case Smooth.POWER:
                return power(u, step.exponent)

    def _product(self, step: list[Products]) -> MX:
        """Products of one length at a time, put back into their order."""
        parts = [some.of(range(len(some.columns))) for some in step]
        if len(parts) <= 1:
            return parts[0] if parts else zeros(self.ca, 0)
        places = np.concatenate([some.at for some in step])
        return gathered(self.ca, self.ca.vertcat(*parts), np.argsort(places))


class Products:
    """Products of one length: places in their step, factors (products, length), these as MX."""

    def __init__(self, at: np.ndarray, factors: np.ndarray, slots: Slots) -> None:
        self.ca, self.at, self.factors = slots.ca, at, factors
        self.columns = [slots.take(each) for each in factors.T]

    def of(self, which: Iterable[int]) -> MX:
        """The products of some of the factors."""
        kept = [self.columns[m] for m in which]
        one = self.ca.MX.ones(len(self.at), 1)
        return reduce(lambda a, b: times(self.ca, a, b), kept) if kept else one


def _affine_rows(tape: Tape) -> SparseRows:
    """The rows of columns of all affine steps that have any."""
    found = [step.columns for step in tape.steps if isinstance(step, Affine)]
    return stack([rows for rows in found if rows.nonzeros])


def by_length(step: Product) -> list[tuple[np.ndarray, np.ndarray]]:
    """The products of each length: their places in the step, their factors (products, length)."""
    lengths, found = step.offsets[1:] - step.offsets[:-1], []
    if step.length and (lengths == lengths[0]).all():
        return [(np.arange(step.length), step.factors.reshape(step.length, -1))]
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        at = np.flatnonzero(lengths == length)
        found.append((at, step.factors[step.offsets[at][:, None] + np.arange(length)]))
    return found


def _distinct(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those that occur, ascending, and which of them each one is."""
    used = np.flatnonzero(np.bincount(numbers))
    place = np.zeros(int(used[-1]) + 1, np.int64)
    place[used] = np.arange(len(used))
    return used, place[numbers]


def power(u: MX, exponent: float) -> MX:
    """u^exponent; whole exponents stay whole, so that CasADi takes negative u."""
    return u ** (int(exponent) if float(exponent).is_integer() else exponent)
