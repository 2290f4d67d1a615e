"""Sources of values: none at all, a solution's, a tree's own meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.lower import numbers
from treemip.lower.frame import Frame
from treemip.resolve import typed as t
from treemip.resolve.symbols import Symbol
from treemip.source.span import Span

if TYPE_CHECKING:
    from treemip.lower.evaluate import Evaluator, Value
    from treemip.lower.recording import Recording


class Nothing:
    """Before there are variables: parameters, sets and conditions only."""

    tape: Recording | None = None

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        return None

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        raise TypeError(f"{span}: variable '{symbol.name}' has no value here")

    def piecewise(self, expression: t.Typed, frame: Frame, evaluator: Evaluator) -> np.ndarray:
        return by_numbers(expression, frame, evaluator)


class Solution(Nothing):
    """Variables at the values of a solution: `values` by name, float64 over each domain."""

    def __init__(self, values: dict[str, np.ndarray]) -> None:
        self.values = values

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        return self.values[symbol.name][positions]


class Meaning(Solution):
    """What things are on a tree: concepts and variables by their `means`, from `tables`.

    `tables` are flat over the whole sorts of their indices: routed (points x nodes),
    given_label (nodes x classes). Variables without a meaning keep the values given;
    `unknown` gathers the names of those that have neither.
    """

    def __init__(self, tables: dict[str, np.ndarray], values: dict[str, np.ndarray]) -> None:
        super().__init__(values)
        self.tables = tables
        self.unknown: set[str] = set()

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        if symbol.name in self.tables:
            return self.tables[symbol.name]
        if symbol.means is not None:
            return symbol.means
        return None

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        if symbol.name not in self.values:
            self.unknown.add(symbol.name)
            return np.full(len(positions), np.nan)
        return self.values[symbol.name][positions]


def by_numbers(expression: t.Typed, frame: Frame, evaluator: Evaluator) -> np.ndarray:
    """A piecewise expression all of whose variables have values."""
    if isinstance(expression, t.Call):
        return evaluator.calls.call(expression, frame)
    assert isinstance(expression, t.Reduction)
    child, rows = evaluator.sets.expand(expression.binders, expression.guard, frame)
    body = evaluator.known(expression.body, child)
    return numbers.reduce(expression.op, body, rows, frame.size)
