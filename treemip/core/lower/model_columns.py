"""The model under construction, and the value of a variable as its column.

`ModelBuilder` appends blocks and numbers their columns once; `ModelColumns` is the source of values
that the evaluator lowers with: variables are columns, piecewise expressions become functions.
"""

from __future__ import annotations

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.linear import Linear, as_linear, quadratic_rows
from treemip.core.lower.nonlinear import no_row
from treemip.core.lower.tape_builder import TapeBuilder
from treemip.core.lower.value_sources import Nothing
from treemip.core.model.arrays import offsets_of
from treemip.core.model.blocks import (
    Function,
    Functions,
    Implications,
    Index,
    Kind,
    Rows,
    Variables,
    declared_bounds,
)
from treemip.core.model.bounds import argument_ranges, result_bounds
from treemip.core.model.sparse_rows import interval
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import Element, Sort
from treemip.core.resolve.typed import Symbol
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Span


class ModelBuilder:
    """Blocks so far. `starts` gives the first column of a variable family by name."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.variables: list[Variables] = []
        self.rows: list[Rows] = []
        self.implications: list[Implications] = []
        self.functions: list[Functions] = []
        self.starts: dict[str, int] = {}
        self.columns = 0
        self.place: Span | None = None  # of the constraint or objective being lowered
        self._bounds: tuple[np.ndarray, np.ndarray] | None = None
        self.tape = TapeBuilder(lambda: self.bounds)

    def index(self, names: tuple[str, ...], sorts: tuple[Sort, ...], frame: Frame) -> Index:
        """Index columns as labels."""
        pairs = zip(names, sorts, strict=True)
        columns = tuple(self.instance.labels(s, frame.column(name)) for name, s in pairs)
        return Index(*self.index_names(names, sorts), columns, frame.size)

    def index_names(
        self, names: tuple[str, ...], sorts: tuple[Sort, ...]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of an index, and what they range over, which is what a name is shown as that
        was made up for a `*`."""
        shown = tuple(s.of if isinstance(s, Element) else "number" for s in sorts)
        labels = tuple(
            s if name.startswith("*") else name for name, s in zip(names, shown, strict=True)
        )
        return labels, shown

    def add_variables(
        self,
        name: str,
        index: Index,
        lower: np.ndarray,
        upper: np.ndarray,
        kind: Kind,
        span: Span | None,
        made_by: str = "",
    ) -> int:
        """Append a family and return its first column."""
        start = self.columns
        block = Variables(name, index, start, lower, upper, kind, span, made_by)
        self.variables.append(block)
        self.columns += block.length
        self._bounds = None
        return start

    def add_function(
        self,
        name: str,
        function: Function,
        index: Index,
        arguments: Linear,
        offsets: np.ndarray,
        span: Span | None,
    ) -> int:
        """Append result variables and their definition; returns the first result's column."""
        block = Functions(
            name,
            function,
            index,
            self.columns,
            offsets,
            arguments.matrix(),
            arguments.constant,
            span,
            self.place,
            quadratic_rows(arguments),
            arguments.slot_matrix(),
        )
        slots = None if block.slots is None else self.tape.ranges()
        low, high = argument_ranges(block, *self.bounds, slots)
        lower, upper = result_bounds(function, low, high, offsets)
        self.functions.append(block)
        return self.add_variables(name, index, lower, upper, Kind.CONTINUOUS, span, function.value)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        if self._bounds is None:
            self._bounds = declared_bounds(self.variables)
        return self._bounds

    def interval(self, rows: Linear) -> tuple[np.ndarray, np.ndarray]:
        """What the bounds of the variables prove about affine rows."""
        return interval(rows.matrix(), rows.constant, *self.bounds)


class ModelColumns(Nothing):
    """Variables are columns of the model under construction."""

    def __init__(self, building: ModelBuilder) -> None:
        self.building, self.tape = building, building.tape

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Linear:
        return Linear.variables(positions + self.building.starts[symbol.name])

    def piecewise(self, expression: t.Typed, frame: Frame, evaluator: Evaluator) -> Linear:
        """A new function block; its results, one for each row of the frame, are the values."""
        function, arguments, offsets = function_arguments(expression, frame, evaluator)
        names = tuple(sorted(expression.free))
        index = self.building.index(names, tuple(sort_of(expression, n) for n in names), frame)
        start = self.building.add_function(
            self._name(function), function, index, arguments, offsets, expression.span
        )
        return Linear.variables(start + np.arange(frame.size))

    def _name(self, function: Function) -> str:
        """The function's name, numbered from its second block on."""
        taken = {b.name for b in self.building.variables}
        name, number = function.value, 1
        while name in taken:
            number += 1
            name = f"{function.value}_{number}"
        return name


def function_arguments(
    e: t.Typed, frame: Frame, evaluator: Evaluator
) -> tuple[Function, Linear, np.ndarray]:
    """abs, max, min or a norm: the function, its arguments side by side, and offsets int64
    (size + 1,) of those of each row. Raises E404 for a max or min over nothing."""
    if isinstance(e, t.Call):
        return _call_arguments(e, frame, evaluator)
    assert isinstance(e, t.Reduction)
    child, rows = evaluator.sets.expand(e.binders, e.guard, frame)
    arguments = as_linear(evaluator.evaluate(e.body, child))
    offsets = offsets_of(np.bincount(rows, minlength=frame.size))
    function = Function(e.op)
    if function is not Function.NORMINF:
        _require_arguments(e, frame, offsets, evaluator)
    return function, arguments, offsets


def _call_arguments(
    e: t.Call, frame: Frame, evaluator: Evaluator
) -> tuple[Function, Linear, np.ndarray]:
    """Arguments of a call row by row: row r has its arguments side by side."""
    if e.function not in ("abs", "max", "min"):
        raise no_row(e)
    parts = [as_linear(evaluator.evaluate(a, frame)) for a in e.arguments]
    count = len(parts)
    whole = Linear.known(np.zeros(frame.size * count))
    for k, part in enumerate(parts):
        whole = whole.plus(part.summed(np.arange(frame.size) * count + k, frame.size * count))
    return Function(e.function), whole, np.arange(frame.size + 1) * count


def _require_arguments(
    e: t.Reduction, frame: Frame, offsets: np.ndarray, evaluator: Evaluator
) -> None:
    """Raises E404, with the indices, for a max or min over an empty set."""
    empty = np.flatnonzero(np.diff(offsets) == 0)
    if not len(empty):
        return
    names = sorted(e.free)
    sorts = tuple(sort_of(e, name) for name in names)
    where = evaluator.places.for_row(names, sorts, frame, int(empty[0]))
    remedy = "restrict the domain it stands in, for instance with a condition after ':'"
    fail("E404", f"'{e.op}' over an empty set{where}", e.span, remedy)


def sort_of(e: t.Typed, name: str) -> Sort:
    """The sort of a free name, from where it is mentioned."""
    if isinstance(e, t.Bound) and e.name == name:
        return e.of
    for part in e.inside:
        if name in part.free:
            return sort_of(part, name)
    if isinstance(e, t.LocalSet):
        return Element("point")
    raise KeyError(name)
