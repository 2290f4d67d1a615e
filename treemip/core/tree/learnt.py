"""What of a spec was learnt with its tree, and stays as it is on other rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from treemip.core.instance.derived import GAPS, SETS
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.value_sources import mentioned
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import NODE, POINT
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.resolve.typed_sets import Listed
from treemip.core.tree.from_values import values_of
from treemip.core.tree.meaning import leaf_variables, meaning_of, split_variables
from treemip.core.tree.tree import Tree

OF_POINTS = (*SETS, *GAPS, "least_gap_moved", "point")
"""Functions whose values depend on the data's points."""

KNOWN = (Role.PARAMETER, Role.SET, Role.TREE)


def learnt_tables(spec: Spec) -> frozenset[Symbol]:
    """Parameters, sets and trees that the answers of the spec's tree depend on: all that `route`,
    `predict`, and the indices and bounds of the variables they read are defined by.

    So the list that leaves choose their values from is learnt, and what it is made of; a number of
    points by which errors are divided is not.
    """
    route, predict = spec.route, spec.predict
    rules = [] if route is None else [route.left, route.right, route.probability]
    rules += [] if predict is None else [predict.value]
    found = reached((rule for rule in rules if rule is not None), bounds=True)
    return frozenset(symbol for symbol in found if symbol.role in KNOWN)


def reached(
    expressions: Iterable[t.Typed], means: bool = False, bounds: bool = False
) -> set[Symbol]:
    """All that expressions, and the indices of what they mention, are defined by; with `means` what
    that is on a tree, with `bounds` the bounds of variables too."""
    waiting, found = list(expressions), set[Symbol]()
    while waiting:
        e = waiting.pop()
        waiting += e.inside
        if not isinstance(e, t.At) or e.symbol in found:
            continue
        found.add(e.symbol)
        waiting += [*_definitions(e.symbol, means), *e.symbol.domain.inside]
        waiting += [bound for _, bound in e.symbol.bounds] if bounds else []
    return found


def part_of(spec: Spec, needed: set[Symbol]) -> Spec:
    """The spec with its listed sets, and the parameters, other sets and trees that are needed."""
    return replace(
        spec,
        parameters=tuple(s for s in spec.parameters if s in needed),
        sets=tuple(s for s in spec.sets if s in needed or isinstance(s.value, Listed)),
        trees=tuple(s for s in spec.trees if s in needed),
    )


def learnt_variables(spec: Spec, expressions: Iterable[t.Typed]) -> frozenset[Symbol]:
    """Variables with a meaning that were decided on the training part.

    They are those that the tree is read from, and those of its nodes that the expressions measure
    points by: `other[l,h]`, the second label of leaf l, in `sum {i in points} …`. What stands
    outside of such a sum, as `sum {l in leaves} loss[l]` does, is measured on the rows.
    """
    own = split_variables(spec) | leaf_variables(spec)
    answers = {s for s in spec.variables if s.name in own and POINT not in s.sorts}
    by_points = {s for s in _read_for_points(expressions, answers) if _gathers(s)}
    return frozenset(s for s in answers | by_points if s.means is not None)


def rests_on_training(spec: Spec, expression: t.Typed) -> bool:
    """Whether what an expression means on other rows depends on points of the training part."""
    needed = reached((expression,), means=True)
    tables = learnt_tables(spec) & needed
    variables = learnt_variables(spec, (expression,)) & needed
    return any(map(_is_of_points, tables)) or any(map(_gathers, variables))


def learnt_values(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], variables: Iterable[Symbol]
) -> dict[str, np.ndarray]:
    """Such variables on the training part, float64 over each domain; without those that depend on
    a variable which is neither the tree's nor has a meaning.

    instance: of the training part, whose tree it is. values: as of `meaning_of`.
    """
    meaning = meaning_of(instance, tree, values)
    found = {}
    for symbol in variables:
        meaning.taken.clear()
        own = values_of(symbol, Evaluator(instance, meaning))
        if not meaning.taken:
            found[symbol.name] = own
    return found


def _is_of_points(symbol: Symbol) -> bool:
    """Whether a definition itself, or that of its indices, takes more of the data's points than the
    one that it is of."""
    domain, own = symbol.domain, set(symbol.domain.names)
    waiting = [*domain.guard, *(c for binder in domain.binders for c in binder.conditions)]
    waiting += [binder.set for binder in domain.binders if binder.element != POINT]
    waiting += [] if symbol.value is None else [symbol.value]
    while waiting:
        e = waiting.pop()
        if isinstance(e, t.BaseSet) and e.of.element == POINT:
            return True
        if isinstance(e, t.Call) and e.function in OF_POINTS:
            return True
        if isinstance(e, t.At) and e.symbol.role is Role.DATA and not _is_at(e, own):
            return True
        waiting += e.inside
    return False


def _is_at(e: t.At, names: set[str]) -> bool:
    """Whether one of these names is an index of a table's."""
    return any(isinstance(a, t.Bound) and a.name in names for a in e.arguments)


def _gathers(symbol: Symbol) -> bool:
    """Whether a variable of nodes means something that is gathered over points."""
    if symbol.role is not Role.VARIABLE or POINT in symbol.sorts or NODE not in symbol.sorts:
        return False
    value = None if symbol.means is None else symbol.means.value
    if value is None:
        return False
    return any(s.role is Role.DATA and POINT in s.sorts for s in mentioned(value, means=True))


def _read_for_points(expressions: Iterable[t.Typed], known: set[Symbol]) -> set[Symbol]:
    """Symbols that are read where a point is bound; definitions of `known` are not looked into."""
    waiting = [(e, False) for e in expressions]
    seen = set[tuple[Symbol, bool]]()
    while waiting:
        e, point = waiting.pop()
        if isinstance(e, t.Reduction | t.Comprehension):
            point = point or _binds_point(e)
        waiting += [(part, point) for part in e.inside]
        if isinstance(e, t.At) and (e.symbol, point) not in seen:
            seen.add((e.symbol, point))
            if e.symbol not in known:
                waiting += [(part, point) for part in _definitions(e.symbol)]
    return {symbol for symbol, point in seen if point}


def _binds_point(e: t.Reduction | t.Comprehension) -> bool:
    binders = e.binders if isinstance(e, t.Reduction) else (e.binder,)
    return any(binder.element == POINT for binder in binders)


def _definitions(symbol: Symbol, means: bool = True) -> Iterator[t.Typed]:
    """What a symbol is defined by; with `means` its meaning on a tree where it has one."""
    own = symbol.means if means and symbol.means is not None else symbol
    for each in (own, symbol.extension):
        if each is not None and each.value is not None:
            yield from (each.value, *each.domain.inside)
