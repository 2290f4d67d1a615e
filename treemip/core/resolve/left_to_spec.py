"""What to write where a formulation leaves tables to the spec, and nothing declares them."""

from __future__ import annotations

from collections.abc import Sequence

from treemip.core.source.diagnostic import Fix
from treemip.core.syntax import nodes as n


def columns_named(spec: n.File, nodes: Sequence[n.Name]) -> Fix | None:
    """`number time, event;` at the end of the data block, where all that is missing are columns."""
    data = next((s for s in spec.statements if isinstance(s, n.Data)), None)
    if data is None or not data.span.text.endswith("}") or any(_width(x) != 1 for x in nodes):
        return None
    end = data.settings[-1].span.end if data.settings else data.span.end - 1
    names = ", ".join(node.name for node in nodes)
    return Fix.write(data.span.source.span(end, end), f"\n  number {names};")


def _width(node: n.Name) -> int:
    return len(node.indices or ())


def how_to_declare(nodes: Sequence[n.Name]) -> str:
    """The remedy for tables that a formulation mentions and nothing declares."""
    columns = [node.name for node in nodes if _width(node) == 1]
    wider = [node.name for node in nodes if node.name not in columns]
    remedy = [f"declare  param {name} {{…}} = …;" for name in wider]
    if columns:
        what = "a column" if len(columns) == 1 else "columns"
        own = "  ".join(f"param {name} {{i in points}} = …;" for name in columns)
        names = f"number {', '.join(columns)};  or  number {columns[0]} from column;"
        remedy.insert(0, f"name {what} in the data block: {names}  or declare  {own}")
    return "  ".join(remedy)
