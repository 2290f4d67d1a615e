"""Slots that follow another slot: a constant plus a number times it, such as 1 - p."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treemip.model.tape import Affine, Tape


class Sources(NamedTuple):
    """slot[k] = shifts[k] + rates[k] * slot[slots[k]], each array (slots,).

    A slot that follows no other is its own source, with rate 1 and shift 0. So 1 - p is gathered
    out of p where both are wanted, and its change need not be followed through a step of its own.
    """

    slots: np.ndarray
    rates: np.ndarray
    shifts: np.ndarray


def sources(tape: Tape) -> Sources:
    starts = tape.starts.tolist()
    found = Sources(np.arange(starts[-1]), np.ones(starts[-1]), np.zeros(starts[-1]))
    for step, start in zip(tape.steps, starts, strict=False):
        if isinstance(step, Affine) and _follows(step):
            own, by = slice(start, start + step.length), step.slots.indices
            found.slots[own] = found.slots[by]
            found.rates[own] = step.slots.data * found.rates[by]
            found.shifts[own] = step.slots.data * found.shifts[by] + step.constants
    return found


def _follows(step: Affine) -> bool:
    """Whether each slot of the step follows one other."""
    return not step.columns.nonzeros and bool((np.diff(step.slots.indptr) == 1).all())
