"""Sources and spans: the text that a node, a block or a message comes from."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import dataclass_transform

LARGEST = 20_000_000
"""Bytes of a text that is read; the parser takes less (E112)."""


@dataclass(frozen=True)
class Source:
    """A text and the name it is known by (a path, or ``<python>`` for text built in memory).

    original: of a text that was made from another one by blanks and lines at its end, that one;
    messages show its lines.
    """

    name: str
    text: str = field(repr=False)
    original: str | None = field(default=None, repr=False, compare=False)

    @classmethod
    def read(cls, path: str | Path) -> Source:
        """Read a UTF-8 file; a byte order mark is dropped, line ends become ``\\n``.

        Raises TreemipError (E901) when the file is not there, not readable or not UTF-8.
        """
        from treemip.core.source.diagnostic import fail
        from treemip.core.source.reading import read_text

        try:
            return cls(str(path), read_text(path, LARGEST))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            message = f"cannot read '{path}': {reason[:1].lower()}{reason[1:]}"
            fail("E901", message)
        except UnicodeDecodeError as error:
            message = f"cannot read '{path}': byte {error.start} is not UTF-8 text"
            remedy = "save the file in the encoding UTF-8"
            fail("E901", message, remedy=remedy)

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line."""
        return [0, *(k + 1 for k, ch in enumerate(self.text) if ch == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Text of a 1-based line, without its line end; of the original where it has that line."""
        start = self.line_starts[number - 1]
        text = self.text if self.original is None or self.is_added(start) else self.original
        end = text.find("\n", start)
        return text[start:] if end < 0 else text[start:end]

    def is_added(self, offset: int) -> bool:
        """Whether a place is in lines that the original text does not have."""
        return self.original is not None and offset > len(self.original)

    def span(self, start: int, end: int) -> Span:
        return Span(self, start, end)


@dataclass(frozen=True)
class Span:
    """Characters ``start`` up to ``end`` of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def last_line(self) -> int:
        """Line of the last character."""
        return self.source.position(max(self.start, self.end - 1))[0]

    @property
    def last_column(self) -> int:
        """1-based column just after the last character, on `last_line`."""
        return self.source.position(max(self.start, self.end - 1))[1] + (self.end > self.start)

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of the other."""
        return Span(self.source, self.start, max(self.end, other.end))

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True, kw_only=True)
class Spanned:
    """Anything that stands at a place of a text; equal where it says the same at another place.

    Each subclass is made a frozen dataclass, whose fields are given by name.
    """

    span: Span = field(compare=False, repr=False)

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)
