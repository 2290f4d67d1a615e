"""Functions of vectors such as `coef[t,*]`: reductions with a bound name of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.resolve.builtins import VECTOR_FUNCTIONS
from treemip.resolve.names import index
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.signatures import arity
from treemip.resolve.sorts import (
    NUMBER,
    TreeOf,
)
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.expressions import Expressions


def fresh_name(scope: Scope) -> str:
    """A name no text can bind; the same at the same depth, so that equal vectors stay equal."""
    return f"*{sum(name.startswith('*') for name in scope.bound) + 1}"


def vector_function(
    expressions: Expressions, node: n.Name, values: list[n.Expr], scope: Scope
) -> t.Typed:
    """dot(a,b) = sum a_k b_k, normsq(a) = sum a_k a_k, norm1(a) = sum |a_k|; norminf is kept."""
    arity(node, values, VECTOR_FUNCTIONS[node.name])
    name = fresh_name(scope)
    parts: list[t.Typed] = []
    over: t.Typed | None = None
    for value in values:
        element, found = vector(expressions, value, name, f"'{node.name}' takes vectors", scope)
        if over is not None and found.sort != over.sort:
            raise Fault(
                "E204",
                f"'{node.name}' pairs {over.sort} with {found.sort}",
                node.span,
            )
        over = over or found
        parts.append(element)
    assert over is not None
    binder = t.Binder(name, over)
    if node.name == "norminf":
        return t.Reduction(op="norminf", binders=(binder,), body=parts[0], span=node.span)
    body: t.Typed = t.Arithmetic(op="*", left=parts[0], right=parts[-1], span=node.span)
    if node.name == "norm1":
        body = t.Call(function="abs", arguments=(parts[0],), of=NUMBER, span=node.span)
    return t.Reduction(op="sum", binders=(binder,), body=body, span=node.span)


def vector(
    expressions: Expressions, value: n.Expr, name: str, needed: str, scope: Scope
) -> tuple[t.Typed, t.Typed]:
    """A vector's element at a bound name, and the set the name ranges over.

    `needed` says who takes vectors, for what is none.
    """
    if not isinstance(value, n.Name) or not value.indices:
        raise _no_vector(needed, value)
    stars = [k for k, item in enumerate(value.indices) if isinstance(item, n.All)]
    symbol = expressions.linker.find(value.name, value.span)
    if symbol is None:
        raise expressions.linker.unknown(value, scope)
    if len(stars) != 1:
        raise _no_vector(needed, value)
    if len(value.indices) != len(symbol.sorts):
        raise Fault(
            "E203",
            f"'{symbol.name}' has {len(symbol.sorts)} indices, but {len(value.indices)} are given",
            value.span,
        )
    if symbol.sort != NUMBER:
        raise Fault("E204", f"expected a vector of numbers, not {symbol.sort}", value.span)
    star = stars[0]
    over = expressions.linker.axis(symbol, star, value)
    arguments = tuple(
        t.Bound(name=name, of=wanted, span=item.span)
        if k == star
        else index(expressions, item, wanted, symbol, scope)
        for k, (item, wanted) in enumerate(zip(value.indices, symbol.sorts, strict=True))
    )
    return t.At(symbol=symbol, arguments=arguments, span=value.span), over


def _no_vector(needed: str, value: n.Expr) -> Fault:
    return Fault(
        "E206",
        f"{needed}, with '*' for the index that runs",
        value.span,
        "such as coef[t,*] or x[i,*]",
    )


def descend(expressions: Expressions, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`descend(code[f], bit[n,*])`: the leaf's number that the bits lead to."""
    arity(node, values, 2)
    tree = expressions.resolve(values[0], scope)
    if not isinstance(tree.sort, TreeOf):
        raise Fault("E204", f"'descend' takes a tree, but this is {tree.sort}", values[0].span)
    name = fresh_name(scope)
    bit, over = vector(expressions, values[1], name, "'descend' takes vectors", scope)
    bits = t.Reduction(op="vector", binders=(t.Binder(name, over),), body=bit, span=bit.span)
    return t.Call(function="descend", arguments=(tree, bits), of=NUMBER, span=node.span)
