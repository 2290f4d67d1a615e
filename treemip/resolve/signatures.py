"""Calls of functions with a signature, checked against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.resolve.builtins import Signature
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
from treemip.resolve.symbols import Role
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.expressions import Expressions


NAMED: dict[str, Sort] = {
    "feature": FEATURE,
    "categorical feature": CATEGORICAL,
    "column": COLUMN,
}
"""Arguments that a text names."""

NEEDS = {"level": "topology", "point": "data"}
"""Functions that take a number, and the statement that gives what they find by it."""

COUNTED = {"level": "levels", "point": "rows"}
"""Functions that find something by a number, which must be known; what they count."""


def signature_call(
    expressions: Expressions,
    node: n.Name,
    values: list[n.Expr],
    signature: Signature,
    scope: Scope,
) -> t.Typed:
    arity(node, values, len(signature.arguments))
    if node.name in NEEDS:
        expressions.linker.require(NEEDS[node.name], node.name, node.span)
    if node.name == "max_depth" and isinstance(values[0], n.Name) and values[0].indices is None:
        family = expressions.linker.find(values[0].name, values[0].span)
        if family is not None and family.role is Role.TREE:
            whole = t.At(symbol=family, arguments=(), span=values[0].span)
            return t.Call(function="max_depth", arguments=(whole,), of=NUMBER, span=node.span)
    made = tuple(
        _argument(expressions, value, wanted, node, scope)
        for value, wanted in zip(values, signature.arguments, strict=True)
    )
    if node.name in COUNTED:
        counted_from_1(made[0], COUNTED[node.name])
    result = _result(signature.result, made)
    return t.Call(function=node.name, arguments=made, of=result, span=node.span)


def _argument(
    expressions: Expressions, value: n.Expr, wanted: str, node: n.Name, scope: Scope
) -> t.Typed:
    made = expressions.resolve(value, scope, NAMED.get(wanted))
    sort = made.sort
    fits = {
        "node": isinstance(sort, Element) and (sort == NODE or sort.of.startswith("tree:")),
        "node of a declared tree": isinstance(sort, Element) and sort.of.startswith("tree:"),
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
        stands = "a node of the topology" if sort == NODE else str(sort)
        raise Fault(
            "E204", f"'{node.name}' takes {article} {wanted}, but this is {stands}", value.span
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


def counted_from_1(number: t.Typed, what: str) -> None:
    """A number that is written out counts something. Raises Fault (E401)."""
    if isinstance(number, t.Const) and (number.value < 1 or not number.value.is_integer()):
        raise Fault("E401", f"{what} are counted 1, 2, 3, …", number.span)


def arity(node: n.Name, values: list[n.Expr], wanted: int) -> None:
    if len(values) != wanted:
        few = "1 argument" if wanted == 1 else f"{wanted} arguments"
        given = "1 is" if len(values) == 1 else f"{len(values)} are"
        raise Fault(
            "E203",
            f"'{node.name}' takes {few}, but {given} given",
            node.span,
        )
