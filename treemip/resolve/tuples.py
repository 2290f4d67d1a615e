"""Sets of tuples where a text binds them, `(i, j) in pairs`, and asks for members of them.

Both become statements about single elements, of which everything behind knows: the first elements
of the tuples, and for each of them the elements that continue it (`Section`).
"""

from __future__ import annotations

from treemip.resolve import typed as t
from treemip.resolve.sorts import SetOf, Sort, TupleOf
from treemip.resolve.typed_sets import Section, Tuples
from treemip.source.diagnostic import Fault
from treemip.source.span import Span
from treemip.syntax import nodes as n


def parts_of(sort: Sort) -> tuple[Sort, ...]:
    """The sorts of a tuple's parts, of a set of tuples; none for any other sort."""
    if isinstance(sort, SetOf) and isinstance(sort.element, TupleOf):
        return sort.element.parts
    return ()


def form(members: t.Typed) -> str:
    """`(i, k)`, with the names that the set's own declaration has for its parts."""
    value = members.symbol.value if isinstance(members, t.At) else members
    if isinstance(value, Tuples):
        return f"({', '.join(b.name for b in value.binders)})"
    return f"({', '.join('ijklmnpqr'[: len(parts_of(members.sort))])})"


def declared(members: t.Typed, count: int, span: Span) -> t.At:
    """The set whose tuples of `count` parts are bound or asked for. Raises Fault (E203, E206)."""
    parts = parts_of(members.sort)
    if not parts:
        message = f"{count} names stand for one element: this is {members.sort}"
        raise Fault("E203", message, span, "write  i in points, j in features")
    if not isinstance(members, t.At):
        message = "a set of tuples must be declared to be used here"
        raise Fault("E206", message, members.span, "set pairs = {i in points, k in points : …};")
    if count != len(parts):
        message = f"'{members.symbol.name}' has tuples of {len(parts)} parts, not of {count}"
        raise Fault("E203", message, span, f"write  {form(members)} in {members.symbol.name}")
    return members


def binders(node: n.Binder, members: t.Typed) -> list[tuple[str, t.Typed]]:
    """Each name of a binder, and the set it ranges over, which depends on the names before it."""
    if len(node.names) == 1:
        return [(node.names[0], members)]
    tuples = declared(members, len(node.names), node.span)
    bound: list[tuple[str, t.Typed]] = []
    prefix: tuple[t.Typed, ...] = ()
    for name, sort in zip(node.names, parts_of(members.sort), strict=True):
        section = Section(tuples=tuples, prefix=prefix, span=node.span)
        bound.append((name, section))
        prefix = (*prefix, t.Bound(name=name, of=sort, span=node.span))
    return bound
