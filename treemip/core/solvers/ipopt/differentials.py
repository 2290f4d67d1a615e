"""What changes in a tape's steps: derivatives by arguments, and the numbers of the changes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treemip.core.model.tape import Affine, Elementwise, Smooth, Step, Tape
from treemip.core.solvers.ipopt.model import Slots, power
from treemip.core.solvers.ipopt.operations import Products, minus, scaled, times, zeros

if TYPE_CHECKING:
    from casadi import DM, MX


class Group(NamedTuple):
    """Products of one length: places in their step, sources (products, length), derivatives.

    slopes: by each source; pairs: by two sources; MX columns.
    """

    at: np.ndarray
    sources: np.ndarray
    slopes: tuple[MX, ...]
    pairs: tuple[tuple[tuple[int, int], MX], ...]


class Derivatives:
    """Derivatives of raw values by the slots they are computed from, made when first needed."""

    def __init__(self, slots: Slots, tape: Tape) -> None:
        self.ca, self.steps, self.slots = slots.ca, tape.steps, slots
        self.sources, self.rates = slots.sources.slots, slots.sources.rates
        self._bends: dict[int, tuple[MX, MX]] = {}
        self._groups: dict[int, list[Group]] = {}

    def bends(self, k: int) -> tuple[MX, MX]:
        """f' and f''/2 of the raw values of elementwise step k by those of its arguments."""
        if k not in self._bends:
            step = self.steps[k]
            assert isinstance(step, Elementwise)
            slope, bend = self._of_function(step, self.slots.raw(k))
            rates = self.rates[step.arguments]
            self._bends[k] = scaled(self.ca, slope, rates), scaled(self.ca, bend, rates * rates)
        return self._bends[k]

    def groups(self, k: int) -> list[Group]:
        """The products of step k, by length."""
        if k not in self._groups:
            self._groups[k] = [self._group(some) for some in self.slots.products(k)]
        return self._groups[k]

    def _of_function(self, step: Elementwise, f: MX) -> tuple[MX, MX]:
        ca = self.ca
        if step.function is Smooth.EXP:
            return f, times(ca, 0.5, f)
        if step.function is Smooth.LOGISTIC:
            half = times(ca, 0.5, f)  # f is tanh(u / 2), f' is (1 - f^2) / 2, f'' is -f f'
            slope = minus(ca, 0.5, times(ca, half, f))
            return slope, -times(ca, half, slope)
        u = self.slots.take(step.arguments)
        if step.function is Smooth.LOG:
            return 1 / u, -0.5 / (u * u)
        p = step.exponent
        half = p * (p - 1) / 2
        # u^-1 at 0 would spoil the derivatives of u and 1, which are 0.
        bend = half * power(u, p - 2) if half else zeros(ca, step.length)
        return p * power(u, p - 1) if p else zeros(ca, step.length), bend

    def _group(self, some: Products) -> Group:
        every = range(len(some.columns))

        def without(*left_out: int) -> MX:
            return some.of(m for m in every if m not in left_out)

        slopes = tuple(without(m) for m in every)
        pairs = tuple((pair, without(*pair)) for pair in combinations(every, 2))
        return Group(some.at, self.sources[some.factors], slopes, pairs)


# -------------------------------------------------------------------------------- changes, numbered


class Changes:
    """The changes that terms of a Taylor expansion join, of a model of `columns` columns, numbered:
    the constant, multipliers of rows, the columns, the rows of columns in affine steps, and the
    slots of other steps, a step at a time. A slot of an affine step that takes no other slots
    changes by the same amount as its row of columns and shares that row's number, so it is never
    expanded.

    base: the number of the first column; starts: of each step's first slot; bases: of its first row
    of columns; numbers, int64 (slots,): of each slot's source. bends, bool (slots,): whether a slot
    depends on a column in second order. count: no number is as great. others: the steps whose slots
    are not rows of columns, ascending.
    """

    def __init__(self, derivatives: Derivatives, columns: int, multipliers: int = 0) -> None:
        self.columns, self.slots, self.steps = columns, derivatives.slots, derivatives.steps
        self.ca = derivatives.ca
        self.begins: list[int] = self.slots.starts.tolist()
        self.bases: list[int] = []
        self.base = 1 + multipliers
        number = self.base + columns
        for step in self.steps:
            self.bases.append(number)
            number += step.length if isinstance(step, Affine) and step.columns.nonzeros else 0
        self.others = [k for k, step in enumerate(self.steps) if not _is_image(step)]
        self.count = number + self.begins[-1]
        self.starts = list(self.bases)
        for k in self.others:
            self.starts[k] = number + self.begins[k]
        self.numbers = self._numbers()[derivatives.sources]
        self.bends = self._bending()

    def rows(self, lowest: int) -> tuple[int, DM]:
        """A number not above `lowest`, and the rows of columns that it and the next are of."""
        if lowest >= self.base + self.columns:
            return self.base + self.columns, self.slots.rows
        return self.base, self.ca.vertcat(self.ca.DM.eye(self.columns), self.slots.rows)

    def moving(self, free: int) -> np.ndarray:
        """Which numbers are not those of columns from `free` on, bool: these do not change."""
        found = np.ones(self.count, bool)
        found[self.base + free : self.base + self.columns] = False
        for step, base in zip(self.steps, self.bases, strict=False):
            if isinstance(step, Affine) and _is_image(step):
                own = step.columns.indices < free
                count = np.bincount(step.columns.row_of, own, step.length)
                found[base : base + step.length] = count > 0
        return found

    def _numbers(self) -> np.ndarray:
        found = np.arange(self.begins[-1])
        for begin, end, start in zip(self.begins, self.begins[1:], self.starts, strict=False):
            found[begin:end] += start - begin
        return found

    def _bending(self) -> np.ndarray:
        found = np.ones(self.begins[-1], bool)
        for step, begin, end in zip(self.steps, self.begins, self.begins[1:], strict=False):
            if isinstance(step, Affine):
                found[begin:end] = found[step.slots.indices].any()
        return found


def _is_image(step: Step) -> bool:
    """Whether the slots of the step are rows of columns."""
    return isinstance(step, Affine) and bool(step.columns.nonzeros and not step.slots.nonzeros)
