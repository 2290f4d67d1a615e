"""lark's parse tree to the classes of `nodes.py`, bottom up: one method for each grammar rule."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lark import Token
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive, v_args

from treemip.core.source.diagnostic import Report
from treemip.core.source.span import Source, Span
from treemip.core.syntax import nodes as n

_ESCAPE = re.compile(r'\\(["\\])')


def unquote(token: str) -> str:
    """The text between the quotes, with \\" and \\\\ resolved."""
    return _ESCAPE.sub(r"\1", token[1:-1])


def node(kind: type[n.Node], /, *fields: str, **constant: Any) -> Callable[..., n.Node]:
    """The method of a rule whose items are the fields of a node, in this order.

    A field with a star takes all items that are left. Words and strings of the text become `str`;
    fields that the text leaves out get their defaults.
    """
    rest = len(fields) - 1 if fields and fields[-1].startswith("*") else None
    names = [name.removeprefix("*") for name in fields]

    def build(self: Builder, meta: Meta, items: list[Any]) -> n.Node:
        if rest is not None:
            items = [*items[:rest], tuple(items[rest:])]
        given = zip(names, items, strict=False)
        values = {name: text(item) for name, item in given if item is not None}
        return kind(**values, **constant, span=self.at(meta))

    return build


def several(self: Builder, meta: Meta, items: list[Any]) -> tuple[Any, ...]:
    """The method of a rule that stands for its items."""
    return tuple(items)


def text(item: Any) -> Any:
    """A token as a text, without the quotes of a string; anything else as it is."""
    if not isinstance(item, Token):
        return item
    return unquote(item) if item.type == "STRING" else str(item)


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
            message = "the number is too large: the limit is about 1.8e308"
            self.report.error("E104", message, span, "for an infinite bound, leave the bound out")
        return value

    # ---------------------------------------------------- expressions, conditions, sets

    binder = node(n.Binder, "names", "set")
    index_tuple = node(n.Tuple, "*parts")
    range = node(n.Range, "lower", "upper")
    named = node(n.Argument, "name", "value")
    negated = node(n.Negated, "operand")
    comparison = node(n.Comparison, "left", "op", "right", "op2", "right2")
    member = node(n.Member, "item", "set")
    not_member = node(n.Member, "item", "set", negated=True)
    choice = node(n.Choice, "condition", "then", "otherwise")
    binary = node(n.Binary, "left", "op", "right")
    reduction = node(n.Reduction, "op", "domain", "body")
    string = node(n.String, "value")
    group = node(n.Group, "inner")
    comprehension = node(n.Comprehension, "domain")
    name = node(n.Name, "name", "arguments", "indices")
    all_indices = node(n.All)
    subscript = words = strings = default_block = several

    def domain(self, meta: Meta, items: list[Any]) -> n.Domain:
        *binders, condition = items
        bound = tuple(b for b in binders if b is not None)
        return n.Domain(binders=bound, condition=condition, span=self.at(meta))

    def binder_names(self, meta: Meta, items: list[Any]) -> tuple[str, ...]:
        return tuple(str(item) for item in items)

    def texts(self, meta: Meta, items: list[Any]) -> n.Texts:
        return n.Texts(texts=tuple(self._text(token) for token in items), span=self.at(meta))

    def _text(self, token: Token) -> n.String:
        return n.String(value=unquote(token), span=self.token_span(token))

    def arguments(self, meta: Meta, items: list[Any]) -> tuple[n.Argument, ...]:
        arguments = []
        for item in items:
            if item is not None:
                is_argument = isinstance(item, n.Argument)
                arguments.append(item if is_argument else n.Argument(value=item, span=item.span))
        return tuple(arguments)

    def keyed(self, meta: Meta, items: list[Any]) -> n.Argument:
        token, value = items
        key = self._text(token) if token.type == "STRING" else self._literal(token)
        return n.Argument(key=key, value=value, span=self.at(meta))

    def any_of(self, meta: Meta, items: list[Any]) -> n.Expr:
        return items[0] if len(items) == 1 else n.AnyOf(parts=tuple(items), span=self.at(meta))

    def all_of(self, meta: Meta, items: list[Any]) -> n.Expr:
        return items[0] if len(items) == 1 else n.AllOf(parts=tuple(items), span=self.at(meta))

    def negative(self, meta: Meta, items: list[Any]) -> n.Negative:
        return n.Negative(operand=items[-1], span=self.at(meta))

    def number(self, meta: Meta, items: list[Any]) -> n.Number:
        return self._literal(items[0])

    def _literal(self, token: Token) -> n.Number:
        span = self.token_span(token)
        return n.Number(value=self._float(token), text=str(token), span=span)

    # ------------------------------------------------------------ file, headers

    header = node(n.Header, "name", "kind", "paper", "purpose")
    tree_name = node(n.TreeName, "name")
    use = node(n.Use, "module")
    split = node(n.Split, "kind", "by", "arguments")
    topology = node(n.Topology, "kind", "arguments", "text")

    def start(self, meta: Meta, items: list[Any]) -> n.File:
        return n.File(statements=tuple(items), span=self.source.span(0, len(self.source.text)))

    def module(self, meta: Meta, items: list[Any]) -> n.Reference:
        (token,) = items
        is_path = token.type == "STRING"
        return n.Reference(text=text(token), is_path=is_path, span=self.at(meta))

    # ------------------------------------------------------------------ settings

    data = node(n.Data, "path", "*settings")
    strategy = node(n.Strategy, "*settings")
    word_name = node(n.Word, "name")
    word_string = node(n.Word, "string")
    word_call = node(n.Word, "name", "arguments")

    def setting(self, meta: Meta, items: list[Any]) -> n.Setting:
        key, *groups = items
        nonempty = tuple(g for g in groups if g is not None)
        return n.Setting(key=str(key), groups=nonempty, span=self.at(meta))

    def word_number(self, meta: Meta, items: list[Any]) -> n.Word:
        sign, digits = items
        number = self._float(digits)
        return n.Word(number=-number if sign else number, span=self.at(meta))

    # -------------------------------------------------------------- declarations

    bound = node(n.Bound, "op", "value")

    def _declared(
        self, meta: Meta, name: Token, labels: tuple[Token, ...] = (), doc: tuple[Token, ...] = ()
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
        declared = self._declared(meta, name, labels, doc)
        return n.Var(domain=domain, kind=kind, bounds=bounds, means=means, **declared)

    def kind(self, meta: Meta, items: list[Any]) -> tuple[str, tuple[n.Bound, ...]]:
        word, *optional = items
        bounds = tuple(b for b in optional if b is not None)
        if word == "free" and bounds:
            message = "a free variable cannot have bounds"
            span = bounds[0].span.to(bounds[-1].span)
            self.report.error("E109", message, span, "leave out either 'free' or the bounds")
        return "continuous" if word in (None, "free") else str(word), bounds

    def means(self, meta: Meta, items: list[Any]) -> n.Expr:
        return items[0]

    def let(self, meta: Meta, items: list[Any]) -> n.Let:
        name, labels, domain, value = items
        return n.Let(domain=domain, value=value, **self._declared(meta, name, labels))

    def concept(self, meta: Meta, items: list[Any]) -> n.Concept:
        name, domain, doc, means, default = items
        declared = self._declared(meta, name, (), doc)
        return n.Concept(domain=domain, means=means, default=default, **declared)

    def term(self, meta: Meta, items: list[Any]) -> n.Term:
        name, *optional, value = items
        parameters = [p for p in optional if p is not None]
        names = tuple(one for one, _ in parameters)
        defaults = tuple(default for _, default in parameters)
        declared = self._declared(meta, name)
        return n.Term(parameters=names, defaults=defaults, value=value, **declared)

    def term_parameter(self, meta: Meta, items: list[Any]) -> tuple[str, n.Number | None]:
        name, default = items
        return str(name), None if default is None else self._literal(default)

    # --------------------------------------------------- objective and constraints

    subject = node(n.Subject, "*constraints")
    cut = node(n.Cut, "constraint")
    relation = node(n.Relation, "left", "op", "right", "op2", "right2")
    guard = node(n.Guard, "left", "op", "value")
    local_set = node(n.LocalSet, "name", "set", "body")
    press = node(n.Press, "name", "way")
    requires = node(n.Requires, "word", "domain", "condition", "message")
    route_when = node(n.Route, "left", "op", "right")
    route_probability = node(n.Route, "probability")
    predict_class = node(n.Predict, "value", kind="class")
    predict_distribution = node(n.Predict, "value", kind="distribution")
    predict_value = node(n.Predict, "value", kind="value")

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

    def constraint(self, meta: Meta, items: list[Any]) -> n.Constraint:
        name, label, domain, body = items
        shared = self._declared(meta, name)
        shared["tag"] = unquote(label) if label else ""
        return n.Constraint(domain=domain, body=body, **shared)

    def asked(self, meta: Meta, items: list[Any]) -> n.Asked:
        name, arguments = items
        module = n.Reference(text=str(name), span=self.token_span(name))
        return n.Asked(module=module, arguments=arguments, span=self.at(meta))

    def implication(self, meta: Meta, items: list[Any]) -> n.Implication:
        *guards, body, method = items
        word, argument = method or (None, None)
        span = self.at(meta)
        return n.Implication(
            guards=tuple(guards), body=body, method=word, argument=argument, span=span
        )

    def method(self, meta: Meta, items: list[Any]) -> tuple[str, n.Expr | None]:
        return str(items[0]), items[1]

    def drop(self, meta: Meta, items: list[Any]) -> n.Drop:
        (names, spans), conditions = items
        return n.Drop(names=names, name_spans=spans, **(conditions or {}), span=self.at(meta))

    def drop_when(self, meta: Meta, items: list[Any]) -> dict[str, Any]:
        ((names, spans),) = items
        return {"when": names, "when_spans": spans}

    def drop_unless(self, meta: Meta, items: list[Any]) -> dict[str, Any]:
        return {"unless": tuple(items)}

    def names(self, meta: Meta, items: list[Any]) -> tuple[tuple[str, ...], tuple[Span, ...]]:
        return tuple(str(t) for t in items), tuple(self.token_span(t) for t in items)
