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


def drift(
    tree: Path,
    data: Path,
    by: str | None = None,
    time: str | None = None,
    separator: str | None = None,
    json: bool = False,
) -> int:
    """Compare new rows with those that a tree was learned from.

    The share of rows in each leaf and the distribution of each column, new against training, with
    the population stability index (PSI): below 0.1 stable, from 0.25 on much change. Missing
    cells, new values and numbers out of range; scores, where the rows have labels, also by the
    values of a column; and which of the spec's requirements hold on these rows.
    """
    from treemip.cli.trees import separator_mark
    from treemip.study.life.drift import drift as compared
    from treemip.study.life.drift import rows_of

    if by is not None and time is not None:
        raise refused("--by and --time both name a column to score by", "give one of them")
    found = compared(tree, data, by or time, separator_mark(separator, data))
    if json:
        say_json(found.to_json())
        return DONE
    print(_text(rows_of(found)))
    return DONE


def card(tree: Path, output: Path | None = None) -> int:
    """Write a model card of a saved tree.

    What the tree predicts and by which rules, from which data and features, by which formulation;
    objective and proof; scores on the training and the test part and of the spec's groups;
    requirements with their slack; limits; how to verify it again.
    """
    from treemip.study.life.card import card as written

    demand_writable([output], [tree])
    text = written(tree)
    if output is None:
        print(text, end="")
    else:
        write_text(output, text)
    return DONE


def _text(tables: Iterable[tuple[str, list[tuple[str, ...]]]]) -> str:
    """Tables below each other, each with its heading."""
    parts = []
    for heading, rows in tables:
        indent = [(f"  {row[0]}", *row[1:]) for row in rows] if heading else rows
        parts.append("\n".join([*([heading] if heading else []), table(indent)]))
    return "\n\n".join(parts)
