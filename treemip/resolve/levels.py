"""`level(1: a, 2: b)`: a parameter over nodes with one value for each level of the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from treemip.resolve import typed as t
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.sorts import NUMBER, Element
from treemip.resolve.symbols import TypedDomain
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.expressions import Expressions


def is_levels(value: n.Expr) -> TypeGuard[n.Name]:
    return (
        isinstance(value, n.Name)
        and value.name == "level"
        and bool(value.arguments)
        and all(a.key is not None for a in value.arguments or ())
    )


def levels(expressions: Expressions, value: n.Name, domain: TypedDomain, scope: Scope) -> t.Typed:
    """level(1: a, 2: b) over a node index t: if depth(t) = 0 then a else b.

    So the last value given also holds for all deeper levels.
    """
    nodes = [b for b in domain.binders if b.element == Element("node")]
    if not nodes:
        raise Fault("E204", "level(…) needs a parameter indexed by nodes", value.span)
    assert value.arguments is not None
    where = t.Bound(name=nodes[0].name, of=nodes[0].element, span=value.span)
    depth = t.Call(function="depth", arguments=(where,), of=NUMBER, span=value.span)
    made: t.Typed | None = None
    _check_levels(value)
    for argument in sorted(value.arguments, key=lambda a: a.key.value if a.key else 0)[::-1]:
        item = expressions.known(argument.value, scope, "a parameter")
        if made is None:
            made = item
            continue
        assert argument.key is not None
        level = t.Const(value=argument.key.value - 1, span=argument.span)
        test = t.Comparison(op="=", left=depth, right=level, span=argument.span)
        made = t.Choice(condition=test, then=item, otherwise=made, span=argument.span)
    assert made is not None
    return made


def _check_levels(value: n.Name) -> None:
    """The levels are 1, 2, … without gaps or repeats."""
    keys = [a.key for a in value.arguments or () if a.key is not None]
    for wanted, key in enumerate(sorted(keys, key=lambda k: k.value), start=1):
        if key.value != wanted:
            raise Fault(
                "E203",
                f"the levels run 1, 2, … without gaps or repeats, but this is {key.text}",
                key.span,
                "level(1: a, 2: b) is a at the root and b below",
            )
