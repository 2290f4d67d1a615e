"""What is known once the data is read, as tables by index for the script's data file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np

from treemip.instance.instance import Instance
from treemip.instance.ragged import Ragged
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.known import Nothing
from treemip.resolve import typed as t
from treemip.resolve.sorts import POINT, Element, Number, SetOf, Sort
from treemip.resolve.symbols import Symbol


class Known:
    """Tables of an instance under the script's labels.

    A point is its row number in the data file, a node its number in the tree (root 1, children 2t
    and 2t + 1); classes, features and values of groups are their names. Nodes of declared trees
    and categories are numbered through, from 1.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.evaluator = Evaluator(instance, Nothing())
        self.tables: dict[str, Any] = {}

    # ------------------------------------------------------------------- labels

    def labels(self, sort: Sort, ids: np.ndarray) -> list[Any]:
        """What the script calls these elements, or the numbers themselves."""
        if isinstance(sort, Number):
            return [plain(v) for v in ids]
        assert isinstance(sort, Element)
        if sort == POINT or sort.of == "node":
            return [int(v) for v in self.instance.labels(sort, ids.astype(np.int64))]
        if sort.of == "category" or sort.of.startswith("tree:"):
            return [int(v) + 1 for v in ids]
        names = self.instance.names(sort)
        return [names[int(v)] for v in ids]

    def element(self, literal: t.Literal) -> Any:
        found = self.evaluator.places.element(literal)
        return self.labels(literal.element, np.array([found]))[0]

    def every(self, sort: Element) -> np.ndarray:
        """Ids of all elements of a sort."""
        if sort.of == "node" or sort.of.startswith("tree:"):
            return np.arange(self.instance.forest(sort).size)
        if sort == POINT:
            return np.arange(len(self.instance.table.y))
        return np.arange(len(self.instance.names(sort)))

    # ------------------------------------------------------------------- tables

    def frame(self, symbol: Symbol) -> tuple[Frame, Sequence[Sort]]:
        return self.evaluator.places.domain_frame(symbol), symbol.domain.sorts

    def index(self, frame: Frame, names: Sequence[str], sorts: Sequence[Sort]) -> list[list[Any]]:
        """Labels of each row of a frame, column by column."""
        return [self.labels(s, frame.column(n)) for n, s in zip(names, sorts, strict=True)]

    def add(self, name: str, columns: list[list[Any]], values: Iterable[Any]) -> None:
        """A table by index: rows of indices with the value behind them."""
        self.tables[name] = [[*row] for row in zip(*columns, values, strict=True)]

    def add_symbol(self, name: str, symbol: Symbol) -> None:
        """A parameter or a declared set."""
        table = self.instance.values[symbol.name]
        frame, sorts = self.frame(symbol)
        columns = self.index(frame, symbol.domain.names, sorts)
        values: list[Any]
        if table.ragged is not None:
            assert isinstance(symbol.sort, SetOf)
            values = self.lists(symbol.sort.element, table.ragged)
        else:
            values = self.labels(symbol.sort, table.values)
        if columns:
            self.add(name, columns, values)
        else:
            self.tables[name] = values[0]

    def add_data(self, name: str, symbol: Symbol) -> None:
        """x, y, weight, class_count, category or a group: over all elements of its sorts."""
        values = self.instance.values[symbol.name].values
        sizes = [self.every(s) for s in symbol.sorts if isinstance(s, Element)]
        grid = np.meshgrid(*sizes, indexing="ij")
        columns = [self.labels(s, g.ravel()) for s, g in zip(symbol.sorts, grid, strict=True)]
        self.add(name, columns, self.labels(symbol.sort, values))

    def add_call(self, name: str, function: str, call: t.Call) -> None:
        """A function of one element, over all elements of its sort."""
        sort = call.arguments[0].sort
        assert isinstance(sort, Element)
        ids = self.every(sort)
        bound = t.Bound(name="element", of=sort, span=call.span)
        asked = t.Call(function=function, arguments=(bound,), of=call.of, span=call.span)
        if function in ("left", "right", "parent"):
            steps = getattr(self.instance.forest(sort), function)
            ids = ids[steps >= 0]
        frame = Frame(len(ids), {"element": ids})
        values: list[Any]
        if isinstance(call.of, SetOf):
            values = self.lists(call.of.element, self.evaluator.sets.lists(asked, frame))
        else:
            values = self.labels(call.of, self.evaluator.known(asked, frame))
        there = [k for k, v in enumerate(values) if not (isinstance(v, float) and isnan(v))]
        labels = self.labels(sort, ids)
        self.add(name, [[labels[k] for k in there]], [values[k] for k in there])

    def add_forests(self, name: str, tree: Symbol) -> None:
        """The branches of each tree of a declared family."""
        frame, sorts = self.frame(tree)
        inner = self.instance.trees[tree.name].inner
        values = self.lists(Element(f"tree:{tree.name}"), inner)
        columns = self.index(frame, tree.domain.names, sorts)
        if columns:
            self.add(name, columns, values)
        else:
            self.tables[name] = values[0]

    def add_value(self, name: str, expression: t.Typed) -> None:
        """An expression that mentions no bound name."""
        frame = Frame.empty()
        if isinstance(expression.sort, SetOf):
            found = self.evaluator.sets.lists(expression, frame)
            self.tables[name] = self.lists(expression.sort.element, found)[0]
        else:
            value = self.evaluator.known(expression, frame)
            self.tables[name] = self.labels(expression.sort, value)[0]

    def add_rows(
        self, name: str, names: Sequence[str], sorts: Sequence[Sort], frame: Frame, values: Any
    ) -> None:
        """A number for each row of a constraint's domain."""
        columns = self.index(frame, names, sorts)
        numbers = [plain(v) for v in values]
        if columns:
            self.add(name, columns, numbers)
        else:
            self.tables[name] = numbers[0]

    def lists(self, element: Number | Element, ragged: Ragged) -> list[list[Any]]:
        items = self.labels(element, ragged.items)
        ends = ragged.offsets.tolist()
        return [items[a:b] for a, b in pairwise(ends)]

    def text(self) -> str:
        """The data file: JSON, a table's rows on a line each. Infinite numbers are 1e999."""
        parts = []
        for name, value in self.tables.items():
            rows = isinstance(value, list) and bool(value) and isinstance(value[0], list)
            said = ",\n".join(f"  {_json(r)}" for r in value) if rows else _json(value)
            parts.append(f"{_json(name)}: [\n{said}\n ]" if rows else f"{_json(name)}: {said}")
        return "{\n " + ",\n ".join(parts) + "\n}\n"


def plain(value: float) -> int | float:
    """A number of Python's, whole where it is."""
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _json(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_json(v) for v in value)}]"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "1e999" if value > 0 else "-1e999"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
