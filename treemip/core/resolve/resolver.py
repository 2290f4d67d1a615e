"""What resolving any expression shares: the checks of sort and degree, domains, and free names."""

from __future__ import annotations

from abc import ABC, abstractmethod

from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import BASE_SETS, CONSTANTS, DATA, builtin
from treemip.core.resolve.link import Linker, Scope
from treemip.core.resolve.sorts import ANY_SET, NUMBER, TEXT, TRUTH, Degree, Element, SetOf, Sort
from treemip.core.resolve.typed import TypedDomain
from treemip.core.resolve.typed_sets import binders, form, parts_of
from treemip.core.source.diagnostic import Fault
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import word_span


class Resolver(ABC):
    """Resolves expressions; `linker` has the declarations.

    The files of this room that deal with one kind of expression take a Resolver for its parts;
    `Expressions` is the one there is.
    """

    def __init__(self, linker: Linker) -> None:
        self.linker = linker
        self.on_a_tree = False  # resolving a `means`: on a tree, every variable is known

    @abstractmethod
    def resolve(self, node: n.Expr, scope: Scope, expected: Sort | None = None) -> t.Typed:
        """The typed form of a node. `expected` gives strings the sort they name an element of.

        Raises Fault, or Broken where a declaration that was reported before is mentioned.
        """

    def number(self, node: n.Expr, scope: Scope) -> t.Typed:
        """An expression that must be a number."""
        typed = self.resolve(node, scope)
        if typed.sort != NUMBER:
            raise Fault("E204", f"expected a number, not {typed.sort}", node.span, as_number(typed))
        return typed

    def known(self, node: n.Expr, scope: Scope, what: str, expected: Sort | None = None) -> t.Typed:
        """An expression without variables."""
        typed = self.resolve(node, scope, expected)
        if typed.degree is not Degree.KNOWN and not self.on_a_tree:
            message = f"{what} must be known once the data is read, but this is {typed.degree}"
            raise Fault("E206", message, node.span)
        return typed

    def condition(self, node: n.Expr, scope: Scope) -> t.Typed:
        typed = self.known(node, scope, "a condition")
        if typed.sort != TRUTH:
            raise Fault("E204", f"expected a condition, not {typed.sort}", node.span)
        return typed

    def set(self, node: n.Expr, scope: Scope) -> t.Typed:
        """A set of single elements."""
        typed = self.any_set(node, scope)
        if parts_of(typed.sort):
            name = node.name if isinstance(node, n.Name) else "…"
            message = f"expected a set of single elements, not {typed.sort}"
            remedy = f"bind its tuples by their parts: {form(typed)} in {name}"
            raise Fault("E204", message, node.span, remedy)
        return typed

    def any_set(self, node: n.Expr, scope: Scope) -> t.Typed:
        """A set of single elements or of tuples."""
        typed = self.known(node, scope, "a set", ANY_SET)
        if not isinstance(typed.sort, SetOf):
            remedy = (
                "sets are, for example, points, features, branches, 1..5 or "
                "{i in points : y[i] = k}"
            )
            raise Fault("E204", f"expected a set, not {typed.sort}", node.span, remedy)
        return typed


READ_OUT = (
    "it is computed from a solution's values; in rows use the variables that it is computed from"
)


def as_number(*values: t.Typed) -> str:
    """Advice for a place that needs a number and has an element or a set."""
    for item in values:
        if item.degree is Degree.READOUT:
            return READ_OUT
        if isinstance(item.sort, Element):
            return f"ord(…) gives the 1-based number of {item.sort}" if item.sort != TEXT else ""
        if isinstance(item.sort, SetOf):
            return "card(…) gives the number of elements of a set"
    return ""


def resolve_domain(
    resolver: Resolver, node: n.Domain | None, scope: Scope
) -> tuple[TypedDomain, Scope]:
    """The typed domain and the scope in which its names are bound.

    A condition is split at `and`; each part goes to the first binder after which all names it
    mentions are bound, so that a frame is masked before it grows.
    """
    if node is None:
        return TypedDomain(), scope
    inner = scope
    sets: list[tuple[str, t.Typed]] = []
    for binder in node.binders:
        tuples = len(binder.names) > 1
        members = (resolver.any_set if tuples else resolver.set)(binder.set, inner)
        for name, each in binders(binder, members):
            place = _check_name(resolver, binder, name, inner)
            assert isinstance(each.sort, SetOf)
            sets.append((name, each))
            inner = inner.with_bound(name, each.sort.element, place)
            resolver.linker.note(name, place, "index", place, each.sort.element)
    placed: list[list[t.Typed]] = [[] for _ in sets]
    guard: list[t.Typed] = []
    for part in _conjuncts(node.condition):
        condition = resolver.condition(part, inner)
        last = max((k for k, (name, _) in enumerate(sets) if name in condition.free), default=-1)
        (guard if last < 0 else placed[last]).append(condition)
    bound = tuple(
        t.Binder(name, members, tuple(conditions))
        for (name, members), conditions in zip(sets, placed, strict=True)
    )
    return TypedDomain(bound, tuple(guard)), inner


def _check_name(resolver: Resolver, binder: n.Binder, name: str, scope: Scope) -> Span:
    """The place of an index, which is new: not bound, declared, or a name of the language."""
    place = word_span(binder.span, name, binder.names.index(name))
    if len(binder.names) > 1 and name in scope.bound:
        remedy = "ask for the tuple instead: {i in points, k in points : (i, k) in pairs}"
        raise Fault("E202", f"the name '{name}' is bound already", place, remedy)
    check_free(name, place, scope)
    if resolver.linker.clashes(name, binder.span):
        message = f"the name '{name}' is declared already and cannot be an index"
        raise Fault("E202", message, place, "choose another name for the index")
    return place


def check_free(name: str, span: Span, scope: Scope) -> None:
    """Check that a name about to be bound has no other meaning here."""
    if name in scope.bound or name in scope.local:
        raise Fault("E202", f"the name '{name}' is bound already", span, "choose another name")
    if name in (*BASE_SETS, *CONSTANTS, *DATA):
        message = f"'{name}' is {builtin(name)} of the language and cannot be bound"
        raise Fault("E202", message, span, "choose another name")


def _conjuncts(node: n.Expr | None) -> list[n.Expr]:
    if node is None:
        return []
    if isinstance(node, n.AllOf):
        return [part for p in node.parts for part in _conjuncts(p)]
    if isinstance(node, n.Group):
        inner = _conjuncts(node.inner)
        return inner if len(inner) > 1 else [node]
    return [node]
