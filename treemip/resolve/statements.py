"""Statements about rows, objectives and rules, typed."""

from __future__ import annotations

from treemip.resolve.domains import check_free, resolve_domain
from treemip.resolve.expressions import Expressions
from treemip.resolve.pointing import mark, word
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.sorts import NUMBER, Degree, SetOf
from treemip.resolve.spec import (
    Constraint,
    ObjectiveSpec,
    Relation,
    Requirement,
)
from treemip.resolve.typed import LocalSet, Typed
from treemip.source.span import Span
from treemip.syntax import nodes as n


def constraint(expressions: Expressions, node: n.Constraint, module: str) -> Constraint:
    """A family of rows with its domain, local sets, guard and relation."""
    domain, scope = resolve_domain(expressions, node.domain, Scope())
    body, local_sets = node.body, []
    while isinstance(body, n.LocalSet):
        found = expressions.set(body.set, scope)
        check_free(body.name, word(body.span, body.name, 1), scope)
        assert isinstance(found.sort, SetOf)
        local = LocalSet(name=body.name, of=found.sort, depends=found.free, span=body.span)
        scope = scope.with_local(local)
        local_sets.append((body.name, found))
        body = body.body
    guard = guard_value = big_m = None
    method = ""
    if isinstance(body, n.Implication):
        guard, guard_value = _guard(expressions, body, scope)
        method, big_m = _method(expressions, body, scope)
        body = body.body
    return Constraint(
        name=node.name,
        tag=node.tag,
        domain=domain,
        local_sets=tuple(local_sets),
        relation=_relation(expressions, body, scope),
        guard=guard,
        guard_value=guard_value,
        method=method,
        big_m=big_m,
        span=node.span,
        name_span=node.name_span,
        module=module,
    )


def _relation(expressions: Expressions, node: n.Relation, scope: Scope) -> Relation:
    for op in (node.op, node.op2):
        if op in ("<", ">", "!="):
            raise Fault(
                "E206",
                f"a row cannot be '{op}'",
                mark(node.span, (node.left.span, (node.right2 or node.right).span), (op,)),
                "solvers know <=, >= and =; a strict side needs an epsilon: a + eps <= b"
                if op != "!="
                else "solvers know <=, >= and =; conditions belong after ':' in the domain",
            )
    parts = [_row_side(expressions, p, scope) for p in (node.left, node.right, node.right2) if p]
    if node.op2 is not None and (node.op2 != node.op or node.op == "="):
        assert node.right2 is not None
        place = mark(node.span, (node.right.span, node.right2.span), (node.op2,))
        raise Fault("E206", "the two relations of a row must both be <= or both >=", place)
    right2 = parts[2] if node.op2 else None
    return Relation(parts[0], node.op, parts[1], node.op2, right2, node.span)


def _row_side(expressions: Expressions, node: n.Expr, scope: Scope) -> Typed:
    made = expressions.number(node, scope)
    if made.degree is Degree.READOUT:
        raise Fault(
            "E206",
            "argmax, round and descend are read from a solution and cannot be used in a row",
            node.span,
        )
    return made


def _guard(expressions: Expressions, node: n.Implication, scope: Scope) -> tuple[Typed, Typed]:
    guard = expressions.number(node.guard, scope)
    value = expressions.known(node.value, scope, "the value of an implication's left side")
    if node.op != "=" or guard.degree is not Degree.AFFINE:
        equation = node.op == "="
        raise Fault(
            "E206",
            "the left side of '==>' is an equation of a binary expression with 0 or 1"
            + (f", but this is {guard.degree}" if equation else ""),
            node.guard.span
            if equation
            else mark(node.span, (node.guard.span, node.value.span), (node.op,)),
            "such as reach[i,left(t)] = 1 ==> …",
        )
    return guard, value


BARE = ("indicator", "sos1")
"""Ways to state an implication that take no argument."""


def _method(
    expressions: Expressions, node: n.Implication, scope: Scope
) -> tuple[str, Typed | None]:
    if node.method is None:
        return "", None
    if node.method == "big_m" and node.argument is not None:
        made = expressions.known(node.argument, scope, "a big-M")
        if made.sort != NUMBER:
            raise Fault("E204", f"a big-M is a number, not {made.sort}", node.argument.span)
        return "big_m", made
    if node.method in BARE and node.argument is None:
        return node.method, None
    known = {"big_m": "'big_m' needs a number"}
    known |= {method: f"'{method}' takes no argument" for method in BARE}
    behind = Span(node.span.source, node.body.span.end, node.span.end)
    raise Fault(
        "E206",
        known.get(node.method, f"unknown method '{node.method}' for an implication"),
        word(behind, node.method),
        "write by big_m(M), by indicator, by sos1, or leave it out for the tightest proven big-M",
    )


def objective(expressions: Expressions, node: n.Objective) -> ObjectiveSpec:
    value = _row_side(expressions, node.value, Scope())
    return ObjectiveSpec(node.sense, node.name or "objective", node.tag, value, node.span)


def requirement(expressions: Expressions, node: n.Requires) -> Requirement:
    domain, scope = resolve_domain(expressions, node.domain, Scope())
    condition = expressions.condition(node.condition, scope)
    return Requirement(domain, condition, node.message, node.word == "advise", node.span)
