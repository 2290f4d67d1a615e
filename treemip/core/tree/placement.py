"""Where a split's threshold is placed: inside the empty gap between the points on its two sides.

A formulation often leaves the threshold on a training point: S-OCT keeps points that go right at a
distance of eps, and points that go left at none. Any threshold between the last point on the
left and the first on the right is the same tree on the training points; the middle is as far from
them as can be. Where the spec's objective or its own constraints depend on the threshold, as a
margin does, it stays where the solution has it, as far as rounding permits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from treemip.core.instance.encodings import Number
from treemip.core.instance.instance import Instance
from treemip.core.instance.missing_columns import scale_of
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.value_sources import Solution, mentioned
from treemip.core.model.tolerances import APART, CENTRE, CLEAR, RECOMPUTED
from treemip.core.resolve.sorts import NODE
from treemip.core.resolve.spec import Constraint, Spec
from treemip.core.resolve.typed import Role, Symbol, Typed
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.tree.known_ways import known
from treemip.core.tree.meaning import meaning_of
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.raw_units import feature_of
from treemip.core.tree.readout import splits
from treemip.core.tree.residuals import constraint_violation
from treemip.core.tree.routing import UNIT, rounding, weighted_sum
from treemip.core.tree.tree import Tree

DIGITS = 12
"""Significant digits of a threshold in the feature's own units."""

SHOWN = 8
"""Maximum number of row numbers in a message."""


def placed(instance: Instance, tree: Tree, values: dict[str, np.ndarray]) -> Tree:
    """The tree with its thresholds inside their gaps, where the spec leaves them free.

    values: the solution's, by family, as for `readout`. Every training point keeps its path, and
    the values do not change.
    """
    if isinstance(tree, RandomizedTree):
        return tree
    centred = _moved(tree, instance.table.inputs, free=True)
    if threshold_matters(instance, centred, values):
        return _moved(tree, instance.table.inputs, free=False)
    return centred


def _moved(tree: Tree, x: np.ndarray, free: bool) -> Tree:
    """The tree with thresholds in the middle of their gaps, or just off the points if not free."""
    threshold = tree.threshold.copy()
    for node, here, left in _splits(tree, x):
        threshold[node] = _threshold(tree, node, x, here[left], here[~left], free)
    return replace(tree, threshold=threshold)


def unclear(instance: Instance, tree: Tree) -> list[Diagnostic]:
    """W705 for each split that passes within rounding of a training point."""
    if isinstance(tree, RandomizedTree):
        return []
    notes, x = [], instance.table.inputs
    for node, here, _ in _splits(tree, x):
        near = near_split(tree.weights[node], float(tree.threshold[node]), x)[here]
        if near.any():
            rows = instance.table.row_numbers[here[near]]
            notes.append(_no_room(instance, int(tree.topology.heap[node]), rows))
    return notes


def _splits(tree: Tree, x: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Branches with a split that rows of x pass: which rows those are, and which of them go left,
    bool."""
    path = tree.path(x)
    for node in tree.topology.branches.tolist():
        here = np.flatnonzero(path[:, node])
        if len(here) and tree.weights[node].any():
            yield node, here, path[here, tree.topology.left[node]]


@np.errstate(over="ignore", invalid="ignore")
def near_split(weights: np.ndarray, threshold: float, x: np.ndarray) -> np.ndarray:
    """Which rows of x (M, p) rounding leaves on neither side of a split for certain, bool (M,)."""
    distance = np.abs(weighted_sum(x, weights) - threshold)
    used = np.flatnonzero(weights)
    one = len(used) == 1  # whose column alone is read
    size = _size(x[:, used]) if one else known(x, ("size",), lambda: _size(x))[used]
    most = rounding(size[None], weights[used])  # of any row
    near = ~(distance > most + 2 * UNIT * distance)
    error, distance = rounding(x[near], weights), distance[near]
    near[near] = (error > 0) & ~(distance > error + 2 * UNIT * distance)
    return near


def _size(x: np.ndarray) -> np.ndarray:
    """The largest absolute value of each column, float64 (p,)."""
    if not len(x):
        return np.zeros(x.shape[1])
    return np.maximum(x.max(axis=0).astype(float), -x.min(axis=0).astype(float))


def _threshold(
    tree: Tree, node: int, x: np.ndarray, left: np.ndarray, right: np.ndarray, free: bool
) -> float:
    """The threshold for a branch that sends points `left` left and `right` right (positions)."""
    weights, old, strict = tree.weights[node], float(tree.threshold[node]), tree.strict
    sums = weighted_sum(x, weights)
    low, high = float(sums[left].max(initial=-np.inf)), float(sums[right].min(initial=np.inf))
    if not np.isfinite(sums).all():  # beyond the doubles: no gap can be measured
        return old
    if free and np.isfinite(low) and np.isfinite(high):
        return _in_raw_units(tree, node, low, high, middle(low, high, strict))
    size = float(weighted_sum(np.abs(x), np.abs(weights)).max()) or float(np.abs(weights).max())
    if not free:
        return keep_off(low, high, old, APART * size, strict)
    near = low if np.isfinite(low) else high
    if abs(old - near) > CLEAR * size:
        return old
    others = sums[sums > near] if near == low else sums[sums < near]
    others = others if len(others) else sums[sums != near]
    gap = float(np.abs(others - near).min()) if len(others) else 0.0
    return keep_off(low, high, near, max(gap / 2, CLEAR * size), strict)


def middle(low: float, high: float, strict: bool) -> float:
    """The number halfway between two, at which `low` goes left and `high` goes right.

    Where no double lies between them, the one that does this: left are values <= it, or < it where
    `strict`.
    """
    halfway = low / 2 + high / 2 if np.isinf(high - low) else low + (high - low) / 2
    if low < halfway < high and np.isfinite(halfway):
        return float(halfway) + 0.0  # never -0
    if strict:
        return float(high if np.isfinite(high) else np.nextafter(low, high))
    return float(low if np.isfinite(low) else np.nextafter(high, low))


def keep_off(low: float, high: float, threshold: float, room: float, strict: bool) -> float:
    """The threshold nearest to the given one that stays `room`, or half the gap where that is
    less, away from both ends of it. low < high, either may be infinite.
    """
    room = min(room, (high - low) / 2)
    moved = min(max(threshold, low + room), high - room)
    inside = low < moved < high and np.isfinite(moved)
    return float(moved) if inside else middle(low, high, strict)


def _in_raw_units(tree: Tree, node: int, low: float, high: float, centre: float) -> float:
    """The centre of a gap, as the encoding of a short number in the feature's own units.

    Numbers below it go one way and numbers above it the other, since scaling keeps their order; the
    drawn split says which way the number itself goes. `centre` where the split is not of one
    numeric feature.
    """
    used = np.flatnonzero(tree.weights[node])
    origin = feature_of(tree, int(used[0])) if len(used) == 1 else None
    scale = None if origin is None else scale_of(origin[0].finish, origin[1])
    if scale is None:
        return centre
    weight = float(tree.weights[node, used[0]])
    raw = float(f"{scale.unscaled(centre / weight):.{DIGITS}g}")
    if not np.isfinite(raw):
        return centre
    encoded = _where_it_turns(scale, weight, raw, tree.strict)
    near = abs(encoded - centre) <= CENTRE * (high - low) and low < encoded < high
    return encoded if near else centre


def _where_it_turns(scale: Number, weight: float, raw: float, strict: bool) -> float:
    """A threshold on the scaled feature at which a raw number and a neighbour of it part.

    Scaling may give neighbouring doubles one value. Then the next threshold parts the number from
    its other neighbour, and rules over raw columns can still state it by the number itself.
    """
    three = np.array([np.nextafter(raw, -np.inf), raw, np.nextafter(raw, np.inf)])
    sums = weight * scale.apply(three)[:, 0]
    at = float(sums[1])
    for threshold in (at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf)):
        left = sums < threshold if strict else sums <= threshold
        if left[0] != left[2]:
            return float(threshold)
    return at


def _no_room(instance: Instance, heap: int, rows: np.ndarray) -> Diagnostic:
    listed = ", ".join(str(r) for r in rows[:SHOWN])
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    route = instance.spec.route
    return Diagnostic(
        "W705",
        f"the split at node {heap} is within rounding of training points: "
        f"row{'s' * (len(rows) > 1)} {listed}{more}",
        route.span if route else None,
        "other programs may send them to its other side; raise the least distance between points "
        "and splits, if the formulation has one",
        severity=Severity.WARNING,
    )


# ---------------------------------------------- whether the threshold matters


def threshold_matters(instance: Instance, centred: Tree, values: dict[str, np.ndarray]) -> bool:
    """Whether the spec's objective depends on where thresholds are, or one of its own constraints
    does not hold for the `centred` tree."""
    families, spec = set(offsets(instance, values)), instance.spec
    if any(symbol.name in families for symbol in depended_on(spec)):
        return True
    rows = [row for row in _own_rows(spec) if _names(row) & families]
    if not rows:
        return False
    moved = _values_of(instance, centred.threshold, values, families)
    if moved is None:
        return True
    evaluator = Evaluator(instance, meaning_of(instance, centred, moved))
    return any(constraint_violation(row, evaluator) for row in rows)


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


def _values_of(
    instance: Instance, wanted: np.ndarray, values: dict[str, np.ndarray], families: set[str]
) -> dict[str, np.ndarray] | None:
    """The values at which thresholds are the wanted ones, float64 (nodes,), and all else is as it
    was; None where one variable over the branches does not decide them."""
    own = [s for s in instance.spec.variables if s.name in families]
    if len(own) != 1 or own[0].domain.sorts != (NODE,):
        return None
    name, frame = own[0].name, Evaluator(instance, Solution(values)).places.domain_frame(own[0])
    nodes = frame.column(own[0].domain.names[0])
    old = splits(instance, values)[1]
    step = splits(instance, {**values, name: values[name] + 1.0})[1] - old
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.where(step == 0, 0.0, (wanted - old) / step)
    moved = {**values, name: values[name] + change[nodes]}
    read = splits(instance, moved)[1]
    return moved if np.allclose(read, wanted, rtol=RECOMPUTED, atol=RECOMPUTED) else None


def depended_on(spec: Spec) -> set[Symbol]:
    """All that the objective depends on, and what is left of the spec's own constraints once the
    thresholds that they mention are known.

    A variable is what it means. One that means nothing, and is no part of a split, is what the rows
    make it that mention it; those of `_own_rows` need not be followed, since the variable keeps its
    value and the row is tried with it.
    """
    asked = [spec.objective.value] if spec.objective is not None else []
    own = _own_rows(spec)
    symbols, routed, followed = mentioned(*asked, means=True), _routed(spec), set[Symbol]()
    beside = {s for row in own for s in mentioned(*_sides(row), means=True)} - routed
    symbols |= beside
    while True:
        loose = {s for s in symbols if s.role is Role.VARIABLE and s.means is None}
        loose -= routed | followed
        if not loose:
            return symbols
        followed |= loose
        for row in spec.constraints:
            in_row = set() if row in own else mentioned(*_sides(row), means=True)
            symbols |= in_row if in_row & loose else set()


def _own_rows(spec: Spec) -> list[Constraint]:
    """The spec's own constraints. Where it holds the formulation, the rows that say which way a
    point goes are the formulation's."""
    return [row for row in spec.constraints if row.module == "spec" and not _routes(spec, row)]


def _names(row: Constraint) -> set[str]:
    return {symbol.name for symbol in mentioned(*_sides(row), means=True)}


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
    return [*row.sides, *(local for _, local in row.local_sets)]
