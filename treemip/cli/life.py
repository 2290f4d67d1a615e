"""diff, drift, card: what becomes of a saved tree in time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from treemip.cli.console import DONE, say_json, table, write_text
from treemip.cli.outputs import demand_writable
from treemip.core.source.diagnostic import refused


def diff(
    old: Path,
    new: Path,
    data: Path | None = None,
    output: Path | None = None,
    by: str | None = None,
    separator: str | None = None,
    json: bool = False,
) -> int:
    """Say what differs between two saved trees.

    Splits that were added, removed, replaced or moved, in the units of the columns, whatever the
    trees' formulations and encodings; leaves that answer otherwise; rules; how many rows get
    another answer, from which to which; and the scores of both trees on these rows. With -o both
    trees are drawn side by side, and .html has the tables as well.
    """
    from treemip.cli.trees import separator_mark
    from treemip.study.life.diff import diff as compared
    from treemip.study.life.diff import rows_of

    demand_writable([output], [each for each in (old, new, data) if each is not None])
    if output is not None and output.suffix.lower() not in (".svg", ".html", ".htm"):
        raise refused(f"'{output}' is no picture or page", "name it .svg or .html")
    if data is None and separator is not None:
        raise refused("--separator needs a file of rows", "name it by --data")
    mark = None if data is None else separator_mark(separator, data)
    found = compared(old, new, data, by, mark)
    if output is not None:
        from treemip.study.life.diff_picture import page, picture

        drawn = picture(found) if output.suffix.lower() == ".svg" else page(found)
        write_text(output, drawn)
    if json:
        say_json(found.to_json())
        return DONE
    print(_text(rows_of(found)))
    return DONE


def _text(tables: Iterable[tuple[str, list[tuple[str, ...]]]]) -> str:
    """Tables below each other, each with its heading."""
    parts = []
    for heading, rows in tables:
        indent = [(f"  {row[0]}", *row[1:]) for row in rows] if heading else rows
        parts.append("\n".join([*([heading] if heading else []), table(indent)]))
    return "\n\n".join(parts)
