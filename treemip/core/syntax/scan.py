"""Lexemes of a text without a parser: for comments, texts that do not parse, and precise spans.

The grammar's own lexer knows which tokens fit a place; this one only knows what they look like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from treemip.core.source.span import Span

_NOT_IN_NAMES = "²³¹¼-¾⁰-₎⅐-↋"

NAME = rf"[^\W\d{_NOT_IN_NAMES}][^\W{_NOT_IN_NAMES}]*"

NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?!\w|\.(?!\.))"

_LEXEME = re.compile(
    rf"""
    (?P<space>   \s+ )
  | (?P<comment> \#[^\n]* )
  | (?P<string>  "(?:[^"\\\n]++|\\["\\])*+" )
  | (?P<number>  {NUMBER} )
  | (?P<name>    {NAME} )
  | (?P<mark>    ==>|<=|>=|!=|\.\.|[-+*/^=<>;:,(){{}}\[\]] )
  | (?P<stray>   . )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Lexeme:
    """kind is name, number, string, mark, comment, stray or end; places are offsets."""

    kind: str
    text: str
    start: int
    end: int


def lexeme_at(text: str, start: int) -> Lexeme | None:
    """The lexeme that begins at an offset; None for white space and at the end of the text."""
    match = _LEXEME.match(text, start)
    if match is None or match.lastgroup == "space":
        return None
    return Lexeme(match.lastgroup or "stray", match.group(), start, match.end())


def scan(text: str) -> Iterator[Lexeme]:
    """All lexemes of a text, white space left out."""
    for match in _LEXEME.finditer(text):
        if match.lastgroup != "space":
            yield Lexeme(match.lastgroup or "stray", match.group(), match.start(), match.end())


def comments(text: str) -> list[Lexeme]:
    return [lexeme for lexeme in scan(text) if lexeme.kind == "comment"]


# --------------------------------------------------------------------------------- places of words


TOKEN = re.compile(r'#[^\n]*|"(?:\\.|[^"\\\n])*"|(\w+)|.', re.DOTALL)


def word_span(span: Span, text: str, after: int = 0) -> Span:
    """The first whole word `text` behind the statement's first `after` words.

    Strings and comments hold no words. The whole span where the word is not written out.
    """
    seen = 0
    for token in TOKEN.finditer(span.text):
        if token[1] is None:
            continue
        if seen >= after and token[1] == text:
            return Span(span.source, span.start + token.start(), span.start + token.end())
        seen += 1
    return span


def string_span(span: Span) -> Span:
    """The first string of a statement, with its quotes; the whole span where it has none."""
    for token in TOKEN.finditer(span.text):
        if token[0].startswith('"') and len(token[0]) > 1:
            return Span(span.source, span.start + token.start(), span.start + token.end())
    return span


def mark_span(span: Span, between: tuple[Span, Span], texts: tuple[str, ...]) -> Span:
    """An operator, one of `texts`, between two expressions; the whole span where it is not."""
    start, end = between[0].end, between[1].start
    gap = re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), span.source.text[start:end])
    for text in texts:
        at = gap.find(text)
        if at >= 0:
            return Span(span.source, start + at, start + at + len(text))
    return span
