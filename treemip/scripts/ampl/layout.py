"""Statements of AMPL, broken before their operators where they are long."""

from __future__ import annotations

from textwrap import indent

from treemip.scripts.folding import outside, split_outside

WIDTH = 100
STEP = "  "


def statement(head: str, body: str) -> str:
    """`head body;` on one line, or the body below, broken at its outermost operators."""
    line = f"{head} {body};"
    if len(line) <= WIDTH:
        return line
    return f"{head}\n{indent(folded(body, WIDTH - len(STEP) - 1), STEP)};"


def folded(text: str, width: int) -> str:
    """An expression on as many lines as it needs."""
    if len(text) <= width:
        return text
    for sign in (r" (?=(?:then|else) )", r" (?=[<>]?= )", r" (?=[+-] )", r" (?=\* )", r"(?<=\}) "):
        parts = split_outside(text, sign)
        if len(parts) > 1:
            first, *rest = parts
            room = width - len(STEP)
            return "\n".join([folded(first, width), *(indent(folded(p, room), STEP) for p in rest)])
    sign, _, inner = text.partition("(")
    if sign in ("", "* ", "+ ", "- ") and list(outside("(" + inner)) == [len(inner)]:
        return f"{sign}(\n{indent(folded(inner[:-1], width - len(STEP)), STEP)}\n)"
    return text


def spaced(name: str, over: str) -> str:
    """A name and its domain, if it has one."""
    return f"{name} {over}" if over else name
