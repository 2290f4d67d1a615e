"""Trees as short text, for corpora: `(Binary + a (Binary * b c))`."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n


def tree_text(node: Any, indent: int = 0) -> str:
    """A node on one line where it is short, else a part a line; parts left at their default
    are left out."""
    flat = _flat(node)
    if len(flat) + indent <= 100 or not isinstance(node, n.Node):
        return flat
    head = f"({type(node).__name__}"
    lines = []
    for label, value in _parts(node):
        if isinstance(value, str | bool):
            head += f" {label}{_flat(value)}"
        else:
            parts = value if isinstance(value, tuple) else (value,)
            lines += [" " * (indent + 2) + label + tree_text(part, indent + 2) for part in parts]
    return "\n".join([head, *lines]) + ")"


def _flat(value: Any) -> str:
    match value:
        case n.Name(arguments=None, indices=None):
            return value.name
        case n.Number():
            return value.text
        case n.String():
            return f'"{value.value}"'
        case n.All():
            return "*"
        case n.Node():
            parts = "".join(f" {label}{_flat(part)}" for label, part in _parts(value))
            return f"({type(value).__name__}{parts})"
        case tuple():
            return "[" + " ".join(_flat(part) for part in value) + "]"
        case str():
            return value if value.isidentifier() or value in "+-*/^<=>=!=" else f"'{value}'"
    return repr(value)


def _parts(node: n.Node) -> list[tuple[str, Any]]:
    """Label and value of the parts that say something."""
    made = []
    for field in fields(node):
        value = getattr(node, field.name)
        spans = value if isinstance(value, tuple) and value else (value,)
        if all(isinstance(part, Span) for part in spans):
            continue
        if field.default is MISSING:
            made.append(("", value))
        elif value != field.default:
            made.append((f"{field.name}: ", value))
    return made
