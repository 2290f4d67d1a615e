"""The spec's own objective and measures of a tree, on its points and on others."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treemip.instance.instance import Instance
from treemip.instance.table import Table
from treemip.lower.bind import bind
from treemip.lower.evaluate import Evaluator
from treemip.lower.value_sources import Nothing
from treemip.source.diagnostic import TreemipError
from treemip.tree.meaning import leaf_variables, meaning_of, recomputed, split_variables
from treemip.tree.measures import measures_of
from treemip.tree.score import AnyScore, Score, score_of, with_spec
from treemip.tree.tree import Tree


class OfSpec(NamedTuple):
    """What a spec says of a tree on some points: the objective, None where it rests on more than
    the tree says of them or the spec has none, and the `measures_of` its own text."""

    objective: float | None
    measures: dict[str, float]


def on_points(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], table: Table
) -> OfSpec:
    """Recomputed from the tree on a table of the spec's columns.

    values: of the variables that the tree is read from, by family. What the formulation requires of
    its data is nothing to a tree that exists.
    """
    assert instance.data is not None
    spec = replace(instance.spec, requirements=())
    data = replace(instance.data, train=table, test=None, selected=None, warnings=())
    try:
        other = bind(spec, data)
        sizes = Evaluator(other, Nothing()).places
        names = split_variables(spec) | leaf_variables(spec)
        known = {
            symbol.name: values[symbol.name]
            for symbol in spec.variables
            if symbol.name in names & values.keys()
            and sizes.domain_frame(symbol).size == len(values[symbol.name])
        }
        found = recomputed(other, meaning_of(other, tree, known), moved=False)
        measures = measures_of(other, meaning_of(other, tree, known))
    except TreemipError:  # a parameter that these points leave undefined
        return OfSpec(None, {})
    own = found.objective
    return OfSpec(own if own is not None and not found.taken else None, measures)


def score_of_training(
    instance: Instance,
    tree: Tree,
    values: dict[str, np.ndarray],
    table: Table,
    objective: float | None,
) -> AnyScore:
    """A tree on the table of the training part, with the spec's objective and measures where its
    leaves do not predict the label's classes. objective: as it was recomputed there."""
    found = score_of(tree, table)
    if isinstance(found, Score):
        return found
    return with_spec(found, objective, measures_of(instance, meaning_of(instance, tree, values)))


def score_of_test(instance: Instance, tree: Tree, values: dict[str, np.ndarray]) -> AnyScore | None:
    """The same on the test part; None without one. values: as of `on_points`."""
    test = instance.data.test if instance.data is not None else None
    if test is None:
        return None
    found = score_of(tree, test)
    if isinstance(found, Score):
        return found
    return with_spec(found, *on_points(instance, tree, values, test))
