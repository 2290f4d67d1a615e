"""Points that expressions cannot tell apart: evaluated once, together with how many there are.

For most objectives and constraints all that matters of a point on a tree is its class, weight,
group and leaf. However many points a table has, it has few combinations of these, so a sum over
points becomes a sum over combinations. Expressions that see more, such as features, are left alone:
what they mention shows it, and anything not known here counts as more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.bind import data_values, tree_tables
from treemip.core.lower.definitions import all_parts, as_meant, by_value
from treemip.core.lower.frame import distinct
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import SEPARATED, is_only_on_a_tree
from treemip.core.resolve.sorts import POINT, SetOf
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.resolve.typed_sets import Listed

MANY = 20_000
"""Points of a table from which on those that are alike are evaluated together."""

FEWER = 4
"""How many points there have to be for each combination."""

BLIND = (
    *(t.Const, t.Literal, t.Bound, t.At, t.Call, t.Negation, t.Arithmetic, t.Choice),
    *(t.Comparison, t.Logic, t.Member, t.BaseSet, t.LocalSet, t.RangeSet),
    *(t.Reduction, t.Comprehension, Listed),
)
"""Forms of expressions that see no more of points than what they mention."""

FUNCTIONS = (
    *("left", "right", "parent", "depth", "ancestors", "left_ancestors", "right_ancestors"),
    *("leaves_under", "last_branches_under", "level", "inner", "max_depth", "mid", "lo", "hi"),
    *("next", "card", "abs", "exp", "log", "sqrt", "logistic", "floor", "ceil", "round"),
    *("max", "min", "positive", "negative"),
)
"""Functions of nodes, sets, numbers and classes; others are of the table's points."""

REDUCTIONS = ("sum", "max", "min")
"""Over points; of equal numbers, a sum is their product with how many they are."""

OF_NODES = "given_prediction"
"""Of a point, but by its leaf alone where values have no slopes."""

OF_POINTS = ("routed", OF_NODES)
"""Tables of a tree that have a part for each point."""


@dataclass(frozen=True)
class AlikePoints:
    """instance: over one or two points of each kind, with `Instance.counts`. kind int64 (N,): which
    of these points each point of the whole table is like. points int64 (n,): where these stand in
    it."""

    instance: Instance
    kind: np.ndarray
    points: np.ndarray

    def solved(self, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Of values of variables by name, what they are at these points."""
        count, found = len(self.kind), dict(values)
        for symbol in self.instance.spec.variables:
            if POINT in symbol.sorts:
                found[symbol.name] = values[symbol.name].reshape(count, -1)[self.points].ravel()
        return found

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Values of a variable over these points and other sets, flat, for all points."""
        every: np.ndarray = values.reshape(len(self.points), -1)[self.kind].ravel()
        return every

    def tables(self, tables: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Flat tables over all points, restricted to these; other tables as they are."""
        points = len(self.kind)
        own = (name for name in OF_POINTS if name in tables)
        return tables | {n: tables[n].reshape(points, -1)[self.points].ravel() for n in own}


def alike_points(
    instance: Instance,
    expressions: Sequence[t.Typed],
    rows: Sequence[Constraint],
    leaf: np.ndarray | None = None,
    least: int = MANY,
    solved: Callable[[Symbol], np.ndarray] | None = None,
) -> AlikePoints | None:
    """The points in kinds that expressions and rows, and what they mean, cannot tell apart; None
    where they can, where it saves nothing, and where there are rows for each point.

    leaf int64 (N,): where a tree sends the points, which it tells apart. Without it nothing but the
    evaluator's source knows where they go. least: the number of points from which on it saves time.
    solved: what tells the points apart by a variable, (N,), where variables have values of their
    own or are columns of a model; without it they are what they mean.
    """
    if instance.data is None or len(instance.table.y) < least:
        return None
    if any(POINT in row.domain.sorts for row in rows):
        return None
    mentioned = [*expressions, *(e for row in rows for e in _in(row))]
    variables: set[Symbol] | None = None if solved is None else set()
    names = _mentioned_of_points(instance, mentioned, variables)
    if names is None:
        return None
    known = data_of_points(instance)
    if not names <= known.keys():
        return None
    own = [known[name] for name in sorted(names)]
    own += [solved(symbol) for symbol in variables or ()] if solved is not None else []
    own += [np.zeros(len(known["y"]), np.int64) if leaf is None else leaf]
    first, kind = distinct(own)
    if FEWER * len(first) > len(kind):
        return None
    last = np.empty_like(first)
    last[kind] = np.arange(len(kind))
    others = last != first  # two points, so that what is about one point is about one of all
    counts = np.bincount(kind, instance.counts, len(first)).astype(float)
    points = np.append(first, last[others])
    of_last = np.ones(len(kind)) if instance.counts is None else instance.counts
    of_last = np.where(others, of_last[last], 0.0)
    counts = np.append(counts - of_last, of_last[others])
    return AlikePoints(_over(instance, points, counts), kind, points)


def data_of_points(instance: Instance) -> dict[str, np.ndarray]:
    """What is known of single points beside features, by name, each (N,)."""
    table = instance.table
    groups = {name: codes for name, (codes, _) in table.groups.items()}
    return {"y": table.y, "weight": table.weight, **groups, **table.numbers}


def _over(instance: Instance, points: np.ndarray, counts: np.ndarray) -> Instance:
    """The instance over some points, int64 (n,); everything that is not about points is kept."""
    assert instance.data is not None
    data = replace(instance.data, train=instance.table.take(points))
    values = {**instance.values, **data_values(data)}
    values["class_count"] = instance.values["class_count"]
    if instance.topology is not None:
        values |= tree_tables(instance, data, instance.topology)
    lookups = {s: known for s, known in instance.lookups.items() if POINT not in s.sorts}
    return replace(instance, data=data, values=values, lookups=lookups, counts=counts)


# ------------------------------------------------------------------ what expressions see


def _mentioned_of_points(
    instance: Instance, expressions: Iterable[t.Typed], variables: set[Symbol] | None = None
) -> set[str] | None:
    """The data of single points that expressions mention, by name; None where they may see more of
    a point than that and its leaf. variables: where they have values, it gathers those of points;
    else they are what they mean."""
    route = instance.spec.route
    if route is None or route.probability is not None:
        return None
    names, on_a_tree = set[str](), variables is None
    for e in all_parts(expressions, _of_unknown if on_a_tree else by_value):
        if variables is not None and isinstance(e, t.At) and over_all_points(e.symbol):
            variables.add(e.symbol)
        elif not _is_blind(e):
            return None
        if isinstance(e, t.At) and e.symbol.role is Role.DATA and POINT in e.symbol.sorts:
            if e.symbol.name == OF_NODES and _has_slopes(instance):
                return None
            if not is_only_on_a_tree(e.symbol.name):
                names.add(e.symbol.name)
            elif not on_a_tree:
                return None
    return names


def over_all_points(symbol: Symbol) -> bool:
    """Whether it is a variable over all points and whole sets, and nothing else of these."""
    binders = symbol.domain.binders
    if symbol.role is not Role.VARIABLE or not binders or not symbol.domain.is_product:
        return False
    first, *others = symbol.sorts
    return isinstance(binders[0].set, t.BaseSet) and first == POINT and POINT not in others


def _in(row: Constraint) -> Iterator[t.Typed]:
    yield from (*row.sides, *row.domain.inside)
    yield from (local for _, local in row.local_sets)


def _has_slopes(instance: Instance) -> bool:
    predict = instance.spec.predict
    parts = () if predict is None else all_parts([predict.value], _of_unknown)
    return any(isinstance(e, t.At) and e.symbol.name == "x" for e in parts)


def _of_unknown(symbol: Symbol) -> Iterable[t.Typed]:
    """As `as_meant`; nothing of parameters, sets and trees, whose values are known."""
    known = symbol.role in (Role.PARAMETER, Role.SET, Role.TREE)
    return () if known else as_meant(symbol)


def _is_blind(e: t.Typed) -> bool:
    """Whether a form of expression tells points apart only by what it mentions of them."""
    if not isinstance(e, BLIND) or (e.sort == POINT and not isinstance(e, t.Bound)):
        return False
    if isinstance(e, t.At):
        return _is_known(e.symbol)
    if any(isinstance(part, t.Bound) and part.of == POINT for part in e.inside):
        return False  # the index itself
    if isinstance(e, t.Call):
        return e.function in FUNCTIONS
    if isinstance(e, t.Member):
        return e.set.sort != SetOf(POINT)
    if isinstance(e, t.BaseSet):
        return e.name not in SEPARATED
    if isinstance(e, t.Reduction) and any(b.element == POINT for b in e.binders):
        return e.op in REDUCTIONS
    return True


def _is_known(symbol: Symbol) -> bool:
    """Whether a symbol is the same for points that are alike in what it mentions."""
    if symbol.sort == SetOf(POINT):
        return False
    if symbol.role is Role.VARIABLE:
        return symbol.means is not None or POINT not in symbol.sorts
    return symbol.role in (Role.DATA, Role.LET, Role.TERM) or POINT not in symbol.sorts
