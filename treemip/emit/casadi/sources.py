"""What a slot is computed from: the raw value of another slot, or its own.

Raw values leave out numbers that need not be computed for every slot, and of which no derivative
need be followed:

    slot[k] = shifts[k] + rates[k] * raw[slots[k]].

Of 1 / (1 + exp(-u)) the raw value is tanh(u / 2), and of u, where it is an affine row, u / 2. A
slot of an affine step that is a constant and a number times one other slot, 1 - p for one, has no
raw value of its own but that slot's. The raw value of a product is that of the factors
shift / rate + raw; so the paths of a tree are products of 1 + tanh and -1 + tanh.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treemip.model.tape import Affine, Elementwise, Product, Smooth, Step, Tape

LARGEST = 1e8
"""Greatest constant beside a number times a slot: shift / rate must stay far below overflow."""


class Sources(NamedTuple):
    """slot[k] = shifts[k] + rates[k] * raw value of slot slots[k], each array (slots,)."""

    slots: np.ndarray
    rates: np.ndarray
    shifts: np.ndarray


def sources(tape: Tape) -> Sources:
    starts = tape.starts.tolist()
    found = Sources(np.arange(starts[-1]), np.ones(starts[-1]), np.zeros(starts[-1]))
    halved = _halved(tape)
    for k, (step, start) in enumerate(zip(tape.steps, starts, strict=False)):
        own = slice(start, start + step.length)
        if isinstance(step, Product):
            found.rates[own] = _product(step, found.rates)
        elif isinstance(step, Elementwise):
            if step.function is Smooth.LOGISTIC:
                found.rates[own] = found.shifts[own] = 0.5
        elif k in halved:
            found.rates[own] = 2.0
        elif follows(step):
            by = step.slots.indices
            found.slots[own] = found.slots[by]
            found.rates[own] = step.slots.data * found.rates[by]
            found.shifts[own] = step.slots.data * found.shifts[by] + step.constants
    return found


def follows(step: Step) -> bool:
    """Whether each slot of the step is a constant and a number times another slot."""
    if not isinstance(step, Affine) or step.columns.nonzeros:
        return False
    if (np.diff(step.slots.indptr) != 1).any():
        return False
    sizes = abs(step.slots.data)
    return bool(((abs(step.constants) <= LARGEST * sizes) & (sizes > 0)).all())


def _halved(tape: Tape) -> set[int]:
    """The affine steps that logistic functions are taken of."""
    steps = {k: tape.steps[k] for k in tape.arguments_of(Smooth.LOGISTIC)}
    return {k for k, step in steps.items() if isinstance(step, Affine) and not follows(step)}


def _product(step: Product, rates: np.ndarray) -> np.ndarray:
    of_factors = rates[step.factors]
    found = np.ones(step.length)
    if (of_factors != 1).any():
        owner = np.repeat(np.arange(step.length), np.diff(step.offsets))
        np.multiply.at(found, owner, of_factors)
    return found
