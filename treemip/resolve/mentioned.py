"""Names that a text mentions, before they are resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from treemip.syntax import nodes as n


def mentioned(node: object) -> Iterator[str]:
    """All names a node mentions, anywhere inside it."""
    if isinstance(node, n.Name):
        yield node.name
    if isinstance(node, tuple):
        for item in node:
            yield from mentioned(item)
    elif is_dataclass(node) and isinstance(node, n.Node):
        for f in fields(node):
            yield from mentioned(getattr(node, f.name))
