"""Calls of built-in functions: which is meant; those whose arguments are like no other's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.resolve.builtins import FUNCTIONS, VARIADIC, VECTOR_FUNCTIONS
from treemip.resolve.premises import mentions, objective_has, objective_is
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.signatures import arity, counted_from_1, signature_call
from treemip.resolve.sorts import (
    NUMBER,
    Degree,
    Element,
    SetOf,
    TreeOf,
)
from treemip.resolve.symbols import Role, Symbol
from treemip.resolve.vectors import descend, vector_function
from treemip.source.suggest import listed
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.expressions import Expressions


def call(expressions: Expressions, node: n.Name, scope: Scope) -> t.Typed:
    """A call of a built-in function."""
    assert node.arguments is not None
    if any(a.name or a.key for a in node.arguments):
        raise _named_arguments(node)
    values = [a.value for a in node.arguments]
    if node.name == "sorted":
        return _sorted(expressions, node, values, scope)
    if node.indices is not None:
        raise Fault("E203", f"'{node.name}' is a function and takes no indices", node.span)
    if node.name in VECTOR_FUNCTIONS:
        return vector_function(expressions, node, values, scope)
    if node.name in VARIADIC:
        return _variadic(expressions, node, values, scope)
    if node.name in OWN_FORMS:
        return OWN_FORMS[node.name](expressions, node, values, scope)
    return signature_call(expressions, node, values, FUNCTIONS[node.name], scope)


def _named_arguments(node: n.Name) -> Fault:
    if node.name != "level":
        return Fault("E203", f"'{node.name}' takes arguments without names", node.span)
    return Fault(
        "E203",
        "level(1: a, 2: b) gives a parameter over nodes one value for each level",
        node.span,
        "write it as the whole value of a param, every argument with its level",
    )


def _variadic(
    expressions: Expressions, node: n.Name, values: list[n.Expr], scope: Scope
) -> t.Typed:
    """`max(a, b)`, `min(a, b)`"""
    made = tuple(expressions.number(v, scope) for v in values)
    if len(made) < 2:
        raise Fault(
            "E203",
            f"'{node.name}' needs at least two numbers",
            node.span,
            f"write {node.name}(a, b) or {node.name} {{j in features}} …",
        )
    return t.Call(function=node.name, arguments=made, of=NUMBER, span=node.span)


def _sorted(expressions: Expressions, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`sorted(class_count)[r]`: the r-th smallest value of a one-index table."""
    arity(node, values, 1)
    symbol = _table(expressions, values[0])
    if symbol is None or node.indices is None or len(node.indices) != 1:
        raise Fault(
            "E203",
            "'sorted' takes a table of numbers and a rank, as in sorted(table)[r]",
            node.span,
        )
    rank = expressions.number(node.indices[0], scope)
    if rank.degree is not Degree.KNOWN:
        raise Fault("E206", f"a rank cannot be {rank.degree}", rank.span)
    counted_from_1(rank, "ranks")
    whole = t.At(symbol=symbol, arguments=(), span=values[0].span)
    return t.Call(function="sorted", arguments=(whole, rank), of=NUMBER, span=node.span)


def _table(expressions: Expressions, value: n.Expr) -> Symbol | None:
    if not isinstance(value, n.Name) or value.indices or value.arguments:
        return None
    symbol = expressions.linker.find(value.name, value.span)
    usable = (
        symbol is not None and symbol.role in (Role.PARAMETER, Role.DATA) and symbol.sort == NUMBER
    )
    return symbol if usable and symbol is not None and len(symbol.sorts) == 1 else None


def _values(expressions: Expressions, node: n.Name, values: list[n.Expr], _: Scope) -> t.Typed:
    """`values(sex)`: the values of a group column that some point has."""
    arity(node, values, 1)
    value = values[0]
    groups = expressions.linker.groups
    if not isinstance(value, n.Name) or value.indices or value.name not in groups:
        raise Fault(
            "E204",
            "'values' takes the name of a group column",
            value.span,
            f"the groups are {listed(groups)}"
            if groups
            else "the data block names no group: group sex;",
        )
    symbol = expressions.linker.find(value.name, value.span)
    assert symbol is not None
    column = t.At(symbol=symbol, arguments=(), span=value.span)
    assert isinstance(symbol.sort, Element)
    return t.Call(function="values", arguments=(column,), of=SetOf(symbol.sort), span=node.span)


def _bisect(expressions: Expressions, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    arity(node, values, 1)
    made = expressions.set(values[0], scope)
    if made.sort != SetOf(NUMBER):
        raise Fault("E204", f"'bisect' takes a set of numbers, not {made.sort}", values[0].span)
    return t.Call(function="bisect", arguments=(made,), of=TreeOf(""), span=node.span)


OWN_FORMS = {
    "bisect": _bisect,
    "descend": descend,
    "values": _values,
    "objective_is": objective_is,
    "objective_has": objective_has,
    "mentions": mentions,
}
"""Functions whose arguments no signature describes."""
