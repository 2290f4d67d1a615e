"""Sets of points found as runs of sorted values, and sums over them as differences."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from treemip.core.lower import numbers
from treemip.core.lower.frame import Frame
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.model.arrays import Ragged, offsets_of, unique
from treemip.core.model.tolerances import LAST_EXACT
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import POINT
from treemip.core.source.deadline import heed
from treemip.core.source.diagnostic import TreemipError

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
SIDES = {">": "right", ">=": "left", "<": "left", "<=": "right"}
WORTH_IT = 100_000  # tests of single points that are spared
SUMS = {np.dtype(np.int8): np.int32, np.dtype(float): float}  # of addends
FEW = 4  # runs of one feature up to which each is added up by itself
LESS = 8  # an entry of a sum is so many times the work of a point in a running sum
MOST = 1 << 28  # bytes of addends that are kept, about
PIECE = 1 << 18  # points whose addends are evaluated together


class Runs(Ragged):
    """Lists of points that are runs of a feature's ascending values: feature, start and lengths,
    int64 (rows,) each. Their points, in ascending order in each list, are made when asked for."""

    def __init__(
        self, of: PointRuns, feature: np.ndarray, start: np.ndarray, lengths: np.ndarray
    ) -> None:
        self.__dict__.update(offsets=offsets_of(lengths), of=of, feature=feature, start=start)

    of: PointRuns
    feature: np.ndarray
    start: np.ndarray

    @cached_property
    def items(self) -> np.ndarray:
        return self.of.ascending(self.feature, self.start, self.lengths)

    def take(self, rows: np.ndarray) -> Ragged:
        return Runs(self.of, self.feature[rows], self.start[rows], self.lengths[rows])


class PointRuns:
    """Sets of points found without testing every point, and sums over them without their entries.

    {i in points : x[i,f] > lo and x[i,f] < hi} is a run of feature f's points in ascending order of
    value, {i in points : y[i] = k} one of all points in ascending order of class. BinOCT asks for
    thousands of such sets: each feature is sorted once, and each set costs two binary searches.
    """

    def __init__(self, evaluator: EvaluatorParts) -> None:
        self.evaluator = evaluator
        self._sorted: dict[int, np.ndarray] = {}  # values of a feature
        self._addends: dict[tuple[int, tuple[float, ...]], np.ndarray | None] = {}
        self._last: tuple[np.ndarray, int, np.ndarray] | None = None  # running sums

    def lists(self, binder: t.Binder, frame: Frame) -> Ragged | None:
        """The points that pass the binder's conditions, ascending, one list a row of the frame.

        None where a condition is of another form, or where testing each point is as cheap.
        """
        bounds = bounds_on_feature(binder)
        if bounds is None:
            return None
        count = len(self.evaluator.instance.table.y)
        if frame.size * count < WORTH_IT:
            return None
        feature = self.evaluator.known(bounds[0][0], frame).astype(np.int64)
        start, stop = np.zeros(frame.size, np.int64), np.full(frame.size, count)
        for _, op, limit in bounds:
            limits = np.asarray(self.evaluator.known(limit, frame), float)
            if np.isnan(limits).any():
                return None
            at = self._positions(feature, limits, SIDES[op])
            if op in (">", ">="):
                start = np.maximum(start, at)
            else:
                stop = np.minimum(stop, at)
        return Runs(self, feature, start, np.maximum(stop - start, 0))

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
        order = np.argsort(_narrow(values), kind="stable")
        start = np.searchsorted(values[order], wanted, "left")
        lengths = np.searchsorted(values[order], wanted, "right") - start
        places = Ragged.runs(start, lengths)
        return Ragged(places.offsets, elements[order[places.items]]), binder.conditions[1:]

    def _positions(self, feature: np.ndarray, limits: np.ndarray, side: str) -> np.ndarray:
        positions = np.empty(len(feature), np.int64)
        for f in unique(feature).tolist():
            rows = np.flatnonzero(feature == f)
            if f not in self._sorted:
                table = self.evaluator.instance.table
                column = np.ascontiguousarray(table.x[:, f])  # read in any order below
                self._sorted[f] = column[table.order(f)]
            positions[rows] = np.searchsorted(self._sorted[f], limits[rows], side=side)  # type: ignore[call-overload]
        return positions

    def ascending(self, feature: np.ndarray, start: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """The points of each run, sorted by number, since rows are written in that order."""
        used, which = np.unique(feature, return_inverse=True)
        table = self.evaluator.instance.table
        orders = np.concatenate([table.order(int(f)) for f in used]) if len(used) else used
        count = len(table.y)
        places = Ragged.runs(which * count + start, lengths)
        base = np.repeat(np.arange(len(lengths)) * count, lengths)
        points: np.ndarray = np.sort(orders[places.items] + base) - base
        return points

    # ------------------------------------------------------------------- sums over runs

    def sum(self, e: t.Reduction, frame: Frame) -> np.ndarray | None:
        """A sum over a local set whose lists are runs, float64 (frame.size,): the running sum at
        the end of a run, less that at its start.

        None for other sums, where this is more work, and where addends are not whole numbers: only
        their sums are exact in any order.
        """
        lists, which, names = self._summed(e, frame)
        if lists is None:
            return None
        keys, of_row = frame.project(names, frozenset())
        pairs, of_pair = np.unique(
            np.stack([of_row, lists.feature[which]]), axis=1, return_inverse=True
        )
        count = len(self.evaluator.instance.table.y)
        work = (pairs.shape[1] + LESS * keys.size) * count
        if LESS * lists.lengths[which].sum() < work:
            return None
        start = lists.start[which]
        stop, total = start + lists.lengths[which], np.empty(frame.size)
        of_pair = of_pair.ravel()
        by_pair = np.argsort(of_pair, kind="stable")
        bounds = np.searchsorted(of_pair[by_pair], np.arange(pairs.shape[1] + 1))
        for number, (key, feature) in enumerate(pairs.T.tolist()):
            heed(f"'{' '.join(e.span.text.split())}' was added up for each threshold")
            addends = self._addends_at(e, keys, key, sorted(names))
            if addends is None:
                return None
            rows = by_pair[bounds[number] : bounds[number + 1]]
            total[rows] = self._totals(addends, feature, start[rows], stop[rows])
        return total

    def _totals(
        self, addends: np.ndarray, feature: int, start: np.ndarray, stop: np.ndarray
    ) -> np.ndarray:
        """What each run adds up to."""
        order = self.evaluator.instance.table.order(feature)
        if len(start) <= FEW:
            ends = zip(start.tolist(), stop.tolist(), strict=True)
            return np.array([addends[order[a:b]].sum(dtype=float) for a, b in ends])
        if self._last is None or self._last[0] is not addends or self._last[1] != feature:
            up_to = np.zeros(len(addends) + 1, SUMS[addends.dtype])
            np.cumsum(addends[order], out=up_to[1:])
            self._last = addends, feature, up_to
        return self._last[2][stop] - self._last[2][start]

    def _summed(
        self, e: t.Reduction, frame: Frame
    ) -> tuple[Runs | None, np.ndarray, frozenset[str]]:
        """The lists of the points summed over, which of them each row has, and the names that
        addends depend on beside the point; None of sums of another form."""
        points, others = e.binders[0], e.binders[1:]
        parts = [e.body, *(part for b in others for part in (b.set, *b.conditions))]
        no = None, np.zeros(0, np.int64), frozenset[str]()
        if e.op != "sum" or e.guard or points.conditions or not isinstance(points.set, t.LocalSet):
            return no
        if any(b.element == POINT for b in others) or any(part.local for part in parts):
            return no
        lists, which = frame.local(points.set.name)
        if not isinstance(lists, Runs):
            return no
        names = frozenset[str]().union(*(part.free for part in parts))
        return lists, which, names - {b.name for b in e.binders}

    def _addends_at(
        self, e: t.Reduction, keys: Frame, key: int, names: list[str]
    ) -> np.ndarray | None:
        """As `_addends_of`, at one tuple of the names."""
        at = tuple(float(keys.column(name)[key]) for name in names)
        if (id(e), at) not in self._addends:
            if len(self._addends) * 8 * len(self.evaluator.instance.table.y) > MOST:
                self._addends.clear()
            try:
                addends = self._addends_of(e, keys.take(np.array([key])))
            except TreemipError:  # points that are in no run may have none
                addends = None
            self._addends[id(e), at] = addends
        return self._addends[id(e), at]

    def _addends_of(self, e: t.Reduction, at: Frame) -> np.ndarray | None:
        """What each point adds, int8 or float64 (N,), at the one row of a frame; None of numbers
        that are not whole or too large."""
        count, others = len(self.evaluator.instance.table.y), e.binders[1:]
        addends, counts = np.zeros(count), self.evaluator.instance.counts
        for first in range(0, count, PIECE):
            some = np.arange(first, min(first + PIECE, count))
            points = at.grow(e.binders[0].name, Ragged.same(some, 1))
            child, rows = self.evaluator.expand(others, (), points)
            body = np.asarray(self.evaluator.known(e.body, child), float)
            addends[some] = numbers.reduce("sum", body, rows, len(some))
        addends = addends if counts is None else addends * counts
        with np.errstate(all="ignore"):
            whole = (addends == np.rint(addends)).all() and np.abs(addends).sum() < LAST_EXACT
            small = addends.astype(np.int8)  # one byte each is soon read in any order
        if not whole:
            return None
        few = np.abs(addends).sum() <= np.iinfo(np.int32).max
        return small if few and (small == addends).all() else addends


def _narrow(values: np.ndarray) -> np.ndarray:
    """Numbers of classes and the like in 16 bits, which numpy sorts by counting; others as they
    are."""
    limits = np.iinfo(np.int16)
    whole = values.dtype.kind in "iu" and len(values) > 0
    fits = whole and limits.min <= values.min() and values.max() <= limits.max
    return values.astype(np.int16) if fits else values


def bounds_on_feature(binder: t.Binder) -> list[tuple[t.Typed, str, t.Typed]] | None:
    """(feature, op, limit) of each condition, where all are bounds on one feature of a point; None
    of other sets."""
    if not (isinstance(binder.set, t.BaseSet) and binder.set.name == "points"):
        return None
    parts = [_bound_on_feature(c, binder.name) for c in binder.conditions]
    bounds = [p for p in parts if p is not None]
    if not bounds or len(bounds) < len(parts) or any(p[0] != bounds[0][0] for p in bounds):
        return None
    return bounds


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
    for own, asked in ((condition.left, condition.right), (condition.right, condition.left)):
        alone = own.free == {name} and not own.local
        if alone and isinstance(own, t.At) and name not in asked.free:
            return own, asked
    return None
