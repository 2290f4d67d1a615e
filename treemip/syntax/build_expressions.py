"""Expressions and conditions: lark's parse tree to nodes, one method per grammar rule."""

from __future__ import annotations

import math
import re
from typing import Any

from lark import Token, Tree
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from treemip.source.diagnostic import Report
from treemip.source.span import Source, Span
from treemip.syntax import nodes as n

_ESCAPE = re.compile(r'\\(["\\])')


def unquote(token: str) -> str:
    """The text between the quotes, with \\" and \\\\ resolved."""
    return _ESCAPE.sub(r"\1", token[1:-1])


class ExpressionBuilder(Transformer_NonRecursive):
    """Not recursive, so that a long sum cannot exhaust Python's stack.

    Faults the grammar cannot express go into `report`; building goes on.
    """

    def __init__(self, source: Source, report: Report) -> None:
        super().__init__(visit_tokens=False)
        self.source = source
        self.report = report

    def _call_userfunc(self, tree: Tree, new_children: list[Any] | None = None) -> Any:
        # As v_args(meta=True) would have it, which wraps a method anew at each call.
        return getattr(self, tree.data)(tree.meta, new_children)

    def at(self, meta: Meta) -> Span:
        if meta.empty:
            return self.source.span(0, 0)
        return self.source.span(meta.start_pos, meta.end_pos)

    def token_span(self, token: Token) -> Span:
        assert token.start_pos is not None and token.end_pos is not None
        return self.source.span(token.start_pos, token.end_pos)

    def _float(self, token: Token) -> float:
        value = float(token)
        if math.isinf(value):
            span = self.token_span(token)
            remedy = "a bound of infinity is written by leaving the bound out"
            self.report.error("E104", "the number is too large for a computer", span, remedy)
        return value

    def domain(self, meta: Meta, items: list[Any]) -> n.Domain:
        *binders, condition = items
        kept = tuple(b for b in binders if b is not None)
        return n.Domain(binders=kept, condition=condition, span=self.at(meta))

    def binder(self, meta: Meta, items: list[Any]) -> n.Binder:
        return n.Binder(name=str(items[0]), set=items[1], span=self.at(meta))

    def range(self, meta: Meta, items: list[Any]) -> n.Range:
        return n.Range(lower=items[0], upper=items[1], span=self.at(meta))

    def arguments(self, meta: Meta, items: list[Any]) -> tuple[n.Argument, ...]:
        made = []
        for item in items:
            if item is not None:
                given = isinstance(item, n.Argument)
                made.append(item if given else n.Argument(value=item, span=item.span))
        return tuple(made)

    def named(self, meta: Meta, items: list[Any]) -> n.Argument:
        return n.Argument(name=str(items[0]), value=items[1], span=self.at(meta))

    def keyed(self, meta: Meta, items: list[Any]) -> n.Argument:
        token = items[0]
        key = n.Number(value=self._float(token), text=str(token), span=self.token_span(token))
        return n.Argument(key=key, value=items[1], span=self.at(meta))

    def any_of(self, meta: Meta, items: list[Any]) -> n.Expr:
        return items[0] if len(items) == 1 else n.AnyOf(parts=tuple(items), span=self.at(meta))

    def all_of(self, meta: Meta, items: list[Any]) -> n.Expr:
        return items[0] if len(items) == 1 else n.AllOf(parts=tuple(items), span=self.at(meta))

    def negated(self, meta: Meta, items: list[Any]) -> n.Negated:
        return n.Negated(operand=items[0], span=self.at(meta))

    def comparison(self, meta: Meta, items: list[Any]) -> n.Comparison:
        return n.Comparison(**chain(items), span=self.at(meta))

    def member(self, meta: Meta, items: list[Any]) -> n.Member:
        return n.Member(item=items[0], set=items[1], span=self.at(meta))

    def not_member(self, meta: Meta, items: list[Any]) -> n.Member:
        return n.Member(item=items[0], set=items[1], negated=True, span=self.at(meta))

    def choice(self, meta: Meta, items: list[Any]) -> n.Choice:
        condition, then, otherwise = items
        return n.Choice(condition=condition, then=then, otherwise=otherwise, span=self.at(meta))

    def binary(self, meta: Meta, items: list[Any]) -> n.Binary:
        return n.Binary(op=str(items[1]), left=items[0], right=items[2], span=self.at(meta))

    def negative(self, meta: Meta, items: list[Any]) -> n.Negative:
        return n.Negative(operand=items[-1], span=self.at(meta))

    def reduction(self, meta: Meta, items: list[Any]) -> n.Reduction:
        return n.Reduction(op=str(items[0]), domain=items[1], body=items[2], span=self.at(meta))

    def number(self, meta: Meta, items: list[Any]) -> n.Number:
        return n.Number(value=self._float(items[0]), text=str(items[0]), span=self.at(meta))

    def string(self, meta: Meta, items: list[Any]) -> n.String:
        return n.String(value=unquote(items[0]), span=self.at(meta))

    def group(self, meta: Meta, items: list[Any]) -> n.Group:
        return n.Group(inner=items[0], span=self.at(meta))

    def comprehension(self, meta: Meta, items: list[Any]) -> n.Comprehension:
        return n.Comprehension(domain=items[0], span=self.at(meta))

    def name(self, meta: Meta, items: list[Any]) -> n.Name:
        name, arguments, indices = items
        return n.Name(name=str(name), arguments=arguments, indices=indices, span=self.at(meta))

    def subscript(self, meta: Meta, items: list[Any]) -> tuple[n.Expr, ...]:
        return tuple(items)

    def all_indices(self, meta: Meta, items: list[Any]) -> n.All:
        return n.All(span=self.at(meta))


def chain(items: list[Any]) -> dict[str, Any]:
    left, op, right, op2, right2 = [*items, None, None][:5]
    return {
        "left": left,
        "op": str(op),
        "right": right,
        "op2": str(op2) if op2 else None,
        "right2": right2,
    }
