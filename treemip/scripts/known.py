"""What is known once the data is read, as tables under the script's labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.value_sources import Nothing
from treemip.model.arrays import Ragged
from treemip.resolve import typed as t
from treemip.resolve.sorts import NUMBER, POINT, Element, Number, SetOf, Sort
from treemip.resolve.typed import Symbol
from treemip.scripts.tables import Table, plain


class Known:
    """Tables of an instance. `tables` has them in the order in which they were asked for.

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

    def lists(self, element: Number | Element, ragged: Ragged) -> list[list[Any]]:
        items = self.labels(element, ragged.items)
        return [items[a:b] for a, b in pairwise(ragged.offsets.tolist())]

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
        if table.ragged is not None:
            assert isinstance(symbol.sort, SetOf)
            values = self.lists(symbol.sort.element, table.ragged)
        else:
            values = self.labels(symbol.sort, table.values)
        self.tables[name] = Table(columns, values, tuple(sorts), symbol.sort, remark(symbol))

    def add_data(self, name: str, symbol: Symbol) -> None:
        """x, y, weight, class_count, category or a group: over all elements of its sorts."""
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
            values = self.lists(call.of.element, self.evaluator.sets.lists(asked, frame))
        else:
            values = self.labels(call.of, self.evaluator.known(asked, frame))
        there = [k for k, v in enumerate(values) if not (isinstance(v, float) and isnan(v))]
        labels = self.labels(sort, ids)
        column, kept = [labels[k] for k in there], [values[k] for k in there]
        self.tables[name] = Table((column,), kept, (sort,), call.of)

    def add_forests(self, name: str, tree: Symbol) -> None:
        """The branches of each tree of a declared family."""
        frame, sorts = self.frame(tree)
        element = Element(f"tree:{tree.name}")
        values = self.lists(element, self.instance.trees[tree.name].inner)
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
            values = self.lists(sort.element, self.evaluator.sets.lists(expression, frame))
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


def remark(s: Symbol) -> str:
    """What the paper calls a parameter, what it is, its equation, and its formula."""
    named = f"{s.paper_symbol} in the paper" if s.paper_symbol else ""
    formula = ""
    if s.value is not None and (s.value.parts or s.value.free):
        formula = " ".join(s.value.span.text.split())
    return "; ".join(w for w in (named, s.doc, f"{s.tag} {formula}".strip()) if w)
