"""The nodes of a tree as a page shows them: the rule that leads to each, and the points there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treemip.instance.encoder import Encoder
from treemip.instance.table import Table, load_rows
from treemip.source.render import visible
from treemip.tree.draw import feature_of
from treemip.tree.picture.contents import Leaf, Split, contents, shown
from treemip.tree.picture.scene import leaf_title
from treemip.tree.tree import Tree

MOST_ROWS, MOST_COLUMNS = 100, 8
"""Points of a node that are listed, and the columns that are shown of them."""


@dataclass(frozen=True)
class Node:
    """heap: the first of its numbers. rule: what holds there, from the root down. rows: of the
    first points, those of another class first; `count` is how many there are."""

    heap: int
    title: str
    rule: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wrong: int
    count: int | None


@dataclass(frozen=True)
class Points:
    """The rows behind a tree: table of the encoded points, and the raw columns as text.

    columns: by name, a text for each point of the table.
    """

    table: Table
    columns: dict[str, list[str]]


def read_points(tree: Tree, table: Table, data: Path | None, separator: str | None) -> Points:
    """Points with the raw columns that the tree uses, or without where there is no file.

    Raises E301 for a file that cannot be read.
    """
    assert tree.encoder is not None
    if data is None:
        return Points(table, {})
    raw, _ = load_rows(data, tree.encoder, separator)
    at = (table.row_numbers - 1).tolist()
    columns = {}
    for name in _columns(tree, tree.encoder):
        cells = raw[name]
        columns[name] = [visible(cells.text(k)) for k in at]
    return Points(table, columns)


def _columns(tree: Tree, encoder: Encoder) -> list[str]:
    """The raw columns that the tree uses, the others after them."""
    used = []
    for j in np.flatnonzero((tree.weights != 0).any(axis=0)).tolist():
        origin = feature_of(tree, j)
        used += [origin[0].column] if origin else []
    for t in tree.topology.branches.tolist():
        by_category = tree.by_category(t)
        used += [by_category.column] if by_category else []
    others = [feature.column for feature in (*encoder.features, *encoder.kept)]
    return list(dict.fromkeys([*used, *others]))[:MOST_COLUMNS]


def nodes(tree: Tree, points: Points | None) -> list[Node]:
    """Every node of the picture, the root first."""
    names = tuple(map(shown, tree.classes))
    ends = None if points is None else tree.topology.heap[tree.route(points.table.inputs)]
    return list(_walk(contents(tree), (), names, points, ends, tree))


def _walk(
    node: Split | Leaf,
    rule: tuple[str, ...],
    names: tuple[str, ...],
    points: Points | None,
    ends: np.ndarray | None,
    tree: Tree,
) -> Iterator[Node]:
    if isinstance(node, Leaf):
        title = leaf_title(node, names)
        yield _node(node.heap[0], title, rule, _at(node, ends), points, tree)
        return
    text = node.text if node.chance else f"{node.text}?"
    yield _node(node.heap, f"branch {node.heap}: {text}", rule, _at(node, ends), points, tree)
    for child, answer in zip((node.left, node.right), node.answers, strict=True):
        yield from _walk(child, (*rule, f"{text} {answer}"), names, points, ends, tree)


def _at(node: Split | Leaf, ends: np.ndarray | None) -> np.ndarray | None:
    """Which points end in a leaf or in one below a branch, as positions; None if unknown."""
    if ends is None:
        return None
    return np.flatnonzero(np.isin(ends, _leaves(node)))


def _leaves(node: Split | Leaf) -> list[int]:
    if isinstance(node, Leaf):
        return list(node.heap)
    return _leaves(node.left) + _leaves(node.right)


def _node(
    heap: int,
    title: str,
    rule: tuple[str, ...],
    here: np.ndarray | None,
    points: Points | None,
    tree: Tree,
) -> Node:
    if here is None or points is None:
        return Node(heap, title, rule, (), (), 0, None)
    table = points.table
    given = tree.predict_numbers(table.inputs[here])
    wrong = given != table.y[here]
    listed = np.argsort(~wrong, kind="stable")[:MOST_ROWS].tolist()
    names = [table.ids[k] if table.ids else str(table.row_numbers[k]) for k in here[listed]]
    rows = []
    for name, k in zip(names, listed, strict=True):
        point = int(here[k])
        mark = "wrong" if wrong[k] else ""
        cells = (values[point] for values in points.columns.values())
        classes = shown(table.classes[table.y[point]]), shown(tree.classes[given[k]])
        rows.append((name, *classes, mark, *cells))
    header = ("point" if table.ids else "row", "class", "given", "", *points.columns)
    return Node(heap, title, rule, header, tuple(rows), int(wrong.sum()), len(here))
