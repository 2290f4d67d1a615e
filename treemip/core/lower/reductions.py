"""Sums, products and extremes over sets: of numbers some at a time, of variables as rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.core.lower import numbers
from treemip.core.lower.empty_reductions import EmptyReductions
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear, Value
from treemip.core.lower.nonlinear import Nonlinear, no_row
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.lower.sets import Sets, chunks
from treemip.core.lower.sparse_sums import sparse_sum
from treemip.core.model.arrays import offsets_of
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import POINT, Degree
from treemip.core.source.deadline import heed

ENTRIES = 1 << 21
"""Of a reduction over points, how many are evaluated together."""

PIECE, PIECES = 1 << 18, ("sum", "max", "min")
"""Points from which on reductions of numbers are made of those of as many entries, and which."""

PIECEWISE = ("abs", "max", "min", "norminf")
OF_VARIABLES = (Degree.PIECEWISE, Degree.NONLINEAR)


class Reductions:
    """piecewise: gives the extremes of variables."""

    def __init__(
        self,
        evaluator: EvaluatorParts,
        sets: Sets,
        nonlinear: Nonlinear,
        piecewise: Callable[[t.Reduction, Frame], Value],
    ) -> None:
        self.evaluator = evaluator
        self.instance = evaluator.instance
        self.sets = sets
        self.nonlinear = nonlinear
        self.piecewise = piecewise
        self.empty = EmptyReductions()
        self._sums: dict[Frame, list[tuple[t.Typed, Linear]]] = {}

    def forget(self) -> None:
        """Drop the sums over frames that will not be used again."""
        self._sums.clear()

    def value(self, e: t.Reduction, frame: Frame) -> Value:
        """One value a row of the frame."""
        if self.evaluator.all_known:
            of_runs = self.sets.ranges.sum(e, frame)
            if of_runs is not None:
                return of_runs
            parts = self._at_once(e, frame)
            if len(parts) > 1:
                return np.concatenate([self._of_rows(e, frame, *part) for part in parts])
        if e.op in PIECEWISE and e.degree in OF_VARIABLES:
            return self.piecewise(e, frame)
        if e.op == "prod" and e.degree is Degree.NONLINEAR:
            return self.nonlinear.product(e, frame)
        for same, total in self._sums.get(frame, ()):
            if same == e:
                return total
        if self.evaluator.all_known and self.has_pieces(e):
            return self.in_pieces(e, frame)
        sparse = sparse_sum(e, frame, self.evaluator) if self.evaluator.all_known else None
        if sparse is not None:
            return sparse
        return self._over_elements(e, frame)

    def _over_elements(self, e: t.Reduction, frame: Frame) -> Value:
        child, rows = self.sets.expand(e.binders, e.guard, frame)
        self.empty.note(e, frame, child)
        body = self.counted(e, child, self.evaluator.evaluate(e.body, child))
        if isinstance(body, Linear):
            if e.op != "sum":
                raise no_row(e)
            # families over one domain share frames: dot(coef[t,*], x[i,*]) is evaluated once
            total = body.summed(rows, frame.size)
            self._sums.setdefault(frame, []).append((e, total))
            return total
        if e.op in ("argmax", "argmin"):
            items = child.column(e.binders[0].name)
            return numbers.extreme_item(e.op, body, items, rows, frame.size, e.span)
        return numbers.reduce(e.op, body, rows, frame.size)

    def has_pieces(self, e: t.Reduction) -> bool:
        """Whether a reduction is over more points than are evaluated together."""
        over_points = e.op in PIECES and any(b.element == POINT for b in e.binders)
        return over_points and (self.instance.size(POINT) or 0) > PIECE

    def in_pieces(self, e: t.Reduction, frame: Frame) -> np.ndarray:
        """A reduction of numbers whose entries are made a piece at a time."""
        whole = numbers.reduce(e.op, np.zeros(0), np.zeros(0, np.int64), frame.size)
        for child, rows in self.sets.pieces(e.binders, e.guard, frame, PIECE):
            body = np.asarray(self.counted(e, child, self.evaluator.known(e.body, child)), float)
            whole = numbers.both(e.op, whole, numbers.reduce(e.op, body, rows, frame.size))
        return whole

    def counted(self, e: t.Reduction, child: Frame, body: Value) -> Value:
        """The addends of a sum over points, where each point stands for several."""
        counts = self.instance.counts
        for binder in e.binders if counts is not None and e.op == "sum" else ():
            if binder.element == POINT:
                assert counts is not None
                each = counts[child.column(binder.name)]
                body = body.times(each) if isinstance(body, Linear) else body * each
        return body

    def _of_rows(self, e: t.Reduction, frame: Frame, start: int, stop: int) -> np.ndarray:
        heed(f"'{' '.join(e.span.text.split())}' was added up")
        return self.evaluator.known(e, frame.take(np.arange(start, stop)))

    def _at_once(self, e: t.Reduction, frame: Frame) -> list[tuple[int, int]]:
        """Ranges of a frame's rows, (start, stop), for which a reduction of numbers is evaluated
        together: over points, as many as have room for their entries in memory."""
        first, *others = e.binders
        over_points = [binder.element == POINT for binder in (first, *others)]
        if over_points[0] and isinstance(first.set, t.LocalSet) and not any(over_points[1:]):
            lists, which = frame.local(first.set.name)
            return chunks(offsets_of(lists.lengths[which]), ENTRIES)
        points = (self.instance.size(POINT) or 1) if any(over_points) else 1
        most = max(1, ENTRIES // points)
        starts = range(0, frame.size, most)
        return [(start, min(start + most, frame.size)) for start in starts]
