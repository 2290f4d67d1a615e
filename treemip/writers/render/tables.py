"""Data, parameters and sets as tables of a script, under the labels that it uses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.instance.tuple_sets import Tuples
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Nothing
from treemip.core.model.arrays import Ragged, offsets_of
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import NUMBER, POINT, Element, Number, SetOf, Sort, TupleOf
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.resolve.typed_tables import FileTable
from treemip.core.resolve.typed_tables import Table as ValueTable
from treemip.writers.render.names import Names
from treemip.writers.render.text import about, refused


@dataclass(frozen=True)
class Table:
    """`values[r]` belongs to the indices `columns[0][r]`, `columns[1][r]`, …

    Without columns it is a single value. `sorts` are those of the indices, `of` that of a value,
    which is a list where the sort is a set.
    """

    columns: tuple[list[Any], ...]
    values: list[Any]
    sorts: tuple[Sort, ...] = ()
    of: Sort = NUMBER
    doc: str = ""

    @property
    def rows(self) -> list[list[Any]]:
        """Indices with the value behind them."""
        return [[*row] for row in zip(*self.columns, self.values, strict=True)]


def json_text(tables: Mapping[str, Table]) -> str:
    """The tables as JSON, a row on a line each. Infinite numbers are 1e999."""
    parts = []
    for name, table in tables.items():
        value = table.rows if table.columns else table.values[0]
        rows = isinstance(value, list) and bool(value) and isinstance(value[0], list)
        text = ",\n".join(f"  {_json(r)}" for r in value) if rows else _json(value)
        parts.append(f"{_json(name)}: [\n{text}\n ]" if rows else f"{_json(name)}: {text}")
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


class ScriptData:
    """What a script looks up in its data; `tables` has what was asked for, in that order.

    A point is its row number in the data file, a node its number in the tree (root 1, children 2t
    and 2t + 1); classes, features and values of groups are their names. Nodes of declared trees
    and categories are numbered through, from 1.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.evaluator = Evaluator(instance, Nothing())
        self.tables: dict[str, Table] = {}

    # ------------------------------------------------------------------- labels

    def labels(self, sort: Sort, ids: np.ndarray) -> list[Any]:
        """The script's labels of these elements; numbers are their own."""
        if isinstance(sort, Number):
            return [plain(v) for v in ids]
        assert isinstance(sort, Element)
        if sort == POINT or sort.of == "node":
            return [int(v) for v in self.instance.labels(sort, ids.astype(np.int64))]
        if sort.of == "category" or sort.of.startswith("tree:"):
            return [int(v) + 1 for v in ids]
        names = self.instance.names(sort)
        return [names[int(v)] for v in ids]

    def lists(self, sort: Sort, ragged: Ragged) -> list[list[Any]]:
        """The elements of sets of this sort."""
        assert isinstance(sort, SetOf) and not isinstance(sort.element, TupleOf)
        items = self.labels(sort.element, ragged.items)
        return [items[a:b] for a, b in pairwise(ragged.offsets.tolist())]

    def tuples(self, sort: Sort, sets: Tuples) -> list[list[Any]]:
        """The tuples of sets of this sort, each a list of its parts."""
        assert isinstance(sort, SetOf) and isinstance(sort.element, TupleOf)
        parts = [self.labels(s, c) for s, c in zip(sort.element.parts, sets.columns, strict=True)]
        items = [list(item) for item in zip(*parts, strict=True)]
        return [items[a:b] for a, b in pairwise(offsets_of(sets.lengths).tolist())]

    def element(self, literal: t.Literal) -> Any:
        number = self.evaluator.places.element(literal)
        return self.labels(literal.element, np.array([number]))[0]

    def every(self, sort: Element) -> np.ndarray:
        """Ids of all elements of a sort."""
        if sort.of == "node" or sort.of.startswith("tree:"):
            return np.arange(self.instance.forest(sort).size)
        if sort == POINT:
            return np.arange(len(self.instance.table.y))
        return np.arange(len(self.instance.names(sort)))

    def frame(self, symbol: Symbol) -> tuple[Frame, Sequence[Sort]]:
        return self.evaluator.places.domain_frame(symbol), symbol.domain.sorts

    def index(
        self, frame: Frame, names: Sequence[str], sorts: Sequence[Sort]
    ) -> tuple[list[Any], ...]:
        """Labels of each row of a frame, column by column."""
        return tuple(self.labels(s, frame.column(n)) for n, s in zip(names, sorts, strict=True))

    # ------------------------------------------------------------------- tables

    def add_symbol(self, name: str, symbol: Symbol) -> None:
        """A parameter or a declared set."""
        table = self.instance.values[symbol.name]
        frame, sorts = self.frame(symbol)
        columns = self.index(frame, symbol.domain.names, sorts)
        values: list[Any]
        if table.tuples is not None:
            values = self.tuples(symbol.sort, table.tuples)
        elif table.ragged is not None:
            values = self.lists(symbol.sort, table.ragged)
        else:
            values = self.labels(symbol.sort, table.values)
        self.tables[name] = Table(columns, values, tuple(sorts), symbol.sort, _doc(symbol))

    def add_data(self, name: str, symbol: Symbol) -> None:
        """A table of the data, such as x, a group or a known number: over all elements."""
        values = self.labels(symbol.sort, self.instance.values[symbol.name].values)
        sizes = [self.every(s) for s in symbol.sorts if isinstance(s, Element)]
        grid = np.meshgrid(*sizes, indexing="ij")
        pairs = zip(symbol.sorts, grid, strict=True)
        columns = tuple(self.labels(s, g.ravel()) for s, g in pairs)
        self.tables[name] = Table(columns, values, symbol.sorts, symbol.sort, symbol.doc)

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
            values = self.lists(call.of, self.evaluator.sets.lists(asked, frame))
        else:
            values = self.labels(call.of, self.evaluator.known(asked, frame))
        there = [k for k, v in enumerate(values) if not (isinstance(v, float) and isnan(v))]
        labels = self.labels(sort, ids)
        column, present = [labels[k] for k in there], [values[k] for k in there]
        self.tables[name] = Table((column,), present, (sort,), call.of)

    def add_forests(self, name: str, tree: Symbol) -> None:
        """The branches of each tree of a declared family."""
        frame, sorts = self.frame(tree)
        element = Element(f"tree:{tree.name}")
        values = self.lists(SetOf(element), self.instance.trees[tree.name].inner)
        columns = self.index(frame, tree.domain.names, sorts)
        self.tables[name] = Table(columns, values, tuple(sorts), SetOf(element))

    def add_every(self, name: str, sort: Element) -> None:
        """The set of all elements of a sort."""
        self.tables[name] = Table((), [self.labels(sort, self.every(sort))], (), SetOf(sort))

    def add_over(self, name: str, binders: tuple[t.Binder, ...], e: t.Typed) -> None:
        """A known expression for each tuple of a domain."""
        frame, _ = self.evaluator.sets.expand(binders, (), Frame.empty())
        sorts = tuple(b.element for b in binders)
        columns = self.index(frame, [b.name for b in binders], sorts)
        values = self.labels(e.sort, self.evaluator.known(e, frame))
        self.tables[name] = Table(columns, values, sorts, e.sort)

    def add_value(self, name: str, expression: t.Typed) -> None:
        """An expression that mentions no bound name."""
        frame, sort = Frame.empty(), expression.sort
        values: list[Any]
        if isinstance(sort, SetOf):
            values = self.lists(sort, self.evaluator.sets.lists(expression, frame))
        else:
            values = self.labels(sort, self.evaluator.known(expression, frame))
        self.tables[name] = Table((), values, (), sort)

    def add_rows(
        self,
        name: str,
        names: Sequence[str],
        sorts: Sequence[Sort],
        frame: Frame,
        numbers: Iterable[float],
        doc: str,
    ) -> None:
        """A number for each row of a constraint's domain."""
        columns = self.index(frame, names, sorts)
        values = [plain(v) for v in numbers]
        self.tables[name] = Table(columns, values, tuple(sorts), NUMBER, doc)


def _doc(s: Symbol) -> str:
    """What the paper calls a parameter, what it is, its equation, and its formula."""
    formula = ""
    listed = s.value is None or isinstance(s.value, ValueTable | FileTable)  # as in the data
    if s.value is not None and not listed and (s.value.parts or s.value.free):
        formula = " ".join(s.value.span.text.split())
    return about(s, f"{s.tag} {formula}".strip())


OF_ONE_ELEMENT = {
    *("left", "right", "parent", "depth", "ord", "mid", "lo", "hi", "next"),
    *("least_gap", "least_difference"),
    *("ancestors", "left_ancestors", "right_ancestors", "leaves_under", "last_branches_under"),
    *("thresholds", "class_thresholds", "categories"),
}
SETS_OF = {
    "point": "points",
    "feature": "features",
    "class": "classes",
    "node": "nodes",
    "categorical feature": "categorical_features",
}


class Lookups:
    """Names of tables; `data.tables` has what was asked for."""

    def __init__(self, data: ScriptData, names: Names) -> None:
        self.data, self.names = data, names

    def _once(self, key: object, wish: str, add: Callable[[str], None]) -> str:
        name = self.names.of(key, wish)
        if name not in self.data.tables:
            add(name)
        return name

    def base_set(self, e: t.BaseSet) -> str:
        """points, branches, …"""
        return self._once(("set", e.name), e.name, lambda name: self.data.add_value(name, e))

    def every(self, sort: Element, wish: str) -> str:
        """All elements of a sort, under the name of the base set where there is one."""
        key = "set", SETS_OF.get(sort.of, sort)
        name = SETS_OF.get(sort.of, wish)
        return self._once(key, name, lambda table: self.data.add_every(table, sort))

    def symbol(self, s: Symbol) -> str:
        """A parameter, a declared set, a table of the data."""
        add = self.data.add_data if s.role is Role.DATA else self.data.add_symbol
        return self._once(s, s.name, lambda name: add(name, s))

    def of_one_element(self, e: t.Call, function: str) -> str:
        """left, depth, ancestors, …: a function of one element as a table over all of them."""
        sort = e.arguments[0].sort
        assert isinstance(sort, Element)
        kind, _, tree = sort.of.partition(":")
        wish = f"{function}_of_{tree}" if kind == "tree" else function
        if function == "ord":
            wish = f"order_of_{tree or kind}"
        key = "call", function, sort
        return self._once(key, wish, lambda name: self.data.add_call(name, function, e))

    def inner(self, tree: t.At) -> str:
        """The branches of each tree of a declared family."""
        s = tree.symbol
        key, wish = ("inner", s), f"inner_of_{s.name}"
        return self._once(key, wish, lambda name: self.data.add_forests(name, s))

    def value(self, e: t.Call) -> str:
        """A call without bound names, evaluated now. Raises E601 where it has some."""
        if e.free or e.local:
            raise refused(e, f"'{e.function}' of a bound index")
        words = "_".join([e.function, *(_plain(a) for a in e.arguments)])
        key = "value", e.function, " ".join(e.span.text.split())
        return self._once(key, words, lambda name: self.data.add_value(name, e))


def _plain(e: t.Typed) -> str:
    if isinstance(e, t.Literal):
        return e.text
    return e.symbol.name if isinstance(e, t.At) else ""
