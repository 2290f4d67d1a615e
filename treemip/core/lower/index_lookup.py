"""Where declared things stand: lookups of domains, values of tables, elements by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from treemip.core.instance.instance import Values
from treemip.core.instance.lookup import Lookup
from treemip.core.lower.frame import Frame
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.model.text import number
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import (
    COLUMN,
    FEATURE,
    POINT,
    Element,
    Number,
    Sort,
    is_listed,
    named_by_text,
)
from treemip.core.resolve.typed import Symbol
from treemip.core.resolve.typed_tables import Key
from treemip.core.source.diagnostic import Related, fail
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed


def as_numbers(values: np.ndarray) -> np.ndarray:
    """The values of a table as they are computed with: bytes, as large tables of 0 and 1 have,
    wrap around."""
    return values.astype(float) if values.dtype == np.uint8 else values


class IndexLookup:
    def __init__(self, evaluator: EvaluatorParts) -> None:
        self.evaluator = evaluator
        self.instance = evaluator.instance
        self._frames: dict[Symbol, Frame] = {}

    def domain_frame(self, symbol: Symbol) -> Frame:
        """All index tuples of a declaration, in order; computed once."""
        if symbol not in self._frames:
            domain = symbol.domain
            frame, _ = self.evaluator.expand(domain.binders, domain.guard, Frame.empty())
            self._frames[symbol] = frame
        return self._frames[symbol]

    def forget(self, symbol: Symbol) -> None:
        """Drop its index tuples, which are made again when they are asked for."""
        self._frames.pop(symbol, None)

    def lookup(self, symbol: Symbol) -> Lookup:
        if symbol.name in self.instance.values and not symbol.domain.binders:
            return self.instance.values[symbol.name].lookup
        lookups = self.instance.lookups
        if symbol not in lookups:
            sizes = [self.instance.size(sort) for sort in symbol.domain.sorts]
            lookups[symbol] = self._make(symbol).over(sizes)
        return lookups[symbol]

    def _make(self, symbol: Symbol) -> Lookup:
        """A product of sets needs no expansion; any other domain is expanded once."""
        sets = self._sets(symbol)
        if sets is not None:
            return Lookup.product(sets)
        frame = self.domain_frame(symbol)
        return Lookup.of_columns([frame.column(n) for n in symbol.domain.names])

    def _sets(self, symbol: Symbol) -> list[np.ndarray] | None:
        """The sets that a declaration's domain is the product of; None where it is no product."""
        if not symbol.domain.is_product:
            return None
        return [self.evaluator.lists(b.set, Frame.empty()).items for b in symbol.domain.binders]

    def size(self, symbol: Symbol) -> int:
        """How many index tuples a declaration has."""
        sets = None if symbol in self._frames else self._sets(symbol)
        return self.domain_frame(symbol).size if sets is None else math.prod(map(len, sets))

    def locate(self, symbol: Symbol, arguments: list[np.ndarray], frame: Frame) -> np.ndarray:
        """Positions of the rows' index tuples in the symbol's domain; -1 outside."""
        if not arguments:
            return np.zeros(frame.size, np.int64)
        return self.lookup(symbol).locate(arguments)

    def values(self, symbol: Symbol) -> Values:
        return self.instance.values[symbol.name]

    def whole(self, symbol: Symbol) -> np.ndarray:
        """All values of a table; of one over points those of the instance's own."""
        values = as_numbers(self.values(symbol).values)
        if symbol.sorts != (POINT,):
            return values
        at = self.lookup(symbol).locate([np.arange(len(self.instance.table.y))])
        return values[at[at >= 0]]

    def element(self, literal: t.Literal) -> int:
        """The number of the class, feature, group value … that a text names. Raises E309."""
        names = self.instance.names(literal.element)
        if literal.text in names:
            return names.index(literal.text)
        if literal.element == POINT and not names:
            fail(
                "E309",
                f'there is no point "{literal.text}": the data block has no `id` column',
                literal.span,
                "name the column of the rows' names, id …; or write point(17) for row 17",
            )
        if literal.element.of == "column" and literal.text in self.instance.table.categorical:
            fail(
                "E309",
                f'column "{literal.text}" is kept categorical: no features are made of it',
                literal.span,
                f'tested[t,"{literal.text}"] is 1 where the split at t tests it, '
                f'tested_anywhere["{literal.text}"] where some split does',
            )
        made = self._made_of(literal.text) if literal.element == FEATURE else []
        if made:
            self._fail_of_column(literal, made)
        what = str(literal.element).removeprefix("a ")
        fail(
            "E309",
            f'there is no {what} "{literal.text}"',
            literal.span,
            f"there are {listed(names)}",
            did_you_mean(literal.text, names),
        )

    def elements(self, key: Key) -> np.ndarray:
        """The numbers of what a table's key names: several where it is a column. Raises E309."""
        if isinstance(key.name, float):
            return np.array([key.name])
        assert isinstance(key.of, Element)
        literal = t.Literal(text=key.name, element=key.of, span=key.span)
        if key.of != FEATURE or key.name in self.instance.names(key.of):
            return np.array([self.element(literal)])
        made = self._made_of(key.name)
        if made:
            return np.array(made)
        self._fail_no_feature(literal)

    def _made_of(self, column: str) -> list[int]:
        """The features that a raw column became."""
        data = self.instance.data
        origin = () if data is None else data.encoder.origin
        return [j for j, name in enumerate(origin) if name == column]

    def _fail_of_column(self, literal: t.Literal, made: list[int]) -> NoReturn:
        """The failure for a name that is a column's, not a feature's: the column became features
        with other names."""
        names = self.instance.names(FEATURE)
        own = listed([names[j] for j in made])
        text, count = literal.text, len(made)
        features = "1 feature of another name is" if count == 1 else f"{count} features are"
        message = f'there is no feature "{text}": {features} made of the column "{text}"'
        remedy = (
            f'write  sum {{j in features_of("{text}")}} …  over all of them, or name one: {own}'
        )
        fail("E309", message, literal.span, remedy)

    def _fail_no_feature(self, literal: t.Literal) -> NoReturn:
        """The failure for a key that names neither a feature nor a column that features are made
        of."""
        if literal.text in self.instance.table.categorical:
            self.element(replace(literal, element=COLUMN))
        names = dict.fromkeys((*self.instance.names(COLUMN), *self.instance.names(FEATURE)))
        message = f'there is no feature and no column "{literal.text}"'
        hint = did_you_mean(literal.text, names)
        fail("E309", message, literal.span, f"there are {listed(names)}", hint)

    def describe(self, sorts: tuple[Sort, ...], ids: list[np.ndarray], row: int) -> str:
        """Indices in the user's words: `point 12, node 3, feature 'age'`."""
        return ", ".join(
            self._describe(sort, column[row]) for sort, column in zip(sorts, ids, strict=True)
        )

    def _describe(self, sort: Sort, value: float) -> str:
        if isinstance(sort, Number):
            return number(value)
        assert isinstance(sort, Element)
        if is_listed(sort):
            name = sort.name
            return f"element '{self.instance.names(sort)[int(value)]}' of '{name}'"
        if named_by_text(sort) and sort != POINT:
            return f"{sort.of.partition(':')[0]} '{self.instance.names(sort)[int(value)]}'"
        label = self.instance.labels(sort, np.array([int(value)]))[0]
        return f"{'node' if sort.of.startswith('tree:') else sort.of} {label}"

    def for_row(self, names: Sequence[str], sorts: tuple[Sort, ...], frame: Frame, row: int) -> str:
        """` for point 12, node 3`: a row of a frame by these of its names; '' without any."""
        where = self.describe(sorts, [frame.column(name) for name in names], row)
        return f" for {where}" if where else ""

    def inside(
        self, symbol: Symbol, arguments: list[np.ndarray], frame: Frame, span: Span
    ) -> np.ndarray:
        """`locate`, for indices that are all declared. Raises E401 at `span` where one is not."""
        positions = self.locate(symbol, arguments, frame)
        if (positions < 0).any():
            self.fail_outside(symbol, arguments, int(np.argmin(positions >= 0)), span)
        return positions

    def fail_outside(
        self, symbol: Symbol, arguments: list[np.ndarray], row: int, span: Span
    ) -> NoReturn:
        """Raises E401 for a row's indices, which the symbol is not declared for."""
        message = (
            f"'{symbol.name}' is not declared for {self.describe(symbol.sorts, arguments, row)}"
        )
        remedy = "restrict the domain, for instance with a condition after ':'"
        related = (Related(symbol.span, "declared here"),) if symbol.span else ()
        fail("E401", message, span, remedy, related=related)
