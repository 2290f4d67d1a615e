"""How much text the parser takes: a text of any kind is refused in a time linear in its length."""

from __future__ import annotations

from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Source

LONGEST = 250_000
"""Words and marks of a text; the parser reads about 60 000 a second."""

DEEPEST = 150
"""Levels of nesting (brackets, or terms of one sum) that every later stage can walk."""

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
SHORTER = "name parts of it with 'let', or write the sum as  sum {...} ..."


def check_limits(source: Source) -> None:
    """Raises TreemipError: E112 for a text that is too long, E111 for brackets nested too deeply.

    Both are seen without a parser, which would need gigabytes to come to the end of such a text.
    """
    if len(source.text) > LONGEST:
        _check_length(source)
    if sum(map(source.text.count, OPENING)) > DEEPEST:
        _check_brackets(source)


def _check_length(source: Source) -> None:
    from itertools import islice

    from treemip.syntax.scan import scan

    lexemes = (lexeme for lexeme in scan(source.text) if lexeme.kind != "comment")
    beyond = next(islice(lexemes, LONGEST, None), None)
    if beyond is not None:
        message = f"the text has more than {LONGEST:,} words and marks".replace(",", " ")
        remedy = "put long lists of numbers into columns of the data, and rows into one family"
        span = source.span(beyond.start, beyond.end)
        raise TreemipError(Diagnostic("E112", message, span, remedy))


def _check_brackets(source: Source) -> None:
    from treemip.syntax.scan import scan

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
    message = f"an expression is nested more than {DEEPEST} deep"
    return Diagnostic("E111", message, source.span(start, end), SHORTER)
