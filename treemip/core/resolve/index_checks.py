"""Indices outside a declaration's domain, parents and children that do not exist, in any topology.

In every topology the root is a branch, and some branch has two leaves. So an index over all leaves
is always outside the domain of what is declared for branches, whatever the shape of the tree, and
can be reported from the text alone. Where a condition narrows an index, only lowering knows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from treemip.core.resolve import typed as t
from treemip.core.resolve.link import Linker
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.sorts import NODE
from treemip.core.resolve.spec import Constraint, ObjectiveSpec
from treemip.core.resolve.typed import Symbol, TypedDomain
from treemip.core.source.diagnostic import Fault, Related

Meets = dict[str, frozenset[str]]
"""Bound names with nodes that each of them is certain to be at some time."""

ROOT, LEAF, LAST = "the root", "a leaf", "a branch"

MET = {
    "nodes": frozenset((ROOT, LEAF)),
    "branches": frozenset((ROOT,)),
    "last_branches": frozenset((LAST,)),
    "leaves": frozenset((LEAF,)),
    "left_children": frozenset((LEAF,)),
    "right_children": frozenset((LEAF,)),
}
OUTSIDE = {
    "branches": frozenset((LEAF,)),
    "last_branches": frozenset((LEAF,)),
    "leaves": frozenset((ROOT, LAST)),
    "left_children": frozenset((ROOT,)),
    "right_children": frozenset((ROOT,)),
}
"""By base set, nodes that are not in it."""

WITHOUT = {"left": LEAF, "right": LEAF, "parent": ROOT}
"""By function, the nodes that it does not exist for."""

RESTRICT = "restrict the domain: {t in branches} has children, {t in nodes : t != root} a parent"


def check_places(
    linker: Linker, rows: Iterable[Constraint], objective: ObjectiveSpec | None
) -> None:
    """Report indices and neighbours that do not exist (E401) in the texts of the spec itself."""
    for row in rows:
        if row.module == SPEC:
            linker.attempt(partial(_row, row))
    for symbol in linker.symbols.values():
        if symbol is not None and symbol.module == SPEC:
            linker.attempt(partial(_symbol, symbol))
    if objective is not None and linker.owner(objective.span) == SPEC:
        for one in objective.in_turn:
            linker.attempt(partial(_walk, one.value, {}))


def _row(row: Constraint) -> None:
    meets = _over(row.domain, {})
    for _, each in row.local_sets:
        _walk(each, meets)
    for e in row.sides:
        _walk(e, meets)


def _symbol(symbol: Symbol) -> None:
    meets = _over(symbol.domain, {})
    for e in (symbol.value, *(bound for _, bound in symbol.bounds)):
        if e is not None:
            _walk(e, meets)


def _over(domain: TypedDomain | t.Reduction, outer: Meets) -> Meets:
    """Problems of names inside a domain, without those that a condition excludes."""
    if domain.guard:
        return {}
    meets = dict(outer)
    for binder in domain.binders:
        _walk(binder.set, meets)
        meets[binder.name] = _of_set(binder.set)
    for name in (name for b in domain.binders for c in b.conditions for name in c.free):
        meets.pop(name, None)
    return meets


def _of_set(e: t.Typed) -> frozenset[str]:
    return MET.get(e.name, frozenset()) if isinstance(e, t.BaseSet) else frozenset()


def _walk(e: t.Typed, meets: Meets) -> None:
    """Raise Fault (E401) for the first place that does not exist."""
    match e:
        case t.Reduction():
            _walk(e.body, _over(e, meets))
            return
        case t.Choice():
            for part in (e.then, e.otherwise):
                _walk(part, {})
            return
        case t.Comprehension():
            return
        case t.At():
            _at(e, meets)
        case t.Call() if e.function in WITHOUT and e.sort == NODE:
            _neighbour(e, meets)
    for part in e.parts:
        _walk(part, meets)


def _nodes(e: t.Typed, meets: Meets) -> frozenset[str]:
    """Nodes that an expression certainly takes for some index."""
    if isinstance(e, t.Bound):
        return meets.get(e.name, frozenset())
    if not isinstance(e, t.Call):
        return frozenset()
    if e.function == "root":
        return frozenset((ROOT,))
    argument = e.arguments[0] if e.arguments else None
    if isinstance(argument, t.Bound) and e.function in WITHOUT:
        inner = meets.get(argument.name, frozenset())
        if e.function != "parent" and inner in (MET["branches"], MET["last_branches"]):
            return frozenset((LEAF,))
        if e.function == "parent" and inner == MET["leaves"]:
            return frozenset((LAST,))
    return frozenset()


def _at(e: t.At, meets: Meets) -> None:
    symbol = e.symbol
    if symbol.extension is not None or symbol.parameters:
        return
    for argument, binder in zip(e.arguments, symbol.domain.binders, strict=False):
        related = (Related(symbol.span, "declared here"),) if symbol.span else ()
        if _beyond(argument, binder.set):
            message = (
                f"'{symbol.name}' is declared for {binder.set.span.text}, "
                f"not for {argument.span.text}"
            )
            raise Fault("E401", message, e.span, related=related)
        declared = binder.set.name if isinstance(binder.set, t.BaseSet) else ""
        beyond = _nodes(argument, meets) & OUTSIDE.get(declared, frozenset())
        if beyond:
            message = (
                f"'{symbol.name}' is declared for {declared}, but {_met(argument, min(beyond))}"
            )
            raise Fault("E401", message, e.span, _narrower(argument, declared), related=related)


def _beyond(argument: t.Typed, declared: t.Typed) -> bool:
    """Whether a literal number lies outside a range with literal ends."""
    if not isinstance(argument, t.Const) or not isinstance(declared, t.RangeSet):
        return False
    low, high = declared.lower, declared.upper
    if not isinstance(low, t.Const) or not isinstance(high, t.Const):
        return False
    steps = argument.value - math.ceil(low.value)
    return not (steps.is_integer() and steps >= 0 and argument.value <= high.value)


def _neighbour(e: t.Call, meets: Meets) -> None:
    lacking = WITHOUT[e.function]
    if lacking in _nodes(e.arguments[0], meets):
        what = "has no parent" if e.function == "parent" else "has no children"
        where = _met(e.arguments[0], lacking)
        message = f"'{e.function}' does not exist here: {where}, which {what}"
        raise Fault("E401", message, e.span, RESTRICT)


def _met(e: t.Typed, node: str) -> str:
    if isinstance(e, t.Call) and e.function == "root":
        return "this is the root"
    return f"'{e.span.text}' can be {node}"


def _narrower(e: t.Typed, declared: str) -> str:
    """A domain that keeps an index within what is declared."""
    if isinstance(e, t.Bound):
        return f"restrict the domain: {{{e.name} in {declared}}}"
    if not e.free:
        return ""
    index = min(e.free)
    return f"restrict the domain by a condition: {{{index} in … : {e.span.text} in {declared}}}"
