"""Statements, constraints, settings, and blocks of them."""

from __future__ import annotations

from collections.abc import Sequence

from treemip.syntax import nodes as n
from treemip.syntax.printing.columns import Columns, columns_of
from treemip.syntax.printing.declarations import Declarations
from treemip.syntax.printing.layout import (
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
from treemip.syntax.printing.literals import plain_number, quoted
from treemip.syntax.printing.rows import BODY


class Statements(Declarations):
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
            case n.Cut():
                return ("cut ", self._constraint(node.constraint, columns), ";")
            case n.Data() | n.Strategy():
                return self._settings_block(node)
            case n.Subject():
                inner = self.block(node.constraints, node.span.start)
                return ("subject to", Nest(BODY, (HARD, inner)))
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
        paper = Nest(BODY, (LINE, quoted(node.paper))) if node.paper else ()
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
        when: Doc = (LINE, "when ", joined(node.when, (",", LINE))) if node.when else ()
        if node.unless:
            said = [f"{press.name} {press.way}" for press in node.unless]
            when = (LINE, "unless ", joined(said, (",", LINE)))
        return ("drop ", Nest(BODY, (joined(node.names, (",", LINE)), when)))
