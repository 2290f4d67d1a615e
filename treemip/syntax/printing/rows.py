"""Objectives, constraints, requirements and rules."""

from __future__ import annotations

from treemip.syntax import nodes as n
from treemip.syntax.printing.columns import Columns, labels_of, name_of
from treemip.syntax.printing.expressions import Expressions
from treemip.syntax.printing.layout import LINE, Doc, Fit, Nest
from treemip.syntax.printing.literals import quoted
from treemip.syntax.printing.precedence import ANY, begins_with_brace

BODY = 2
"""Columns by which the body of a statement is indented."""


class Rows(Expressions):
    def _objective(self, node: n.Objective) -> Doc:
        if node.name is None:
            return (f"{node.sense} ", self.expr(node.value))
        tag = f" {quoted(node.tag)}" if node.tag else ""
        return (f"{node.sense} {node.name}{tag}:", Nest(BODY, (LINE, self.expr(node.value))))

    def _constraint(self, node: n.Constraint, columns: Columns) -> Doc:
        lead = self.before(node.span)
        head: Doc = columns.padded([name_of(node), labels_of(node)], last=node.domain is not None)
        if node.domain is not None:
            head = Fit((head, Nest(BODY, (LINE, self.domain(node.domain)))))
        return (*lead, Fit((head, ":", Nest(BODY, (LINE, self.row(node.body))))))

    def row(self, node: n.Relation | n.Implication | n.LocalSet) -> Doc:
        match node:
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
        guard = (self.expr(node.guard), f" {node.op} ", self.expr(node.value))
        lead = self.before(node.body.span)
        row = (*lead, LINE, "==> ", Nest(BODY, self._relation(node.body)))
        method: tuple[Doc, ...] = ()
        if node.method is not None:
            called = () if node.argument is None else ("(", self.expr(node.argument), ")")
            method = (LINE, "by ", node.method, *called)
        return Fit((guard, *row, *method))

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
