"""What a formulation may ask of the spec that it serves: its objective, and rows of its own.

What a module proves of its big-M often needs both to be what the module expects. The questions are
answered while names are resolved, by the text alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.resolve.mentioned import mentioned
from treemip.resolve.modules import Module
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.signatures import arity
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.expressions import Expressions
    from treemip.resolve.link import Linker


def objective_is(expressions: Expressions, node: n.Name, values: list[n.Expr], _: Scope) -> t.Typed:
    """`objective_is(svm)`: 1 where that alone is minimized."""
    name, objective = _asked(expressions, node, values), _objective(expressions.linker.modules)
    if objective is None or objective.sense != "minimize":
        return _answer(False, node)
    return _answer(name in (objective.name, _name(_inner(objective.value))), node)


def objective_has(
    expressions: Expressions, node: n.Name, values: list[n.Expr], _: Scope
) -> t.Typed:
    """`objective_has(margin)`: 1 where a sum is minimized of which that is an addend as it stands.

    Addends of terms and of named objectives are addends of the sum. A sum of which something is
    subtracted, or has a negative factor, has none: what is at most the sum must be at most each of
    them. Signs of parameters, and of what terms come to, are not seen.
    """
    name, objective = _asked(expressions, node, values), _objective(expressions.linker.modules)
    if objective is None or objective.sense != "minimize":
        return _answer(False, node)
    found = _addends(expressions.linker, objective.value, frozenset())
    return _answer(objective.name == name or (found is not None and name in found), node)


def mentions(expressions: Expressions, node: n.Name, values: list[n.Expr], _: Scope) -> t.Typed:
    """`mentions(uses)`: 1 where the spec's own text has that name of a concept or declaration."""
    arity(node, values, 1)
    name, linker = _name(values[0]), expressions.linker
    if name is None or not linker.declares(name):
        raise Fault(
            "E204", f"'{node.name}' takes the name of a concept or a declaration", values[0].span
        )
    return _answer(name in set(mentioned(linker.modules[0].file.statements)), node)


def side_constraints(modules: list[Module], node: n.Name) -> t.Typed:
    """`side_constraints`: the number of families of rows in the spec itself."""
    subjects = [s for s in modules[0].file.statements if isinstance(s, n.Subject)]
    return t.Const(value=float(sum(len(s.constraints) for s in subjects)), span=node.span)


def _asked(expressions: Expressions, node: n.Name, values: list[n.Expr]) -> str:
    arity(node, values, 1)
    value = values[0]
    name = _name(value)
    if name is None or expressions.linker.declaration(name) is None:
        raise Fault(
            "E204", f"'{node.name}' takes the name of a term, a let or an objective", value.span
        )
    return name


def _answer(holds: bool, node: n.Name) -> t.Typed:
    return t.Const(value=float(holds), span=node.span)


def _objective(modules: list[Module]) -> n.Objective | None:
    """The spec's, else the formulation's."""
    statements = (s for m in modules for s in m.file.statements)
    return next((s for s in statements if isinstance(s, n.Objective)), None)


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
