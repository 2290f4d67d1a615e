"""Expressions by form: names bound, sorts and degrees checked, vectors written out as sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from treemip.resolve import typed as t
from treemip.resolve.builtins import FUNCTION_NAMES
from treemip.resolve.calls import call
from treemip.resolve.link import Fault, Scope
from treemip.resolve.names import meant, plain_name
from treemip.resolve.resolver import Resolver, as_number, resolve_domain
from treemip.resolve.sorts import (
    NUMBER,
    Element,
    SetOf,
    Sort,
    named_by_text,
)
from treemip.source.span import Span
from treemip.syntax import nodes as n


class Expressions(Resolver):
    """Resolves expressions of every form."""

    def resolve(self, node: n.Expr, scope: Scope, expected: Sort | None = None) -> t.Typed:
        return self._FORMS[type(node)](self, node, scope, expected)

    # ------------------------------------------------------------------ leaves

    def _number(self, node: n.Number, scope: Scope, expected: Sort | None) -> t.Typed:
        return t.Const(value=node.value, span=node.span)

    def _string(self, node: n.String, scope: Scope, expected: Sort | None) -> t.Typed:
        if named_by_text(expected):
            assert isinstance(expected, Element)
            self.linker.require("data", node.value, node.span)
            return t.Literal(text=node.value, element=expected, span=node.span)
        message = f'the text "{node.value}" is not allowed here'
        if expected is not None:
            needed = "a set" if isinstance(expected, SetOf) else expected
            message = f'expected {needed}, not the text "{node.value}"'
        raise Fault(
            "E204",
            message,
            node.span,
            'a text names a class, a feature or a group value, as in y[i] = "good"',
        )

    def _all(self, node: n.All, scope: Scope, expected: Sort | None) -> t.Typed:
        raise Fault(
            "E206",
            "'*' stands for a whole vector, which only dot, norm1, norminf and normsq take",
            node.span,
            "write a sum, such as sum {j in features} coef[t,j]",
        )

    def _name(self, node: n.Name, scope: Scope, expected: Sort | None) -> t.Typed:
        if (
            node.arguments is not None
            and node.name in FUNCTION_NAMES
            and node.name not in scope.bound
            and not self.linker.declares(node.name)
        ):
            return call(self, node, scope)
        return plain_name(self, node, scope, expected)

    def _group(self, node: n.Group, scope: Scope, expected: Sort | None) -> t.Typed:
        return self.resolve(node.inner, scope, expected)

    # -------------------------------------------------------------- arithmetic

    def _negative(self, node: n.Negative, scope: Scope, expected: Sort | None) -> t.Typed:
        return t.Negation(operand=self.number(node.operand, scope), span=node.span)

    def _binary(self, node: n.Binary, scope: Scope, expected: Sort | None) -> t.Typed:
        left, right = self.number(node.left, scope), self.number(node.right, scope)
        return t.Arithmetic(op=node.op, left=left, right=right, span=node.span)

    def _choice(self, node: n.Choice, scope: Scope, expected: Sort | None) -> t.Typed:
        condition = self.condition(node.condition, scope)
        then = self.resolve(node.then, scope, expected)
        otherwise = self.resolve(node.otherwise, scope, expected)
        if then.sort != otherwise.sort:
            raise Fault(
                "E204",
                f"'then' is {then.sort} but 'else' is {otherwise.sort}",
                node.otherwise.span,
            )
        return t.Choice(condition=condition, then=then, otherwise=otherwise, span=node.span)

    def _reduction(self, node: n.Reduction, scope: Scope, expected: Sort | None) -> t.Typed:
        domain, inner = resolve_domain(self, node.domain, scope)
        if not domain.binders:
            raise Fault("E206", f"'{node.op}' needs something to range over", node.domain.span)
        body = self.number(node.body, inner)
        return t.Reduction(
            op=node.op, binders=domain.binders, guard=domain.guard, body=body, span=node.span
        )

    # -------------------------------------------------------------------- sets

    def _comprehension(self, node: n.Comprehension, scope: Scope, expected: Sort | None) -> t.Typed:
        # card({i in points : …}) inside sum {i in points} … means its own i
        for binder in node.domain.binders:
            scope = scope.without(binder.name)
        domain, _ = resolve_domain(self, node.domain, scope)
        if len(domain.binders) != 1:
            raise Fault(
                "E206",
                "a set used as a value must have one index, such as {i in points : y[i] = k}",
                node.span,
            )
        return t.Comprehension(binder=domain.binders[0], guard=domain.guard, span=node.span)

    def _range(self, node: n.Range, scope: Scope, expected: Sort | None) -> t.Typed:
        return t.RangeSet(
            lower=self.number(node.lower, scope),
            upper=self.number(node.upper, scope),
            span=node.span,
        )

    # -------------------------------------------------------------- conditions

    def _comparison(self, node: n.Comparison, scope: Scope, expected: Sort | None) -> t.Typed:
        first = self._compare(node.left, node.op, node.right, node.span, scope)
        if node.op2 is None or node.right2 is None:
            return first
        second = self._compare(node.right, node.op2, node.right2, node.span, scope)
        return t.Logic(op="and", operands=(first, second), span=node.span)

    def _compare(self, left: n.Expr, op: str, right: n.Expr, span: Span, scope: Scope) -> t.Typed:
        if isinstance(left, n.String) and not isinstance(right, n.String):
            b = self.resolve(right, scope)
            a = self.resolve(left, scope, b.sort)
        else:
            a = self.resolve(left, scope)
            b = self.resolve(right, scope, a.sort)
        if a.sort != b.sort:
            remedy = meant(left, b.sort) or meant(right, a.sort) or as_number(a, b)
            raise Fault("E204", f"{a.sort} is compared with {b.sort}", span, remedy)
        if a.sort != NUMBER and op not in ("=", "!="):
            raise Fault("E204", f"'{op}' compares numbers, not {a.sort}", span, "use = or !=")
        return t.Comparison(op=op, left=a, right=b, span=span)

    def _member(self, node: n.Member, scope: Scope, expected: Sort | None) -> t.Typed:
        members = self.set(node.set, scope)
        assert isinstance(members.sort, SetOf)
        item = self.resolve(node.item, scope, members.sort.element)
        if item.sort != members.sort.element:
            raise Fault("E204", f"{item.sort} cannot be in {members.sort}", node.item.span)
        return t.Member(item=item, set=members, negated=node.negated, span=node.span)

    def _all_of(self, node: n.AllOf, scope: Scope, expected: Sort | None) -> t.Typed:
        parts = tuple(self.condition(p, scope) for p in node.parts)
        return t.Logic(op="and", operands=parts, span=node.span)

    def _any_of(self, node: n.AnyOf, scope: Scope, expected: Sort | None) -> t.Typed:
        parts = tuple(self.condition(p, scope) for p in node.parts)
        return t.Logic(op="or", operands=parts, span=node.span)

    def _negated(self, node: n.Negated, scope: Scope, expected: Sort | None) -> t.Typed:
        return t.Logic(op="not", operands=(self.condition(node.operand, scope),), span=node.span)

    _FORMS: ClassVar[dict[type, Callable[..., t.Typed]]] = {
        n.Number: _number,
        n.String: _string,
        n.All: _all,
        n.Name: _name,
        n.Group: _group,
        n.Negative: _negative,
        n.Binary: _binary,
        n.Choice: _choice,
        n.Reduction: _reduction,
        n.Comprehension: _comprehension,
        n.Range: _range,
        n.Comparison: _comparison,
        n.Member: _member,
        n.AllOf: _all_of,
        n.AnyOf: _any_of,
        n.Negated: _negated,
    }
