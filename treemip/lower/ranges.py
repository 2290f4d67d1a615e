"""Points by ranges of a feature's sorted values, instead of by testing every point.

{i in points : x[i,f] > lo and x[i,f] < hi} is a run of feature f's points in ascending order of
value, and {i in points : y[i] = k} one of all points in ascending order of class. BinOCT asks for
thousands of such sets; each feature is sorted once and each set costs two binary searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.instance.ragged import Ragged, offsets_of
from treemip.lower.frame import Frame
from treemip.model.unique import unique
from treemip.resolve import typed as t

if TYPE_CHECKING:
    from treemip.lower.evaluate import Evaluator

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
SIDES = {">": "right", ">=": "left", "<": "left", "<=": "right"}
WORTH_IT = 100_000  # tests of single points that are spared


class Ranges:
    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._sorted: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def lists(self, binder: t.Binder, frame: Frame) -> Ragged | None:
        """The points that pass the binder's conditions, ascending, one list a row of the frame.

        None where a condition is of another form, or where testing each point is as cheap.
        """
        if not (isinstance(binder.set, t.BaseSet) and binder.set.name == "points"):
            return None
        parts = [_bound_on_feature(c, binder.name) for c in binder.conditions]
        found = [p for p in parts if p is not None]
        if not found or len(found) < len(parts) or any(p[0] != found[0][0] for p in found):
            return None
        count = len(self.evaluator.instance.table.y)
        if frame.size * count < WORTH_IT:
            return None
        feature = self.evaluator.known(found[0][0], frame).astype(np.int64)
        start, stop = np.zeros(frame.size, np.int64), np.full(frame.size, count)
        for _, op, limit in found:
            limits = np.asarray(self.evaluator.known(limit, frame), float)
            if np.isnan(limits).any():
                return None
            at = self._positions(feature, limits, SIDES[op])
            if op in (">", ">="):
                start = np.maximum(start, at)
            else:
                stop = np.minimum(stop, at)
        return self._ascending(feature, start, np.maximum(stop - start, 0))

    def with_value(
        self, binder: t.Binder, elements: np.ndarray, frame: Frame
    ) -> tuple[Ragged, tuple[t.Typed, ...]] | None:
        """{i in points : y[i] = k}: the elements whose value is the one asked for, in their order,
        one list a row of the frame, and the conditions that are still to be tested.

        The values are sorted once, where testing each element would cost elements x rows. None
        where the first condition is of another form, or where testing each is as cheap.
        """
        sides = _value_of(binder.conditions[0], binder.name)
        if sides is None or frame.size * len(elements) < WORTH_IT:
            return None
        values = self.evaluator.known(sides[0], Frame(len(elements), {binder.name: elements}))
        wanted = self.evaluator.known(sides[1], frame)
        if np.isnan(values).any() or np.isnan(wanted).any():
            return None
        order = np.argsort(values, kind="stable")
        start = np.searchsorted(values[order], wanted, "left")
        lengths = np.searchsorted(values[order], wanted, "right") - start
        offsets = offsets_of(lengths)
        at = np.repeat(start - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Ragged(offsets, elements[order[at]]), binder.conditions[1:]

    def _positions(self, feature: np.ndarray, limits: np.ndarray, side: str) -> np.ndarray:
        found = np.empty(len(feature), np.int64)
        for f in unique(feature):
            rows = np.flatnonzero(feature == f)
            values = self._order(int(f))[1]
            found[rows] = np.searchsorted(values, limits[rows], side=side)  # type: ignore[call-overload]
        return found

    def _order(self, feature: int) -> tuple[np.ndarray, np.ndarray]:
        """Points in ascending order of a feature, and its values in that order."""
        if feature not in self._sorted:
            column = self.evaluator.instance.table.x[:, feature]
            order = np.argsort(column, kind="stable")
            self._sorted[feature] = order, column[order]
        return self._sorted[feature]

    def _ascending(self, feature: np.ndarray, start: np.ndarray, lengths: np.ndarray) -> Ragged:
        """The points of each run, sorted by number, since rows are written in that order."""
        used, which = np.unique(feature, return_inverse=True)
        orders = np.concatenate([self._order(int(f))[0] for f in used]) if len(used) else used
        count = len(self.evaluator.instance.table.y)
        offsets = offsets_of(lengths)
        at = np.repeat(which * count + start - offsets[:-1], lengths) + np.arange(offsets[-1])
        base = np.repeat(np.arange(len(lengths)) * count, lengths)
        return Ragged(offsets, np.sort(orders[at] + base) - base)


def _bound_on_feature(condition: t.Typed, name: str) -> tuple[t.Typed, str, t.Typed] | None:
    """(feature, op, limit) of x[i,feature] op limit, i being `name` and nowhere else; or None."""
    if not isinstance(condition, t.Comparison):
        return None
    for left, op, right in (
        (condition.left, condition.op, condition.right),
        (condition.right, MIRRORED.get(condition.op, ""), condition.left),
    ):
        if op not in SIDES or not isinstance(left, t.At) or left.symbol.name != "x":
            continue
        point, feature = left.arguments
        alone = isinstance(point, t.Bound) and point.name == name
        if alone and name not in feature.free and name not in right.free:
            return feature, op, right
    return None


def _value_of(condition: t.Typed, name: str) -> tuple[t.Typed, t.Typed] | None:
    """(own, asked) of own = asked where `own` mentions `name` alone, `asked` does not; or None."""
    if not isinstance(condition, t.Comparison) or condition.op != "=":
        return None
    for own, asked in (
        (condition.left, condition.right),
        (condition.right, condition.left),
    ):
        alone = own.free == {name} and not own.local
        if alone and isinstance(own, t.At) and name not in asked.free:
            return own, asked
    return None
