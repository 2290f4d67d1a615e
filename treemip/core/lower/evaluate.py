"""Expressions over frames: numbers where all is known, affine or quadratic rows where not.

One evaluator serves every use of an expression. What a variable is comes from `source`: its
column in a model (lowering), its value in a solution (checking), its meaning on a tree
(verification). With x left free instead, the same code reads a split out of a solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower import numbers
from treemip.core.lower.calls import Calls
from treemip.core.lower.empty_reductions import EmptyReductions
from treemip.core.lower.frame import Frame
from treemip.core.lower.index_lookup import IndexLookup, as_numbers
from treemip.core.lower.linear import Linear, Value, as_linear
from treemip.core.lower.nonlinear import FUNCTIONS, Nonlinear
from treemip.core.lower.protocols import SmoothForms
from treemip.core.lower.reductions import OF_VARIABLES, PIECEWISE, Reductions
from treemip.core.lower.sets import Sets
from treemip.core.lower.sharing import Sharing
from treemip.core.lower.table_values import FileTables, ValueTables
from treemip.core.model.arrays import Ragged, first_places
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.resolve.typed_tables import FileTable, Table
from treemip.core.source.span import Span

_ELSEWHERE = t.At | t.Call | t.Arithmetic | t.Reduction


class Source(Protocol):
    """Values of declared names. `tape` records nonlinear expressions, where there is a model."""

    @property
    def tape(self) -> SmoothForms | None: ...

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        """A `let` to use in its place, a flat table over its domain, or None for its own."""

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        """The variable at positions of its domain."""

    def product(self, left: Linear, right: Linear) -> Linear:
        """Affine rows multiplied one by one."""

    def piecewise(self, expression: t.Typed, frame: Frame, evaluator: Evaluator) -> Value:
        """abs, max, min or a norm of variables, over distinct rows."""

    def near(
        self,
        e: t.Comparison,
        left: np.ndarray,
        right: np.ndarray,
        frame: Frame,
        evaluator: Evaluator,
    ) -> np.ndarray | None:
        """Where sides that differ are compared as equal, bool (rows,); None for nowhere."""

    @property
    def all_known(self) -> bool:
        """Whether no value is an expression of unknown numbers."""
        ...

    @property
    def has_gaps(self) -> bool:
        """Whether some variable that was asked for had no value (NaN)."""


class Evaluator:
    def __init__(self, instance: Instance, source: Source) -> None:
        self.instance = instance
        self.source = source
        self.places = IndexLookup(self)
        self.calls = Calls(self, self.places)
        self.sets = Sets(self, self.places, self.calls)
        self.nonlinear = Nonlinear(self)
        self.sharing = Sharing()
        self.reductions = Reductions(self, self.sets, self.nonlinear, self._by_distinct_rows)
        self._methods: dict[type[t.Typed], Callable[[Any, Frame], Value]] = {
            t.Const: self._const,
            t.Literal: self._literal,
            t.Bound: self._bound,
            t.At: self._at,
            t.Negation: self._negation,
            t.Arithmetic: self._arithmetic,
            t.Choice: self._choice,
            t.Call: self._call,
            t.Reduction: self.reductions.value,
            t.Comparison: self._comparison,
            t.Logic: self._logic,
            t.Member: self._member,
            Table: ValueTables(self, self.places).values,
            FileTable: FileTables(self, self.places).values,
        }

    @property
    def tape(self) -> SmoothForms | None:
        return self.source.tape

    @property
    def all_known(self) -> bool:
        """Whether no value is an expression of unknown numbers."""
        return self.source.all_known

    @property
    def empty(self) -> EmptyReductions:
        """Which reductions were empty wherever they were evaluated."""
        return self.reductions.empty

    def product(self, left: Linear, right: Linear) -> Linear:
        """Affine rows multiplied one by one."""
        return self.source.product(left, right)

    def evaluate(self, expression: t.Typed, frame: Frame) -> Value:
        """One value a row of the frame: float64, element ids, bool, or Linear.

        A known call, table or reduction that mentions nothing the frame itself bound is evaluated
        on the shorter frame above.
        """
        if (
            frame.full
            and isinstance(expression, _ELSEWHERE)
            and expression.degree is Degree.KNOWN
            and not frame.owns(expression.free, expression.local)
        ):
            assert frame.parent is not None
            above = self.evaluate(expression, frame.parent)
            if isinstance(above, np.ndarray):
                return frame.down(above)
        return self._methods[type(expression)](expression, frame)

    def forget(self) -> None:
        """Drop what is cached for frames that will not be used again."""
        self.reductions.forget()

    def known(self, expression: t.Typed, frame: Frame) -> np.ndarray:
        """The value of an expression that mentions no free variable."""
        value = self.evaluate(expression, frame)
        if isinstance(value, Linear):
            raise TypeError(f"{expression.span}: {expression.span.text} is not known here")
        return value

    def linear(self, expression: t.Typed, frame: Frame) -> Linear:
        return as_linear(self.evaluate(expression, frame))

    def expand(
        self, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...], frame: Frame
    ) -> tuple[Frame, np.ndarray]:
        """The frame grown by each binder, and the row of `frame` each new row is from."""
        return self.sets.expand(binders, guard, frame)

    def lists(self, expression: t.Typed, frame: Frame) -> Ragged:
        """The elements of a set, one list a row of the frame."""
        return self.sets.lists(expression, frame)

    # ------------------------------------------------------------------ leaves

    def _const(self, e: t.Const, frame: Frame) -> Value:
        values = np.empty(frame.size)
        values.fill(e.value)
        return values

    def _literal(self, e: t.Literal, frame: Frame) -> Value:
        return np.full(frame.size, self.places.element(e), np.int64)

    def _bound(self, e: t.Bound, frame: Frame) -> Value:
        return frame.column(e.name)

    def _at(self, e: t.At, frame: Frame) -> Value:
        symbol = e.symbol
        arguments = [self.known(a, frame) for a in e.arguments]
        if symbol.parameters:
            return self.inline(symbol, dict(zip(symbol.parameters, arguments, strict=True)), frame)
        instead = self.source.table(symbol)
        if isinstance(instead, Symbol):
            return self._meant(instead, arguments, e, frame)
        if symbol.role in (Role.LET, Role.TERM) and instead is None:
            return self._meant(symbol, arguments, e, frame)
        positions = self.places.locate(symbol, arguments, frame)
        if (positions < 0).any():
            own = lambda rows: self._inside(symbol, instead, positions[rows], e.span)  # noqa: E731
            return self._extended(symbol, positions, arguments, e, frame, own)
        return self._inside(symbol, instead, positions, e.span)

    def _meant(self, symbol: Symbol, arguments: list[np.ndarray], e: t.At, frame: Frame) -> Value:
        """A symbol's definition, evaluated once for indices that many rows have."""
        positions = self.places.locate(symbol, arguments, frame)
        count = int(positions.max(initial=-1)) + 1
        if not len(positions) or positions.min() < 0 or len(positions) < 2 * count:
            return self.at_let(symbol, arguments, e, frame)
        first, which = first_places(positions, count)
        once = self.at_let(symbol, [a[first] for a in arguments], e, frame.take(first))
        return once[which] if isinstance(once, np.ndarray) else once.spread(which)

    def _inside(
        self, symbol: Symbol, table: Value | None, positions: np.ndarray, span: Span
    ) -> Value:
        if table is not None:
            assert isinstance(table, np.ndarray | Linear)
            return table[positions] if isinstance(table, np.ndarray) else table.spread(positions)
        if symbol.role is Role.VARIABLE:
            return self.source.variable(symbol, positions, span)
        return as_numbers(self.places.values(symbol).values[positions])

    def _extended(
        self,
        symbol: Symbol,
        positions: np.ndarray,
        arguments: list[np.ndarray],
        e: t.At,
        frame: Frame,
        own: Callable[[np.ndarray], Value],
    ) -> Value:
        """Some indices are outside a formulation's own domain: the vocabulary's extension there, or
        an error. own: gives the rows of the frame that are inside."""
        inside = positions >= 0
        if symbol.extension is None or symbol.extension.value is None:
            self.places.fail_outside(symbol, arguments, int(np.argmin(inside)), e.span)
        here, there = np.flatnonzero(inside), np.flatnonzero(~inside)
        extended = self.at_let(
            symbol.extension, [a[there] for a in arguments], e, frame.take(there)
        )
        return numbers.merge([(here, own(here)), (there, extended)], frame.size)

    def at_let(self, symbol: Symbol, arguments: list[np.ndarray], e: t.At, frame: Frame) -> Value:
        """A `let` at given indices: its expression over a frame that binds its names to them."""
        positions = self.places.locate(symbol, arguments, frame)
        if (positions < 0).any():
            own = lambda rows: self.at_let(  # noqa: E731
                symbol, [a[rows] for a in arguments], e, frame.take(rows)
            )
            return self._extended(symbol, positions, arguments, e, frame, own)
        names = dict(zip(symbol.domain.names, arguments, strict=True))
        if symbol.degree is Degree.NONLINEAR and self.source.tape is not None:
            return self.nonlinear.shared(symbol, positions, names)
        return self.inline(symbol, names, frame)

    def inline(self, symbol: Symbol, names: dict[str, np.ndarray], frame: Frame) -> Value:
        value = symbol.value
        assert value is not None
        evaluate = lambda: self.evaluate(value, Frame(frame.size, names))  # noqa: E731
        return self.sharing.value(symbol, names, frame.size, evaluate)

    # -------------------------------------------------------------- arithmetic

    def _negation(self, e: t.Negation, frame: Frame) -> Value:
        inner = self.evaluate(e.operand, frame)
        return inner.times(-1.0) if isinstance(inner, Linear) else -inner

    def _arithmetic(self, e: t.Arithmetic, frame: Frame) -> Value:
        if e.op == "*" and e.degree is Degree.NONLINEAR:
            return self.nonlinear.product(e, frame)
        left, right = self.evaluate(e.left, frame), self.evaluate(e.right, frame)
        if isinstance(left, Linear) or isinstance(right, Linear):
            return self._symbolic(e, left, right)
        return numbers.arithmetic(e.op, left, right, e.span)

    def _symbolic(self, e: t.Arithmetic, left: Value, right: Value) -> Value:
        if e.op == "+":
            return as_linear(left).plus(as_linear(right))
        if e.op == "-":
            b = as_linear(right)
            return as_linear(left).plus(b.times(-1.0))
        if e.op == "*":
            if isinstance(right, np.ndarray):
                return as_linear(left).times(right)
            if isinstance(left, np.ndarray):
                return right.times(left)
            if left.is_affine and right.is_affine:
                return self.product(left, right)
            rows = np.arange(left.size)
            return self.nonlinear.times(e, [(left, rows), (right, rows)])
        if e.op == "/":
            if isinstance(right, Linear):
                return self.nonlinear.quotient(e, left, right)
            inverse = numbers.arithmetic("/", np.ones(len(right)), right, e.span)
            return as_linear(left).times(inverse)
        return self.nonlinear.power(e, left, right)

    def _choice(self, e: t.Choice, frame: Frame) -> Value:
        holds = self.known(e.condition, frame)
        parts: list[tuple[np.ndarray, Value]] = []
        if self.source.has_gaps:
            holds, no = self._decided(e.condition, frame)
            rows = np.flatnonzero(~holds & ~no)
            parts += [(rows, np.full(len(rows), np.nan))] if len(rows) else []
        else:
            no = ~holds
        for rows, part in ((np.flatnonzero(holds), e.then), (np.flatnonzero(no), e.otherwise)):
            if len(rows) == frame.size:
                return self.evaluate(part, frame)
            if len(rows):
                parts.append((rows, self.evaluate(part, frame.take(rows))))
        return numbers.merge(parts, frame.size)

    def _call(self, e: t.Call, frame: Frame) -> Value:
        if e.function in PIECEWISE and e.degree in OF_VARIABLES:
            return self._by_distinct_rows(e, frame)
        smooth = e.function in FUNCTIONS or e.function == "sqrt"
        # Tables of a tree's answers count as known, and are columns where sums are made of them.
        if smooth and (e.degree is Degree.NONLINEAR or self.nonlinear.records):
            return self.nonlinear.call(e, frame)
        if e.function == "card":
            return self.sets.lengths(e.arguments[0], frame)
        return self.calls.call(e, frame)

    def _by_distinct_rows(self, e: t.Call | t.Reduction, frame: Frame) -> Value:
        """A piecewise expression once for each distinct tuple of the names it depends on."""
        distinct, which = frame.project(e.free, e.local)
        values = self.source.piecewise(e, distinct, self)
        return values[which] if isinstance(values, np.ndarray) else values.spread(which)

    # -------------------------------------------------------------- conditions

    def _decided(self, e: t.Typed, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """Where a condition holds and where it does not, bool (rows,); neither where that depends
        on missing values."""
        if not isinstance(e, t.Logic):
            holds, known = self.known(e, frame), np.ones(frame.size, bool)
            for side in (e.left, e.right) if isinstance(e, t.Comparison) else ():
                value = self.known(side, frame)
                known &= ~np.isnan(value) if np.issubdtype(value.dtype, np.floating) else True
            return holds & known, ~holds & known
        if e.op == "not":
            holds, fails = self._decided(e.operands[0], frame)
            return fails, holds
        settled, unsettled = np.zeros(frame.size, bool), np.ones(frame.size, bool)
        for operand in e.operands:  # `settled` rows are those that one operand decides
            rows = np.flatnonzero(~settled)
            holds, fails = self._decided(operand, frame.take(rows))
            one, other = (holds, fails) if e.op == "or" else (fails, holds)
            settled[rows] = one
            unsettled[rows] &= other
        unsettled &= ~settled
        return (settled, unsettled) if e.op == "or" else (unsettled, settled)

    def _comparison(self, e: t.Comparison, frame: Frame) -> Value:
        left, right = self.known(e.left, frame), self.known(e.right, frame)
        near = self.source.near(e, left, right, frame, self)
        return numbers.compare(e.op, left, right, near)

    def _logic(self, e: t.Logic, frame: Frame) -> Value:
        if e.op == "not":
            return ~self.known(e.operands[0], frame)
        decided = e.op == "or"
        result = np.full(frame.size, not decided)
        for operand in e.operands:
            open_rows = np.flatnonzero(result != decided)
            part = frame if len(open_rows) == frame.size else frame.take(open_rows)
            result[open_rows] = self.known(operand, part)
        return result

    def _member(self, e: t.Member, frame: Frame) -> Value:
        inside = self.sets.contains(e.set, self.known(e.item, frame), frame)
        return ~inside if e.negated else inside
