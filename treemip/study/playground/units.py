"""Offsets as a page counts them, in units of UTF-16, and as this package does, in characters."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from treemip.study.lsp.positions import plain


class Units:
    """The offsets of one text. A line end counts as one unit, as in CodeMirror; so does a byte
    order mark, which `plain(text)` leaves out."""

    def __init__(self, text: str) -> None:
        self.mark = text.startswith("\ufeff")
        self.text = plain(text)

    @cached_property
    def wide(self) -> list[int]:
        """Offsets of the characters that take two units."""
        if self.text.isascii():
            return []
        return [k for k, character in enumerate(self.text) if character > "\uffff"]

    def of(self, offset: int) -> int:
        """The units before a character, by its offset."""
        return self.mark + offset + bisect_left(self.wide, offset)

    def offset(self, unit: int) -> int:
        """The offset of the character at a unit, kept within the text."""
        low, high = 0, len(self.text)
        while low < high:
            middle = (low + high) // 2
            if self.of(middle) < unit:
                low = middle + 1
            else:
                high = middle
        return low
