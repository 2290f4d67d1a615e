"""How long lines of a script are broken: before operators and `for`, at the outermost brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from textwrap import indent

WIDTH = 100
STEP = "    "
BREAK = "\0"  # where a long row may be broken; else a blank


def called(function: str, parts: list[str], width: int = WIDTH) -> str:
    """A call on one line where it fits, else an argument a line, broken where that is too long."""
    plainly = [p.replace(BREAK, " ") for p in parts]
    line = f"{function}({', '.join(plainly)})"
    if len(line) <= width:
        return line
    room = width - len(STEP) - 1
    said = []
    for part, flat in zip(parts, plainly, strict=True):
        lines = [flat] if len(flat) <= room else part.split(BREAK)
        said += [indent(folded(p, room), STEP) for p in lines]
        said[-1] += ","
    return "\n".join([f"{function}(", *said, ")"])


def folded(text: str, width: int, bracketed: bool = True) -> str:
    """An expression on as many lines as it needs.

    bracketed: whether it stands in brackets already; it gets some where it needs them.
    """
    if len(text) <= width:
        return text
    head = re.match(r"([<>=!]=|[-+*/]) ", text)
    if head:
        return head.group() + folded(text[head.end() :], width - head.end())
    for sign in (r" [+-] ", r" [*/] "):
        if parts := _split(text, sign):
            body = "\n".join(folded(p, width - len(STEP)) for p in parts)
            return body if bracketed else f"(\n{indent(body, STEP)}\n)"
    opened = re.match(r"[\w.]*[([]", text)
    if opened is None or text[-1] not in ")]":
        return text
    inside = text[opened.end() : -1]
    comma = _split(inside, r"(?<=,) ")
    parts = comma or _split(inside, r" (?=for )") or [inside]
    body = "\n".join(folded(p, width - len(STEP)) for p in parts)
    tail = "," if comma and opened.end() > 1 else ""
    return f"{opened.group()}\n{indent(body, STEP)}{tail}\n{text[-1]}"


def returned(text: str) -> str:
    """`return …`, indented once."""
    said = folded(text, WIDTH - len(STEP) - len("return "), bracketed=False)
    return indent(f"return {said}", STEP)


def _split(text: str, at: str) -> list[str]:
    """The text cut before each match of the pattern outside of brackets and quotes."""
    cuts = [m for m in re.finditer(at, text) if m.start() in set(_outside(text))]
    if not cuts:
        return []
    places = [0, *(m.start() + 1 for m in cuts), len(text) + 1]
    return [text[a : b - 1] for a, b in pairwise(places)]


def _outside(text: str) -> Iterator[int]:
    """Places of the text that are outside of brackets and quotes."""
    depth, quote = 0, ""
    for k, c in enumerate(text):
        if quote:
            quote = "" if c == quote and text[k - 1] != "\\" else quote
        elif c in "'\"":
            quote = c
        else:
            depth += (c in "([{") - (c in ")]}")
            if not depth:
                yield k


def index_tuple(names: list[str]) -> str:
    """`(i, t)`, `(i,)`, `()`"""
    return f"({', '.join(names)}{',' * (len(names) == 1)})"
