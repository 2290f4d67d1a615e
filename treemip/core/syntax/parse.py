"""Text to syntax tree, within limits of length and nesting."""

from __future__ import annotations

from itertools import islice

from lark import Tree
from lark.exceptions import UnexpectedInput

from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError, fail
from treemip.core.source.span import Source
from treemip.core.syntax.build import Builder
from treemip.core.syntax.nodes import File
from treemip.core.syntax.scan import scan
from treemip.core.syntax.tables import parser

LONGEST = 250_000
"""Words and marks of a text; the parser reads about 60 000 a second."""

DEEPEST = 150
"""Levels of nesting (brackets, or terms of one sum) that every later stage can walk."""

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

SHORTER = "name parts of it with 'let', or write the sum as  sum {...} ..."


def parse(source: Source) -> File:
    """Parse a whole text.

    Raises TreemipError with every fault found (E101 to E112), in the order of the text.
    """
    check_limits(source)
    try:
        tree = parser().parse(source.text)
    except UnexpectedInput as error:
        raise TreemipError(_faults(source, error)) from None
    return built(tree, source)


def built(tree: Tree, source: Source) -> File:
    """lark's tree as nodes. Raises TreemipError (E101 to E111) for what the grammar alone takes."""
    report = Report()
    _check_depth(tree, source, report)
    report.raise_errors()
    file: File = Builder(source, report).transform(tree)
    report.raise_errors()
    return file


def _faults(source: Source, error: UnexpectedInput) -> list[Diagnostic]:
    from treemip.core.syntax.faults.recover import find_faults

    faults = find_faults(source)
    if faults:
        return faults
    start = max(0, min(error.pos_in_stream or 0, len(source.text)))
    return [Diagnostic("E101", "unexpected text", source.span(start, start + 1))]


def _check_depth(tree: Tree, source: Source, report: Report) -> None:
    level = [tree]
    for _ in range(DEEPEST):
        level = [c for t in level for c in t.children if isinstance(c, Tree)]
        if not level:
            return
    report.add(too_deep(source, level[0].meta.start_pos, level[0].meta.end_pos))


def check_limits(source: Source) -> None:
    """Raises TreemipError: E112 for a text that is too long, E111 for brackets nested too deeply.

    Both are checked without the parser, which would need gigabytes for such a text.
    """
    if len(source.text) > LONGEST:
        _check_length(source)
    if sum(map(source.text.count, OPENING)) > DEEPEST:
        _check_brackets(source)


def _check_length(source: Source) -> None:
    lexemes = (lexeme for lexeme in scan(source.text) if lexeme.kind != "comment")
    beyond = next(islice(lexemes, LONGEST, None), None)
    if beyond is not None:
        message = f"the text has more than {LONGEST:,} tokens".replace(",", " ")
        remedy = "put long lists of numbers into columns of the data, and rows into one family"
        span = source.span(beyond.start, beyond.end)
        fail("E112", message, span, remedy)


def _check_brackets(source: Source) -> None:
    depth = 0
    for lexeme in scan(source.text):
        if lexeme.text == ";":
            depth = 0  # a bracket that is not closed is a fault of its own statement
        elif lexeme.text in OPENING:
            depth += 1
        elif lexeme.text in CLOSING:
            depth = max(0, depth - 1)
        if depth > DEEPEST:
            raise TreemipError(too_deep(source, lexeme.start, lexeme.end))


def too_deep(source: Source, start: int, end: int) -> Diagnostic:
    """E111 for the expression or bracket at this place."""
    message = f"an expression is nested more than {DEEPEST} levels deep"
    return Diagnostic("E111", message, source.span(start, end), SHORTER)
