"""Domains: binders in order, each with the conditions that can be tested once it is bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.resolve.builtins import BASE_SETS, CONSTANTS, DATA, builtin
from treemip.resolve.pointing import word
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.sorts import SetOf
from treemip.resolve.symbols import TypedDomain
from treemip.source.span import Span
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.expressions import Expressions


def resolve_domain(
    expressions: Expressions, node: n.Domain | None, scope: Scope
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
        _check_name(expressions, binder, inner)
        found = expressions.set(binder.set, inner)
        assert isinstance(found.sort, SetOf)
        sets.append((binder.name, found))
        inner = inner.with_bound(binder.name, found.sort.element)
    placed: list[list[t.Typed]] = [[] for _ in sets]
    guard: list[t.Typed] = []
    for part in _conjuncts(node.condition):
        condition = expressions.condition(part, inner)
        last = max((k for k, (name, _) in enumerate(sets) if name in condition.free), default=-1)
        (guard if last < 0 else placed[last]).append(condition)
    binders = tuple(
        t.Binder(name, found, tuple(conditions))
        for (name, found), conditions in zip(sets, placed, strict=True)
    )
    return TypedDomain(binders, tuple(guard)), inner


def _check_name(expressions: Expressions, binder: n.Binder, scope: Scope) -> None:
    """An index is new: not bound, declared, or a set, element or table of the language."""
    check_free(binder.name, word(binder.span, binder.name), scope)
    if expressions.linker.clashes(binder.name, binder.span):
        raise Fault(
            "E202",
            f"the name '{binder.name}' is declared already and cannot be an index",
            word(binder.span, binder.name),
            "choose another name for the index",
        )


def check_free(name: str, span: Span, scope: Scope) -> None:
    """A name about to be bound means nothing else here."""
    if name in scope.bound or name in scope.local:
        raise Fault("E202", f"the name '{name}' is bound already", span, "choose another name")
    if name in (*BASE_SETS, *CONSTANTS, *DATA):
        raise Fault(
            "E202",
            f"'{name}' is {builtin(name)} of the language and cannot be bound",
            span,
            "choose another name",
        )


def _conjuncts(node: n.Expr | None) -> list[n.Expr]:
    if node is None:
        return []
    if isinstance(node, n.AllOf):
        return [part for p in node.parts for part in _conjuncts(p)]
    if isinstance(node, n.Group):
        inner = _conjuncts(node.inner)
        return inner if len(inner) > 1 else [node]
    return [node]
