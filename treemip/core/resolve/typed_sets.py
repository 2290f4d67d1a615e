"""Resolved sets that a text lists, and sets of tuples.

A binder of tuples, `(i, j) in pairs`, and a test for members of their set become statements about
single elements, the only ones that later stages know: the first elements of the tuples, and for
each of them the elements that continue it (`Section`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import Element, Number, SetOf, Sort, TupleOf
from treemip.core.source.diagnostic import Fault
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n


class Listed(t.Typed):
    """`{"a", "b"}`: the value of a declared set whose elements are these texts."""

    texts: tuple[str, ...]
    of: SetOf


class Section(t.Typed):
    """What continues `prefix` in a declared set of tuples: for (i), {j : (i, j) in pairs}.

    `(i, j) in pairs` as a binder is two, `i in Section(pairs, ())` and `j in Section(pairs, (i,))`;
    as a condition it is `j in Section(pairs, (i,))`.
    """

    tuples: t.At
    prefix: tuple[t.Typed, ...]

    @property
    def sort(self) -> Sort:
        assert isinstance(self.tuples.sort, SetOf)
        element = self.tuples.sort.element
        assert isinstance(element, TupleOf)
        return SetOf(element.parts[len(self.prefix)])


class Tuples(t.Typed):
    """The value of a declared set of tuples: those of the binders that pass all conditions."""

    binders: tuple[t.Binder, ...]
    guard: tuple[t.Typed, ...] = ()

    @property
    def sort(self) -> Sort:
        elements = (b.element for b in self.binders)
        return SetOf(TupleOf(tuple(e for e in elements if isinstance(e, Number | Element))))

    @cached_property
    def free(self) -> frozenset[str]:
        return t.free_of_domain(self.binders, self.guard, frozenset())

    @property
    def inside(self) -> tuple[t.Typed, ...]:
        return (*self.guard, *t.in_binders(self.binders))


def grouped(binders: Sequence[t.Binder]) -> Iterator[tuple[tuple[t.Binder, ...], t.At | None]]:
    """The binders in order: those that bind whole tuples together, with the set of these tuples."""
    at = 0
    while at < len(binders):
        first = binders[at].set
        group = tuple(binders[at : at + 1])
        if isinstance(first, Section) and not first.prefix:
            group = tuple(binders[at : at + len(tuple_parts(first))])
            wanted = [(first.tuples, k) for k in range(len(tuple_parts(first)))]
            bound = [(b.set.tuples, len(b.set.prefix)) for b in group if isinstance(b.set, Section)]
            if bound == wanted:
                yield group, first.tuples
                at += len(group)
                continue
        yield group[:1], None
        at += 1


def tuple_parts(e: Section) -> tuple[Sort, ...]:
    """The sorts of the parts of its tuples."""
    assert isinstance(e.tuples.sort, SetOf) and isinstance(e.tuples.sort.element, TupleOf)
    return e.tuples.sort.element.parts


def domain_text(domain: t.TypedDomain) -> str:
    """A domain as a text of the language."""
    sets = []
    for group, tuples in grouped(domain.binders):
        names = ", ".join(b.name for b in group)
        over = group[0].set if tuples is None else tuples
        sets.append(f"{names if tuples is None else f'({names})'} in {over.span.text}")
    tests = [
        c.span.text for c in (*domain.guard, *(c for b in domain.binders for c in b.conditions))
    ]
    return f"{{{', '.join(sets)}{' : ' if tests else ''}{' and '.join(tests)}}}"


# --------------------------------------------------------------------- where a text names tuples


def parts_of(sort: Sort) -> tuple[Sort, ...]:
    """The sorts of the parts of a set's tuples; empty for any other sort."""
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
