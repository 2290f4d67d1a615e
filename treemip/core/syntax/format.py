"""The canonical layout of a text, and the text of any node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse
from treemip.core.syntax.printing.columns import Columns
from treemip.core.syntax.printing.layout import WIDTH, Doc, set_lines
from treemip.core.syntax.printing.statements import Statements
from treemip.core.syntax.scan import comments


def format_text(source: Source) -> str:
    """The text in the canonical layout: the same tree, the same comments, 100 columns.

    Formatting a formatted text changes nothing. Raises TreemipError where the text does not parse.
    """
    printer = Statements(source, comments(source.text))
    lines = set_lines(printer.file(parse(source)), WIDTH)
    return "\n".join(lines).strip("\n") + "\n" if any(lines) else ""


def print_node(node: n.Node) -> str:
    """Any node as text that parses back to an equal node, apart from added brackets.

    Raises ValueError for what the language cannot write: a line break in a string, inf, nan.
    """
    return "\n".join(set_lines(_document(Statements(), node), WIDTH))


_PARTS: dict[type, Callable[[Statements, Any], Doc]] = {
    n.File: Statements.file,
    n.Range: Statements.set,
    n.Domain: Statements.domain,
    n.Binder: Statements.binder,
    n.Argument: Statements.argument,
    n.Word: Statements.word,
    n.Bound: Statements.bound,
    n.Relation: Statements.row,
    n.Implication: Statements.row,
    n.LocalSet: Statements.row,
    n.Asked: Statements.row,
}


def _document(printer: Statements, node: n.Node) -> Doc:
    part = _PARTS.get(type(node))
    if part is not None:
        return part(printer, node)
    return printer.expr(node) if isinstance(node, n.Expr) else printer.item(node, Columns())
