"""Variables as columns of the model under construction; piecewise expressions as functions."""

from __future__ import annotations

import numpy as np

from treemip.instance.ragged import offsets_of
from treemip.lower.build import Building
from treemip.lower.evaluate import Evaluator, Value, as_linear
from treemip.lower.frame import Frame
from treemip.lower.linear import Linear
from treemip.lower.nonlinear import no_row
from treemip.lower.recording import Recording
from treemip.model.blocks import Function
from treemip.resolve import typed as t
from treemip.resolve.sorts import Element, Sort
from treemip.resolve.typed import Symbol
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span


class Symbolic:
    def __init__(self, building: Building) -> None:
        self.building = building
        self.family = ""  # the constraint being lowered, for the names of results
        self.names: dict[str, Sort] = {}

    @property
    def tape(self) -> Recording:
        return self.building.tape

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        return None

    def near(
        self,
        e: t.Comparison,
        left: np.ndarray,
        right: np.ndarray,
        frame: Frame,
        evaluator: Evaluator,
    ) -> np.ndarray | None:
        return None

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Linear:
        return Linear.variables(positions + self.building.starts[symbol.name])

    def piecewise(self, expression: t.Typed, frame: Frame, evaluator: Evaluator) -> Linear:
        """A new function block whose results stand for the expression, one a row of the frame."""
        function, arguments, offsets = function_arguments(expression, frame, evaluator)
        ordered = tuple(sorted(expression.free))
        index = self.building.index(ordered, tuple(_sort(expression, n) for n in ordered), frame)
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
    """A max or min over nothing is no number. Raises E404 with the indices."""
    empty = np.flatnonzero(np.diff(offsets) == 0)
    if not len(empty):
        return
    names = sorted(e.free)
    sorts = tuple(_sort(e, name) for name in names)
    where = evaluator.places.describe(sorts, [frame.column(n) for n in names], int(empty[0]))
    raise TreemipError(
        Diagnostic(
            "E404",
            f"'{e.op}' over an empty set" + (f" for {where}" if where else ""),
            e.span,
            "restrict the domain it stands in, for instance with a condition after ':'",
        )
    )


def _sort(e: t.Typed, name: str) -> Sort:
    """The sort of a free name, from where it is mentioned."""
    if isinstance(e, t.Bound) and e.name == name:
        return e.of
    for part in e.inside:
        if name in part.free:
            return _sort(part, name)
    if isinstance(e, t.LocalSet):
        return Element("point")
    raise KeyError(name)
