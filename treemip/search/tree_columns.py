"""What things are on a tree, as affine expressions in columns that a search can count.

The columns say which nodes a point passes (`routed`), what a leaf says (`given_label`), and how a
branch splits (`coef`, `uses`, ...). A term or row of a spec, evaluated over them by way of each
concept's `means`, becomes sums over points and leaves: arrays that a search evaluates for thousands
of trees. What has no such form stays a column of its own, whose value only the evaluator knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.linear import Linear, Value
from treemip.lower.model_columns import function_arguments
from treemip.lower.value_sources import Nothing
from treemip.model.blocks import Function
from treemip.resolve import typed as t
from treemip.resolve.typed import Role, Symbol
from treemip.source.diagnostic import TreemipError
from treemip.source.span import Span

ROUTED, GIVEN_LABEL = "routed", "given_label"


class NotAffine(Exception):
    """A meaning is not affine or bilinear in the columns of a tree."""


@dataclass(frozen=True)
class Extreme:
    """abs, max, min or norminf of rows: one result column for each group of arguments.

    offsets int64 (results + 1,) into the rows of `arguments`; results are columns from `start` on.
    """

    function: Function
    arguments: Linear
    offsets: np.ndarray
    start: int

    @property
    def results(self) -> int:
        return len(self.offsets) - 1


class TreeColumns(Nothing):
    """The source of columns; `families` has the first column and the length of each by name.

    A concept or variable with a meaning is that meaning where it is affine or bilinear in the
    columns, and a column family of its own where it is not (a count of weights that are not 0).
    Labels are those of the tree, even where a formulation says that an unused leaf has none.
    """

    def __init__(self, instance: Instance) -> None:
        assert instance.topology is not None
        self.instance = instance
        self.evaluator = Evaluator(instance, self)
        self.families: dict[str, tuple[int, int]] = {}
        self.symbols: dict[str, Symbol] = {}
        self.extremes: list[Extreme] = []
        self.count = 0
        nodes = instance.topology.size
        self._tables: dict[str, Linear] = {
            ROUTED: self._family(ROUTED, len(instance.table.y) * nodes),
            GIVEN_LABEL: self._family(GIVEN_LABEL, nodes * len(instance.table.classes)),
        }
        self.label_start = self.families[GIVEN_LABEL][0]
        self.structure_start = self.count
        self._meanings: dict[Symbol, Value] = {}
        self._probing = 0

    def _family(self, name: str, size: int) -> Linear:
        start, self.count = self.count, self.count + size
        self.families[name] = (start, size)
        return Linear.variables(start + np.arange(size))

    def _column(self, symbol: Symbol) -> Linear:
        """A family of its own, one column for each of the symbol's indices."""
        self.symbols[symbol.name] = symbol
        return self._family(symbol.name, self.evaluator.places.domain_frame(symbol).size)

    def table(self, symbol: Symbol) -> Symbol | Value | None:
        if symbol.name in self._tables:
            return self._tables[symbol.name]
        if symbol not in self._meanings:
            if symbol.means is not None:
                self._meanings[symbol] = self._meaning(symbol)
            elif symbol.role is Role.VARIABLE:
                self._meanings[symbol] = self._column(symbol)
            else:
                return None
        return self._meanings[symbol]

    def variable(self, symbol: Symbol, positions: np.ndarray, span: Span) -> Value:
        raise AssertionError(f"{span}: a variable has a table here")

    def _meaning(self, symbol: Symbol) -> Value:
        frame = self.evaluator.places.domain_frame(symbol)
        arguments = [frame.column(name) for name in symbol.domain.names]
        if symbol.name == "label" and len(arguments) == 2:
            nodes, classes = arguments
            position = nodes * len(self.instance.table.classes) + classes
            return self._tables[GIVEN_LABEL].spread(position)
        self._probing += 1
        try:
            assert symbol.means is not None
            value = self.evaluator.inline(
                symbol.means, dict(zip(symbol.means.domain.names, arguments, strict=True)), frame
            )
            if isinstance(value, Linear) and value.slots:
                raise NotAffine
        except (NotAffine, TypeError, TreemipError):
            return self._column(symbol)
        finally:
            self._probing -= 1
        return value

    def piecewise(  # type: ignore[override]
        self, expression: t.Typed, frame: Frame, evaluator: Evaluator
    ) -> Value:
        """A result column for each row; inside a meaning, none: the concept is a column then."""
        if self._probing:
            raise NotAffine
        function, arguments, offsets = function_arguments(expression, frame, evaluator)
        start = self.count
        self.extremes.append(Extreme(function, arguments, offsets, start))
        return self._family(f"{function.value} {len(self.extremes)}", frame.size)
