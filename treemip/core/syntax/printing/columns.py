"""Names and tags of neighbouring declarations one below the other, in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from treemip.core.syntax import nodes as n
from treemip.core.syntax.printing.expressions import number_text, quoted

LONGEST = 18
"""A longer name sticks out rather than push all others away."""


@dataclass(frozen=True)
class Columns:
    """Widths of the name and of its tags in a run of declarations."""

    name: int = 0
    tags: int = 0

    def padded(self, cells: Sequence[str], last: bool) -> str:
        """The cells in their columns; the last one is padded where something follows it."""
        widths = (self.name, self.tags)
        padded = [f"{c:<{w}}" for c, w in zip(cells, widths, strict=False) if c or w]
        text = " ".join(padded)
        return text if last else text.rstrip(" ")


def columns_of(
    items: Sequence[n.Node], apart: Callable[[n.Node, n.Node], bool]
) -> Iterator[tuple[n.Node, Columns]]:
    """Each item with the columns of its run: neighbours of one kind, nothing apart between."""
    run: list[n.Node] = []
    for item in items:
        if run and (type(item) is not type(run[-1]) or apart(run[-1], item)):
            yield from _with_columns(run)
            run = []
        run.append(item)
    yield from _with_columns(run)


def _with_columns(run: list[n.Node]) -> list[tuple[n.Node, Columns]]:
    """A single declaration needs no columns."""
    aligned = run if len(run) > 1 else []
    names = [len(name_of(item)) for item in aligned]
    name = max((length for length in names if length <= LONGEST), default=0)
    columns = Columns(name, max((len(symbol_and_tag(item)) for item in aligned), default=0))
    return [(item, columns) for item in run]


def name_of(node: n.Node) -> str:
    """The text of the first column."""
    match node:
        case n.Setting():
            return node.key
        case n.Cut():
            return node.constraint.name
        case n.Term() if node.parameters:
            return signature(node)
        case n.Declaration():
            return node.name
    return ""


def signature(term: n.Term) -> str:
    """A term with its parameters and their default values."""
    parts = [
        name if default is None else f"{name} = {number_text(default)}"
        for name, default in zip(term.parameters, term.defaults, strict=True)
    ]
    return f"{term.name}({', '.join(parts)})" if parts else term.name


def symbol_and_tag(node: n.Node) -> str:
    """The symbol and the equation tag of a declaration, as strings of the language."""
    if isinstance(node, n.Cut):
        node = node.constraint
    if not isinstance(node, n.Declaration):
        return ""
    return " ".join(quoted(text) for text in (node.symbol, node.tag) if text)
