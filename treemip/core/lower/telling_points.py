"""A few points whose rows decide, at known values of the variables, whether the rows of all hold.

The row of a point depends on the variables at it, on its class, weight and groups, and perhaps on
one feature: the one that a branch of a univariate tree tests. Points that agree in all but their
features are of one kind. A row is monotone in its feature, so that within a kind the points with
the least and the greatest value of each tested feature violate it most. A table of a million points
has some dozens of kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.alike_points import (
    BLIND,
    FEWER,
    FUNCTIONS,
    MANY,
    alike_points,
    data_of_points,
)
from treemip.core.lower.definitions import all_parts, by_value
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import distinct
from treemip.core.lower.sparse_sums import factor_of
from treemip.core.lower.value_sources import Solution
from treemip.core.model.arrays import distinct_rows
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import SEPARATED
from treemip.core.resolve.sorts import FEATURE, POINT, SetOf
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Role, Symbol

FEATURES = "x"
"""The table of the points' features."""

FEW_BITS = 16
"""Columns of 0 and 1 that are a short number together; of more, rows are told apart by a hash."""

DEFINED = (Role.LET, Role.TERM)
"""What is evaluated by its definition once variables have values."""


class Unclear(Exception):
    """An expression may depend on something else of points."""


@dataclass
class _Seen:
    """What rows depend on at their points: data by name, variables, and sums over features, as the
    factor of each that says which features count."""

    data: set[str] = field(default_factory=set)
    variables: set[Symbol] = field(default_factory=set)
    sums: list[t.At] = field(default_factory=list)


class TellingPoints:
    """For the families of one model. Results are kept until the values change, since families
    depend on much the same of their points, and each is asked more than once."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self._values: dict[str, np.ndarray] = {}
        self._found: dict[object, np.ndarray] = {}

    def of(self, constraint: Constraint, values: Mapping[str, np.ndarray]) -> np.ndarray | None:
        """For a family with a row for each point, points int64 (n,), ascending: if the row of any
        point is violated at the values, one of theirs is violated at least as much. None if no
        such few points are known, as for splits by several features."""
        instance = self.instance
        if instance.data is None or len(instance.table.y) < MANY:
            return None
        self.at(values)
        try:
            return self._of(_seen(constraint))
        except Unclear:
            return None

    def at(self, values: Mapping[str, np.ndarray]) -> None:
        """Set the values of the variables, each over its domain."""
        known = self._values.keys() == values.keys()
        if not known or not all(np.array_equal(self._values[n], v) for n, v in values.items()):
            self._values = {name: part.copy() for name, part in values.items()}
            self._found = {}

    def numbers(self, symbol: Symbol) -> np.ndarray:
        """A number for each point, int64 (N,): equal for points at which the variable is equal."""
        return self.once(symbol, lambda: self._numbered(symbol))

    def _of(self, seen: _Seen) -> np.ndarray:
        count = len(self.instance.table.y)
        tested = tuple(_tested(self.instance, seen.sums, self._values))
        kind = self._kinds(frozenset(seen.data), frozenset(seen.variables))
        kinds = int(kind.max(initial=-1)) + 1
        if FEWER * kinds * (1 + 2 * len(tested)) > count:
            raise Unclear
        parts = [_first(kind, np.arange(count), kinds)]
        parts += [
            self.once((id(kind), j), lambda: _ends(self.instance, kind, kinds, j)) for j in tested
        ]
        return np.unique(np.concatenate(parts))

    def _kinds(self, data: frozenset[str], variables: frozenset[Symbol]) -> np.ndarray:
        """The kind of each point, int64 (N,), from 0 on."""

        def made() -> np.ndarray:
            columns = _data(self.instance, data)
            columns += map(self.numbers, variables)
            return distinct([*columns, np.zeros(len(self.instance.table.y), np.int64)])[1]

        return self.once((data, variables), made)

    def _numbered(self, symbol: Symbol) -> np.ndarray:
        table = _by_point(self.instance, symbol, self._values)
        bits = table.astype(np.uint8)
        if not ((bits <= 1) & (bits == table)).all():
            return distinct_rows(table)[1]
        if bits.shape[1] > FEW_BITS:
            return distinct_rows(bits)[1]
        codes = np.zeros(len(bits), np.int64)
        for byte in np.packbits(bits, axis=1).T:
            codes = codes * 256 + byte
        return codes

    def once(self, key: object, make: Callable[[], np.ndarray]) -> np.ndarray:
        """What `make` gives at these values, made when it is first asked for by that key."""
        if key not in self._found:
            self._found[key] = make()
        return self._found[key]


def evaluator_at(
    instance: Instance,
    values: dict[str, np.ndarray],
    expressions: Sequence[t.Typed],
    rows: Sequence[Constraint] = (),
    telling: TellingPoints | None = None,
) -> Evaluator:
    """Of expressions and of rows that are not of one point each, at values of the variables: over
    one or two points of each kind, where many are alike to them there."""
    alike, telling = None, telling or TellingPoints(instance)
    telling.at(values)
    with suppress(Unclear):
        alike = alike_points(instance, expressions, rows, solved=telling.numbers)
    if alike is None:
        return Evaluator(instance, Solution(values))
    return Evaluator(alike.instance, Solution(alike.solved(values)))


# ------------------------------------------------------------------ what points are told apart by


def _data(instance: Instance, names: frozenset[str]) -> list[np.ndarray]:
    known = data_of_points(instance)
    if not names <= known.keys():
        raise Unclear
    return [known[name] for name in sorted(names)]


def _by_point(instance: Instance, symbol: Symbol, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """A variable's values, float64 (N, others)."""
    sizes = _sizes(instance, symbol)
    table = values[symbol.name].reshape(sizes)
    at = symbol.sorts.index(POINT)
    if symbol.sorts.count(POINT) > 1 or np.isnan(table).any():
        raise Unclear
    return np.ascontiguousarray(np.moveaxis(table, at, 0).reshape(sizes[at], -1))


def _sizes(instance: Instance, symbol: Symbol) -> list[int]:
    """The lengths of the sets that a variable is indexed by. Raises Unclear for parts of sets."""
    domain = symbol.domain
    if domain.guard or any(
        b.conditions or not isinstance(b.set, t.BaseSet) for b in domain.binders
    ):
        raise Unclear
    sizes = []
    for binder in domain.binders:
        whole = instance.size(binder.element)
        known = instance.values.get(binder.set.name)  # type: ignore[attr-defined]
        length = whole if known is None or known.ragged is None else len(known.ragged.items)
        if binder.element in (POINT, FEATURE) and length != whole:
            raise Unclear
        sizes.append(-1 if length is None else int(length))
    return sizes


def _tested(
    instance: Instance, sums: Sequence[t.At], values: Mapping[str, np.ndarray]
) -> list[int]:
    """The features that the sums have. Raises Unclear where one has several."""
    used = np.zeros(instance.size(FEATURE) or 0, bool)
    for factor in sums:
        sizes = _sizes(instance, factor.symbol)
        table = values[factor.symbol.name].reshape(sizes)
        counted = np.moveaxis(table, factor.symbol.sorts.index(FEATURE), -1) != 0
        if np.isnan(table).any() or (counted.sum(axis=-1) > 1).any():
            raise Unclear
        used |= counted.reshape(-1, len(used)).any(axis=0)
    return np.flatnonzero(used).tolist()


def _ends(instance: Instance, kind: np.ndarray, kinds: int, feature: int) -> np.ndarray:
    """For each kind the first point with the least value of a feature, then the first with the
    greatest, int64 (2 * kinds,)."""
    x = instance.table.x[:, feature].astype(float)
    ends = []
    for extreme, worst in ((np.minimum, np.inf), (np.maximum, -np.inf)):
        end = np.full(kinds, worst)
        extreme.at(end, kind, x)
        ends.append(_first(kind, np.flatnonzero(x == end[kind]), kinds))
    return np.concatenate(ends)


def _first(kind: np.ndarray, points: np.ndarray, kinds: int) -> np.ndarray:
    """The first of some points of each kind. Raises Unclear for a kind without any, as where values
    are nan."""
    first = np.full(kinds, -1)
    first[kind[points][::-1]] = points[::-1]
    if (first < 0).any():
        raise Unclear
    return first


# ------------------------------------------------------------------ what expressions see


def _seen(constraint: Constraint) -> _Seen:
    """Raises Unclear."""
    domain = constraint.domain
    own = [b for b in domain.binders if b.element == POINT]
    if constraint.local_sets or len(own) != 1 or not _is_whole(own[0]):
        raise Unclear
    relation, seen = constraint.relation, _Seen()
    pairs = [(relation.left, relation.right)]
    if relation.right2 is not None:
        pairs.append((relation.right, relation.right2))
    for pair in pairs:
        sums = [one for side in pair for one in _sums_over_features(side)]
        if len(sums) > 1:
            raise Unclear  # their difference need not be monotone
        seen.sums += sums
    others = [side for guard in constraint.guards for side in (guard.left, guard.value)]
    _look(seen, [*relation_sides(constraint), *others, *domain.inside], set(map(id, seen.sums)))
    return seen


def relation_sides(constraint: Constraint) -> list[t.Typed]:
    r = constraint.relation
    return [r.left, r.right] if r.right2 is None else [r.left, r.right, r.right2]


def _is_whole(binder: t.Binder) -> bool:
    """Whether it runs over all points."""
    return (
        not binder.conditions and isinstance(binder.set, t.BaseSet) and binder.set.name == "points"
    )


def _sums_over_features(side: t.Typed) -> list[t.At]:
    """The factors of the sums over features in a side, which must be monotone in each of them."""
    if not _has_features(side):
        return []
    match side:
        case t.Negation():
            return _sums_over_features(side.operand)
        case t.Arithmetic(op="+" | "-"):
            return _sums_over_features(side.left) + _sums_over_features(side.right)
        case t.Arithmetic(op="*") if not _has_features(side.left):
            return _sums_over_features(side.right)
        case t.Arithmetic(op="*" | "/") if not _has_features(side.right):
            return _sums_over_features(side.left)
        case t.At() if side.symbol.role in DEFINED and side.symbol.value is not None:
            return _sums_over_features(side.symbol.value)
        case t.Reduction():
            return [_one_sum(side)]
    raise Unclear


def _one_sum(e: t.Reduction) -> t.At:
    """The factor of a sum over features whose value a solution gives; the other factor must be
    monotone in the feature."""
    factor = factor_of(e.body)
    if e.op != "sum" or e.guard or len(e.binders) != 1 or not isinstance(factor, t.At):
        raise Unclear
    (binder,) = e.binders
    assert isinstance(e.body, t.Arithmetic)
    other = e.body.right if e.body.left is factor else e.body.left
    own = [a for a in factor.arguments if binder.name in a.free]
    alone = len(own) == 1 and isinstance(own[0], t.Bound) and POINT not in factor.symbol.sorts
    if not (alone and _is_whole_set(binder) and _moves_one_way(other, binder.name)):
        raise Unclear
    return factor


def _is_whole_set(binder: t.Binder) -> bool:
    whole = not binder.conditions and isinstance(binder.set, t.BaseSet)
    return whole and binder.element == FEATURE and binder.set.name == "features"  # type: ignore[attr-defined]


def _moves_one_way(e: t.Typed, feature: str) -> bool:
    """Whether it is x[i,feature] or its negative, plus numbers that all points share."""
    if isinstance(e, t.Negation):
        return _moves_one_way(e.operand, feature)
    if isinstance(e, t.Arithmetic) and e.op in ("+", "-"):
        for one, other in ((e.left, e.right), (e.right, e.left)):
            if not _is_of_points(other) and _moves_one_way(one, feature):
                return True
        return False
    if not isinstance(e, t.At) or e.symbol.name != FEATURES or e.symbol.role is not Role.DATA:
        return False
    names = [a.name for a in e.arguments if isinstance(a, t.Bound)]
    return len(names) == 2 and names[1] == feature


def _has_features(e: t.Typed) -> bool:
    return any(isinstance(p, t.At) and p.symbol.name == FEATURES for p in all_parts([e], by_value))


def _is_of_points(e: t.Typed) -> bool:
    return any(isinstance(p, t.At) and POINT in p.symbol.sorts for p in all_parts([e], by_value))


def _look(seen: _Seen, expressions: list[t.Typed], sums: set[int]) -> None:
    """Add to `seen` what the expressions depend on outside of the sums. Raises Unclear."""
    waiting, known = list(expressions), set[Symbol]()
    while waiting:
        e = waiting.pop()
        if isinstance(e, t.Reduction) and id(factor_of(e.body)) in sums:
            continue
        _demand_blind(e)
        waiting += e.inside
        if not isinstance(e, t.At):
            continue
        symbol = e.symbol
        if POINT in symbol.sorts:
            _note(seen, symbol)
        if symbol not in known:
            known.add(symbol)
            waiting += by_value(symbol)


def _note(seen: _Seen, symbol: Symbol) -> None:
    if symbol.sorts.count(POINT) > 1 or symbol.parameters:
        raise Unclear
    if symbol.role is Role.VARIABLE:
        seen.variables.add(symbol)
    elif symbol.role is Role.DATA:
        seen.data.add(symbol.name)
    elif symbol.role not in DEFINED:
        raise Unclear


def _demand_blind(e: t.Typed) -> None:
    """Raises Unclear for an expression that may depend on more of a point than it mentions."""
    if not isinstance(e, BLIND) or isinstance(e, t.Comprehension | t.LocalSet):
        raise Unclear
    if e.sort == SetOf(POINT) and not isinstance(e, t.BaseSet):
        raise Unclear
    if e.sort == POINT and not isinstance(e, t.Bound):
        raise Unclear
    if isinstance(e, t.BaseSet) and e.name in SEPARATED:
        raise Unclear
    if isinstance(e, t.Call) and e.function not in FUNCTIONS:
        raise Unclear
    if isinstance(e, t.Reduction) and any(b.element == POINT for b in e.binders):
        raise Unclear
    if not isinstance(e, t.At) and any(_is_point(part) for part in e.inside):
        raise Unclear
    if isinstance(e, t.At) and e.symbol.parameters and any(map(_is_point, e.arguments)):
        raise Unclear


def _is_point(e: t.Typed) -> bool:
    return isinstance(e, t.Bound) and e.of == POINT
