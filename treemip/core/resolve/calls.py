"""Calls of built-in functions: by signature, with arguments of their own form, about the objective.

What a module proves of its big-M often needs the spec's objective and rows to be what the module
expects. `objective_is`, `objective_has` and `mentions` ask for that; the text alone answers.
"""

from __future__ import annotations

from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import FUNCTIONS, VARIADIC, VECTOR_FUNCTIONS, Signature
from treemip.core.resolve.link import Linker, Scope
from treemip.core.resolve.modules import SPEC, Module, statements_of
from treemip.core.resolve.names import arity, descend, vector_function
from treemip.core.resolve.resolver import READ_OUT, Resolver
from treemip.core.resolve.saved_trees import answer_of
from treemip.core.resolve.sorts import (
    ANY_SET,
    CATEGORICAL,
    CATEGORY,
    COLUMN,
    FEATURE,
    FLOW_CUT,
    NODE,
    NUMBER,
    POINT,
    SUPPORT,
    Degree,
    Element,
    SetOf,
    Sort,
    TreeOf,
)
from treemip.core.resolve.typed import Role, Symbol
from treemip.core.resolve.typed_sets import Tuples, parts_of
from treemip.core.source.diagnostic import Fault
from treemip.core.source.suggest import listed
from treemip.core.syntax import nodes as n
from treemip.core.syntax.nodes import mentioned


def call(resolver: Resolver, node: n.Name, scope: Scope) -> t.Typed:
    """A call of a built-in function."""
    assert node.arguments is not None
    if node.name == "table":
        remedy = 'param price {j in features} = table("age": 0.1, default = 1);'
        raise Fault("E206", "table(…) is the whole value of a param", node.span, remedy)
    if any(a.name or a.key for a in node.arguments):
        raise _named_arguments(node)
    values = [a.value for a in node.arguments]
    if node.name == "sorted":
        return _sorted(resolver, node, values, scope)
    if node.indices is not None:
        raise Fault("E203", f"'{node.name}' is a function and takes no indices", node.span)
    if node.name in VECTOR_FUNCTIONS:
        return vector_function(resolver, node, values, scope)
    if node.name in VARIADIC:
        return _variadic(resolver, node, values, scope)
    if node.name in OWN_FORMS:
        return OWN_FORMS[node.name](resolver, node, values, scope)
    return signature_call(resolver, node, values, FUNCTIONS[node.name], scope)


def _named_arguments(node: n.Name) -> Fault:
    if node.name != "level":
        return Fault("E203", f"'{node.name}' takes arguments without names", node.span)
    message = "level(1: a, 2: b) gives a parameter over nodes one value for each level"
    remedy = "write it as the whole value of a param, every argument with its level"
    return Fault("E203", message, node.span, remedy)


def _variadic(resolver: Resolver, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`max(a, b)`, `min(a, b)`"""
    arguments = tuple(resolver.number(v, scope) for v in values)
    if len(arguments) < 2:
        remedy = f"write {node.name}(a, b) or {node.name} {{j in features}} …"
        raise Fault("E203", f"'{node.name}' needs at least two numbers", node.span, remedy)
    return t.Call(function=node.name, arguments=arguments, of=NUMBER, span=node.span)


def _sorted(resolver: Resolver, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`sorted(class_count)[r]`: the r-th smallest value of a one-index table."""
    arity(node, values, 1)
    symbol = _table(resolver, values[0])
    if symbol is None or node.indices is None or len(node.indices) != 1:
        message = "'sorted' takes a table of numbers and a rank, as in sorted(table)[r]"
        raise Fault("E203", message, node.span)
    rank = resolver.number(node.indices[0], scope)
    if rank.degree is not Degree.KNOWN:
        raise Fault("E206", f"a rank cannot be {rank.degree}", rank.span)
    counted_from_1(rank, "ranks")
    whole = t.At(symbol=symbol, arguments=(), span=values[0].span)
    return t.Call(function="sorted", arguments=(whole, rank), of=NUMBER, span=node.span)


def _table(resolver: Resolver, value: n.Expr) -> Symbol | None:
    if not isinstance(value, n.Name) or value.indices or value.arguments:
        return None
    symbol = resolver.linker.find(value.name, value.span)
    usable = (
        symbol is not None and symbol.role in (Role.PARAMETER, Role.DATA) and symbol.sort == NUMBER
    )
    return symbol if usable and symbol is not None and len(symbol.sorts) == 1 else None


def _position(resolver: Resolver, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`position(l, leaves)`: the rank of l in the set by `ord`; 0 if l is not in it.

    That is  if l in S then sum {k in S : ord(k) <= ord(l)} 1 else 0.
    """
    arity(node, values, 2)
    members = resolver.set(values[1], scope)
    assert isinstance(members.sort, SetOf)
    of, span = members.sort.element, node.span
    element = resolver.resolve(values[0], scope, of)
    if element.sort != of:
        message = f"'position' takes an element of the set and the set, but this is {element.sort}"
        raise Fault("E204", message, values[0].span, "for example position(l, leaves)")
    if element.degree is not Degree.KNOWN:
        message = "'position' takes what is known once the data is read, but this is "
        raise Fault("E206", f"{message}{element.degree}", values[0].span)
    name = f"p{span.start}"
    while name in element.free | members.free:
        name += "0"

    def order(of_one: t.Typed) -> t.Typed:
        if of == NUMBER:
            return of_one
        return t.Call(function="ord", arguments=(of_one,), of=NUMBER, span=span)

    other = t.Bound(name=name, of=of, span=span)
    up_to = t.Comparison(op="<=", left=order(other), right=order(element), span=span)
    binder = t.Binder(name, members, (up_to,))
    one = t.Const(value=1.0, span=span)
    count = t.Reduction(op="sum", binders=(binder,), guard=(), body=one, span=span)
    inside = t.Member(item=element, set=members, negated=False, span=span)
    zero = t.Const(value=0.0, span=span)
    return t.Choice(condition=inside, then=count, otherwise=zero, span=span)


def _values(resolver: Resolver, node: n.Name, values: list[n.Expr], _: Scope) -> t.Typed:
    """`values(sex)`: the values of a group column that some point has."""
    arity(node, values, 1)
    value = values[0]
    groups = resolver.linker.columns.groups
    if not isinstance(value, n.Name) or value.indices or value.name not in groups:
        name = value.name if isinstance(value, n.Name) else "sex"
        declared = f"group {name};  or  group {name} from column;"
        remedy = (
            f"the groups are {listed(groups)}; another is a line of the data block: {declared}"
            if groups
            else f"the data block names no group: {declared}"
        )
        raise Fault("E204", "'values' takes the name of a group column", value.span, remedy)
    symbol = resolver.linker.find(value.name, value.span)
    assert symbol is not None
    column = t.At(symbol=symbol, arguments=(), span=value.span)
    assert isinstance(symbol.sort, Element)
    return t.Call(function="values", arguments=(column,), of=SetOf(symbol.sort), span=node.span)


def _bisect(resolver: Resolver, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    arity(node, values, 1)
    thresholds = resolver.set(values[0], scope)
    if thresholds.sort != SetOf(NUMBER):
        raise Fault(
            "E204", f"'bisect' takes a set of numbers, not {thresholds.sort}", values[0].span
        )
    return t.Call(function="bisect", arguments=(thresholds,), of=TreeOf(""), span=node.span)


# ------------------------------------------------------------------------------------ by signature


NAMED: dict[str, Sort] = {"feature": FEATURE, "categorical feature": CATEGORICAL, "column": COLUMN}
"""Arguments that a text names."""

NEEDS = {"level": "topology", "point": "data"}
"""Functions that take a number, and the statement that gives what they find by it."""

COUNTED = {"level": "levels", "point": "rows"}
"""Functions that find something by a number, which must be known; what they count."""


def signature_call(
    resolver: Resolver, node: n.Name, values: list[n.Expr], signature: Signature, scope: Scope
) -> t.Typed:
    arity(node, values, len(signature.arguments))
    resolver.linker.require_label(node.name, node.span)
    if node.name in NEEDS:
        resolver.linker.require(NEEDS[node.name], node.name, node.span)
    if node.name == "card" and (count := _count(resolver, node, values[0], scope)):
        return count
    if node.name == "max_depth" and isinstance(values[0], n.Name) and values[0].indices is None:
        family = resolver.linker.find(values[0].name, values[0].span)
        if family is not None and family.role is Role.TREE:
            whole = t.At(symbol=family, arguments=(), span=values[0].span)
            return t.Call(function="max_depth", arguments=(whole,), of=NUMBER, span=node.span)
    arguments = tuple(
        _argument(resolver, value, wanted, node, scope)
        for value, wanted in zip(values, signature.arguments, strict=True)
    )
    if node.name in COUNTED:
        counted_from_1(arguments[0], COUNTED[node.name])
    result = _result(signature.result, arguments)
    return t.Call(function=node.name, arguments=arguments, of=result, span=node.span)


def _count(resolver: Resolver, node: n.Name, value: n.Expr, scope: Scope) -> t.Typed | None:
    """`card({i in points, k in points : …})` as a sum of ones; None for another set."""
    if not isinstance(value, n.Comprehension):
        return None
    typed = resolver.resolve(value, scope)
    if not isinstance(typed, Tuples):
        return None
    one = t.Const(value=1.0, span=node.span)
    return t.Reduction(op="sum", binders=typed.binders, guard=typed.guard, body=one, span=node.span)


def _argument(
    resolver: Resolver, value: n.Expr, wanted: str, node: n.Name, scope: Scope
) -> t.Typed:
    expected = ANY_SET if wanted == "set" else NAMED.get(wanted)
    if wanted == "column" and isinstance(value, n.Name) and value.name not in scope.bound:
        value = _as_text(value)
    typed = resolver.resolve(value, scope, expected)
    sort = typed.sort
    if parts_of(sort) and not isinstance(typed, t.At):
        message = "a set of tuples must be declared to be used here"
        raise Fault("E206", message, value.span, "set pairs = {i in points, k in points : …};")
    fits = {
        "node": isinstance(sort, Element) and (sort == NODE or sort.of.startswith("tree:")),
        "node of a declared tree": isinstance(sort, Element) and sort.of.startswith("tree:"),
        "tree": isinstance(sort, TreeOf),
        "set": isinstance(sort, SetOf),
        "element": isinstance(sort, Element),
        "feature": sort == FEATURE,
        "categorical feature": sort == CATEGORICAL,
        "column": sort in (COLUMN, FEATURE),
        "number": sort == NUMBER,
        "support": sort == SUPPORT,
        "flow cut": sort == FLOW_CUT,
    }[wanted]
    if not fits:
        article = "an" if wanted[0] in "aeiou" else "a"
        stands = "a node of the topology" if sort == NODE else str(sort)
        raise Fault(
            "E204", f"'{node.name}' takes {article} {wanted}, but this is {stands}", value.span
        )
    computed = wanted == "number" and node.name not in COUNTED
    if not computed and typed.degree is not Degree.KNOWN:
        message = (
            f"'{node.name}' takes what is known once the data is read, but this is {typed.degree}"
        )
        raise Fault("E206", message, value.span, READ_OUT if typed.degree is Degree.READOUT else "")
    return typed


def _as_text(value: n.Name) -> n.Expr:
    """A column's name without quotes, `features_of(age)`, as the text that it is short for."""
    plain = value.arguments is None and value.indices is None
    return n.String(value=value.name, span=value.span) if plain else value


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
        "points": SetOf(POINT),
    }
    return others[result]


def counted_from_1(number: t.Typed, what: str) -> None:
    """A literal number must be a count: 1, 2, 3, … Raises Fault (E401)."""
    if isinstance(number, t.Const) and (number.value < 1 or not number.value.is_integer()):
        raise Fault("E401", f"{what} are counted 1, 2, 3, …", number.span)


# ---------------------------------------------------------------------------------- about the spec


def objective_is(resolver: Resolver, node: n.Name, values: list[n.Expr], _: Scope) -> t.Typed:
    """`objective_is(svm)`: 1 where that alone is minimized."""
    name, objective = _asked(resolver, node, values), _objective(resolver.linker.modules)
    if objective is None or objective.sense != "minimize":
        return _answer(False, node)
    return _answer(name in (objective.name, _name(_inner(objective.value))), node)


def objective_has(resolver: Resolver, node: n.Name, values: list[n.Expr], _: Scope) -> t.Typed:
    """`objective_has(margin)`: 1 where the minimized objective has this term as an addend.

    Addends of terms and of named objectives are addends of the sum. A sum of which something is
    subtracted, or has a negative factor, has none: what is at most the sum must be at most each of
    them. Signs of parameters, and of what terms come to, are not seen.
    """
    name, objective = _asked(resolver, node, values), _objective(resolver.linker.modules)
    if objective is None or objective.sense != "minimize":
        return _answer(False, node)
    addends = _addends(resolver.linker, objective.value, frozenset())
    return _answer(objective.name == name or (addends is not None and name in addends), node)


def mentions(resolver: Resolver, node: n.Name, values: list[n.Expr], _: Scope) -> t.Typed:
    """`mentions(uses)`: 1 where the spec, or a module that it uses, has that name of a concept or
    declaration."""
    arity(node, values, 1)
    name, linker = _name(values[0]), resolver.linker
    if name is None or not linker.declares(name):
        raise Fault(
            "E204", f"'{node.name}' takes the name of a concept or a declaration", values[0].span
        )
    own = (m.file.statements for m in linker.modules if m.owner == SPEC)
    return _answer(any(name in set(mentioned(statements)) for statements in own), node)


def _asked(resolver: Resolver, node: n.Name, values: list[n.Expr]) -> str:
    arity(node, values, 1)
    value = values[0]
    name = _name(value)
    if name is None or resolver.linker.declaration(name) is None:
        raise Fault(
            "E204", f"'{node.name}' takes the name of a term, a let or an objective", value.span
        )
    return name


def _answer(holds: bool, node: n.Name) -> t.Typed:
    return t.Const(value=float(holds), span=node.span)


def _objective(modules: list[Module]) -> n.Objective | None:
    """The spec's, else the formulation's."""
    return next((objective for _, objective in statements_of(modules, n.Objective)), None)


def _addends(linker: Linker, value: n.Expr, within: frozenset[str]) -> frozenset[str] | None:
    """The names among the addends of a sum, or None where something is subtracted."""
    value = _inner(value)
    if isinstance(value, n.Negative) or (isinstance(value, n.Binary) and value.op == "-"):
        return None
    if isinstance(value, n.Binary) and value.op == "+":
        left, right = (_addends(linker, side, within) for side in (value.left, value.right))
        return None if left is None or right is None else left | right
    if isinstance(value, n.Binary) and value.op in "*/":
        sides = (_addends(linker, side, within) for side in (value.left, value.right))
        return None if any(side is None for side in sides) else frozenset()
    name = _name(value)
    if name is None or name in within:
        return frozenset()
    declared = linker.declaration(name)
    inner = declared[1].value if declared and isinstance(declared[1], n.Let | n.Term) else None
    if inner is None:
        return frozenset([name])
    return (_addends(linker, inner, within | {name}) or frozenset()) | {name}


def _inner(value: n.Expr) -> n.Expr:
    while isinstance(value, n.Group):
        value = value.inner
    return value


def _name(value: n.Expr) -> str | None:
    """The name that an expression is, without indices and arguments."""
    plain = isinstance(value, n.Name) and value.indices is None and value.arguments is None
    return value.name if plain and isinstance(value, n.Name) else None


# ------------------------------------------------------------------- functions without a signature


def _missing(resolver: Resolver, node: n.Name, values: list[n.Expr], scope: Scope) -> t.Typed:
    """`missing(x[i,j])`: 1 where the point has no value in the column that j is made of, else 0."""
    arity(node, values, 1)
    value = resolver.resolve(values[0], scope)
    is_x = isinstance(value, t.At) and value.symbol.role is Role.DATA and value.symbol.name == "x"
    if not is_x or not isinstance(value, t.At) or len(value.arguments) != 2:
        message = "'missing' takes the value of a feature at a point"
        raise Fault("E204", message, values[0].span, "for example missing(x[i,j])")
    symbol = resolver.linker.symbols.get(node.name)
    if symbol is None:
        doc = "1 where a point has no value in the column that a feature is made of"
        symbol = resolver.linker.of_data(node.name, (POINT, FEATURE), NUMBER, doc)
    return t.At(symbol=symbol, arguments=value.arguments, span=node.span)


OWN_FORMS = {
    "answer_of": answer_of,
    "bisect": _bisect,
    "descend": descend,
    "missing": _missing,
    "position": _position,
    "values": _values,
    "objective_is": objective_is,
    "objective_has": objective_has,
    "mentions": mentions,
}
"""Functions whose arguments no signature describes."""
