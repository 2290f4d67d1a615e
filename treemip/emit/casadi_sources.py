"""What a slot is computed from: the raw value of another slot, or its own.

The raw value of 1 / (1 + exp(-u)) is tanh(u / 2), of all others it is the slot itself. So p and
1 - p are both gathered out of a tanh, and no change need be followed through steps of their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treemip.model.tape import Affine, Elementwise, Smooth, Step, Tape


class Sources(NamedTuple):
    """slot[k] = shifts[k] + rates[k] * raw value of slot slots[k], each array (slots,)."""

    slots: np.ndarray
    rates: np.ndarray
    shifts: np.ndarray


def sources(tape: Tape) -> Sources:
    starts = tape.starts.tolist()
    found = Sources(np.arange(starts[-1]), np.ones(starts[-1]), np.zeros(starts[-1]))
    for step, start in zip(tape.steps, starts, strict=False):
        own = slice(start, start + step.length)
        if isinstance(step, Affine) and follows(step):
            by = step.slots.indices
            found.slots[own] = found.slots[by]
            found.rates[own] = step.slots.data * found.rates[by]
            found.shifts[own] = step.slots.data * found.shifts[by] + step.constants
        elif isinstance(step, Elementwise) and step.function is Smooth.LOGISTIC:
            found.rates[own] = found.shifts[own] = 0.5
    return found


def follows(step: Step) -> bool:
    """Whether each slot of the step is a constant and a number times another slot."""
    if not isinstance(step, Affine) or step.columns.nonzeros:
        return False
    return bool((np.diff(step.slots.indptr) == 1).all())
