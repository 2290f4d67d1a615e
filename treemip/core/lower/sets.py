"""Sets over frames: lists of elements per distinct index tuple, and frames grown by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from treemip.core.instance.instance import Values
from treemip.core.lower.calls import Calls
from treemip.core.lower.frame import SLICE, Frame
from treemip.core.lower.index_lookup import IndexLookup
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.model.arrays import Ragged, offsets_of, unique
from treemip.core.model.tolerances import LAST_EXACT
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import NODE, POINT, SetOf
from treemip.core.resolve.typed import Role
from treemip.core.resolve.typed_sets import Listed, Section
from treemip.core.source.diagnostic import fail

CHUNK = 200_000
LONGEST = 100_000_000  # numbers in the ranges of one frame; more is a slip of the pen


class Sets:
    def __init__(self, evaluator: EvaluatorParts, places: IndexLookup, calls: Calls) -> None:
        self.evaluator = evaluator
        self.places = places
        self.ranges = Ranges(evaluator)
        self.instance = evaluator.instance
        self._whole: dict[str, Ragged] = {}  # base sets, each as a single list
        self._methods: dict[type[t.Typed], Callable[[Any, Frame], Ragged]] = {
            t.BaseSet: self._base_set,
            t.LocalSet: self._local_set,
            t.RangeSet: self._range_set,
            t.Comprehension: self._comprehension,
            t.At: self._declared_set,
            t.Call: calls.lists,
            t.Choice: self._choice,
            Listed: self._listed,
            Section: self._section,
        }

    # ------------------------------------------------------------------- frames

    def expand(
        self, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...], frame: Frame
    ) -> tuple[Frame, np.ndarray]:
        """The frame grown by each binder in turn, and the row of `frame` each new row is from."""
        child, rows = frame, np.arange(frame.size)
        for condition in guard:
            passed = np.flatnonzero(self.evaluator.known(condition, child))
            if len(passed) < child.size:
                child, rows = child.take(passed), rows[passed]
        for binder in binders:
            lists, which = self.filtered(binder, child)
            child = child.grow(binder.name, lists, which)
            assert child.rows is not None
            rows = rows[child.rows]
        return child, rows

    def pieces(
        self,
        binders: tuple[t.Binder, ...],
        guard: tuple[t.Typed, ...],
        frame: Frame,
        most: int,
    ) -> Iterator[tuple[Frame, np.ndarray]]:
        """As `expand`, in pieces of at most `most` rows."""
        for part in self._slices(binders, self.expand((), guard, frame)[0], most):
            yield part, _origin(part, frame)

    def slices(
        self,
        binders: tuple[t.Binder, ...],
        guard: tuple[t.Typed, ...],
        most: int | None = None,
        points: np.ndarray | None = None,
    ) -> Iterator[Frame]:
        """The frame that `expand` grows from the empty one, in slices of at most `most` rows, SLICE
        by default. points: int64 (n,), those of its rows; where it is given one binder is over all
        points."""
        frame = self.expand((), guard, Frame.empty())[0]
        if points is not None and frame.size:
            name = next(b.name for b in binders if b.element == POINT)
            frame = frame.grow(name, Ragged.same(points, 1))
            binders = tuple(b for b in binders if b.name != name)
        yield from self._slices(binders, frame, SLICE if most is None else most)

    def _slices(self, binders: tuple[t.Binder, ...], frame: Frame, most: int) -> Iterator[Frame]:
        for start in range(0, frame.size, most):
            stop = min(start + most, frame.size)
            part = frame if stop - start == frame.size else frame.take(np.arange(start, stop))
            if binders:
                yield from self._slices(binders[1:], self.expand(binders[:1], (), part)[0], most)
            else:
                yield part

    def filtered(self, binder: t.Binder, frame: Frame) -> tuple[Ragged, np.ndarray]:
        """The elements that pass the binder's conditions, per distinct tuple they depend on.

        Conditions are tested once for each combination of the names they mention: {i in points :
        x[i,f] > mid(v)} inside {n, f, v} costs features x codes x points, whatever n.
        """
        distinct, which = frame.project(binder.free, binder.local)
        ranged = self.ranges.lists(binder, distinct)
        if ranged is not None:
            return ranged, which
        everywhere = not binder.set.free and not binder.set.local
        lists = self.lists(binder.set, Frame.empty() if everywhere else distinct)
        conditions = binder.conditions
        if conditions and everywhere:
            chosen = self.ranges.with_value(binder, lists.items, distinct)
            if chosen is not None:
                lists, conditions = chosen
                everywhere = False
        if conditions:
            return self._masked(binder, conditions, lists, distinct), which
        return lists, np.zeros(frame.size, np.int64) if everywhere else which

    def _masked(
        self, binder: t.Binder, conditions: tuple[t.Typed, ...], lists: Ragged, frame: Frame
    ) -> Ragged:
        kept_items, kept_lengths = [], []
        everywhere = lists.count == 1
        lengths = np.full(frame.size, len(lists.items)) if everywhere else lists.lengths
        for start, stop in _chunks(offsets_of(lengths)):
            rows = np.arange(start, stop)
            part = frame.take(rows)
            child = part.grow(binder.name, lists if everywhere else lists.take(rows))
            for condition in conditions:
                keep = self.evaluator.known(condition, child)
                child = child.take(np.flatnonzero(keep))
            kept_items.append(child.column(binder.name))
            kept_lengths.append(np.bincount(_origin(child, part), minlength=stop - start))
        lengths = np.concatenate(kept_lengths) if kept_lengths else np.zeros(0, np.int64)
        items = np.concatenate(kept_items) if kept_items else lists.items[:0]
        return Ragged(offsets_of(lengths), items)

    # --------------------------------------------------------------------- lists

    def lists(self, expression: t.Typed, frame: Frame) -> Ragged:
        """The elements of a set, one list for each row of the frame."""
        return self._methods[type(expression)](expression, frame)

    def _base_set(self, e: t.BaseSet, frame: Frame) -> Ragged:
        if frame.size != 1:
            return Ragged.same(self.base(e), frame.size)
        if e.name not in self._whole:
            self._whole[e.name] = Ragged.same(self.base(e), 1)
        return self._whole[e.name]

    def base(self, e: t.BaseSet) -> np.ndarray:
        """Elements of a base set. Raises E208 when the spec lacks what it is made of."""
        instance = self.instance
        if e.of.element == NODE:
            if instance.topology is None:
                _fail_missing(e, "a topology", "topology complete(depth = 2);")
            if e.name == "nodes":
                return np.arange(instance.topology.size)
            nodes: np.ndarray = getattr(instance.topology, e.name)
            return nodes
        if e.name == "supports":
            return np.arange(instance.supports.count)
        if e.name == "flow_cuts":
            return np.arange(instance.flow_cuts.count)
        if instance.data is None:
            _fail_missing(e, "data", 'data "file.csv" { label class; }')
        table = instance.table
        sizes = {
            "points": len(table.y),
            "features": len(table.features),
            "categorical_features": len(table.categorical),
            "classes": len(table.classes),
        }
        return np.arange(sizes[e.name])

    def _local_set(self, e: t.LocalSet, frame: Frame) -> Ragged:
        lists, which = frame.local(e.name)
        return lists.take(which)

    def _range_set(self, e: t.RangeSet, frame: Frame) -> Ragged:
        low = np.ceil(self.evaluator.known(e.lower, frame))
        high = np.floor(self.evaluator.known(e.upper, frame))
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            fail("E402", "the ends of a range must be finite", e.span)
        wanted = np.maximum(0, high - low + 1)
        self._demand_exact(e, low, high, wanted)
        if wanted.sum() > LONGEST:
            fail("E405", f"a range of {wanted.max():g} numbers is too long", e.span)
        lengths = wanted.astype(np.int64)
        return Ragged.runs(low, lengths)

    def _demand_exact(
        self, e: t.RangeSet, low: np.ndarray, high: np.ndarray, wanted: np.ndarray
    ) -> None:
        """Whole numbers beyond 2^53 share their doubles, so a set of them has other members."""
        ends = np.maximum(np.abs(low), np.abs(high))
        beyond = (wanted > 0) & (ends > LAST_EXACT)
        if beyond.any():
            row = int(np.argmax(beyond))
            message = f"a range from {low[row]:g} to {high[row]:g} goes beyond 2^53"
            remedy = "whole numbers above 9007199254740992 cannot be told apart"
            fail("E404", message, e.span, remedy)

    def _comprehension(self, e: t.Comprehension, frame: Frame) -> Ragged:
        child, rows = self.expand((), e.guard, frame)
        lists, which = self.filtered(e.binder, child)
        chosen = lists.take(which)
        lengths = np.zeros(frame.size, np.int64)
        lengths[rows] = chosen.lengths
        return Ragged(offsets_of(lengths), chosen.items)

    def _declared_set(self, e: t.At, frame: Frame) -> Ragged:
        values, positions = self._declared(e, frame)
        assert values.ragged is not None
        return values.ragged.take(positions)

    def _declared(self, e: t.At, frame: Frame) -> tuple[Values, np.ndarray]:
        """A declared family of sets, and which of them each row means."""
        assert e.symbol.role is Role.SET
        arguments = [self.evaluator.known(a, frame) for a in e.arguments]
        return self.places.values(e.symbol), self.places.inside(e.symbol, arguments, frame, e.span)

    def _listed(self, e: Listed, frame: Frame) -> Ragged:
        return Ragged.same(np.arange(len(e.texts)), frame.size)

    def _section(self, e: Section, frame: Frame) -> Ragged:
        values, positions = self._declared(e.tuples, frame)
        assert values.tuples is not None
        return values.tuples.section(positions, [self.evaluator.known(p, frame) for p in e.prefix])

    def _choice(self, e: t.Choice, frame: Frame) -> Ragged:
        holds = self.evaluator.known(e.condition, frame)
        rows, items = [], []
        for keep, part in ((holds, e.then), (~holds, e.otherwise)):
            at = np.flatnonzero(keep)
            chosen = self.lists(part, frame.take(at))
            rows.append(np.repeat(at, chosen.lengths))
            items.append(chosen.items)
        return Ragged.from_pairs(np.concatenate(rows), np.concatenate(items), frame.size)

    # ------------------------------------------------------------------ questions

    def lengths(self, expression: t.Typed, frame: Frame) -> np.ndarray:
        """Number of elements, one a row of the frame."""
        if isinstance(expression, t.LocalSet):
            lists, which = frame.local(expression.name)
            return self._counted(expression, lists)[which]
        distinct, which = frame.project(expression.free, expression.local)
        if isinstance(expression, t.At):
            values, positions = self._declared(expression, distinct)
            return values.values[positions][which].astype(float)
        return self._counted(expression, self.lists(expression, distinct))[which]

    def _counted(self, expression: t.Typed, lists: Ragged) -> np.ndarray:
        """How many elements each list has, float64; of points, with all that they stand for."""
        counts = self.instance.counts
        if counts is None or expression.sort != SetOf(POINT):
            return lists.lengths.astype(float)
        rows = np.arange(lists.count).repeat(lists.lengths)
        return np.bincount(rows, counts[lists.items], lists.count)

    def contains(self, expression: t.Typed, items: np.ndarray, frame: Frame) -> np.ndarray:
        """Whether each row's item is in its set."""
        distinct, which = frame.project(expression.free, expression.local)
        lists = self.lists(expression, distinct)
        owner = np.repeat(np.arange(lists.count), lists.lengths)
        if lists.count == 1:
            return np.isin(items, lists.items)
        values, codes = np.unique(np.concatenate([lists.items, items]), return_inverse=True)
        have = owner * len(values) + codes[: len(owner)]
        ask = which * len(values) + codes[len(owner) :]
        return np.isin(ask, have)


def _chunks(offsets: np.ndarray) -> list[tuple[int, int]]:
    """Runs of rows with at most about CHUNK elements together."""
    count, start, chunks = len(offsets) - 1, 0, []
    while start < count:
        stop = int(np.searchsorted(offsets, offsets[start] + CHUNK, side="right")) - 1
        stop = min(max(stop, start + 1), count)
        chunks.append((start, stop))
        start = stop
    return chunks


def _origin(child: Frame, ancestor: Frame) -> np.ndarray:
    """Rows of an ancestor that a frame's rows came from."""
    rows, frame = np.arange(child.size), child
    while frame is not ancestor:
        assert frame.rows is not None and frame.parent is not None
        rows, frame = frame.rows[rows], frame.parent
    return rows


def _fail_missing(e: t.BaseSet, what: str, how: str) -> NoReturn:
    fail("E208", f"'{e.name}' needs {what}", e.span, f"add: {how}")


# ---------------------------------------------------------------------- sets of points by sorting


MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
SIDES = {">": "right", ">=": "left", "<": "left", "<=": "right"}
WORTH_IT = 100_000  # tests of single points that are spared


class Ranges:
    """Sets of points found as runs of sorted values, without testing every point.

    {i in points : x[i,f] > lo and x[i,f] < hi} is a run of feature f's points in ascending order of
    value, {i in points : y[i] = k} one of all points in ascending order of class. BinOCT asks for
    thousands of such sets: each feature is sorted once, and each set costs two binary searches.
    """

    def __init__(self, evaluator: EvaluatorParts) -> None:
        self.evaluator = evaluator
        self._sorted: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def lists(self, binder: t.Binder, frame: Frame) -> Ragged | None:
        """The points that pass the binder's conditions, ascending, one list a row of the frame.

        None where a condition is of another form, or where testing each point is as cheap.
        """
        if not (isinstance(binder.set, t.BaseSet) and binder.set.name == "points"):
            return None
        parts = [_bound_on_feature(c, binder.name) for c in binder.conditions]
        bounds = [p for p in parts if p is not None]
        if not bounds or len(bounds) < len(parts) or any(p[0] != bounds[0][0] for p in bounds):
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
        order = np.argsort(_narrow(values), kind="stable")
        start = np.searchsorted(values[order], wanted, "left")
        lengths = np.searchsorted(values[order], wanted, "right") - start
        places = Ragged.runs(start, lengths)
        return Ragged(places.offsets, elements[order[places.items]]), binder.conditions[1:]

    def _positions(self, feature: np.ndarray, limits: np.ndarray, side: str) -> np.ndarray:
        positions = np.empty(len(feature), np.int64)
        for f in unique(feature):
            rows = np.flatnonzero(feature == f)
            values = self._order(int(f))[1]
            positions[rows] = np.searchsorted(values, limits[rows], side=side)  # type: ignore[call-overload]
        return positions

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
        places = Ragged.runs(which * count + start, lengths)
        base = np.repeat(np.arange(len(lengths)) * count, lengths)
        return Ragged(places.offsets, np.sort(orders[places.items] + base) - base)


def _narrow(values: np.ndarray) -> np.ndarray:
    """Numbers of classes and the like in 16 bits, which numpy sorts by counting; others as they
    are."""
    limits = np.iinfo(np.int16)
    whole = values.dtype.kind in "iu" and len(values) > 0
    fits = whole and limits.min <= values.min() and values.max() <= limits.max
    return values.astype(np.int16) if fits else values


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
