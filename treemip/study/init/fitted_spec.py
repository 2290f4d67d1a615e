"""A first spec with the values that were chosen for it written into its text."""

from __future__ import annotations

from collections.abc import Mapping

from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.format import format_text
from treemip.core.syntax.parse import parse

DEPTH = "depth"


def with_values(text: str, values: Mapping[str, str]) -> str:
    """The text with another depth of its complete tree, and values for parameters of the
    formulation that it splits by."""
    changes: list[tuple[int, int, str]] = []
    for statement in parse(Source("<text>", text)).statements:
        if isinstance(statement, n.Topology) and DEPTH in values:
            span = statement.arguments[0].value.span
            changes.append((span.start, span.end, values[DEPTH]))
        if isinstance(statement, n.Split) and statement.by is not None:
            given = [f"{name} = {value}" for name, value in values.items() if name != DEPTH]
            if given and statement.arguments:
                at = statement.arguments[-1].span.end
                changes.append((at, at, ", " + ", ".join(given)))
            elif given:
                at = statement.by.span.end
                changes.append((at, at, f"({', '.join(given)})"))
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    text = text.replace("by treemip init.", "by treemip fit; depth and price by cross-validation.")
    return format_text(Source("<text>", text))
