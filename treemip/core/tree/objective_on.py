"""The spec's own objective and measures of a tree, on its points and on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treemip.core.instance.encoded_table import Table
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.other_rows import bind_rows
from treemip.core.lower.value_sources import Meaning, Nothing
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import POINT
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.learnt import (
    learnt_tables,
    learnt_values,
    learnt_variables,
    part_of,
    reached,
    rests_on_training,
)
from treemip.core.tree.meaning import (
    Addend,
    leaf_variables,
    meaning_of,
    on_alike_points,
    split_variables,
)
from treemip.core.tree.measures import (
    OBJECTIVE,
    Number,
    OfSpec,
    measures_of,
    number_of,
    own_lets,
    sum_of,
    wanted_of,
)
from treemip.core.tree.score import AnyScore, score_of, with_spec
from treemip.core.tree.tree import Tree


def on_points(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], table: Table
) -> OfSpec:
    """Recomputed from the tree on a table of the spec's columns.

    instance: of the points that the tree was learned from. values: of the variables that the tree
    is read from, by family. What was learnt with the tree, such as the list that its leaves choose
    from, stays as it was (`learnt_tables`, `learnt_variables`); all else is of the table's points.
    What the formulation requires of its data is nothing to a tree that exists.
    """
    return OfSpec.of(numbers_on(instance, tree, values, table))


def numbers_on(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], table: Table
) -> dict[str, Number]:
    """The same by name, the objective under `OBJECTIVE`, with their terms."""
    wanted = wanted_of(instance.spec)
    rows = RowsOfTree(instance, tree, values, table, tuple(wanted.values()))
    try:
        together = rows.meaning(tuple(wanted.values()))
    except TreemipError:  # something that not all of them need is undefined on these points
        return {name: rows.number(value) for name, value in wanted.items()}
    return {name: number_of(value, *together) for name, value in wanted.items()}


def resting_on_training(spec: Spec) -> list[str]:
    """Which of these numbers depend on points that the tree was learned from."""
    return [name for name, value in wanted_of(spec).items() if rests_on_training(spec, value)]


@dataclass
class RowsOfTree:
    """A tree and the rows that it is measured on. wanted: all expressions that may be asked for."""

    instance: Instance
    tree: Tree
    values: dict[str, np.ndarray]
    table: Table
    wanted: tuple[t.Typed, ...]

    def number(self, value: t.Typed) -> Number:
        try:
            return number_of(value, *self.meaning((value,)))
        except TreemipError as error:
            return Number(None, error.diagnostics[0].message)

    def meaning(self, expressions: tuple[t.Typed, ...]) -> tuple[Instance, Meaning]:
        """An instance of the rows with what the expressions need, and what things mean there.
        Raises TreemipError for what these rows leave undefined."""
        spec = self.instance.spec
        part = part_of(spec, reached(expressions, means=True))
        rows = bind_rows(part, self.instance, self.table, learnt_tables(spec))
        places = Evaluator(self.instance, Nothing()).places
        for symbol in spec.variables:
            if symbol.name in self._learnt or symbol.name in self._read:
                rows.lookups[symbol] = places.lookup(symbol)
        meaning = meaning_of(rows, self.tree, self._read)
        meaning.tables |= self._learnt
        return rows, meaning

    @cached_property
    def _read(self) -> dict[str, np.ndarray]:
        """Values of the variables that the tree is read from."""
        spec = self.instance.spec
        names = split_variables(spec) | leaf_variables(spec)
        points = {s.name for s in spec.variables if POINT in s.sorts}
        return {name: self.values[name] for name in names & self.values.keys() - points}

    @cached_property
    def _learnt(self) -> dict[str, np.ndarray]:
        """Values of variables that were decided on the training part."""
        variables = learnt_variables(self.instance.spec, self.wanted)
        return learnt_values(self.instance, self.tree, self.values, variables)


def score_of_training(
    instance: Instance,
    tree: Tree,
    values: dict[str, np.ndarray],
    table: Table,
    terms: Sequence[Addend],
) -> AnyScore:
    """A tree on the table of the training part, with the spec's objective and measures. terms: of
    the objective, as they were recomputed there."""
    own = {OBJECTIVE: sum_of(terms)} if terms else {}
    points = on_alike_points(instance, tree, [*own_lets(instance.spec).values()])
    own |= measures_of(points, meaning_of(points, tree, values))
    return with_spec(score_of(tree, table), *OfSpec.of(own))


def score_of_test(instance: Instance, tree: Tree, values: dict[str, np.ndarray]) -> AnyScore | None:
    """The same on the test part; None without one. values: as of `on_points`."""
    test = instance.data.test if instance.data is not None else None
    if test is None:
        return None
    return with_spec(score_of(tree, test), *on_points(instance, tree, values, test))
