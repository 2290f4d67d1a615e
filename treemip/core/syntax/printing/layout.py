"""Documents with places where a line may break, set within a width.

After Wadler, "A prettier printer" (2003): a `Fit` is set on one line where it fits; else its own
`Line`s break, and the fits inside it are tried in turn. Comments are part of a document, since
no text may follow one on its line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line break where the fit around it breaks, else the text `flat`.

    `hard` breaks always, `blank` leaves an empty line too.
    """

    flat: str = " "
    hard: bool = False
    blank: bool = False


@dataclass(frozen=True)
class Nest:
    """Lines begun inside are indented by so many columns more."""

    columns: int
    inner: Doc


@dataclass(frozen=True)
class Fit:
    inner: Doc


@dataclass(frozen=True)
class Comment:
    """`trailing` stands behind the text before it, otherwise on a line of its own."""

    text: str
    trailing: bool


WIDTH = 100
"""Columns of a text in the canonical layout."""

Doc = str | Line | Nest | Fit | Comment | tuple["Doc", ...]

LINE = Line()
SOFT = Line("")
HARD = Line(hard=True)
BLANK = Line(hard=True, blank=True)

_Work = tuple[int, bool, Doc]  # indent, breaking, document


def joined(docs: Iterable[Doc], separator: Doc) -> Doc:
    parts: list[Doc] = []
    for doc in docs:
        parts += [separator, doc] if parts else [doc]
    return tuple(parts)


def set_lines(doc: Doc, width: int) -> list[str]:
    """The lines of a document, broken to the width where its breaks allow that."""
    page = _Page()
    work: list[_Work] = [(0, True, doc)]
    while work:
        indent, breaking, doc = work.pop()
        match doc:
            case str():
                page.write(doc)
            case tuple():
                work += [(indent, breaking, part) for part in reversed(doc)]
            case Nest(columns, inner):
                work.append((indent + columns, breaking, inner))
            case Fit(inner):
                breaks = breaking and not _fits(inner, work, width - page.column)
                work.append((indent, breaks, inner))
            case Line():
                if breaking or doc.hard:
                    page.break_line(indent, doc.blank)
                else:
                    page.write(doc.flat)
            case Comment():
                page.comment(doc, indent)
    return page.finished(width)


class _Page:
    """Lines so far; a break is kept back until text comes, so that a comment can go before it."""

    def __init__(self) -> None:
        self.lines = [""]
        self.awaited: int | None = None
        self.blank = False
        self.trailing: dict[int, str] = {}

    @property
    def column(self) -> int:
        return len(self.lines[-1]) if self.awaited is None else self.awaited

    def write(self, text: str) -> None:
        if self.awaited is not None:
            self.lines += ["", " " * self.awaited] if self.blank else [" " * self.awaited]
            self.awaited, self.blank, text = None, False, text.lstrip(" ")
        self.lines[-1] += text

    def break_line(self, indent: int, blank: bool = False) -> None:
        self.awaited, self.blank = indent, self.blank or blank

    def comment(self, comment: Comment, indent: int) -> None:
        indent = indent if self.awaited is None else self.awaited
        here = len(self.lines) - 1
        taken = here in self.trailing or self.lines[here].lstrip().startswith("#")
        if comment.trailing and not taken:
            self.trailing[here] = comment.text
        else:
            self.break_line(indent)
            self.write(comment.text)
        self.break_line(indent)

    def finished(self, width: int) -> list[str]:
        """The lines, with the trailing comments of neighbouring lines one below the other."""
        lines = [line.rstrip(" ") for line in self.lines]
        run: list[int] = []
        for at in [*sorted(self.trailing), -1]:
            if run and at != run[-1] + 1:
                column = max(len(lines[k]) for k in run) + 2
                if column + max(len(self.trailing[k]) for k in run) > width:
                    column = 0
                for k in run:
                    lines[k] = f"{lines[k]:<{column or len(lines[k]) + 2}}{self.trailing[k]}"
                run = []
            run.append(at)
        return lines


def _fits(doc: Doc, rest: list[_Work], room: int) -> bool:
    """Whether the document, and what follows it up to the next possible break, is short enough."""
    work: list[_Work] = [(0, False, doc)]
    behind, inside = len(rest), True
    while room >= 0:
        if not work:
            if not behind:
                return True
            behind, inside = behind - 1, False
            work.append(rest[behind])
        _, breaking, one = work.pop()
        match one:
            case str():
                room -= len(one)
            case tuple():
                work += [(0, breaking, part) for part in reversed(one)]
            case Nest(_, inner) | Fit(inner):
                work.append((0, breaking, inner))
            case Line():
                if breaking or one.hard:
                    return not inside
                room -= len(one.flat)
            case Comment():
                return not inside
    return False
