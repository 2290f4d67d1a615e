"""Names: bound ones, local sets, declared things at indices, base sets and constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.resolve.builtins import BASE_SETS, CONSTANTS, NUMBERS
from treemip.resolve.premises import side_constraints
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.sorts import NODE, NUMBER, POINT, Degree, Sort, named_by_text
from treemip.resolve.symbols import Symbol
from treemip.source.diagnostic import Related
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.expressions import Expressions


def plain_name(
    expressions: Expressions, node: n.Name, scope: Scope, expected: Sort | None = None
) -> t.Typed:
    """A name that is not a built-in function's call."""
    if node.name in scope.bound:
        _bare(node, "an index")
        return t.Bound(name=node.name, of=scope.bound[node.name], span=node.span)
    if node.name in scope.local:
        _bare(node, "a set")
        local = scope.local[node.name]
        return t.LocalSet(name=local.name, of=local.of, depends=local.depends, span=node.span)
    symbol = expressions.linker.find(node.name, node.span)
    if symbol is not None:
        return at(expressions, symbol, node, scope)
    if node.name in BASE_SETS:
        _bare(node, "a set")
        of_tree = BASE_SETS[node.name].element == NODE
        expressions.linker.require("topology" if of_tree else "data", node.name, node.span)
        return t.BaseSet(name=node.name, of=BASE_SETS[node.name], span=node.span)
    if node.name in NUMBERS:
        _bare(node, "a number")
        return side_constraints(expressions.linker.modules, node)
    if node.name in CONSTANTS:
        _bare(node, "an element")
        of_tree = CONSTANTS[node.name] == NODE
        expressions.linker.require("topology" if of_tree else "data", node.name, node.span)
        return t.Call(function=node.name, arguments=(), of=CONSTANTS[node.name], span=node.span)
    raise expressions.linker.unknown(node, scope, expected)


def at(expressions: Expressions, symbol: Symbol, node: n.Name, scope: Scope) -> t.Typed:
    """A declared thing with its indices (in square brackets) or a term's arguments (in round)."""
    if symbol.parameters:
        return _term(expressions, symbol, node, scope)
    if node.arguments is not None:
        raise Fault(
            "E203",
            f"{symbol.role.value} '{symbol.name}' is not a function",
            node.span,
            f"write indices in square brackets: {symbol.name}[…]" if symbol.sorts else "",
        )
    given = node.indices or ()
    if len(given) != len(symbol.sorts):
        message = _count_message(symbol, len(given))
        raise Fault("E203", message, node.span, _form(symbol), related=_declared(symbol, node))
    made = tuple(
        index(expressions, item, wanted, symbol, scope)
        for item, wanted in zip(given, symbol.sorts, strict=True)
    )
    return t.At(symbol=symbol, arguments=made, span=node.span)


def index(
    expressions: Expressions, node: n.Expr, wanted: Sort, symbol: Symbol, scope: Scope
) -> t.Typed:
    """One index of `symbol`, of the wanted sort and free of variables."""
    made = expressions.resolve(node, scope, wanted)
    if made.sort != wanted:
        raise Fault(
            "E204",
            f"'{symbol.name}' is indexed by {wanted} here, but this is {made.sort}",
            node.span,
            meant(node, wanted) or _form(symbol),
            related=_declared(symbol, node),
        )
    if made.degree not in (Degree.KNOWN, Degree.READOUT):
        raise Fault("E206", f"an index cannot be {made.degree}", node.span)
    return made


def meant(node: n.Expr, wanted: Sort) -> str:
    """How an element is written for which a number stands."""
    if not isinstance(node, n.Number):
        return ""
    if wanted == NODE:
        return "a node is root, left(root), right(root) and so on, or an index: {t in branches}"
    if not named_by_text(wanted):
        return ""
    if wanted == POINT:
        return f"the point of the file's row {node.text} is point({node.text})"
    return f'write it in quotes: "{node.text}"'


def _term(expressions: Expressions, symbol: Symbol, node: n.Name, scope: Scope) -> t.Typed:
    given = node.arguments or ()
    values: dict[str, t.Typed] = {}
    for position, argument in enumerate(given):
        name = argument.name or (
            symbol.parameters[position] if position < len(symbol.parameters) else ""
        )
        if name not in symbol.parameters or name in values:
            wrong = f"has no argument '{name}'" if name else "has fewer arguments"
            twice = f"the argument '{name}' is given twice"
            message = twice if name in values else f"'{symbol.name}' {wrong}"
            raise Fault("E203", message, argument.span, f"write {_form(symbol)}")
        values[name] = expressions.known(argument.value, scope, "a term's argument")
        if values[name].sort != NUMBER:
            raise Fault("E204", "a term's argument is a number", argument.span)
    for name, default in zip(symbol.parameters, symbol.defaults, strict=True):
        if default is not None:
            values.setdefault(name, t.Const(value=default, span=node.span))
    if len(values) != len(symbol.parameters) or node.indices:
        raise Fault("E203", f"'{symbol.name}' is used as {_form(symbol)}", node.span)
    ordered = tuple(values[p] for p in symbol.parameters)
    return t.At(symbol=symbol, arguments=ordered, span=node.span)


def _declared(symbol: Symbol, node: n.Expr) -> tuple[Related, ...]:
    """Where a symbol is declared, when that is another text than the one that uses it."""
    elsewhere = symbol.span is not None and symbol.span.source != node.span.source
    return (Related(symbol.span, "declared here"),) if elsewhere and symbol.span else ()


INITIALS = {
    "point": "i",
    "feature": "j",
    "class": "k",
    "node": "t",
    "categorical feature": "c",
    "category": "v",
}


def _bare(node: n.Name, what: str) -> None:
    if node.arguments is not None or node.indices is not None:
        raise Fault("E203", f"'{node.name}' is {what} and takes no indices", node.span)


def _count_message(symbol: Symbol, given: int) -> str:
    wanted = len(symbol.sorts)
    few = {0: "no indices", 1: "1 index"}.get(wanted, f"{wanted} indices")
    count = "none is" if given == 0 else ("1 is" if given == 1 else f"{given} are")
    return f"{symbol.role.value} '{symbol.name}' has {few}, but {count} given"


def _form(symbol: Symbol) -> str:
    if symbol.parameters:
        return f"{symbol.name}({', '.join(p + ' = …' for p in symbol.parameters)})"
    if not symbol.sorts:
        return symbol.name
    names = symbol.domain.names or tuple(_initial(s) for s in symbol.sorts)
    return f"{symbol.name}[{','.join(names)}]"


def _initial(sort: Sort) -> str:
    return INITIALS.get(getattr(sort, "of", ""), "n")
