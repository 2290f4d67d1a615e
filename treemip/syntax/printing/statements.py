"""Statements, constraints, settings, and blocks of them."""

from __future__ import annotations

from collections.abc import Sequence

from treemip.syntax import nodes as n
from treemip.syntax.printing.columns import Columns, columns_of, labels_of, name_of
from treemip.syntax.printing.expressions import (
    ANY,
    SUM,
    Expressions,
    begins_with_brace,
    plain_number,
    quoted,
)
from treemip.syntax.printing.layout import BLANK, HARD, LINE, Comment, Doc, Fit, Nest, joined

_BODY = 2


class Statements(Expressions):
    # --------------------------------------------------------------------- blocks

    def block(self, items: Sequence[n.Node], start: int, end: int | None = None) -> Doc:
        """Items one below the other, with the comments from `start` of the source on.

        `end` is where the block is closed; without it, comments on lines of their own after the
        last item are left to what stands around. One empty line stays where there was one.
        """
        made: list[Doc] = []
        place = start
        for item, columns in columns_of(items, self._apart):
            place = self._comments(made, place, item.span.start)
            self._separate(made, place, item.span.start)
            made.append(self.item(item, columns))
            place = self._comments_behind(made, item.span.end)
        if end is not None:
            self._comments(made, place, end)
        return tuple(made)

    def _comments(self, made: list[Doc], place: int, end: int) -> int:
        """Put the comments before `end`; returns the place up to which the source is printed."""
        while self.comments and self.comments[-1].start < end:
            comment = self.comments.pop()
            if self.is_trailing(comment):
                made.append(Comment(comment.text.rstrip(), trailing=True))
            else:
                self._separate(made, place, comment.start)
                made.append(comment.text.rstrip())
            place = max(place, comment.end)
        return place

    def _comments_behind(self, made: list[Doc], place: int) -> int:
        """Put the comments that stand on the line where an item ends."""
        while self.comments and self.is_trailing(self.comments[-1]):
            if not self._is_blank(place, self.comments[-1].start):
                break
            comment = self.comments.pop()
            made.append(Comment(comment.text.rstrip(), trailing=True))
            place = max(place, comment.end)
        return place

    def _separate(self, made: list[Doc], place: int, start: int) -> None:
        if made:
            made.append(BLANK if self._newlines(place, start) > 1 else HARD)

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
            case n.Data() | n.Strategy():
                return self._settings_block(node)
            case n.Subject():
                inner = self.block(node.constraints, node.span.start)
                return ("subject to", Nest(_BODY, (HARD, inner)))
            case n.Declaration():
                return (Fit(self._declaration(node, columns)), ";")
        doc: Doc = getattr(self, "_" + type(node).__name__.lower())(node)
        return (Fit(doc), ";")

    # ------------------------------------------------------------------- settings

    def _settings_block(self, node: n.Data | n.Strategy) -> Doc:
        data = isinstance(node, n.Data)
        head = f"data {quoted(node.path)}" if isinstance(node, n.Data) else "strategy"
        if not node.settings:
            return f"{head};" if data else f"{head} {{ }}"
        inner = self.block(node.settings, node.span.start, node.span.end - 1)
        return (f"{head} {{", Nest(_BODY, (HARD, inner)), HARD, "}")

    def _setting(self, node: n.Setting, columns: Columns) -> Doc:
        lead = self.before(node.span)
        if not node.groups:
            return (*lead, node.key, ";")
        groups = [joined([self.word(w) for w in group], LINE) for group in node.groups]
        key = columns.padded([node.key], last=True)
        return (*lead, Fit((key, " ", Nest(_BODY, joined(groups, (",", LINE))), ";")))

    def word(self, node: n.Word) -> Doc:
        lead = self.before(node.span)
        if node.string is not None:
            return (*lead, quoted(node.string))
        if node.number is not None:
            return (*lead, plain_number(node.number))
        called = () if node.arguments is None else (self.arguments(node.arguments),)
        return (*lead, node.name or "", *called)

    # --------------------------------------------------------------- declarations

    def _declaration(self, node: n.Declaration, columns: Columns) -> Doc:
        doc: Doc = getattr(self, "_" + type(node).__name__.lower())(node, columns)
        return doc

    def _head(self, word: str, node: n.Declaration, columns: Columns) -> tuple[Doc, ...]:
        """The keyword, the name and its labels in columns, and the domain."""
        cells = [name_of(node), labels_of(node)]
        if node.domain is None and not cells[1]:
            return (f"{word} {columns.padded(cells[:1], last=True)}",)
        head = f"{word} {columns.padded(cells, last=True)}"
        if node.domain is None:
            return (head,)
        return (f"{head} ", self.domain(node.domain))

    def _valued(self, word: str, node: n.Declaration, columns: Columns, value: Doc) -> Doc:
        return (*self._head(word, node, columns), " =", Nest(_BODY, (LINE, value)))

    def _param(self, node: n.Param, columns: Columns) -> Doc:
        valued = self._valued("param", node, columns, self.expr(node.value))
        return (Fit(valued), self._doc(node))

    def _setdeclaration(self, node: n.SetDeclaration, columns: Columns) -> Doc:
        return self._valued("set", node, columns, self.set(node.value))

    def _treedeclaration(self, node: n.TreeDeclaration, columns: Columns) -> Doc:
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
        said = Fit((*head, kind, free, Nest(_BODY, (*after, *means))))
        return (said, self._doc(node))

    def bound(self, node: n.Bound) -> Doc:
        return (*self.before(node.span), f"{node.op} ", self.expr(node.value, SUM))

    def _concept(self, node: n.Concept, columns: Columns) -> Doc:
        head = f"concept {columns.padded([node.name, ''], last=node.domain is not None)}"
        domain = () if node.domain is None else (" ", self.domain(node.domain))
        means = (
            () if node.means is None else (Nest(_BODY, (LINE, "means ", self.expr(node.means))),)
        )
        return (Fit((head, *domain, self._doc(node))), *means, self._default(node))

    def _default(self, node: n.Concept) -> Doc:
        if node.default is None:
            return ()
        if not isinstance(node.default, tuple):
            return Nest(_BODY, (LINE, "= ", Nest(_BODY, self.expr(node.default))))
        if not node.default:
            return Nest(_BODY, (LINE, "= default { }"))
        start, end = node.default[0].span.start, node.span.end - 1
        inner = Nest(_BODY, (HARD, self.block(node.default, start, end)))
        return Nest(_BODY, (LINE, "= default {", inner, HARD, "}"))

    def _doc(self, node: n.Declaration) -> Doc:
        return Nest(_BODY, (LINE, quoted(node.doc))) if node.doc else ()

    # ----------------------------------------------------- objective, constraints

    def _objective(self, node: n.Objective) -> Doc:
        if node.name is None:
            return (f"{node.sense} ", self.expr(node.value))
        tag = f" {quoted(node.tag)}" if node.tag else ""
        return (f"{node.sense} {node.name}{tag}:", Nest(_BODY, (LINE, self.expr(node.value))))

    def _cut(self, node: n.Cut) -> Doc:
        return ("cut ", self._constraint(node.constraint, Columns()))

    def _constraint(self, node: n.Constraint, columns: Columns) -> Doc:
        lead = self.before(node.span)
        head = columns.padded([name_of(node), labels_of(node)], last=node.domain is not None)
        domain = () if node.domain is None else (" ", self.domain(node.domain))
        return (*lead, Fit((head, *domain, ":", Nest(_BODY, (LINE, self.row(node.body))))))

    def row(self, node: n.Relation | n.Implication | n.LocalSet) -> Doc:
        match node:
            case n.Relation():
                return self._relation(node)
            case n.Implication():
                return self._implication(node)
        lead = (*self.before(node.span), f"let {node.name} = ", self.set(node.set), " in")
        deeper = 0 if isinstance(node.body, n.LocalSet) else _BODY
        return Fit((*lead, Nest(deeper, (LINE, self.row(node.body)))))

    def _relation(self, node: n.Relation | n.Route) -> Doc:
        assert node.left is not None and node.right is not None
        doc = (self.expr(node.left), *self.led(node.right, f"{node.op} "))
        if isinstance(node, n.Relation) and node.right2 is not None:
            doc = (*doc, *self.led(node.right2, f"{node.op2} "))
        return Fit(doc)

    def _implication(self, node: n.Implication) -> Doc:
        guard = (self.expr(node.guard), f" {node.op} ", self.expr(node.value))
        lead = self.before(node.body.span)
        row = (*lead, LINE, "==> ", Nest(_BODY, self._relation(node.body)))
        method: tuple[Doc, ...] = ()
        if node.method is not None:
            called = () if node.argument is None else ("(", self.expr(node.argument), ")")
            method = (LINE, "by ", node.method, *called)
        return Fit((guard, *row, *method))

    # ----------------------------------------------------------- other statements

    def _header(self, node: n.Header) -> Doc:
        paper = Nest(_BODY, (LINE, quoted(node.paper))) if node.paper else ()
        return (f"formulation {node.name} splits {node.kind}", paper)

    def _treename(self, node: n.TreeName) -> Doc:
        return f"tree {node.name}"

    def _use(self, node: n.Use) -> Doc:
        return f"use {node.name}"

    def _split(self, node: n.Split) -> Doc:
        by = f" by {node.formulation}" if node.formulation else ""
        return (f"split {node.kind}{by}", self.arguments(node.arguments) if node.arguments else ())

    def _topology(self, node: n.Topology) -> Doc:
        arguments = self.arguments(node.arguments) if node.arguments else ()
        text = () if node.text is None else (" ", quoted(node.text))
        return (f"topology {node.kind}", arguments, text)

    def _drop(self, node: n.Drop) -> Doc:
        return ("drop ", Nest(_BODY, joined(node.names, (",", LINE))))

    def _requires(self, node: n.Requires) -> Doc:
        domain = () if node.domain is None else (self.domain(node.domain), " ")
        condition = self.expr(node.condition, ANY)
        if node.domain is None and begins_with_brace(node.condition):
            condition = ("(", condition, ")")  # the brace would be read as the domain
        message = Nest(_BODY, (LINE, "else ", quoted(node.message)))
        return (f"{node.word} ", *domain, condition, message)

    def _route(self, node: n.Route) -> Doc:
        if node.probability is not None:
            return ("route left with probability ", self.expr(node.probability))
        return ("route left when ", Nest(_BODY, self._relation(node)))

    def _predict(self, node: n.Predict) -> Doc:
        return (f"predict {node.kind} ", self.expr(node.value))
