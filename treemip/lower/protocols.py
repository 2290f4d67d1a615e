"""What the parts of the evaluator ask of the whole.

Expressions contain sets, calls and indices, which contain expressions: each part knows the
evaluator by this interface, so that no two modules import each other.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.frame import Frame
from treemip.lower.linear import Value
from treemip.lower.tape_builder import TapeBuilder
from treemip.model.arrays import Ragged
from treemip.resolve import typed as t
from treemip.resolve.typed import Symbol


class EvaluatorParts(Protocol):
    instance: Instance

    @property
    def tape(self) -> TapeBuilder | None:
        """What takes nonlinear expressions; None outside a model."""

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
