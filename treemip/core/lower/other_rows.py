"""A spec over rows that its tree was not learned from.

What the tree's answers are based on keeps its numbers from the training part: the values that
leaves choose from, the hazard that they multiply. Everything else is taken from the rows: their
groups, classes and sums.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treemip.core.instance.encoded_table import Data, Table
from treemip.core.instance.instance import Instance, Values
from treemip.core.instance.trees import Forest
from treemip.core.lower.bind import bind, data_values, define, in_order, missing_values
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.value_sources import Nothing
from treemip.core.resolve.sorts import POINT, SetOf, TupleOf
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Role, Symbol


def bind_rows(spec: Spec, training: Instance, table: Table, learnt: frozenset[Symbol]) -> Instance:
    """The spec over a table of the columns of `training`, which has the same spec or a part of it.

    learnt: parameters, sets and trees that keep their training numbers, with all they are defined
    by. One that is indexed by points is evaluated for a row as its definition says, with the
    training points around it: `sum {k in points : time[k] <= time[i]} …` adds up training points.
    Sets of points are always of the rows. What the formulation requires of its data is not asked
    for.

    Raises TreemipError: E3xx and E4xx for what these rows leave undefined.
    """
    assert training.data is not None
    groups = {name: names for name, (_, names) in training.table.groups.items()}
    rows = table.renumbered(groups)
    data = replace(training.data, train=rows, test=None, selected=None, warnings=())
    kept = _Kept(training, data, learnt)
    return bind(replace(spec, requirements=()), data, kept.define)


@dataclass
class _Kept:
    """Definitions that are taken from the training part. data: the rows, with their encoder."""

    training: Instance
    data: Data
    learnt: frozenset[Symbol]

    def define(self, symbol: Symbol, evaluator: Evaluator) -> Values | Forest | None:
        """The values, for the rows, of a symbol that was learnt; None for any other."""
        if symbol not in self.learnt or _is_of_rows(symbol):
            return None
        if POINT in symbol.sorts:
            return self._of_rows(symbol, evaluator)
        known = self.training.trees if symbol.role is Role.TREE else self.training.values
        return known[symbol.name]

    def _of_rows(self, symbol: Symbol, evaluator: Evaluator) -> Values:
        """The rows' part of a symbol that `_beside` has for training points and rows."""
        frame = evaluator.places.domain_frame(symbol)
        before = len(self.training.table.y)
        columns = [
            frame.column(name) + (before if sort == POINT else 0)
            for name, sort in zip(symbol.domain.names, symbol.sorts, strict=True)
        ]
        beside = self._beside
        at = beside.lookups[symbol].locate(columns)
        if (at < 0).any():
            assert symbol.span is not None
            ids, row = [frame.column(name) for name in symbol.domain.names], int(np.argmin(at >= 0))
            evaluator.places.fail_outside(symbol, ids, row, symbol.span)
        found = beside.values[symbol.name]
        ragged = None if found.ragged is None else found.ragged.take(at)
        return Values(evaluator.places.lookup(symbol), found.values[at], ragged)

    @cached_property
    def _beside(self) -> Instance:
        """Training points and then the rows, as indices of what was learnt. Sums and sets inside of
        definitions range over the training points alone."""
        training, spec = self.training, self.training.spec
        assert training.data is not None
        both = replace(self.data, train=training.table.followed_by(self.data.train))
        values = data_values(both) | {"class_count": training.values["class_count"]}
        trees: dict[str, Forest] = {}
        if spec.asks_missing:
            values["missing"] = missing_values(both, values["x"].lookup)
        beside = Instance(spec, both, training.topology, values, trees)
        indices = Evaluator(beside, Nothing())
        body = Evaluator(replace(beside, data=training.data), Nothing())
        for symbol in in_order(tuple(s for s in _known(spec) if s in self.learnt)):
            if POINT in symbol.sorts and not _is_of_rows(symbol):
                indices.places.lookup(symbol)
                found = define(symbol, indices, body)
                assert isinstance(found, Values)
                values[symbol.name] = found
            elif symbol.role is Role.TREE:
                trees[symbol.name] = training.trees[symbol.name]
            else:
                values[symbol.name] = training.values[symbol.name]
        return beside


def _known(spec: Spec) -> tuple[Symbol, ...]:
    return (*spec.parameters, *spec.sets, *spec.trees)


def _is_of_rows(symbol: Symbol) -> bool:
    """Whether it is a set that has points among its elements, or one of tuples for each point."""
    if symbol.role is not Role.SET:
        return False
    element = symbol.sort.element if isinstance(symbol.sort, SetOf) else symbol.sort
    if isinstance(element, TupleOf):
        return POINT in (*element.parts, *symbol.sorts)
    return element == POINT
