"""The changes that terms of a Taylor expansion join, numbered.

One after the other: the constant, the columns, the rows of columns in affine steps, and the slots
of other steps, a step at a time. A slot of an affine step that takes no other slots changes as its
row of columns does, and has its number: there is nothing to follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.casadi.steps import Derivatives
from treemip.model.tape import Affine, Step

if TYPE_CHECKING:
    from casadi import DM


class Changes:
    """Of a model of `columns` columns.

    starts: the number of each step's first slot; bases: of its first row of columns; numbers,
    int64 (slots,): of each slot's source. bends, bool (slots,): whether a slot depends on a column
    in second order. others: the steps whose slots are not rows of columns, ascending.
    """

    def __init__(self, derivatives: Derivatives, columns: int) -> None:
        self.columns, self.slots, self.steps = columns, derivatives.slots, derivatives.steps
        self.ca = derivatives.ca
        self.begins: list[int] = self.slots.starts.tolist()
        self.bases: list[int] = []
        number = 1 + columns
        for step in self.steps:
            self.bases.append(number)
            number += step.length if isinstance(step, Affine) and step.columns.nonzeros else 0
        self.others = [k for k, step in enumerate(self.steps) if not _is_image(step)]
        self.starts = list(self.bases)
        for k in self.others:
            self.starts[k] = number + self.begins[k]
        self.numbers = self._numbers()[derivatives.sources]
        self.bends = self._bending()

    def rows(self, lowest: int) -> tuple[int, DM]:
        """A number not above `lowest`, and the rows of columns that it and the next are of."""
        if lowest > self.columns:
            return 1 + self.columns, self.slots.rows
        return 1, self.ca.vertcat(self.ca.DM.eye(self.columns), self.slots.rows)

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
