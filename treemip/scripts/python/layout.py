"""How long lines of a script are broken: before operators and `for`, at the outermost brackets."""

from __future__ import annotations

import re
from textwrap import indent

from treemip.scripts.folding import split_outside

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
    for sign in (r" (?=[+-] )", r" (?=[*/] )"):
        if len(parts := split_outside(text, sign)) > 1:
            body = "\n".join(folded(p, width - len(STEP)) for p in parts)
            return body if bracketed else f"(\n{indent(body, STEP)}\n)"
    opened = re.match(r"[\w.]*[([]", text)
    if opened is None or text[-1] not in ")]":
        return text
    inside = text[opened.end() : -1]
    parts = split_outside(inside, r"(?<=,) ")
    comma = len(parts) > 1
    parts = parts if comma else split_outside(inside, r" (?=for )")
    body = "\n".join(folded(p, width - len(STEP)) for p in parts)
    tail = "," if comma and opened.end() > 1 else ""
    return f"{opened.group()}\n{indent(body, STEP)}{tail}\n{text[-1]}"


def returned(text: str) -> str:
    """`return …`, indented once."""
    said = folded(text, WIDTH - len(STEP) - len("return "), bracketed=False)
    return indent(f"return {said}", STEP)


def index_tuple(names: list[str]) -> str:
    """`(i, t)`, `(i,)`, `()`"""
    return f"({', '.join(names)}{',' * (len(names) == 1)})"
