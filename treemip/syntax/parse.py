"""Text to nodes."""

from __future__ import annotations

from lark import Tree
from lark.exceptions import UnexpectedInput

from treemip.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.source.span import Source
from treemip.syntax.build import Builder
from treemip.syntax.limits import DEEPEST, check_limits, too_deep
from treemip.syntax.nodes import File
from treemip.syntax.tables import parser


def parse(source: Source) -> File:
    """Parse a whole text.

    Raises TreemipError with every fault found (E101 to E112), in the order of the text.
    """
    check_limits(source)
    try:
        tree = parser().parse(source.text)
    except UnexpectedInput as error:
        raise TreemipError(_faults(source, error)) from None
    report = Report()
    _check_depth(tree, source, report)
    report.raise_errors()
    file: File = Builder(source, report).transform(tree)
    report.raise_errors()
    return file


def _faults(source: Source, error: UnexpectedInput) -> list[Diagnostic]:
    from treemip.syntax.faults.recover import find_faults

    found = find_faults(source)
    if found:
        return found
    start = max(0, min(error.pos_in_stream or 0, len(source.text)))
    return [Diagnostic("E101", "unexpected text", source.span(start, start + 1))]


def _check_depth(tree: Tree, source: Source, report: Report) -> None:
    level = [tree]
    for _ in range(DEEPEST):
        level = [c for t in level for c in t.children if isinstance(c, Tree)]
        if not level:
            return
    report.add(too_deep(source, level[0].meta.start_pos, level[0].meta.end_pos))
