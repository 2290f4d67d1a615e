"""Lark's parse tree to nodes, bottom up; one method per grammar rule."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer, Tree, v_args
from lark.tree import Meta

from treemip.source.span import Source, Span
from treemip.syntax import nodes as n


def unquote(token: str) -> str:
    """The text between the quotes, with \\" and \\\\ resolved."""
    return token[1:-1].replace('\\"', '"').replace("\\\\", "\\") if "\\" in token else token[1:-1]


@v_args(meta=True)
class Builder(Transformer):  # type: ignore[type-arg]
    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source

    def at(self, meta: Meta) -> Span:
        if meta.empty:
            return self.source.span(0, 0)
        return self.source.span(meta.start_pos, meta.end_pos)

    def token_span(self, token: Token) -> Span:
        assert token.start_pos is not None and token.end_pos is not None
        return self.source.span(token.start_pos, token.end_pos)

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
        """Words arrive flat; a comma in the text between two words starts a new group."""
        key, *words = items
        groups: list[list[n.Word]] = [[]]
        last = key.span.end
        for word in words:
            if "," in _without_strings(self.source.text[last : word.span.start]):
                groups.append([])
            groups[-1].append(word)
            last = word.span.end
        kept = tuple(tuple(g) for g in groups if g)
        return n.Setting(key=key.name or key.string or "", groups=kept, span=self.at(meta))

    def word_name(self, meta: Meta, items: list[Any]) -> n.Word:
        token = items[0].children[0] if isinstance(items[0], Tree) else items[0]
        return n.Word(name=str(token), span=self.token_span(token))

    def word_string(self, meta: Meta, items: list[Any]) -> n.Word:
        return n.Word(string=unquote(items[0]), span=self.at(meta))

    def word_number(self, meta: Meta, items: list[Any]) -> n.Word:
        sign = -1.0 if self.source.text[meta.start_pos] == "-" else 1.0
        return n.Word(number=sign * float(items[-1]), span=self.at(meta))

    def word_call(self, meta: Meta, items: list[Any]) -> n.Word:
        return n.Word(name=str(items[0]), arguments=items[1], span=self.at(meta))

    # -------------------------------------------------------------- declarations

    def strings(self, meta: Meta, items: list[Any]) -> tuple[str, ...]:
        return tuple(unquote(s) for s in items)

    def _declared(
        self, meta: Meta, name: Token, labels: tuple[str, ...], doc: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Strings after a name: the paper's symbol, and its equation tag, which starts with "("."""
        tags = [s for s in labels if s.startswith("(")]
        symbols = [s for s in labels if not s.startswith("(")]
        return {
            "name": str(name),
            "name_span": self.token_span(name),
            "symbol": symbols[0] if symbols else "",
            "tag": tags[0] if tags else "",
            "doc": " ".join(doc),
            "span": self.at(meta),
        }

    def param(self, meta: Meta, items: list[Any]) -> n.Param:
        name, before, domain, after, value, doc = items
        labels = before + after
        return n.Param(domain=domain, value=value, **self._declared(meta, name, labels, doc))

    def set_decl(self, meta: Meta, items: list[Any]) -> n.SetDeclaration:
        name, domain, value = items
        return n.SetDeclaration(domain=domain, value=value, **self._declared(meta, name, ()))

    def tree_decl(self, meta: Meta, items: list[Any]) -> n.TreeDeclaration:
        name, domain, value = items
        return n.TreeDeclaration(domain=domain, value=value, **self._declared(meta, name, ()))

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
        word, *bounds = items
        name = "continuous" if word in (None, "free") else str(word)
        return name, tuple(b for b in bounds if b is not None)

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
        name, *parameters, value = items
        names = tuple(str(p) for p in parameters if p is not None)
        return n.Term(parameters=names, value=value, **self._declared(meta, name, ()))

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
        shared = self._declared(meta, name, ())
        shared["tag"] = unquote(label) if label else ""
        return n.Constraint(domain=domain, body=body, **shared)

    def relation(self, meta: Meta, items: list[Any]) -> n.Relation:
        return n.Relation(**_chain(items), span=self.at(meta))

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
        spans = tuple(self.token_span(t) for t in items)
        return n.Drop(names=tuple(str(t) for t in items), name_spans=spans, span=self.at(meta))

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

    # ---------------------------------------------------------------- expressions

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
        key = n.Number(
            value=float(items[0]), text=str(items[0]), span=self.token_span(items[0])
        )
        return n.Argument(key=key, value=items[1], span=self.at(meta))

    def any_of(self, meta: Meta, items: list[Any]) -> n.Expr:
        return items[0] if len(items) == 1 else n.AnyOf(parts=tuple(items), span=self.at(meta))

    def all_of(self, meta: Meta, items: list[Any]) -> n.Expr:
        return items[0] if len(items) == 1 else n.AllOf(parts=tuple(items), span=self.at(meta))

    def negated(self, meta: Meta, items: list[Any]) -> n.Negated:
        return n.Negated(operand=items[0], span=self.at(meta))

    def comparison(self, meta: Meta, items: list[Any]) -> n.Comparison:
        return n.Comparison(**_chain(items), span=self.at(meta))

    def member(self, meta: Meta, items: list[Any]) -> n.Member:
        return n.Member(item=items[0], set=items[1], span=self.at(meta))

    def not_member(self, meta: Meta, items: list[Any]) -> n.Member:
        return n.Member(item=items[0], set=items[1], negated=True, span=self.at(meta))

    def choice(self, meta: Meta, items: list[Any]) -> n.Choice:
        condition, then, otherwise = items
        return n.Choice(
            condition=condition, then=then, otherwise=otherwise, span=self.at(meta)
        )

    def binary(self, meta: Meta, items: list[Any]) -> n.Binary:
        return n.Binary(op=str(items[1]), left=items[0], right=items[2], span=self.at(meta))

    def negative(self, meta: Meta, items: list[Any]) -> n.Negative:
        return n.Negative(operand=items[-1], span=self.at(meta))

    def reduction(self, meta: Meta, items: list[Any]) -> n.Reduction:
        return n.Reduction(op=str(items[0]), domain=items[1], body=items[2], span=self.at(meta))

    def number(self, meta: Meta, items: list[Any]) -> n.Number:
        return n.Number(value=float(items[0]), text=str(items[0]), span=self.at(meta))

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


def _chain(items: list[Any]) -> dict[str, Any]:
    left, op, right, op2, right2 = [*items, None, None][:5]
    return {
        "left": left,
        "op": str(op),
        "right": right,
        "op2": str(op2) if op2 else None,
        "right2": right2,
    }


def _without_strings(text: str) -> str:
    """Text between two words holds only spaces, commas and comments; drop the comments."""
    return "\n".join(line.split("#", 1)[0] for line in text.split("\n"))
