"""What counts of points would be on other rows if these were as many as the training points.

`misclassified <= 258` of 1000 training points says nothing of 2000 rows, while a share such as
`recall["yes"] >= 0.5` does. Which sides are counts is found by taking each row two and three times.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.model.tolerances import RECOMPUTED
from treemip.core.resolve.sorts import POINT
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Typed
from treemip.core.tree.objective_on import RowsOfTree


class Uncountable(Exception):
    """A side that is neither a share nor a count, such as a number of pairs of points."""


class ScaledCounts:
    """Sides of a constraint on rows, with counts of points as of `as_many` points.

    rows: the rows with their tree. wanted: what is to be evaluated. times: the training points per
    row, by their weights.
    """

    def __init__(self, rows: RowsOfTree, wanted: tuple[Typed, ...], evaluator: Evaluator) -> None:
        self._rows, self._wanted, self._evaluator = rows, wanted, evaluator
        self.weights = rows.instance.table.weight
        self.as_many = float(self.weights.sum())
        here = float(rows.table.weight.sum())
        self.times = self.as_many / here if here else 1.0

    def apply(self, constraint: Constraint) -> bool:
        """Whether the constraint compares a count of points with something that is none."""
        if (
            abs(self.times - 1) < RECOMPUTED
            or POINT in constraint.domain.sorts
            or constraint.local_sets
        ):
            return False
        frame, _ = self._evaluator.expand(
            constraint.domain.binders, constraint.domain.guard, Frame.empty()
        )
        if not frame.size:
            return False
        r = constraint.relation
        sides = [one for one in (r.left, r.right, r.right2) if one is not None]
        pairs = [(self._once(e, frame), self._again(2, e, frame)) for e in sides]
        some = any(not _same(twice, once) for once, twice in pairs)
        return some and not all(_same(twice, 2 * once) for once, twice in pairs)

    def value(self, side: Typed, frame: Frame) -> np.ndarray:
        """The side on as many rows as there were training points, float64 (rows of the frame,).
        Raises Uncountable."""
        once, twice = self._once(side, frame), self._again(2, side, frame)
        if _same(once, twice):
            return once
        if not _same(self._again(3, side, frame), 2 * twice - once):
            raise Uncountable
        return once + (self.times - 1) * (twice - once)

    def _once(self, side: Typed, frame: Frame) -> np.ndarray:
        return np.asarray(self._evaluator.known(side, frame), float)

    def _again(self, times: int, side: Typed, frame: Frame) -> np.ndarray:
        evaluator = self._twice if times == 2 else self._thrice
        return np.asarray(evaluator.known(side, frame), float)

    @cached_property
    def _twice(self) -> Evaluator:
        return self._on_copies(2)

    @cached_property
    def _thrice(self) -> Evaluator:
        return self._on_copies(3)

    def _on_copies(self, times: int) -> Evaluator:
        rows = self._rows
        table = rows.table.take(np.tile(np.arange(len(rows.table.y)), times))
        copies = RowsOfTree(rows.instance, rows.tree, rows.values, table, rows.wanted)
        return Evaluator(*copies.meaning(self._wanted))


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.allclose(a, b, rtol=RECOMPUTED, atol=RECOMPUTED, equal_nan=True))
