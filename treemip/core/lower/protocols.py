"""What the parts of the evaluator ask of the whole.

Expressions contain sets, calls and indices, which contain expressions: each part knows the
evaluator by this interface, so that no two modules import each other.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear, Value
from treemip.core.model.arrays import Ragged
from treemip.core.model.bounds import Range
from treemip.core.model.tape import Smooth
from treemip.core.resolve import typed as t
from treemip.core.resolve.typed import Symbol


class SmoothForms(Protocol):
    """What takes nonlinear expressions: a model's tape, or what a search counts."""

    def slots(self, value: Linear) -> np.ndarray:
        """A number for each row, int64 (size,), by which functions are asked for."""

    def apply(self, function: Smooth, arguments: np.ndarray, exponent: float = 1.0) -> Linear:
        """The function of each slot, one a row; `exponent` is that of POWER."""

    def product(self, factors: list[tuple[Linear, np.ndarray]], size: int) -> Linear:
        """Products of rows: row r of a factor (value, rows) is a factor of product rows[r]."""

    def ranges(self) -> Range:
        """The least and greatest value that each slot so far may have."""


class EvaluatorParts(Protocol):
    instance: Instance

    @property
    def tape(self) -> SmoothForms | None:
        """What takes nonlinear expressions; None outside a model."""

    @property
    def all_known(self) -> bool:
        """Whether no value is an expression of unknown numbers."""
        ...

    def product(self, left: Linear, right: Linear) -> Linear:
        """Affine rows multiplied one by one."""

    def evaluate(self, expression: t.Typed, frame: Frame) -> Value:
        """One value a row of the frame."""

    def known(self, expression: t.Typed, frame: Frame) -> np.ndarray:
        """The value of an expression that mentions no free variable."""

    def inline(self, symbol: Symbol, names: dict[str, np.ndarray], frame: Frame) -> Value:
        """A definition's expression with its indices bound to `names`."""

    def expand(
        self, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...], frame: Frame
    ) -> tuple[Frame, np.ndarray]:
        """The frame grown by each binder, and the row of `frame` each new row is from."""

    def lists(self, expression: t.Typed, frame: Frame) -> Ragged:
        """The elements of a set, one list a row of the frame."""
