"""Declarations: parameters, sets, trees, variables, named expressions."""

from __future__ import annotations

from treemip.syntax import nodes as n
from treemip.syntax.printing.columns import Columns, labels_of, name_of
from treemip.syntax.printing.layout import LINE, Doc, Fit, Nest, joined
from treemip.syntax.printing.literals import quoted
from treemip.syntax.printing.precedence import SUM
from treemip.syntax.printing.rows import BODY, Rows


class Declarations(Rows):
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
        return (*self._head(word, node, columns), " =", Nest(BODY, (LINE, value)))

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
        said = Fit((*head, kind, free, Nest(BODY, after)))
        return (Fit((said, Nest(BODY, means))), self._doc(node))

    def bound(self, node: n.Bound) -> Doc:
        return (*self.before(node.span), f"{node.op} ", self.expr(node.value, SUM))

    def _doc(self, node: n.Declaration) -> Doc:
        return Nest(BODY, (LINE, quoted(node.doc))) if node.doc else ()
