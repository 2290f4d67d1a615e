"""lark's parse tree to the classes of `nodes.py`, bottom up: one method for each grammar rule."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from lark import Token
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive, v_args

from treemip.source.diagnostic import Report
from treemip.source.span import Source, Span
from treemip.syntax import nodes as n

_ESCAPE = re.compile(r'\\(["\\])')


def unquote(token: str) -> str:
    """The text between the quotes, with \\" and \\\\ resolved."""
    return _ESCAPE.sub(r"\1", token[1:-1])


@v_args(meta=True)
class Builder(Transformer_NonRecursive):
    """Not recursive, so that a long sum cannot exhaust Python's stack.

    Faults the grammar cannot express go into `report`; building goes on.
    """

    def __init__(self, source: Source, report: Report) -> None:
        super().__init__(visit_tokens=False)
        self.source = source
        self.report = report

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
            remedy = "for an infinite bound, leave the bound out"
            self.report.error(
                "E104", "the number is too large: the limit is about 1.8e308", span, remedy
            )
        return value

    # ---------------------------------------------------- expressions, conditions, sets

    def domain(self, meta: Meta, items: list[Any]) -> n.Domain:
        *binders, condition = items
        bound = tuple(b for b in binders if b is not None)
        return n.Domain(binders=bound, condition=condition, span=self.at(meta))

    def binder(self, meta: Meta, items: list[Any]) -> n.Binder:
        return n.Binder(names=items[0], set=items[1], span=self.at(meta))

    def binder_names(self, meta: Meta, items: list[Any]) -> tuple[str, ...]:
        return tuple(str(item) for item in items)

    def index_tuple(self, meta: Meta, items: list[Any]) -> n.Tuple:
        return n.Tuple(parts=tuple(items), span=self.at(meta))

    def texts(self, meta: Meta, items: list[Any]) -> n.Texts:
        return n.Texts(texts=tuple(self._text(token) for token in items), span=self.at(meta))

    def _text(self, token: Token) -> n.String:
        return n.String(value=unquote(token), span=self.token_span(token))

    def range(self, meta: Meta, items: list[Any]) -> n.Range:
        return n.Range(lower=items[0], upper=items[1], span=self.at(meta))

    def arguments(self, meta: Meta, items: list[Any]) -> tuple[n.Argument, ...]:
        arguments = []
        for item in items:
            if item is not None:
                is_argument = isinstance(item, n.Argument)
                arguments.append(item if is_argument else n.Argument(value=item, span=item.span))
        return tuple(arguments)

    def named(self, meta: Meta, items: list[Any]) -> n.Argument:
        return n.Argument(name=str(items[0]), value=items[1], span=self.at(meta))

    def keyed(self, meta: Meta, items: list[Any]) -> n.Argument:
        token, value = items
        key: n.Number | n.String
        if token.type == "STRING":
            key = self._text(token)
        else:
            key = n.Number(value=self._float(token), text=str(token), span=self.token_span(token))
        return n.Argument(key=key, value=value, span=self.at(meta))

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

    # ------------------------------------------------------------ file, headers

    def start(self, meta: Meta, items: list[Any]) -> n.File:
        return n.File(statements=tuple(items), span=self.source.span(0, len(self.source.text)))

    def header(self, meta: Meta, items: list[Any]) -> n.Header:
        name, kind, paper = items
        text = unquote(paper) if paper else ""
        return n.Header(name=str(name), kind=str(kind), paper=text, span=self.at(meta))

    def tree_name(self, meta: Meta, items: list[Any]) -> n.TreeName:
        return n.TreeName(name=str(items[0]), span=self.at(meta))

    def use(self, meta: Meta, items: list[Any]) -> n.Use:
        return n.Use(module=items[0], span=self.at(meta))

    def module(self, meta: Meta, items: list[Any]) -> n.Reference:
        is_path = items[0].type == "STRING"
        text = unquote(items[0]) if is_path else str(items[0])
        return n.Reference(text=text, is_path=is_path, span=self.at(meta))

    def split(self, meta: Meta, items: list[Any]) -> n.Split:
        kind, by, arguments = items
        return n.Split(kind=str(kind), by=by, arguments=arguments or (), span=self.at(meta))

    def topology(self, meta: Meta, items: list[Any]) -> n.Topology:
        kind, arguments, text = items
        return n.Topology(
            kind=str(kind),
            arguments=arguments or (),
            text=unquote(text) if text else None,
            span=self.at(meta),
        )

    # ------------------------------------------------------------------ settings

    def data(self, meta: Meta, items: list[Any]) -> n.Data:
        return n.Data(path=unquote(items[0]), settings=tuple(items[1:]), span=self.at(meta))

    def strategy(self, meta: Meta, items: list[Any]) -> n.Strategy:
        return n.Strategy(settings=tuple(items), span=self.at(meta))

    def setting(self, meta: Meta, items: list[Any]) -> n.Setting:
        key, *groups = items
        nonempty = tuple(tuple(g) for g in groups if g is not None)
        return n.Setting(key=str(key), groups=nonempty, span=self.at(meta))

    def words(self, meta: Meta, items: list[Any]) -> list[n.Word]:
        return items

    def word_name(self, meta: Meta, items: list[Any]) -> n.Word:
        return n.Word(name=str(items[0]), span=self.at(meta))

    def word_string(self, meta: Meta, items: list[Any]) -> n.Word:
        return n.Word(string=unquote(items[0]), span=self.at(meta))

    def word_number(self, meta: Meta, items: list[Any]) -> n.Word:
        sign, digits = items
        return n.Word(
            number=-self._float(digits) if sign else self._float(digits), span=self.at(meta)
        )

    def word_call(self, meta: Meta, items: list[Any]) -> n.Word:
        return n.Word(name=str(items[0]), arguments=items[1], span=self.at(meta))

    # -------------------------------------------------------------- declarations

    def strings(self, meta: Meta, items: list[Any]) -> tuple[Token, ...]:
        return tuple(items)

    def _declared(
        self,
        meta: Meta,
        name: Token,
        labels: tuple[Token, ...] = (),
        doc: tuple[Token, ...] = (),
    ) -> dict[str, Any]:
        """Strings after a name: the paper's symbol, and its equation tag, which starts with "("."""
        tags = [s for s in labels if s.startswith('"(')]
        symbols = [s for s in labels if not s.startswith('"(')]
        for what, strings in (("symbol", symbols), ("equation tag", tags)):
            for extra in strings[1:]:
                message = f"'{name}' has a second {what}"
                remedy = 'a name takes one symbol, "w", one equation tag, "(7)"'
                self.report.error("E109", message, self.token_span(extra), remedy)
        return {
            "name": str(name),
            "name_span": self.token_span(name),
            "symbol": unquote(symbols[0]) if symbols else "",
            "tag": unquote(tags[0]) if tags else "",
            "doc": " ".join(unquote(s) for s in doc),
            "span": self.at(meta),
        }

    def param(self, meta: Meta, items: list[Any]) -> n.Param:
        name, before, domain, after, value, doc = items
        labels = before + after
        return n.Param(domain=domain, value=value, **self._declared(meta, name, labels, doc))

    def set_decl(self, meta: Meta, items: list[Any]) -> n.SetDeclaration:
        name, domain, value = items
        return n.SetDeclaration(domain=domain, value=value, **self._declared(meta, name))

    def tree_decl(self, meta: Meta, items: list[Any]) -> n.TreeDeclaration:
        name, domain, value = items
        return n.TreeDeclaration(domain=domain, value=value, **self._declared(meta, name))

    def var(self, meta: Meta, items: list[Any]) -> n.Var:
        name, labels, domain, (kind, bounds), means, doc = items
        return n.Var(
            domain=domain,
            kind=kind,
            bounds=bounds,
            means=means,
            **self._declared(meta, name, labels, doc),
        )

    def kind(self, meta: Meta, items: list[Any]) -> tuple[str, tuple[n.Bound, ...]]:
        word, *optional = items
        bounds = tuple(b for b in optional if b is not None)
        if word == "free" and bounds:
            message = "a free variable cannot have bounds"
            span = bounds[0].span.to(bounds[-1].span)
            self.report.error("E109", message, span, "leave out either 'free' or the bounds")
        return "continuous" if word in (None, "free") else str(word), bounds

    def bound(self, meta: Meta, items: list[Any]) -> n.Bound:
        return n.Bound(op=str(items[0]), value=items[1], span=self.at(meta))

    def means(self, meta: Meta, items: list[Any]) -> n.Expr:
        return items[0]

    def let(self, meta: Meta, items: list[Any]) -> n.Let:
        name, labels, domain, value = items
        return n.Let(domain=domain, value=value, **self._declared(meta, name, labels))

    def concept(self, meta: Meta, items: list[Any]) -> n.Concept:
        name, domain, doc, means, default = items
        return n.Concept(
            domain=domain, means=means, default=default, **self._declared(meta, name, (), doc)
        )

    def default_block(self, meta: Meta, items: list[Any]) -> tuple[n.Statement, ...]:
        return tuple(items)

    def term(self, meta: Meta, items: list[Any]) -> n.Term:
        name, *optional, value = items
        parameters = [p for p in optional if p is not None]
        return n.Term(
            parameters=tuple(name for name, _ in parameters),
            defaults=tuple(default for _, default in parameters),
            value=value,
            **self._declared(meta, name),
        )

    def term_parameter(self, meta: Meta, items: list[Any]) -> tuple[str, n.Number | None]:
        name, default = items
        if default is None:
            return str(name), None
        span = self.token_span(default)
        return str(name), n.Number(value=self._float(default), text=str(default), span=span)

    # --------------------------------------------------- objective and constraints

    def objective_name(self, meta: Meta, items: list[Any]) -> tuple[str, str]:
        return str(items[0]), unquote(items[1]) if items[1] else ""

    def objective(self, meta: Meta, items: list[Any]) -> n.Objective:
        first, *later = self._one_objective(meta, items[:3]), *items[3:]
        for k, one in enumerate(later):
            before = later[k - 1] if k else first
            later[k] = one if one.sense else replace(one, sense=before.sense)
        return replace(first, then=tuple(later))

    def later(self, meta: Meta, items: list[Any]) -> n.Objective:
        return self._one_objective(meta, items)

    def _one_objective(self, meta: Meta, items: list[Any]) -> n.Objective:
        """Its sense is empty where the text leaves it to the objective before it."""
        sense, label, value = items
        name, tag = label or (None, "")
        sense = str(sense) if sense else ""
        return n.Objective(sense=sense, name=name, tag=tag, value=value, span=self.at(meta))

    def subject(self, meta: Meta, items: list[Any]) -> n.Subject:
        return n.Subject(constraints=tuple(items), span=self.at(meta))

    def cut(self, meta: Meta, items: list[Any]) -> n.Cut:
        return n.Cut(constraint=items[0], span=self.at(meta))

    def constraint(self, meta: Meta, items: list[Any]) -> n.Constraint:
        name, label, domain, body = items
        shared = self._declared(meta, name)
        shared["tag"] = unquote(label) if label else ""
        return n.Constraint(domain=domain, body=body, **shared)

    def relation(self, meta: Meta, items: list[Any]) -> n.Relation:
        return n.Relation(**chain(items), span=self.at(meta))

    def implication(self, meta: Meta, items: list[Any]) -> n.Implication:
        *guards, body, method = items
        word, argument = method or (None, None)
        return n.Implication(
            guards=tuple(guards),
            body=body,
            method=word,
            argument=argument,
            span=self.at(meta),
        )

    def guard(self, meta: Meta, items: list[Any]) -> n.Guard:
        left, op, value = items
        return n.Guard(left=left, op=str(op), value=value, span=self.at(meta))

    def method(self, meta: Meta, items: list[Any]) -> tuple[str, n.Expr | None]:
        return str(items[0]), items[1]

    def local_set(self, meta: Meta, items: list[Any]) -> n.LocalSet:
        return n.LocalSet(name=str(items[0]), set=items[1], body=items[2], span=self.at(meta))

    def drop(self, meta: Meta, items: list[Any]) -> n.Drop:
        (names, spans), conditions = items
        return n.Drop(names=names, name_spans=spans, **(conditions or {}), span=self.at(meta))

    def drop_when(self, meta: Meta, items: list[Any]) -> dict[str, Any]:
        ((names, spans),) = items
        return {"when": names, "when_spans": spans}

    def drop_unless(self, meta: Meta, items: list[Any]) -> dict[str, Any]:
        return {"unless": tuple(items)}

    def press(self, meta: Meta, items: list[Any]) -> n.Press:
        return n.Press(name=str(items[0]), way=str(items[1]), span=self.at(meta))

    def names(self, meta: Meta, items: list[Any]) -> tuple[tuple[str, ...], tuple[Span, ...]]:
        return tuple(str(t) for t in items), tuple(self.token_span(t) for t in items)

    def requires(self, meta: Meta, items: list[Any]) -> n.Requires:
        word, domain, condition, message = items
        return n.Requires(
            word=str(word),
            domain=domain,
            condition=condition,
            message=unquote(message),
            span=self.at(meta),
        )

    def route_when(self, meta: Meta, items: list[Any]) -> n.Route:
        return n.Route(left=items[0], op=str(items[1]), right=items[2], span=self.at(meta))

    def route_probability(self, meta: Meta, items: list[Any]) -> n.Route:
        return n.Route(probability=items[0], span=self.at(meta))

    def predict_class(self, meta: Meta, items: list[Any]) -> n.Predict:
        return n.Predict(kind="class", value=items[0], span=self.at(meta))

    def predict_distribution(self, meta: Meta, items: list[Any]) -> n.Predict:
        return n.Predict(kind="distribution", value=items[0], span=self.at(meta))

    def predict_value(self, meta: Meta, items: list[Any]) -> n.Predict:
        return n.Predict(kind="value", value=items[0], span=self.at(meta))


def chain(items: list[Any]) -> dict[str, Any]:
    left, op, right, op2, right2 = [*items, None, None][:5]
    return {
        "left": left,
        "op": str(op),
        "right": right,
        "op2": str(op2) if op2 else None,
        "right2": right2,
    }
