"""The model under construction: blocks appended in order, columns numbered once."""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.frame import Frame
from treemip.lower.linear import Linear
from treemip.lower.recording import Recording
from treemip.model.blocks import (
    NO_QUADRATIC,
    Function,
    Functions,
    Implications,
    Index,
    Kind,
    Quadratic,
    Rows,
    Variables,
)
from treemip.model.function_values import argument_ranges
from treemip.model.rows import interval
from treemip.resolve.sorts import Element, Sort
from treemip.source.span import Span


class Building:
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
        self.tape = Recording(lambda: self.bounds)

    def index(self, names: tuple[str, ...], sorts: tuple[Sort, ...], frame: Frame) -> Index:
        """Index columns as labels; a name made up for a `*` is shown as what it ranges over."""
        pairs = list(zip(names, sorts, strict=True))
        columns = tuple(self.instance.labels(s, frame.column(name)) for name, s in pairs)
        shown = tuple(s.of if isinstance(s, Element) else "number" for s in sorts)
        kept = tuple(
            s if name.startswith("*") else name for name, s in zip(names, shown, strict=True)
        )
        return Index(kept, shown, columns, frame.size)

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
            join = np.concatenate
            lower = [b.lower for b in self.variables] or [np.zeros(0)]
            upper = [b.upper for b in self.variables] or [np.zeros(0)]
            self._bounds = join(lower), join(upper)
        return self._bounds

    def interval(self, rows: Linear) -> tuple[np.ndarray, np.ndarray]:
        """What the bounds of the variables prove about affine rows."""
        return interval(rows.matrix(), rows.constant, *self.bounds)


def result_bounds(
    function: Function, low: np.ndarray, high: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of results from those of their arguments, group by group."""
    size_low = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    size_high = np.maximum(np.abs(low), np.abs(high))
    groups = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    count = len(offsets) - 1

    def fold(values: np.ndarray, ufunc: np.ufunc, start: float) -> np.ndarray:
        found = np.full(count, start)
        ufunc.at(found, groups, values)
        return found

    if function is Function.MAX:
        return fold(low, np.maximum, -np.inf), fold(high, np.maximum, -np.inf)
    if function is Function.MIN:
        return fold(low, np.minimum, np.inf), fold(high, np.minimum, np.inf)
    return fold(size_low, np.maximum, 0.0), fold(size_high, np.maximum, 0.0)


def quadratic_rows(rows: Linear) -> Quadratic:
    """Products with repeats added and zeros dropped, sorted by row."""
    form = rows.products
    if form is None:
        return NO_QUADRATIC
    order = np.lexsort((form.second, form.first, form.row))
    row, first, second, coef = (column[order] for column in form)
    new = np.ones(len(row), bool)
    new[1:] = (np.diff(row) != 0) | (np.diff(first) != 0) | (np.diff(second) != 0)
    at = np.flatnonzero(new)
    summed = np.add.reduceat(coef, at)
    keep = summed != 0
    at = at[keep]
    return Quadratic(row[at], first[at], second[at], summed[keep])
