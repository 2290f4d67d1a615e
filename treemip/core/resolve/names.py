"""Names at their place: indices, local sets, declared things, and vectors such as `coef[t,*]`.

A function of vectors becomes a reduction with a bound name of its own.
"""

from __future__ import annotations

from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import BASE_SETS, CONSTANTS, NUMBERS, VECTOR_FUNCTIONS
from treemip.core.resolve.link import Linker, Scope
from treemip.core.resolve.modules import SPEC, Module, statements_of
from treemip.core.resolve.resolver import Resolver
from treemip.core.resolve.saved_trees import takes_file, term_of_file
from treemip.core.resolve.sorts import (
    NODE,
    NUMBER,
    POINT,
    Degree,
    Element,
    SetOf,
    Sort,
    TreeOf,
    is_listed,
    named_by_text,
)
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.resolve.typed_sets import Listed
from treemip.core.resolve.unknown_names import unknown
from treemip.core.source.diagnostic import Fault, Fix, Related
from treemip.core.source.span import Span
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import word_span


def plain_name(
    resolver: Resolver, node: n.Name, scope: Scope, expected: Sort | None = None
) -> t.Typed:
    """A name that is not a built-in function's call."""
    if node.name in scope.bound:
        _bare(node, "an index")
        what = "argument" if node.name in scope.arguments else "index"
        place, of = scope.places.get(node.name), scope.bound[node.name]
        resolver.linker.note(node.name, node.span, what, place, of)
        return t.Bound(name=node.name, of=scope.bound[node.name], span=node.span)
    if node.name in scope.local:
        _bare(node, "a set")
        local = scope.local[node.name]
        place = scope.places.get(node.name)
        resolver.linker.note(node.name, node.span, "local set", place, local.of)
        return t.LocalSet(name=local.name, of=local.of, depends=local.depends, span=node.span)
    declared = resolver.linker.declaration(node.name)
    if declared is not None and isinstance(declared[1], n.Term) and takes_file(declared[1]):
        return term_of_file(resolver, declared[1], node, scope)
    symbol = resolver.linker.find(node.name, node.span)
    if symbol is not None:
        return at(resolver, symbol, node, scope)
    if node.name in BASE_SETS:
        _bare(node, "a set")
        of_tree = BASE_SETS[node.name].element == NODE
        resolver.linker.require("topology" if of_tree else "data", node.name, node.span)
        resolver.linker.require_label(node.name, node.span)
        return t.BaseSet(name=node.name, of=BASE_SETS[node.name], span=node.span)
    if node.name in NUMBERS:
        _bare(node, "a number")
        return side_constraints(resolver.linker.modules, node)
    if node.name in CONSTANTS:
        _bare(node, "an element")
        of_tree = CONSTANTS[node.name] == NODE
        resolver.linker.require("topology" if of_tree else "data", node.name, node.span)
        resolver.linker.require_label(node.name, node.span)
        return t.Call(function=node.name, arguments=(), of=CONSTANTS[node.name], span=node.span)
    raise unknown(resolver.linker, node, scope, expected)


def at(resolver: Resolver, symbol: Symbol, node: n.Name, scope: Scope) -> t.Typed:
    """A declared thing with its indices (in square brackets) or a term's arguments (in round)."""
    if symbol.parameters:
        return _term(resolver, symbol, node, scope)
    if node.arguments is not None:
        message = f"{symbol.role.value} '{symbol.name}' is not a function"
        remedy = f"write indices in square brackets: {symbol.name}[…]" if symbol.sorts else ""
        fix = Fix.bracketed(node.span, symbol.name, "[]") if symbol.sorts else None
        raise Fault("E203", message, node.span, remedy, fix=fix)
    indices = node.indices or ()
    if len(indices) != len(symbol.sorts):
        message = _count_message(symbol, len(indices))
        raise Fault("E203", message, node.span, _form(symbol), related=_declared(symbol, node))
    arguments = tuple(
        index(resolver, item, wanted, symbol, scope)
        for item, wanted in zip(indices, symbol.sorts, strict=True)
    )
    return t.At(symbol=symbol, arguments=arguments, span=node.span)


def index(resolver: Resolver, node: n.Expr, wanted: Sort, symbol: Symbol, scope: Scope) -> t.Typed:
    """One index of `symbol`, of the wanted sort and free of variables."""
    typed = resolver.resolve(node, scope, wanted)
    if typed.sort != wanted:
        message = f"'{symbol.name}' is indexed by {wanted} here, but this is {typed.sort}"
        remedy = meant(node, wanted) or other_set(typed.sort, wanted) or _form(symbol)
        related, fix = _declared(symbol, node), meant_fix(node, wanted)
        raise Fault("E204", message, node.span, remedy, related=related, fix=fix)
    if typed.degree not in (Degree.KNOWN, Degree.READOUT):
        raise Fault("E206", f"an index cannot be {typed.degree}", node.span)
    return typed


def meant(node: n.Expr, wanted: Sort) -> str:
    """How to write the element that a number was written for."""
    if not isinstance(node, n.Number):
        return ""
    if wanted == NODE:
        return "a node is root, left(root), right(root) and so on, or an index: {t in branches}"
    if not named_by_text(wanted):
        return ""
    if wanted == POINT:
        return f"the point of the file's row {node.text} is point({node.text})"
    return f'write it in quotes: "{node.text}"'


def meant_fix(node: n.Expr, wanted: Sort) -> Fix | None:
    """The element written in place of the number; None where `meant` leaves it open."""
    if not isinstance(node, n.Number) or wanted == NODE or not named_by_text(wanted):
        return None
    return Fix.write(node.span, f"point({node.text})" if wanted == POINT else f'"{node.text}"')


def other_set(one: Sort, other: Sort) -> str:
    """What may have been meant where an element of a listed set meets another sort."""
    if not is_listed(one):
        one, other = other, one
    if not is_listed(one) or not named_by_text(other) or is_listed(other):
        return ""
    assert isinstance(one, Element) and isinstance(other, Element)
    kind, _, name = other.of.partition(":")
    if kind == "group":
        return f"the values of the group are a set of their own, values({name})"
    base = {"class": "classes", "category": "categories(c)"}.get(kind, f"{kind}s")
    listed_name = one.of.partition(":")[2]
    return (
        f"'{listed_name}' lists elements of its own; for a part of another set write  "
        f'set {listed_name} = {{j in {base} : j in {{"…", "…"}}}};'
    )


def check_listed(linker: Linker, node: n.String, sort: Element) -> None:
    """Raises Fault (E309) where the listed set of this sort has no such element."""
    name = sort.of.partition(":")[2]
    symbol = linker.find(name, node.span)
    assert symbol is not None and isinstance(symbol.value, Listed)
    texts = symbol.value.texts
    if node.value not in texts:
        hint = did_you_mean(node.value, texts)
        message = f"'{name}' has no element \"{node.value}\""
        raise Fault("E309", message, node.span, f"there are {listed(texts)}", hint)


def _term(resolver: Resolver, symbol: Symbol, node: n.Name, scope: Scope) -> t.Typed:
    arguments = node.arguments or ()
    values: dict[str, t.Typed] = {}
    for position, argument in enumerate(arguments):
        name = argument.name or (
            symbol.parameters[position] if position < len(symbol.parameters) else ""
        )
        if name not in symbol.parameters or name in values:
            wrong = f"has no argument '{name}'" if name else "has fewer arguments"
            twice = f"the argument '{name}' is given twice"
            message = twice if name in values else f"'{symbol.name}' {wrong}"
            raise Fault("E203", message, argument.span, f"write {_form(symbol)}")
        if argument.name is not None:
            _note_argument(resolver.linker, symbol, name, argument)
        values[name] = resolver.known(argument.value, scope, "a term's argument")
        if values[name].sort != NUMBER:
            raise Fault("E204", "a term's argument is a number", argument.span)
    for name, default in zip(symbol.parameters, symbol.defaults, strict=True):
        if default is not None:
            values.setdefault(name, t.Const(value=default, span=node.span))
    if len(values) != len(symbol.parameters) or node.indices:
        raise Fault("E203", f"'{symbol.name}' is used as {_form(symbol)}", node.span)
    ordered = tuple(values[p] for p in symbol.parameters)
    return t.At(symbol=symbol, arguments=ordered, span=node.span)


def argument_place(node: n.Term, number: int) -> Span:
    """Where a term declares its argument of this number."""
    before = Span(node.span.source, node.span.start, node.value.span.start)
    return word_span(before, node.parameters[number], 2)


def _note_argument(linker: Linker, symbol: Symbol, name: str, argument: n.Argument) -> None:
    declared = linker.declaration(symbol.name)
    if declared is not None and isinstance(declared[1], n.Term):
        place = argument_place(declared[1], symbol.parameters.index(name))
        linker.note(name, argument.span, "argument", place, NUMBER)


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


def _count_message(symbol: Symbol, count: int) -> str:
    wanted = len(symbol.sorts)
    few = {0: "no indices", 1: "1 index"}.get(wanted, f"{wanted} indices")
    verb = "none is" if count == 0 else ("1 is" if count == 1 else f"{count} are")
    return f"{symbol.role.value} '{symbol.name}' has {few}, but {verb} given"


def _form(symbol: Symbol) -> str:
    if symbol.parameters:
        return f"{symbol.name}({', '.join(p + ' = …' for p in symbol.parameters)})"
    if not symbol.sorts:
        return symbol.name
    names = symbol.domain.names or tuple(_initial(s) for s in symbol.sorts)
    return f"{symbol.name}[{','.join(names)}]"


def _initial(sort: Sort) -> str:
    return INITIALS.get(getattr(sort, "of", ""), "n")


def side_constraints(modules: list[Module], node: n.Name) -> t.Typed:
    """`side_constraints`: the number of families of rows of the spec and the modules it uses."""
    own = [m for m in modules if m.owner == SPEC]
    count = sum(len(subject.constraints) for _, subject in statements_of(own, n.Subject))
    return t.Const(value=float(count), span=node.span)


def arity(node: n.Name, values: list[n.Expr], wanted: int) -> None:
    if len(values) != wanted:
        few = "1 argument" if wanted == 1 else f"{wanted} arguments"
        count = "1 is" if len(values) == 1 else f"{len(values)} are"
        message = f"'{node.name}' takes {few}, but {count} given"
        raise Fault("E203", message, node.span)


# ----------------------------------------------------------------------------------------- vectors


def fresh_name(scope: Scope) -> str:
    """A name no text can bind; the same at the same depth, so that equal vectors stay equal."""
    return f"*{sum(name.startswith('*') for name in scope.bound) + 1}"


def vector_function(
    resolver: Resolver, node: n.Name, values: list[n.Expr], scope: Scope
) -> t.Typed:
    """dot(a,b) = sum a_k b_k, normsq(a) = sum a_k a_k, norm1(a) = sum |a_k|; norminf is kept."""
    arity(node, values, VECTOR_FUNCTIONS[node.name])
    name = fresh_name(scope)
    parts: list[t.Typed] = []
    over: t.Typed | None = None
    for value in values:
        element, ranged = vector(resolver, value, name, f"'{node.name}' takes vectors", scope)
        if over is not None and ranged.sort != over.sort:
            message = f"'{node.name}' pairs {over.sort} with {ranged.sort}"
            raise Fault("E204", message, node.span)
        over = over or ranged
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
    resolver: Resolver,
    value: n.Expr,
    name: str,
    needed: str,
    scope: Scope,
    example: str = "coef[t,*] or x[i,*]",
) -> tuple[t.Typed, t.Typed]:
    """A vector's element at a bound name, and the set the name ranges over.

    `needed` says what takes vectors and `example` shows one, for the message about anything else.
    """
    if not isinstance(value, n.Name) or not value.indices:
        raise _no_vector(needed, value, example)
    stars = [k for k, item in enumerate(value.indices) if isinstance(item, n.All)]
    symbol = resolver.linker.find(value.name, value.span)
    if symbol is None:
        raise unknown(resolver.linker, value, scope)
    if len(stars) != 1:
        raise _no_vector(needed, value, example)
    if len(value.indices) != len(symbol.sorts):
        message = (
            f"'{symbol.name}' has {len(symbol.sorts)} indices, but {len(value.indices)} are given"
        )
        raise Fault("E203", message, value.span)
    if symbol.sort != NUMBER:
        raise Fault("E204", f"expected a vector of numbers, not {symbol.sort}", value.span)
    star = stars[0]
    over = _axis(symbol, star, value)
    arguments = tuple(
        t.Bound(name=name, of=wanted, span=item.span)
        if k == star
        else index(resolver, item, wanted, symbol, scope)
        for k, (item, wanted) in enumerate(zip(value.indices, symbol.sorts, strict=True))
    )
    return t.At(symbol=symbol, arguments=arguments, span=value.span), over


def _axis(symbol: Symbol, position: int, node: n.Name) -> t.Typed:
    """The set an index ranges over, for `*`."""
    if symbol.role is Role.DATA:
        names = {"point": "points", "feature": "features", "class": "classes", "node": "nodes"}
        element = symbol.sorts[position]
        assert isinstance(element, Element)
        return t.BaseSet(name=names[element.of], of=SetOf(element), span=node.span)
    domain = symbol.domain
    if not domain.binders or domain.guard or any(b.conditions for b in domain.binders):
        message = f"'*' needs an index of '{symbol.name}' that runs through a whole set"
        raise Fault("E206", message, node.span, "write the sum out: sum {j in …} …")
    ranged = domain.binders[position].set
    if ranged.free:
        message = f"the index of '{symbol.name}' under '*' depends on the others"
        raise Fault("E206", message, node.span, "write the sum out: sum {j in …} …")
    return ranged


def _no_vector(needed: str, value: n.Expr, example: str) -> Fault:
    message = f"{needed}, with '*' for the index that runs"
    return Fault("E206", message, value.span, f"for example {example}")


def descend(resolver: Resolver, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`descend(code[f], bit[n,*])`: the leaf's number that the bits lead to."""
    arity(node, values, 2)
    tree = resolver.resolve(values[0], scope)
    if not isinstance(tree.sort, TreeOf):
        raise Fault("E204", f"'descend' takes a tree, but this is {tree.sort}", values[0].span)
    name = fresh_name(scope)
    bit, over = vector(resolver, values[1], name, "'descend' takes vectors", scope)
    bits = t.Reduction(op="vector", binders=(t.Binder(name, over),), body=bit, span=bit.span)
    return t.Call(function="descend", arguments=(tree, bits), of=NUMBER, span=node.span)
