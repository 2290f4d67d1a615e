"""Strings and numbers as the language writes them."""

from __future__ import annotations

import math

from treemip.syntax import nodes as n


def quoted(text: str) -> str:
    """A string of the language. Raises ValueError for a line break, which it cannot hold."""
    if "\n" in text:
        raise ValueError("a string of the language cannot hold a line break")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number_text(node: n.Number) -> str:
    return node.text or plain_number(node.value)


def plain_number(value: float) -> str:
    """The shortest text that reads back as the same number. Raises ValueError for inf and nan."""
    if not math.isfinite(value):
        raise ValueError(f"the language has no number {value}")
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value).replace("e-0", "e-").replace("e+", "e")
