"""Sets over frames: lists of elements per distinct index tuple, and frames grown by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from treemip.core.instance.instance import Values
from treemip.core.lower.calls import Calls
from treemip.core.lower.frame import SLICE, Frame
from treemip.core.lower.index_lookup import IndexLookup
from treemip.core.lower.point_runs import PointRuns
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.model.arrays import Ragged, offsets_of
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
        self.ranges = PointRuns(evaluator)
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
        for start, stop in chunks(offsets_of(lengths), CHUNK):
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
        if len(rows) == frame.size:
            return chosen
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


def chunks(offsets: np.ndarray, most: int) -> list[tuple[int, int]]:
    """Runs of rows with at most about so many elements together."""
    count, start, found = len(offsets) - 1, 0, []
    while start < count:
        stop = int(np.searchsorted(offsets, offsets[start] + most, side="right")) - 1
        stop = min(max(stop, start + 1), count)
        found.append((start, stop))
        start = stop
    return found


def _origin(child: Frame, ancestor: Frame) -> np.ndarray:
    """Rows of an ancestor that a frame's rows came from."""
    rows, frame = np.arange(child.size), child
    while frame is not ancestor:
        assert frame.rows is not None and frame.parent is not None
        rows, frame = frame.rows[rows], frame.parent
    return rows


def _fail_missing(e: t.BaseSet, what: str, how: str) -> NoReturn:
    fail("E208", f"'{e.name}' needs {what}", e.span, f"add: {how}")
