"""Survival times of the points that a spec is about, and the curves of a tree's leaves on them."""

from __future__ import annotations

from dataclasses import replace

from treemip.core.instance.encoded_table import Table
from treemip.core.instance.instance import Instance
from treemip.core.lower.other_rows import bind_rows
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import POINT
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.tree.learnt import part_of, reached
from treemip.core.tree.survival_curves import EVENT, TIME, Curve, Observed, curves_by_leaf
from treemip.core.tree.tree import Tree


def leaf_curves(instance: Instance, tree: Tree) -> dict[int, Curve] | None:
    """The curves of a survival tree's leaves on the points of an instance, by the leaf's position
    among the tree's nodes. None where the spec has no survival times."""
    observed = observed_in(instance)
    if observed is None:
        return None
    return curves_by_leaf(tree.route(instance.table.inputs), observed)


# ---------------------------------------------------------------------- times of a spec


def times_of(spec: Spec) -> tuple[Symbol, Symbol] | None:
    """The times and the events of a spec whose objective or answers depend on both; else None."""
    roots: list[t.Typed] = [] if spec.objective is None else [spec.objective.value]
    roots += [] if spec.predict is None else [spec.predict.value]
    found = {
        symbol.name: symbol
        for symbol in reached(roots, means=True, bounds=True)
        if symbol.role in (Role.DATA, Role.PARAMETER) and symbol.sorts == (POINT,)
    }
    return (found[TIME], found[EVENT]) if {TIME, EVENT} <= found.keys() else None


def observed_in(instance: Instance) -> Observed | None:
    """The survival times of an instance's points; None where its spec has none."""
    symbols = times_of(instance.spec)
    if symbols is None or instance.data is None:
        return None
    time, event = (instance.values[symbol.name].values for symbol in symbols)
    return Observed(time.astype(float), event == 1, instance.table.weight)


def observed_on(training: Instance, table: Table) -> Observed | None:
    """The same of other rows, in a table of the spec's columns. Raises TreemipError for what these
    rows leave undefined."""
    symbols = times_of(training.spec)
    if symbols is None:
        return None
    values = [symbol.value for symbol in symbols if symbol.value is not None]
    part = part_of(training.spec, {*symbols, *reached(values)})
    rows = bind_rows(replace(part, objective=None), training, table, frozenset())
    time, event = (rows.values[symbol.name].values for symbol in symbols)
    return Observed(time.astype(float), event == 1, rows.table.weight)
