"""A text cut into lexemes without a parser: for comments, and for texts that do not parse.

The grammar's own lexer knows what may stand where; this one only knows what things look like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
    found = _LEXEME.match(text, start)
    if found is None or found.lastgroup == "space":
        return None
    return Lexeme(found.lastgroup or "stray", found.group(), start, found.end())


def scan(text: str) -> Iterator[Lexeme]:
    """All lexemes of a text, white space left out."""
    for found in _LEXEME.finditer(text):
        if found.lastgroup != "space":
            yield Lexeme(found.lastgroup or "stray", found.group(), found.start(), found.end())


def comments(text: str) -> list[Lexeme]:
    return [lexeme for lexeme in scan(text) if lexeme.kind == "comment"]
