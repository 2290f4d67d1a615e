"""Statements, declarations, constraints, settings, and blocks of them, as documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from treemip.core.syntax import nodes as n
from treemip.core.syntax.printing.columns import Columns, columns_of, name_of, symbol_and_tag
from treemip.core.syntax.printing.expressions import (
    ANY,
    SUM,
    Expressions,
    begins_with_brace,
    plain_number,
    quoted,
)
from treemip.core.syntax.printing.layout import (
    BLANK,
    HARD,
    LINE,
    WIDTH,
    Comment,
    Doc,
    Fit,
    Nest,
    joined,
    set_lines,
)

BODY = 2
"""Columns by which the body of a statement is indented."""


class Statements(Expressions):
    # --------------------------------------------------------------------- blocks

    def block(self, items: Sequence[n.Node], start: int, end: int | None = None) -> Doc:
        """Items one below the other, with the comments from `start` of the source on.

        `end` is where the block is closed; without it, comments on lines of their own after the
        last item are left to what stands around. One empty line stays where there was one.
        """
        docs: list[Doc] = []
        place = start
        for item, columns in columns_of(items, self._apart):
            place = self._comments(docs, place, item.span.start)
            self._separate(docs, place, item.span.start)
            docs.append(self.item(item, columns))
            place = self._comments_behind(docs, item.span.end)
        if end is not None:
            self._comments(docs, place, end)
        return tuple(docs)

    def _comments(self, docs: list[Doc], place: int, end: int) -> int:
        """Put the comments before `end`; returns the place up to which the source is printed."""
        while self.comments and self.comments[-1].start < end:
            comment = self.comments.pop()
            if self.is_trailing(comment):
                docs.append(Comment(comment.text.rstrip(), trailing=True))
            else:
                self._separate(docs, place, comment.start)
                docs.append(comment.text.rstrip())
            place = max(place, comment.end)
        return place

    def _comments_behind(self, docs: list[Doc], place: int) -> int:
        """Put the comments that stand on the line where an item ends."""
        while self.comments and self.is_trailing(self.comments[-1]):
            if not self._is_blank(place, self.comments[-1].start):
                break
            comment = self.comments.pop()
            docs.append(Comment(comment.text.rstrip(), trailing=True))
            place = max(place, comment.end)
        return place

    def _separate(self, docs: list[Doc], place: int, start: int) -> None:
        if docs:
            docs.append(BLANK if self._newlines(place, start) > 1 else HARD)

    def _newlines(self, start: int, end: int) -> int:
        return self.source.text.count("\n", start, end) if self.source is not None else 1

    def _is_blank(self, start: int, end: int) -> bool:
        return self.source is not None and not self.source.text[start:end].strip()

    def _apart(self, before: n.Node, after: n.Node) -> bool:
        """An empty line stands between two items, so they are not aligned."""
        if self.source is None:
            return False
        between = self.source.text[before.span.end : after.span.start]
        return any(not line.strip() for line in between.split("\n")[1:-1])

    def file(self, node: n.File) -> Doc:
        return self.block(node.statements, 0, node.span.end)

    def item(self, node: n.Node, columns: Columns) -> Doc:
        match node:
            case n.Setting():
                return self._setting(node, columns)
            case n.Constraint():
                return (self._constraint(node, columns), ";")
            case n.Cut():
                return ("cut ", self._constraint(node.constraint, columns), ";")
            case n.Data() | n.Strategy():
                return self._settings_block(node)
            case n.Subject():
                inner = self.block(node.constraints, node.span.start)
                return ("subject to", Nest(BODY, (HARD, inner)))
            case n.Declaration():
                return (Fit(self._DECLARATIONS[type(node)](self, node, columns)), ";")
        return (Fit(self._STATEMENTS[type(node)](self, node)), ";")

    # ------------------------------------------------------------------- settings

    def _settings_block(self, node: n.Data | n.Strategy) -> Doc:
        data = isinstance(node, n.Data)
        head = f"data {quoted(node.path)}" if isinstance(node, n.Data) else "strategy"
        if not node.settings:
            return f"{head};" if data else f"{head} {{ }}"
        if (line := self._on_one_line(node, head)) is not None:
            return line
        inner = self.block(node.settings, node.span.start, node.span.end - 1)
        return (f"{head} {{", Nest(BODY, (HARD, inner)), HARD, "}")

    def _on_one_line(self, node: n.Data | n.Strategy, head: str) -> str | None:
        """A short block that its author wrote on one line."""
        if self._newlines(node.span.start, node.span.end) or self.source is None:
            return None
        settings = joined([self._setting(s, Columns()) for s in node.settings], " ")
        line = " ".join(set_lines((f"{head} {{ ", settings, " }"), WIDTH))
        return line if len(line) <= WIDTH else None

    def _setting(self, node: n.Setting, columns: Columns) -> Doc:
        lead = self.before(node.span)
        if not node.groups:
            return (*lead, node.key, ";")
        groups = [joined([self.word(w) for w in group], LINE) for group in node.groups]
        key = columns.padded([node.key], last=True)
        return (*lead, Fit((key, " ", Nest(BODY, joined(groups, (",", LINE))), ";")))

    def word(self, node: n.Word) -> Doc:
        lead = self.before(node.span)
        if node.string is not None:
            return (*lead, quoted(node.string))
        if node.number is not None:
            return (*lead, plain_number(node.number))
        called = () if node.arguments is None else (self.arguments(node.arguments),)
        return (*lead, node.name or "", *called)

    # -------------------------------------------------------------------- concepts

    def _concept(self, node: n.Concept, columns: Columns) -> Doc:
        head = f"concept {columns.padded([node.name, ''], last=node.domain is not None)}"
        domain = () if node.domain is None else (" ", self.domain(node.domain))
        means = () if node.means is None else (Nest(BODY, (LINE, "means ", self.expr(node.means))),)
        return (Fit((head, *domain, self._doc(node))), *means, self._default(node))

    def _default(self, node: n.Concept) -> Doc:
        if node.default is None:
            return ()
        if not isinstance(node.default, tuple):
            return Nest(BODY, (LINE, "= ", Nest(BODY, self.expr(node.default))))
        if not node.default:
            return Nest(BODY, (LINE, "= default { }"))
        start, end = node.default[0].span.start, node.span.end - 1
        inner = Nest(BODY, (HARD, self.block(node.default, start, end)))
        return Nest(BODY, (LINE, "= default {", inner, HARD, "}"))

    # ----------------------------------------------------------- other statements

    def _header(self, node: n.Header) -> Doc:
        texts = [(LINE, quoted(text)) for text in (node.paper, node.purpose) if text]
        return (f"formulation {node.name} splits {node.kind}", Nest(BODY, tuple(texts)))

    def _tree_name(self, node: n.TreeName) -> Doc:
        return f"tree {node.name}"

    def _use(self, node: n.Use) -> Doc:
        return f"use {node.module.written}"

    def _split(self, node: n.Split) -> Doc:
        by = f" by {node.by.written}" if node.by else ""
        return (f"split {node.kind}{by}", self.arguments(node.arguments) if node.arguments else ())

    def _topology(self, node: n.Topology) -> Doc:
        arguments = self.arguments(node.arguments) if node.arguments else ()
        text = () if node.text is None else (" ", quoted(node.text))
        return (f"topology {node.kind}", arguments, text)

    def _drop(self, node: n.Drop) -> Doc:
        when: Doc = (LINE, "when ", joined(node.when, (",", LINE))) if node.when else ()
        if node.unless:
            presses = [f"{press.name} {press.way}" for press in node.unless]
            when = (LINE, "unless ", joined(presses, (",", LINE)))
        return ("drop ", Nest(BODY, (joined(node.names, (",", LINE)), when)))

    # -------------------------------------------------------------- declarations

    def _head(self, word: str, node: n.Declaration, columns: Columns) -> tuple[Doc, ...]:
        """The keyword, the name and its tags in columns, and the domain."""
        cells = [name_of(node), symbol_and_tag(node)]
        if node.domain is None and not cells[1]:
            return (f"{word} {columns.padded(cells[:1], last=True)}",)
        head = f"{word} {columns.padded(cells, last=True)}"
        if node.domain is None:
            return (head,)
        return (f"{head} ", self.domain(node.domain))

    def _valued(self, word: str, node: n.Declaration, columns: Columns, value: Doc) -> Doc:
        return (*self._head(word, node, columns), " =", Nest(BODY, (LINE, value)))

    def _param(self, node: n.Param, columns: Columns) -> Doc:
        valued = self._valued("param", node, columns, self.expr(node.value))
        return (Fit(valued), self._doc(node))

    def _set_declaration(self, node: n.SetDeclaration, columns: Columns) -> Doc:
        return self._valued("set", node, columns, self.set(node.value))

    def _tree_declaration(self, node: n.TreeDeclaration, columns: Columns) -> Doc:
        return self._valued("tree", node, columns, self.expr(node.value))

    def _let(self, node: n.Let, columns: Columns) -> Doc:
        return self._valued("let", node, columns, self.expr(node.value))

    def _term(self, node: n.Term, columns: Columns) -> Doc:
        return self._valued("term", node, columns, self.expr(node.value))

    def _var(self, node: n.Var, columns: Columns) -> Doc:
        head = self._head("var", node, columns)
        kind = "" if node.kind == "continuous" else f" {node.kind}"
        bounds = [self.bound(b) for b in node.bounds]
        # Without kind and bounds a string after the name would be read as its symbol.
        free = " free" if not kind and not bounds else ""
        after = (" ", joined(bounds, (",", LINE))) if bounds else ()
        means = () if node.means is None else (LINE, "means ", self.expr(node.means))
        typed = Fit((*head, kind, free, Nest(BODY, after)))
        return (Fit((typed, Nest(BODY, means))), self._doc(node))

    def bound(self, node: n.Bound) -> Doc:
        return (*self.before(node.span), f"{node.op} ", self.expr(node.value, SUM))

    def _doc(self, node: n.Declaration) -> Doc:
        return Nest(BODY, (LINE, quoted(node.doc))) if node.doc else ()

    # ---------------------------------------------- objective, constraints, rules

    def _objective(self, node: n.Objective) -> Doc:
        parts: tuple[Doc, ...] = (f"{node.sense} ", self._objective_value(node))
        before = node.sense
        for one in node.then:
            sense = "" if one.sense == before else f"{one.sense} "
            lead = self.before(one.span)
            parts = (*parts, Nest(BODY, (*lead, LINE, f"then {sense}", self._objective_value(one))))
            before = one.sense
        return Fit(parts) if node.then else parts

    def _objective_value(self, node: n.Objective) -> Doc:
        if node.name is None:
            return self.expr(node.value)
        tag = f" {quoted(node.tag)}" if node.tag else ""
        return (f"{node.name}{tag}:", Nest(BODY, (LINE, self.expr(node.value))))

    def _constraint(self, node: n.Constraint, columns: Columns) -> Doc:
        lead = self.before(node.span)
        head: Doc = columns.padded(
            [name_of(node), symbol_and_tag(node)], last=node.domain is not None
        )
        if node.domain is not None:
            head = Fit((head, Nest(BODY, (LINE, self.domain(node.domain)))))
        return (*lead, Fit((head, ":", Nest(BODY, (LINE, self.row(node.body))))))

    def row(self, node: n.Relation | n.Implication | n.LocalSet | n.Asked) -> Doc:
        match node:
            case n.Asked():
                return (
                    *self.before(node.span),
                    node.module.written,
                    self.arguments(node.arguments),
                )
            case n.Relation():
                return self._relation(node)
            case n.Implication():
                return self._implication(node)
        lead = (*self.before(node.span), f"let {node.name} = ", self.set(node.set), " in")
        deeper = 0 if isinstance(node.body, n.LocalSet) else BODY
        return Fit((*lead, Nest(deeper, (LINE, self.row(node.body)))))

    def _relation(self, node: n.Relation | n.Route) -> Doc:
        assert node.left is not None and node.right is not None
        doc = (self.expr(node.left), *self.led(node.right, f"{node.op} "))
        if isinstance(node, n.Relation) and node.right2 is not None:
            doc = (*doc, *self.led(node.right2, f"{node.op2} "))
        return Fit(doc)

    def _implication(self, node: n.Implication) -> Doc:
        guards: tuple[Doc, ...] = ()
        for guard in node.guards:
            joined: tuple[Doc, ...] = (LINE, "and ") if guards else ()
            guards = (*guards, *joined, *self._guard(guard))
        lead = self.before(node.body.span)
        row = (*lead, LINE, "==> ", Nest(BODY, self._relation(node.body)))
        method: tuple[Doc, ...] = ()
        if node.method is not None:
            called = () if node.argument is None else ("(", self.expr(node.argument), ")")
            method = (LINE, "by ", node.method, *called)
        return Fit((*guards, *row, *method))

    def _guard(self, node: n.Guard) -> tuple[Doc, ...]:
        return (
            *self.before(node.span),
            self.expr(node.left),
            f" {node.op} ",
            self.expr(node.value),
        )

    def _requires(self, node: n.Requires) -> Doc:
        domain = () if node.domain is None else (self.domain(node.domain), " ")
        condition = self.expr(node.condition, ANY)
        if node.domain is None and begins_with_brace(node.condition):
            condition = ("(", condition, ")")  # the brace would be read as the domain
        message = Nest(BODY, (LINE, "else ", quoted(node.message)))
        return (f"{node.word} ", *domain, condition, message)

    def _route(self, node: n.Route) -> Doc:
        if node.probability is not None:
            return ("route left with probability ", self.expr(node.probability))
        return ("route left when ", Nest(BODY, self._relation(node)))

    def _predict(self, node: n.Predict) -> Doc:
        return (f"predict {node.kind} ", self.expr(node.value))

    _DECLARATIONS: ClassVar[dict[type, Callable[..., Doc]]] = {
        n.Param: _param,
        n.SetDeclaration: _set_declaration,
        n.TreeDeclaration: _tree_declaration,
        n.Var: _var,
        n.Let: _let,
        n.Term: _term,
        n.Concept: _concept,
    }
    _STATEMENTS: ClassVar[dict[type, Callable[..., Doc]]] = {
        n.Header: _header,
        n.TreeName: _tree_name,
        n.Use: _use,
        n.Split: _split,
        n.Topology: _topology,
        n.Drop: _drop,
        n.Objective: _objective,
        n.Requires: _requires,
        n.Route: _route,
        n.Predict: _predict,
    }
