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
from treemip.emit.casadi_sources import sources
from treemip.model.blocks import SparseRows
from treemip.model.rows import stack
from treemip.model.tape import Affine, Elementwise, Product, Smooth, Tape

if TYPE_CHECKING:
    from collections.abc import Iterable

    import casadi
    from casadi import DM, MX


class Slots:
    """A tape's slots for x, MX (columns, 1).

    `blocks`: a column of MX for each step. `rows`: the rows of columns in affine steps, one step
    below the other, DM (rows, columns). `products`: those of each step, by its number.
    """

    def __init__(self, ca: casadi, tape: Tape, x: MX) -> None:
        self.ca = ca
        self.starts = tape.starts
        self._starts: list[int] = self.starts.tolist()
        self.blocks: list[MX] = []
        self.rows: DM = constant(ca, _affine_rows(tape), x.numel())
        self.products: dict[int, list[Products]] = {}
        self.sources = sources(tape)
        self._joined: dict[tuple[int, ...], MX] = {}
        self._images = multiplied(ca, self.rows, x)
        self._images_taken = 0
        for k, step in enumerate(tape.steps):
            if isinstance(step, Affine):
                block = self._affine(step)
            elif isinstance(step, Product):
                self.products[k] = [Products(*found, self) for found in by_length(step)]
                block = self._product(self.products[k])
            else:
                block = self._function(step)
            self.blocks.append(block)

    def sums(self, rows: SparseRows) -> MX:
        """Rows of coefficients of slots, an MX column."""
        if rows.nonzeros == rows.count and (rows.indptr[1:] - rows.indptr[:-1] == 1).all():
            return scaled(self.ca, self.take(rows.indices), rows.data)
        low, high = int(rows.indices.min()), int(rows.indices.max())
        used, places = np.arange(low, high + 1), rows.indices - low
        if rows.nonzeros < len(used):
            used, places = _distinct(places)
            used += low
        if rows.count == 1 and rows.nonzeros == len(used):
            return self.ca.dot(column(self.ca, rows.data), self.take(used))
        matrix = constant(self.ca, SparseRows(rows.indptr, places, rows.data), len(used))
        return multiplied(self.ca, matrix, self.take(used))

    def take(self, slots: np.ndarray) -> MX:
        """Slots in the order given, an MX column; a whole step is passed on as it is."""
        if not len(slots):
            return zeros(self.ca, 0)
        if (k := self._only_step(slots)) is not None:
            return gathered(self.ca, self.blocks[k], slots - self._starts[k])
        by, rates, shifts = (of[slots] for of in self.sources)
        if (k := self._only_step(by)) is not None:
            value = gathered(self.ca, self.blocks[k], by - self._starts[k])
            return shifted(self.ca, scaled(self.ca, value, rates), shifts)
        return self._out_of_several(slots)

    def _only_step(self, slots: np.ndarray) -> int | None:
        """The step that all these slots are of."""
        first = bisect_right(self._starts, int(slots.min()))
        return first - 1 if first == bisect_right(self._starts, int(slots.max())) else None

    def _out_of_several(self, slots: np.ndarray) -> MX:
        """Slots of several steps."""
        owner = np.searchsorted(self.starts, slots, side="right") - 1
        used = np.flatnonzero(np.bincount(owner))
        lengths = self.starts[used + 1] - self.starts[used]
        offset = np.zeros(len(self.starts), np.int64)
        offset[used] = np.cumsum(lengths) - lengths
        key = tuple(used.tolist())
        if key not in self._joined:  # each time anew, derivatives would have it each time as well
            self._joined[key] = self.ca.vertcat(*(self.blocks[k] for k in key))
        places = (offset - self.starts)[owner] + slots
        return gathered(self.ca, self._joined[key], places)

    def _affine(self, step: Affine) -> MX:
        ca, found = self.ca, None
        if step.columns.nonzeros:
            first = self._images_taken
            self._images_taken += step.length
            found = gathered(ca, self._images, np.arange(first, self._images_taken))
        if step.slots.nonzeros:
            sums = self.sums(step.slots)
            found = sums if found is None else plus(ca, found, sums)
        if found is None:
            return ca.MX(column(ca, step.constants))
        return shifted(ca, found, step.constants) if step.constants.any() else found

    def _function(self, step: Elementwise) -> MX:
        ca, u = self.ca, self.take(step.arguments)
        match step.function:
            case Smooth.EXP:
                return ca.MX.unary(ca.OP_EXP, u)
            case Smooth.LOG:
                return ca.MX.unary(ca.OP_LOG, u)
            case Smooth.LOGISTIC:
                # 1 / (1 + exp(-u)) by a function whose derivatives stay finite for every u.
                half = ca.MX(0.5)
                bent = ca.MX.unary(ca.OP_TANH, times(ca, half, u))
                return plus(ca, half, times(ca, half, bent))
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
