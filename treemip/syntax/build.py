"""Statements: lark's parse tree to nodes, bottom up; one method per grammar rule."""

from __future__ import annotations

from typing import Any

from lark import Token
from lark.tree import Meta

from treemip.source.span import Span
from treemip.syntax import nodes as n
from treemip.syntax.build_expressions import ExpressionBuilder, chain, unquote


class Builder(ExpressionBuilder):
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
        return n.Use(name=str(items[0]), span=self.at(meta))

    def split(self, meta: Meta, items: list[Any]) -> n.Split:
        kind, name, arguments = items
        return n.Split(
            kind=str(kind),
            formulation=str(name) if name else None,
            arguments=arguments or (),
            span=self.at(meta),
        )

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
        kept = tuple(tuple(g) for g in groups if g is not None)
        return n.Setting(key=str(key), groups=kept, span=self.at(meta))

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
        for what, found in (("symbol", symbols), ("equation tag", tags)):
            for extra in found[1:]:
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
        word, *given = items
        bounds = tuple(b for b in given if b is not None)
        if word == "free" and bounds:
            message = "a free variable has no bounds"
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
        name, *given, value = items
        parameters = [p for p in given if p is not None]
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
        sense, label, value = items
        name, tag = label or (None, "")
        return n.Objective(sense=str(sense), name=name, tag=tag, value=value, span=self.at(meta))

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
        guard, op, value, body, method = items
        word, argument = method or (None, None)
        return n.Implication(
            guard=guard,
            op=str(op),
            value=value,
            body=body,
            method=word,
            argument=argument,
            span=self.at(meta),
        )

    def method(self, meta: Meta, items: list[Any]) -> tuple[str, n.Expr | None]:
        return str(items[0]), items[1]

    def local_set(self, meta: Meta, items: list[Any]) -> n.LocalSet:
        return n.LocalSet(name=str(items[0]), set=items[1], body=items[2], span=self.at(meta))

    def drop(self, meta: Meta, items: list[Any]) -> n.Drop:
        (names, spans), said = items
        return n.Drop(names=names, name_spans=spans, **(said or {}), span=self.at(meta))

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
