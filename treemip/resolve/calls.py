"""Calls of built-in functions, checked against their signatures; vectors become reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.resolve.builtins import FUNCTIONS, VARIADIC, VECTOR_FUNCTIONS, Signature
from treemip.resolve.names import index
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.sorts import (
    CATEGORICAL,
    CATEGORY,
    COLUMN,
    FEATURE,
    NODE,
    NUMBER,
    POINT,
    Degree,
    Element,
    SetOf,
    Sort,
    TreeOf,
)
from treemip.resolve.symbols import Role, Symbol
from treemip.source.suggest import listed
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.expressions import Expressions


def fresh_name(scope: Scope) -> str:
    """A name no text can bind; the same at the same depth, so that equal vectors stay equal."""
    return f"*{sum(name.startswith('*') for name in scope.bound) + 1}"


def call(expressions: Expressions, node: n.Name, scope: Scope) -> t.Typed:
    """A call of a built-in function."""
    assert node.arguments is not None
    if any(a.name or a.key for a in node.arguments):
        if node.name == "level":
            raise Fault(
                "E203",
                "level(1: a, 2: b) gives a parameter over nodes one value for each level",
                node.span,
                "write it as the whole value of a param, every argument with its level",
            )
        raise Fault("E203", f"'{node.name}' takes arguments without names", node.span)
    values = [a.value for a in node.arguments]
    if node.name == "sorted":
        return _sorted(expressions, node, values, scope)
    if node.indices is not None:
        raise Fault("E203", f"'{node.name}' is a function and takes no indices", node.span)
    if node.name in VECTOR_FUNCTIONS:
        return _vector_function(expressions, node, values, scope)
    if node.name in VARIADIC:
        made = tuple(expressions.number(v, scope) for v in values)
        if len(made) < 2:
            raise Fault(
                "E203",
                f"'{node.name}' of one number",
                node.span,
                f"write {node.name}(a, b) or {node.name} {{j in features}} …",
            )
        return t.Call(function=node.name, arguments=made, of=NUMBER, span=node.span)
    if node.name == "bisect":
        return _bisect(expressions, node, values, scope)
    if node.name == "descend":
        return _descend(expressions, node, values, scope)
    if node.name == "values":
        return _values(expressions, node, values)
    return _signature_call(expressions, node, values, FUNCTIONS[node.name], scope)


NAMED: dict[str, Sort] = {
    "feature": FEATURE,
    "categorical feature": CATEGORICAL,
    "column": COLUMN,
}
"""Arguments that a text names."""

COUNTED = {"level", "point"}
"""Functions that find something by a number, which must be known."""


def _signature_call(
    expressions: Expressions,
    node: n.Name,
    values: list[n.Expr],
    signature: Signature,
    scope: Scope,
) -> t.Typed:
    _arity(node, values, len(signature.arguments))
    if node.name == "max_depth" and isinstance(values[0], n.Name) and values[0].indices is None:
        family = expressions.linker.find(values[0].name, values[0].span)
        if family is not None and family.role is Role.TREE:
            whole = t.At(symbol=family, arguments=(), span=values[0].span)
            return t.Call(function="max_depth", arguments=(whole,), of=NUMBER, span=node.span)
    made = tuple(
        _argument(expressions, value, wanted, node, scope)
        for value, wanted in zip(values, signature.arguments, strict=True)
    )
    result = _result(signature.result, made)
    return t.Call(function=node.name, arguments=made, of=result, span=node.span)


def _argument(
    expressions: Expressions, value: n.Expr, wanted: str, node: n.Name, scope: Scope
) -> t.Typed:
    made = expressions.resolve(value, scope, NAMED.get(wanted))
    sort = made.sort
    fits = {
        "node": isinstance(sort, Element) and (sort == NODE or sort.of.startswith("tree:")),
        "tree": isinstance(sort, TreeOf),
        "set": isinstance(sort, SetOf),
        "element": isinstance(sort, Element),
        "feature": sort == FEATURE,
        "categorical feature": sort == CATEGORICAL,
        "column": sort == COLUMN,
        "number": sort == NUMBER,
    }[wanted]
    if not fits:
        article = "an" if wanted[0] in "aeiou" else "a"
        raise Fault(
            "E204", f"'{node.name}' takes {article} {wanted}, but this is {sort}", value.span
        )
    computed = wanted == "number" and node.name not in COUNTED
    if not computed and made.degree is not Degree.KNOWN:
        raise Fault(
            "E206",
            f"'{node.name}' takes what is known once the data is read, but this is {made.degree}",
            value.span,
        )
    return made


def _result(result: str, arguments: tuple[t.Typed, ...]) -> Sort:
    first = arguments[0].sort
    if result == "node":
        return first
    if result == "nodes":
        assert isinstance(first, Element)
        return SetOf(first)
    if result == "tree nodes":
        assert isinstance(first, TreeOf)
        return SetOf(Element("tree:" + first.name))
    others: dict[str, Sort] = {
        "number": NUMBER,
        "numbers": SetOf(NUMBER),
        "categories": SetOf(CATEGORY),
        "topology nodes": SetOf(NODE),
        "features": SetOf(FEATURE),
        "point": POINT,
    }
    return others[result]


def _arity(node: n.Name, values: list[n.Expr], wanted: int) -> None:
    if len(values) != wanted:
        few = "1 argument" if wanted == 1 else f"{wanted} arguments"
        raise Fault("E203", f"'{node.name}' takes {few}, but {len(values)} stand here", node.span)


# ------------------------------------------------------------------------ vectors


def _vector_function(
    expressions: Expressions, node: n.Name, values: list[n.Expr], scope: Scope
) -> t.Typed:
    """dot(a,b) = sum a_k b_k, normsq(a) = sum a_k a_k, norm1(a) = sum |a_k|; norminf is kept."""
    _arity(node, values, VECTOR_FUNCTIONS[node.name])
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
            f"'{symbol.name}' has {len(symbol.sorts)} indices, but {len(value.indices)} stand here",
            value.span,
        )
    if symbol.sort != NUMBER:
        raise Fault("E204", f"a vector of numbers is needed here, not {symbol.sort}", value.span)
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


# ------------------------------------------------------------------------ special


def _sorted(expressions: Expressions, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`sorted(class_count)[r]`: the r-th smallest value of a one-index table."""
    _arity(node, values, 1)
    symbol = _table(expressions, values[0])
    if symbol is None or node.indices is None or len(node.indices) != 1:
        raise Fault(
            "E203", "'sorted' is used as sorted(table)[r], of a table of numbers", node.span
        )
    rank = expressions.number(node.indices[0], scope)
    if rank.degree is not Degree.KNOWN:
        raise Fault("E206", f"a rank cannot be {rank.degree}", rank.span)
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


def _values(expressions: Expressions, node: n.Name, values: list[n.Expr]) -> t.Typed:
    """`values(sex)`: the values of a group column that some point has."""
    _arity(node, values, 1)
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
    _arity(node, values, 1)
    made = expressions.set(values[0], scope)
    if made.sort != SetOf(NUMBER):
        raise Fault("E204", f"'bisect' takes a set of numbers, not {made.sort}", values[0].span)
    return t.Call(function="bisect", arguments=(made,), of=TreeOf(""), span=node.span)


def _descend(expressions: Expressions, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`descend(code[f], bit[n,*])`: the leaf's number that the bits lead to."""
    _arity(node, values, 2)
    tree = expressions.resolve(values[0], scope)
    if not isinstance(tree.sort, TreeOf):
        raise Fault("E204", f"'descend' takes a tree, but this is {tree.sort}", values[0].span)
    name = fresh_name(scope)
    bit, over = vector(expressions, values[1], name, "'descend' takes vectors", scope)
    bits = t.Reduction(op="vector", binders=(t.Binder(name, over),), body=bit, span=bit.span)
    return t.Call(function="descend", arguments=(tree, bits), of=NUMBER, span=node.span)
