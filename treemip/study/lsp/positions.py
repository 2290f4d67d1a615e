"""Places in a text as editors count them, by lines and units, and files by their URI.

Everywhere else in this room a place is an offset, in characters, into a text whose line ends are
``\\n``.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

MARK = "\ufeff"
"""Of the byte order, at the beginning of a text. Elsewhere it is a character as others."""

_END = re.compile(r"\r\n|\r|\n")


def plain(text: str) -> str:
    """A text of an editor as treemip reads it: no byte order mark, lines end with ``\\n``."""
    return with_plain_ends(text.removeprefix(MARK))


def with_plain_ends(text: str) -> str:
    """The text with ``\\n`` at the end of each line."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class Lines:
    """Offsets of a text and its positions (line, unit), both from 0.

    encoding: "utf-16", whose units the protocol counts, or "utf-8" or "utf-32" if agreed upon.
    Positions are those of the text as the editor has it, with its own line ends; offsets are those
    of `plain(text)`. A line end of two characters is one here, and a byte order mark none.
    """

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.encoding = encoding
        self.marked = text.startswith(MARK)
        self.text = plain(text)

    @cached_property
    def starts(self) -> list[int]:
        return [0, *(match.end() for match in _END.finditer(self.text))]

    def line(self, number: int) -> str:
        """Without its end."""
        start = self.starts[number]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def position(self, offset: int) -> tuple[int, int]:
        """Places beyond the text are at its end."""
        offset = min(max(offset, 0), len(self.text))
        number = bisect_right(self.starts, offset) - 1
        unit = self._units(self.text[self.starts[number] : offset])
        return number, unit + (self.marked and number == 0)

    def offset(self, number: int, unit: int) -> int:
        """Of a position; those beyond a line are at its end, those beyond the text at the end of
        that. A position inside a character is before it."""
        if number < 0:
            return 0
        if number >= len(self.starts):
            return len(self.text)
        start, line = self.starts[number], self.line(number)
        left = unit - (self.marked and number == 0)
        if line.isascii():
            return start + min(max(left, 0), len(line))
        for k, character in enumerate(line):
            left -= self._units(character)
            if left < 0:
                return start + k
        return start + len(line)

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == "utf-32":
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text) + sum(character > "\uffff" for character in text)


# ----------------------------------------------------------------------------------------- files


def path_of(uri: str) -> Path | None:
    """The file of a `file://` URI; None of others, such as an editor's texts without a file."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if os.name == "nt":
        path = path.lstrip("/")
        return Path(f"//{parts.netloc}/{path}" if parts.netloc else path)
    return Path(os.path.normpath(path)) if path and "\0" not in path else None


def uri_of(path: str | Path) -> str:
    text = Path(os.path.abspath(path)).as_posix()
    return "file://" + quote(text if text.startswith("/") else f"/{text}", safe="/:@!$&'()*+,;=~")
