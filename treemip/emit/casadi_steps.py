"""Derivatives of a tape's steps by their own arguments, as CasADi expressions."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.casadi_slots import Slots, by_length, power
from treemip.frozen import dataclass
from treemip.model.tape import Elementwise, Product, Smooth, Tape

if TYPE_CHECKING:
    import casadi
    from casadi import MX


@dataclass(frozen=True)
class Group:
    """Products of one length: places in their step, factors (products, length), derivatives.

    slopes: by each factor; pairs: by two factors; MX columns, None where all are 1.
    """

    at: np.ndarray
    factors: np.ndarray
    slopes: tuple[MX | None, ...]
    pairs: tuple[tuple[tuple[int, int], MX | None], ...]


class Derivatives:
    """Of the steps by their arguments, each made when it is first asked for."""

    def __init__(self, ca: casadi, tape: Tape, slots: Slots) -> None:
        self.ca, self.steps, self.slots = ca, tape.steps, slots
        self._bends: dict[int, tuple[MX, MX]] = {}
        self._groups: dict[int, list[Group]] = {}

    def bends(self, k: int) -> tuple[MX, MX]:
        """f' and f''/2 of elementwise step k."""
        if k not in self._bends:
            step = self.steps[k]
            assert isinstance(step, Elementwise)
            self._bends[k] = self._of_function(step, self.slots.blocks[k])
        return self._bends[k]

    def groups(self, k: int) -> list[Group]:
        """The products of step k, by length."""
        if k not in self._groups:
            step = self.steps[k]
            assert isinstance(step, Product)
            self._groups[k] = [self._group(*found) for found in by_length(step)]
        return self._groups[k]

    def _of_function(self, step: Elementwise, f: MX) -> tuple[MX, MX]:
        if step.function is Smooth.EXP:
            return f, f / 2
        if step.function is Smooth.LOGISTIC:
            slope = f * (1 - f)
            return slope, slope * (0.5 - f)
        u = self.slots.take(step.arguments)
        if step.function is Smooth.LOG:
            return 1 / u, -0.5 / (u * u)
        p = step.exponent
        half = p * (p - 1) / 2
        # u^-1 at 0 would spoil the derivatives of u and 1, which are 0.
        bend = half * power(u, p - 2) if half else self.ca.MX.zeros(step.length)
        return p * power(u, p - 1) if p else self.ca.MX.zeros(step.length), bend

    def _group(self, at: np.ndarray, factors: np.ndarray) -> Group:
        values = [self.slots.take(each) for each in factors.T]
        every = range(len(values))

        def without(*left_out: int) -> MX | None:
            kept = [values[m] for m in every if m not in left_out]
            return reduce(mul, kept) if kept else None

        slopes = tuple(without(m) for m in every)
        pairs = tuple((pair, without(*pair)) for pair in combinations(every, 2))
        return Group(at, factors, slopes, pairs)
