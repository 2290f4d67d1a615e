"""The spec's own objective of a tree on other points than those it was learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.instance.instance import Instance
from treemip.instance.table import Table
from treemip.lower.bind import bind
from treemip.lower.evaluate import Evaluator
from treemip.lower.value_sources import Nothing
from treemip.source.diagnostic import TreemipError
from treemip.tree.meaning import leaf_variables, meaning_of, recomputed, split_variables
from treemip.tree.score import AnyScore, Score, score_of, with_objective
from treemip.tree.tree import Tree


def objective_on(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], table: Table
) -> float | None:
    """The objective recomputed from the tree on a table of the spec's columns; None where it rests
    on more than the tree says of new points, or the spec has none.

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
    except TreemipError:  # a parameter that these points leave undefined
        return None
    own = found.objective
    return own if own is not None and np.isfinite(own) and not found.taken else None


def score_of_test(instance: Instance, tree: Tree, values: dict[str, np.ndarray]) -> AnyScore | None:
    """A tree on the test part, with the spec's objective there where its leaves do not predict the
    label's classes; None without such a part. values: as of `objective_on`."""
    test = instance.data.test if instance.data is not None else None
    if test is None:
        return None
    found = score_of(tree, test)
    if isinstance(found, Score):
        return found
    return with_objective(found, objective_on(instance, tree, values, test))
