"""Choices by what one point or one leaf is given, such as whether a leaf has a certain value: a
number for each label then, as with any other function of a single point or leaf."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.lower import numbers
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear, Value, as_linear
from treemip.core.lower.reductions import PIECEWISE
from treemip.core.lower.value_sources import depends_on_solution
from treemip.core.resolve import typed as t

if TYPE_CHECKING:
    from treemip.answers.search.tree_columns import TreeColumns


class ChoosingEvaluator(Evaluator):
    """The evaluator of a tree's columns. A condition that these decide is rows of 0 and 1; where it
    is not about one point or leaf it is not known, as everywhere else."""

    source: TreeColumns

    def _choice(self, e: t.Choice, frame: Frame) -> Value:
        if not depends_on_solution(e.condition):
            return super()._choice(e, frame)
        holds = self.evaluate(e.condition, frame)
        if isinstance(holds, np.ndarray):
            return super()._choice(e, frame)
        parts = [self.linear(part, frame) for part in (e.then, e.otherwise)]
        return self._of_one(e, np.where, holds, *parts)

    def _call(self, e: t.Call, frame: Frame) -> Value:
        # Of a tree's answers, which count as known, and are columns here.
        if e.function in PIECEWISE and depends_on_solution(e):
            return self._by_distinct_rows(e, frame)
        return super()._call(e, frame)

    def _comparison(self, e: t.Comparison, frame: Frame) -> Value:
        if not depends_on_solution(e):
            return super()._comparison(e, frame)
        sides = [self.evaluate(side, frame) for side in (e.left, e.right)]
        if not any(isinstance(side, Linear) for side in sides):
            return super()._comparison(e, frame)
        return self._of_one(e, lambda a, b: numbers.compare(e.op, a, b), *map(as_linear, sides))

    def _logic(self, e: t.Logic, frame: Frame) -> Value:
        if not depends_on_solution(e):
            return super()._logic(e, frame)
        parts = [self.evaluate(operand, frame) for operand in e.operands]
        if not any(isinstance(part, Linear) for part in parts):
            return super()._logic(e, frame)

        def decided(*holds: np.ndarray) -> np.ndarray:
            if e.op == "not":
                return np.logical_not(*holds)
            return np.any(holds, axis=0) if e.op == "or" else np.all(holds, axis=0)

        rows = [p if isinstance(p, Linear) else Linear.known(p.astype(float)) for p in parts]
        return self._of_one(e, decided, *rows)

    def _of_one(self, e: t.Typed, function: Callable[..., np.ndarray], *rows: Linear) -> Linear:
        """A function of rows side by side. Raises TypeError."""
        results = self.source.of_one(function, rows)
        if results is None:
            raise TypeError(f"{e.span}: {e.span.text} is not known here")
        return results
