"""The nodes of a tree as a page shows them: the rule that leads to each, how many points of each
class are there, and their rows where these are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from treemip.core.instance.encoded_table import Table
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.table import load_rows
from treemip.core.source.render import visible
from treemip.core.tree.raw_units import feature_of
from treemip.core.tree.tree import Tree
from treemip.writers.convert.words import short
from treemip.writers.picture.boxes import Names, names_of
from treemip.writers.picture.contents import Leaf, Split, contents, shown
from treemip.writers.picture.leaf_boxes import leaf_title

MOST_ROWS, MOST_COLUMNS = 100, 8
"""Points of a node that are listed, and the columns that are shown of them."""


@dataclass(frozen=True)
class Node:
    """heap: the first of its numbers. rule: what holds there, from the root down. count: its
    points. wrong: how many of them have another class than they are given. classes: name, points
    and share of each class among them. Without data these three are None, None and (); without
    classes of the label `wrong` and `classes` are. rows: of the first points, those that it answers
    worst first, under `header`; () unless asked for."""

    heap: int
    title: str
    rule: tuple[str, ...]
    count: int | None = None
    wrong: int | None = None
    classes: tuple[tuple[str, ...], ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Points:
    """The points behind a tree: encoded, and where rows are asked for, with raw columns as text.

    columns: by name, a text for each point of the table; None where rows are not to be shown.
    """

    table: Table
    columns: dict[str, list[str]] | None


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
    names = names_of(tree)
    ends = None if points is None else tree.topology.heap[tree.route(points.table.inputs)]
    return list(_walk(contents(tree), (), names, points, ends, tree))


def _walk(
    node: Split | Leaf,
    rule: tuple[str, ...],
    names: Names,
    points: Points | None,
    ends: np.ndarray | None,
    tree: Tree,
) -> Iterator[Node]:
    here = None if ends is None else np.flatnonzero(np.isin(ends, _leaves(node)))
    if isinstance(node, Leaf):
        title = leaf_title(node, names)
        yield _with_points(Node(node.heap[0], title, rule), here, points, tree)
        return
    head = node.text if node.chance or node.terms else node.head
    plain = Node(node.heap, f"branch {node.heap}: {head}", rule)
    yield _with_points(plain, here, points, tree)
    for child, side in zip((node.left, node.right), node.conditions, strict=True):
        yield from _walk(child, (*rule, side), names, points, ends, tree)


def _leaves(node: Split | Leaf) -> list[int]:
    if isinstance(node, Leaf):
        return list(node.heap)
    return _leaves(node.left) + _leaves(node.right)


def _with_points(node: Node, here: np.ndarray | None, points: Points | None, tree: Tree) -> Node:
    """The node with what is known of its points, whose positions are `here`; None if unknown."""
    if here is None or points is None:
        return node
    table = points.table
    answered = _answered(tree, table, here)
    classes = _classes(table, here) if tree.predicts_label else ()
    counted = replace(node, count=len(here), wrong=answered.wrong, classes=classes)
    if points.columns is None:
        return counted
    rows = []
    for k in answered.order[:MOST_ROWS].tolist():
        point = int(here[k])
        name = table.ids[point] if table.ids else str(table.row_numbers[point])
        cells = (values[point] for values in points.columns.values())
        rows.append((name, *answered.cells(k), *cells))
    header = ("point" if table.ids else "row", *answered.header, *points.columns)
    return replace(counted, header=header, rows=tuple(rows))


def _classes(table: Table, here: np.ndarray) -> tuple[tuple[str, ...], ...]:
    """Of each class that is there: name, points and share."""
    counts = np.bincount(table.y[here], minlength=len(table.classes)).tolist()
    return tuple(
        (shown(name), str(count), f"{100 * count / len(here):.4g} %")
        for name, count in zip(table.classes, counts, strict=True)
        if count
    )


class _Answered(NamedTuple):
    """What some points are answered beside what they are: order int64 (n,), those that it fits
    least first; of each, in that order of positions, the cells under `header`."""

    order: np.ndarray
    header: tuple[str, ...]
    cells: Callable[[int], tuple[str, ...]]
    wrong: int | None = None


def _answered(tree: Tree, table: Table, here: np.ndarray) -> _Answered:
    given, y = tree.answers(table.inputs[here]), table.y[here]
    if tree.predicts_label:
        wrong = given != y

        def classes(k: int) -> tuple[str, ...]:
            mark = "wrong" if wrong[k] else ""
            return shown(table.classes[y[k]]), shown(tree.classes[given[k]]), mark

        order = np.argsort(~wrong, kind="stable")
        return _Answered(order, ("class", "given", ""), classes, int(wrong.sum()))
    if tree.answer.kind == "value" and np.issubdtype(y.dtype, np.floating):
        order = np.argsort(-np.abs(given - y), kind="stable")
        header = ("label", "predicted")
        return _Answered(order, header, lambda k: (short(float(y[k])), short(float(given[k]))))

    def answer(k: int) -> tuple[str, ...]:
        value = tree.answer.kind == "value"
        return (short(float(given[k])) if value else shown(tree.classes[given[k]]),)

    return _Answered(np.arange(len(here)), ("given",), answer)
