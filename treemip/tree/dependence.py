"""Whether a spec depends on where the thresholds of its splits are, not only on how points go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.value_sources import mentioned
from treemip.resolve.spec import Constraint, Spec
from treemip.resolve.typed import Role, Symbol, Typed
from treemip.tree.readout import splits


def threshold_matters(instance: Instance, values: dict[str, np.ndarray]) -> bool:
    """Whether the spec's objective or its own constraints depend on where thresholds are."""
    names = {symbol.name for symbol in depended_on(instance.spec)}
    return any(name in names for name in offsets(instance, values))


def offsets(instance: Instance, values: dict[str, np.ndarray]) -> Iterator[str]:
    """Families of variables that the route's thresholds depend on and its weights do not.

    Found by reading the splits out of changed values, so that no formulation is named here.
    """
    routed = _routed(instance.spec)
    weights, threshold, _ = splits(instance, values)
    for name in (s.name for s in instance.spec.variables if s in routed and s.name in values):
        whole = np.isin(values[name], (0.0, 1.0)).all()
        other = 1.0 - values[name] if whole else values[name] + 1.0
        changed, moved, _ = splits(instance, {**values, name: other})
        if np.array_equal(changed, weights) and not np.array_equal(moved, threshold):
            yield name


def depended_on(spec: Spec) -> set[Symbol]:
    """All that the objective and the spec's own constraints depend on, on a tree.

    A variable is what it means. One that means nothing, and is no part of a split, is what the rows
    make it that mention it. Where the spec holds the formulation, its rows that say which way a
    point goes are the formulation's.
    """
    asked = [spec.objective.value] if spec.objective is not None else []
    for row in spec.constraints:
        asked += _sides(row) if row.module == "spec" and not _routes(spec, row) else []
    found, routed, followed = mentioned(*asked, means=True), _routed(spec), set[Symbol]()
    while True:
        loose = {s for s in found if s.role is Role.VARIABLE and s.means is None}
        loose -= routed | followed
        if not loose:
            return found
        followed |= loose
        for symbols in (mentioned(*_sides(row), means=True) for row in spec.constraints):
            found |= symbols if symbols & loose else set()


def _routed(spec: Spec) -> set[Symbol]:
    assert spec.route is not None and spec.route.left is not None and spec.route.right is not None
    return mentioned(spec.route.left, spec.route.right, means=True)


def _routes(spec: Spec, row: Constraint) -> bool:
    """Whether a row of a spec with its own formulation ties points' ways to their features."""
    if spec.formulation:
        return False
    symbols = mentioned(*_sides(row), means=True)
    features = any(s.role is Role.DATA and s.name == "x" for s in symbols)
    return features and spec.concepts.get("reach") in symbols


def _sides(row: Constraint) -> list[Typed]:
    relation = row.relation
    sides = (relation.left, relation.right, relation.right2, row.guard, row.guard_value)
    return [*(e for e in sides if e is not None), *(local for _, local in row.local_sets)]
