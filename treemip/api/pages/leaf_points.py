"""The nodes of a tree as a page shows them: the rule that leads to each, and the points there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from treemip.instance.encoder import Encoder
from treemip.instance.table import Table, load_rows
from treemip.source.render import visible
from treemip.tree.draw import short
from treemip.tree.picture.contents import Leaf, Split, contents, shown
from treemip.tree.picture.scene import Names, leaf_title, names_of
from treemip.tree.raw_units import feature_of
from treemip.tree.tree import Tree

MOST_ROWS, MOST_COLUMNS = 100, 8
"""Points of a node that are listed, and the columns that are shown of them."""


@dataclass(frozen=True)
class Node:
    """heap: the first of its numbers. rule: what holds there, from the root down. rows: of the
    first points, those that it answers worst first. wrong: how many have another class than they
    are given, None where they are given no class of the label. count: how many there are."""

    heap: int
    title: str
    rule: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wrong: int | None
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
    answered = _answered(tree, table, here)
    listed = answered.order[:MOST_ROWS].tolist()
    rows = []
    for k in listed:
        point = int(here[k])
        name = table.ids[point] if table.ids else str(table.row_numbers[point])
        cells = (values[point] for values in points.columns.values())
        rows.append((name, *answered.cells(k), *cells))
    header = ("point" if table.ids else "row", *answered.header, *points.columns)
    return Node(heap, title, rule, header, tuple(rows), answered.wrong, len(here))


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
