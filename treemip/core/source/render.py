"""Diagnostics as text: code, place, excerpt with a caret, chain of uses, remedy.

error[E201]: unknown name 'branchs'
 --> specs/iris.tree:7:18
  |
7 |   few {t in branchs}: sum {j in features} uses[t,j] <= 2;
  |             ^^^^^^^ did you mean 'branches'?
  = help: ...
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.source.span import Span

LONGEST = 200
"""Display columns of a source line shown whole; longer lines are cut around the place."""

_CONTEXT = 60

_MOST = 4000  # characters of a message

_RED, _YELLOW, _CYAN, _BLUE, _BOLD = "1;31", "1;33", "1;36", "1;34", "1"

_SEVERITY = {Severity.ERROR: _RED, Severity.WARNING: _YELLOW, Severity.NOTE: _CYAN}


def render(diagnostic: Diagnostic, colour: bool = False) -> str:
    """The whole message without a final line end; ANSI colours only when asked for."""
    spans = [diagnostic.span, *(r.span for r in diagnostic.related)]
    digits = max((len(str(s.last_line)) for s in spans if s), default=1)
    page = _Page(colour, " " * digits)
    accent = _SEVERITY[diagnostic.severity]
    label = page.paint(accent, f"{diagnostic.severity.value}[{diagnostic.code}]")
    lines = [label + page.paint(_BOLD, f": {_plain(diagnostic.message)}")]
    if diagnostic.span is not None:
        lines += page.excerpt(diagnostic.span, diagnostic.caret, accent)
    for related in diagnostic.related:
        lines += page.excerpt(related.span, related.text, _BLUE)
    if diagnostic.remedy:
        lines.append(f"{page.gutter('=')} {page.paint(_CYAN, 'help:')} {_plain(diagnostic.remedy)}")
    return "\n".join(lines)


def render_all(diagnostics: Iterable[Diagnostic], colour: bool = False) -> str:
    """Several messages with an empty line between, in the order of `by_place`."""
    return "\n\n".join(render(d, colour) for d in by_place(diagnostics))


def by_place(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those without a place first, then text by text in order of appearance, top to bottom."""
    diagnostics = list(diagnostics)
    texts: dict[str, int] = {}
    for one in diagnostics:
        if one.span is not None:
            texts.setdefault(one.span.source.name, len(texts))

    def place(one: Diagnostic) -> tuple[int, int]:
        return (texts[one.span.source.name], one.span.start) if one.span is not None else (-1, 0)

    return sorted(diagnostics, key=place)


@dataclass(frozen=True)
class _Piece:
    """The part of a span that lies on one line: offsets `start` up to `stop` of that line."""

    number: int
    start: int
    stop: int


@dataclass(frozen=True)
class _Page:
    """How one message is set: with colour or without, and the margin left for line numbers."""

    colour: bool
    margin: str

    def paint(self, style: str, text: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.colour else text

    def gutter(self, mark: str, number: str = "") -> str:
        label = self.paint(_BLUE, number.rjust(len(self.margin))) if number else self.margin
        return f"{label} {self.paint(_BLUE, mark)}"

    def excerpt(self, span: Span, text: str, accent: str) -> list[str]:
        """The place, its lines with the spanned part underlined, `text` after the last caret."""
        lines = [f"{self.margin}{self.paint(_BLUE, '-->')} {_plain(str(span))}", self.gutter("|")]
        pieces = _pieces(span)
        if len(pieces) > 3:
            lines += self.underlined(span, pieces[0], accent)
            lines.append(self.paint(_BLUE, "..."))
            pieces = pieces[-1:]
        for piece in pieces:
            lines += self.underlined(span, piece, accent)
        if text:
            lines[-1] += " " + self.paint(accent, _plain(text))
        return lines

    def underlined(self, span: Span, piece: _Piece, accent: str) -> list[str]:
        line = span.source.line(piece.number)
        before = visible(line[: piece.start])
        marked = visible(line[piece.start : piece.stop])
        after = visible(line[piece.stop :])
        if width(before) + width(marked) + width(after) > LONGEST:
            before, marked = tail(before, _CONTEXT), head(marked, LONGEST - 2 * _CONTEXT)
            after = head(after, LONGEST - width(before) - width(marked))
        carets = self.paint(accent, "^" * max(1, width(marked)))
        return [
            f"{self.gutter('|', str(piece.number))} {before}{marked}{after}".rstrip(),
            f"{self.gutter('|')} {' ' * width(before)}{carets}",
        ]


def _plain(text: str) -> str:
    """A text that cannot move the cursor or fill the screen, whatever names of columns it holds."""
    return visible_lines(shortened(text, _MOST))


def _pieces(span: Span) -> list[_Piece]:
    """The lines a span touches; indents, trailing blanks and blank lines are not underlined."""
    last = span.last_line
    pieces = []
    for number in range(span.line, last + 1):
        line = span.source.line(number)
        start = span.column - 1 if number == span.line else len(line) - len(line.lstrip())
        stop = span.last_column - 1 if number == last else len(line.rstrip())
        if stop > start or number == span.line:
            pieces.append(_Piece(number, start, stop))
    return pieces


# ------------------------------------------------------------------------------ text on a terminal


TAB = "    "

ELLIPSIS = "..."


def visible(text: str) -> str:
    """Tabs as four spaces; characters that cannot be seen or that move the cursor replaced."""
    return text if text.isprintable() else "".join(_shown(ch) for ch in text)


def visible_lines(text: str) -> str:
    """The same of a text of several lines."""
    return text if text.isprintable() else "\n".join(map(visible, text.split("\n")))


def shortened(text: str, most: int) -> str:
    """A text of at most about `most` characters: of a longer one the beginning and the end."""
    if len(text) <= most:
        return text
    return f"{text[: 2 * most // 3]}{ELLIPSIS}{text[-most // 3 :]}"


def _shown(character: str) -> str:
    if character == "\t":
        return TAB
    unseen = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "\ufffd" if unseen else character


def width(text: str) -> int:
    """Display columns: 2 for wide and fullwidth characters, 0 for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_cell(ch) for ch in text)


def _cell(ch: str) -> int:
    if unicodedata.category(ch) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in ("W", "F") else 1


def head(text: str, columns: int) -> str:
    """The beginning of a text, cut to a number of columns with `...` where it is longer."""
    if width(text) <= columns:
        return text
    part = text[: max(0, columns - len(ELLIPSIS))]
    while width(part) > columns - len(ELLIPSIS):
        part = part[:-1]
    return part + ELLIPSIS


def tail(text: str, columns: int) -> str:
    """The end of a text, cut to a number of columns with `...` where it is longer."""
    if width(text) <= columns:
        return text
    part = text[-(columns - len(ELLIPSIS)) :]
    while width(part) > columns - len(ELLIPSIS):
        part = part[1:]
    return ELLIPSIS + part
