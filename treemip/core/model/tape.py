"""Smooth nonlinear expressions: a short tape of large steps, shared by rows and objective.

A tape computes slots, one number each, in order. A step adds a block of slots computed from the
model's columns and from earlier slots: affine maps as sparse matrices, one function elementwise,
or products of groups. A row or the objective adds a sparse sum of slots to its linear and
quadratic parts (`Rows.slots`, `Objective.slots`). The product of probabilities along a path is
so written once: points x nodes slots, not points x leaves x depth factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from treemip.core.model.blocks import SparseRows


class Smooth(Enum):
    EXP = "exp"
    LOG = "log"
    LOGISTIC = "logistic"
    POWER = "power"


@dataclass(frozen=True)
class Affine:
    """slot[r] = constants[r] + columns[r] x + slots[r] slot, the latter over earlier slots."""

    columns: SparseRows
    slots: SparseRows
    constants: np.ndarray

    @property
    def length(self) -> int:
        return len(self.constants)


@dataclass(frozen=True)
class Elementwise:
    """slot[r] = function(slot[arguments[r]]); `arguments` int64. POWER raises to `exponent`."""

    function: Smooth
    arguments: np.ndarray
    exponent: float = 1.0

    @property
    def length(self) -> int:
        return len(self.arguments)


@dataclass(frozen=True)
class Product:
    """slot[r] = product of slot[factors[k]] for k in offsets[r] .. offsets[r+1]-1; empty is 1."""

    offsets: np.ndarray
    factors: np.ndarray

    @property
    def length(self) -> int:
        return len(self.offsets) - 1


Step = Affine | Elementwise | Product


@dataclass(frozen=True)
class Tape:
    """Steps in order; the slots of step k are starts[k] .. starts[k+1]-1."""

    steps: tuple[Step, ...] = ()

    @property
    def starts(self) -> np.ndarray:
        """First slot of each step and, last, the number of slots, int64 (steps+1,)."""
        lengths = [step.length for step in self.steps]
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    @property
    def length(self) -> int:
        return sum(step.length for step in self.steps)

    def step_of(self, slots: np.ndarray) -> np.ndarray:
        """The number of the step that each slot is of, int64."""
        return np.searchsorted(self.starts, slots, side="right") - 1

    def arguments_of(self, function: Smooth) -> set[int]:
        """The steps that have slots which the function is taken of."""
        steps: set[int] = set()
        for step in self.steps:
            if isinstance(step, Elementwise) and step.function is function:
                steps.update(np.flatnonzero(np.bincount(self.step_of(step.arguments))).tolist())
        return steps


NO_TAPE = Tape()
