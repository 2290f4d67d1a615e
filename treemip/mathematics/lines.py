"""Formulas on lines of a width, as they are seen."""

from __future__ import annotations

import re

from treemip.mathematics.expressions import Expressions
from treemip.resolve.typed import TypedDomain

WIDTH = 76  # characters of a line of mathematics, as they are seen
_COMMAND = re.compile(
    r"\\(mathrm|mathcal|text|left|right|,|;|!|lVert|rVert|top|quad|frac)\b ?|[{}]"
)
_WORD = re.compile(r"\\[A-Za-z]+ ?")


def filled(pieces: list[str]) -> tuple[str, ...]:
    """Pieces put on lines of about WIDTH characters."""
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if seen(lines[-1]) + seen(piece) < WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return tuple(lines)


def with_domain(
    lines: list[str], domain: TypedDomain, write: Expressions, remark: str = ""
) -> tuple[str, ...]:
    """The lines with the indices they hold for, on the last line where there is room."""
    said = [rf"\forall\, {write.domain(domain)}"] if domain.binders else []
    if domain.guard and not domain.binders:
        said = [rf"\text{{if }} {', '.join(write.text(c) for c in domain.guard)}"]
    if remark:
        said.append(rf"({remark})")
    if not said:
        return tuple(lines)
    end = r" \quad ".join(said)
    if seen(lines[-1]) + seen(end) < WIDTH:
        return (*lines[:-1], rf"{lines[-1]} \qquad {end}")
    return (*lines, end)


def seen(text: str) -> int:
    """About how many characters wide a formula is."""
    return len(_WORD.sub("x", _COMMAND.sub("", text)))
