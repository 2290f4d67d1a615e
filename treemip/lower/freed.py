"""Expressions with the point left free: coefficients known, features and categories not.

With it a `route` is evaluated to each branch's weights and threshold, so that no formulation needs
a decoder of its own.
"""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator, Value
from treemip.lower.frame import Frame
from treemip.lower.known import Solution
from treemip.lower.linear import Linear
from treemip.lower.recording import Recording
from treemip.resolve import typed as t
from treemip.resolve.tree_rules import INDICATOR, over_categories
from treemip.resolve.typed import Symbol


class FreePoint(Solution):
    """A solution's values with x[i,j] as the unknown number j, and the indicators after them.

    Points are asked for as point 0, whose positions in x and in the indicators are those of one
    row: the columns of `Table.inputs`.
    """

    def __init__(self, values: dict[str, np.ndarray], features: int, categories: int) -> None:
        super().__init__(values)
        self.unknowns: dict[str, Linear] = {
            "x": Linear.variables(np.arange(features)),
            INDICATOR.name: Linear.variables(features + np.arange(categories)),
        }

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        return self.unknowns.get(symbol.name)


class Freed(Evaluator):
    """The evaluator of a route with its point free; `tape` takes what is nonlinear in it."""

    def __init__(
        self, instance: Instance, values: dict[str, np.ndarray], tape: Recording | None = None
    ) -> None:
        table = instance.table
        source = FreePoint(values, len(table.features), len(table.categories.items))
        source.tape = tape
        super().__init__(instance, source)

    def _at(self, e: t.At, frame: Frame) -> Value:
        instead = over_categories(e)
        return super()._at(e, frame) if instead is None else self.evaluate(instead, frame)
