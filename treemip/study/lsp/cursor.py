"""Where a cursor stands: in which statement, bracket, string or word, and what may come there.

The grammar's own table says what may come: the text before the cursor is read like any text with
faults, and the parser asked where it stopped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from treemip.core.source.span import Source
from treemip.core.syntax.faults.machine import STATEMENT_WORDS
from treemip.core.syntax.faults.recover import stop_at_end
from treemip.core.syntax.faults.stop import CLOSERS, TERMINAL, Stop
from treemip.core.syntax.scan import NAME, Lexeme, scan

LONGEST = 150_000
"""Characters before a cursor that are read; further on nothing is completed."""

_STATEMENT = re.compile(rf"^[ \t]*(?:{'|'.join(STATEMENT_WORDS)})\b", re.MULTILINE)

_PREFIX = re.compile(rf"(?:{NAME})?\Z")


@dataclass(frozen=True)
class Cursor:
    """start: of the word or, within a string, of the text that is being typed. prefix: it."""

    text: str
    offset: int
    start: int
    in_string: bool
    in_comment: bool
    """Also far behind the beginning of a long text, where nothing is offered either."""

    @property
    def prefix(self) -> str:
        return self.text[self.start : self.offset]

    @cached_property
    def stop(self) -> Stop:
        """The parser before what is being typed."""
        end = self.start - 1 if self.in_string else self.start
        text = self.text[:end]
        stop = stop_at_end(Source("<cursor>", text))
        if not stop.unit and text.strip() and not text.rstrip().endswith((";", "{", "}", "to")):
            # The statement was passed over with a faulty one before it: once more without that.
            starts = [m.start() for m in _STATEMENT.finditer(text)]
            start = starts[-1] if starts else 0
            return stop_at_end(Source("<cursor>", " " * start + text[start:]))
        return stop

    @property
    def unit(self) -> Sequence[Lexeme]:
        """The lexemes of the statement, setting or constraint so far."""
        return self.stop.unit

    @property
    def first(self) -> str:
        return self.unit[0].text if self.unit else ""

    @property
    def before(self) -> str:
        """The lexeme before what is being typed; empty at the beginning of a unit."""
        return self.unit[-1].text if self.unit else ""

    @cached_property
    def expected(self) -> set[str]:
        return self.stop.machine.expected()

    @property
    def block(self) -> str:
        """The block of settings around: "data", "strategy" or empty."""
        if self.stop.block is None or not self.stop.in_settings:
            return ""
        head = self.text[: self.stop.block.start].rstrip()
        return "strategy" if head.endswith("strategy") else "data"

    @cached_property
    def call(self) -> Call | None:
        """The innermost bracket around the cursor, with the name before it."""
        if not self.stop.opened:
            return None
        opener = self.stop.opened[-1]
        lexemes = list(self.unit)
        at = next(k for k, lexeme in enumerate(lexemes) if lexeme is opener)
        name = lexemes[at - 1] if at and lexemes[at - 1].kind in ("name", "string") else None
        inside = lexemes[at + 1 :]
        return Call(opener.text, name, _commas(inside), tuple(inside))

    @property
    def bound(self) -> list[str]:
        """Names that the statement so far binds: those before each `in`."""
        names: list[str] = []
        lexemes = list(self.unit)
        for k, lexeme in enumerate(lexemes):
            if lexeme.text == "in" and lexeme.kind == "name" and k:
                j = k - 1
                if lexemes[j].text == ")":
                    while j > 0 and lexemes[j].text != "(":
                        j -= 1
                names += [x.text for x in lexemes[j:k] if x.kind == "name"]
        return list(dict.fromkeys(names))


@dataclass(frozen=True)
class Call:
    """opener: its bracket. name: before it, if any. argument: the number of the one at the cursor,
    from 0. inside: its lexemes before the cursor."""

    opener: str
    name: Lexeme | None
    argument: int
    inside: tuple[Lexeme, ...]


def _commas(lexemes: Sequence[Lexeme]) -> int:
    depth = count = 0
    for lexeme in lexemes:
        depth += (lexeme.text in CLOSERS) - (lexeme.text in TERMINAL)
        count += lexeme.text == "," and depth == 0
    return count


def cursor_at(text: str, offset: int) -> Cursor:
    offset = min(max(offset, 0), len(text))
    line = text.rfind("\n", 0, offset) + 1
    if offset > LONGEST:
        return Cursor(text, offset, offset, False, True)
    lexemes = list(scan(text[line:offset]))
    if lexemes and lexemes[-1].kind == "comment":
        return Cursor(text, offset, offset, False, True)
    quote = next((x for x in lexemes if x.kind == "stray" and x.text == '"'), None)
    if quote is not None:
        return Cursor(text, offset, line + quote.end, True, False)
    typed = _PREFIX.search(text, max(line, offset - 200), offset)
    start = typed.start() if typed else offset
    return Cursor(text, offset, start, False, False)


def word_at(text: str, offset: int) -> Lexeme | None:
    """The lexeme that the cursor is on, or just behind; a name before a mark."""
    offset = min(max(offset, 0), len(text))
    line = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    if end - line > LONGEST:
        return None
    found: Lexeme | None = None
    for lexeme in scan(text[line:end]):
        start, stop = line + lexeme.start, line + lexeme.end
        if start <= offset <= stop and (found is None or found.kind in ("mark", "stray")):
            found = Lexeme(lexeme.kind, lexeme.text, start, stop)
    return found
