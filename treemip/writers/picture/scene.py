"""A tree as shapes: a box for each split and leaf, placed as a tidy tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treemip.core.tree.answers import are_numbers
from treemip.core.tree.tree import Tree
from treemip.writers.convert.draw import class_names
from treemip.writers.convert.words import points
from treemip.writers.picture.contents import Leaf, Split, contents, shown, term_text
from treemip.writers.picture.layout import BELOW, Size, place
from treemip.writers.picture.shapes import (
    BRANCH,
    FAINT,
    INK,
    PAPER,
    Group,
    Line,
    Rect,
    Scene,
    Shape,
    Text,
    colour,
    fitted,
    text_width,
    wrapped,
)

PAD, ROW, SIZE, SMALL = 9.0, 17.0, 13.0, 11.0
WIDEST, WIDEST_LEAF, WIDEST_CHANCES = 230.0, 150.0, 200.0
"""Pixels of a line of text, of a split, of a leaf and of one with probabilities or a sum, before it
is broken or shortened."""

BAR = 34.0
TERMS, LINES, CLASSES = 6, 4, 4
"""How many features of a split, lines of categories and classes of a leaf are shown."""


class Names(NamedTuple):
    """What the numbers of leaves stand for: the classes they choose from, those of points, and
    whether these are numbers."""

    classes: tuple[str, ...]
    counted: tuple[str, ...]
    numbers: bool


def names_of(tree: Tree) -> Names:
    counted = tuple(map(shown, tree.count_names))
    return Names(tuple(map(shown, class_names(tree))), counted, are_numbers(tree.classes))


class Box:
    """Rows of shapes that are added from the top; `size` once they are all there."""

    def __init__(self, least: float, widest: float) -> None:
        self.width, self.height, self.widest = least, PAD, widest
        self.shapes: list[Shape] = []

    def text(
        self, text: str, size: float = SIZE, bold: bool = False, x: float = 0.0, tone: str = INK
    ) -> None:
        text = fitted(text, self.widest - x, size, bold)
        self.height += ROW
        self.shapes.append(Text(PAD + x, self.height - 4, text, size, bold, False, tone))
        self.width = max(self.width, 2 * PAD + x + text_width(text, size, bold))

    @property
    def size(self) -> Size:
        return Size(self.width, self.height + PAD)


def scene_of(tree: Tree, counts: np.ndarray | None = None) -> Scene:
    """The picture of a tree. counts int64 (nodes, n): points by leaf, as `Tree.counts`; those of
    the tree where they are left out."""
    nodes: list[Split | Leaf] = []
    children: list[tuple[int, int] | None] = []
    _listed(contents(tree, counts), nodes, children)
    names = names_of(tree)
    boxes = [_split(n) if isinstance(n, Split) else _leaf(n, names) for n in nodes]
    placing = place([box.size for box in boxes], children)
    groups = []
    for k, (node, box) in enumerate(zip(nodes, boxes, strict=True)):
        x, y = placing.centre[k] - box.width / 2, placing.top[k]
        groups.append(_group(node, box, names, x, y))
    edges: list[Shape] = []
    for k, pair in enumerate(children):
        node = nodes[k]
        if pair is not None and isinstance(node, Split):
            below = placing.top[k] + boxes[k].size.height
            for child, answer in zip(pair, node.answers, strict=True):
                ends = placing.centre[k], below, placing.centre[child], placing.top[child]
                edges += _edge(*ends, answer)
    foot = _foot(nodes, placing.width, placing.height)
    height = placing.height + (6 + 14 * len(foot) if foot else 0)
    width = max([placing.width, *(24 + text_width(t.text, t.size) for t in foot)])
    return Scene(width, height, shown(tree.name), (*edges, *foot), tuple(groups))


def _listed(
    node: Split | Leaf, nodes: list[Split | Leaf], children: list[tuple[int, int] | None]
) -> int:
    """Append the node and all below it; returns its position."""
    at = len(nodes)
    nodes.append(node)
    children.append(None)
    if isinstance(node, Split):
        left = _listed(node.left, nodes, children)
        children[at] = left, _listed(node.right, nodes, children)
    return at


def _edge(x1: float, y1: float, x2: float, y2: float, answer: str) -> Iterator[Shape]:
    yield Line(x1, y1, x2, y2)
    # At half the gap between two levels, beside the line and not on it.
    share = min(1.0, BELOW / 2 / (y2 - y1))
    side = 1 if x2 >= x1 else -1
    x = x1 + (x2 - x1) * share + side * (text_width(answer, SMALL) / 2 + 5)
    yield Text(x, y1 + (y2 - y1) * share, answer, SMALL, middle=True, colour=FAINT)


def _foot(nodes: list[Split | Leaf], width: float, y: float) -> list[Text]:
    """What the bars of splits mean, where there are any."""
    if not any(isinstance(node, Split) and node.terms for node in nodes):
        return []
    text = "weights in raw units; bars: scaled weights, hollow if negative"
    lines = wrapped(text, max(200.0, width - 24), SMALL)
    return [Text(12, y + 8 + 14 * k, t, SMALL, colour=FAINT) for k, t in enumerate(lines)]


# ------------------------------------------------------------------------ boxes


def _split(split: Split) -> Box:
    box = Box(60, WIDEST)
    if not split.terms:
        lines = wrapped(split.question, WIDEST, SIZE)
        if len(lines) > LINES:
            lines = _some_items(split) if split.items else [*lines[: LINES - 1], "…"]
        for line in lines:
            box.text(line)
        return box
    before, behind = split.ends
    if before:
        box.text(before, SMALL, tone=FAINT)
    shown_terms = split.terms if len(split.terms) <= TERMS else split.terms[: TERMS - 1]
    for k, term in enumerate(shown_terms):
        hollow = term.weight < 0
        width = max(2.0, BAR * term.share)
        fill = PAPER if hollow else INK
        box.shapes.append(Rect(PAD + BAR - width, box.height + 4, width, 9, fill, INK))
        box.text(term_text(term, first=not k), x=BAR + 7)
    if len(shown_terms) < len(split.terms):
        box.text(f"and {len(split.terms) - len(shown_terms)} more", x=BAR + 7, tone=FAINT)
    box.text(behind, bold=True, x=BAR + 7)
    return box


def _some_items(split: Split) -> list[str]:
    """A set of categories in as many lines as there may be, the last one says how many more."""
    count = len(split.items)
    while count > 1:
        count -= 1
        items = ", ".join(split.items[:count])
        text = f"{split.head} {{{items} and {len(split.items) - count} more}}?"
        lines = wrapped(text, WIDEST, SIZE)
        if len(lines) <= LINES:
            break
    return lines


def _leaf(leaf: Leaf, names: Names) -> Box:
    box = Box(96, WIDEST_CHANCES if leaf.parts or leaf.chances is not None else WIDEST_LEAF)
    for line in _answer_lines(leaf):
        box.text(line, bold=True)
    total = None if leaf.counts is None else int(leaf.counts.sum())
    if total is not None:
        merged = f", {len(leaf.heap)} leaves" if len(leaf.heap) > 1 else ""
        likely = "most probable for " if leaf.likely else ""
        box.text(likely + points(total) + merged, SMALL, tone=FAINT)
    lines: list[tuple[int, str]] = []
    if leaf.chances is not None:
        lines = [(k, f"{100 * leaf.chances[k]:.3g} %") for k in _order(leaf.chances, 5e-4)]
    elif leaf.counts is not None and names.counted:
        lines = _counts(leaf.counts)
    box.height += 16 if lines else 0  # the bar of shares, as wide as the box: see `_group`
    most = CLASSES if len(lines) <= CLASSES else CLASSES - 1
    for k, number in lines[:most]:
        box.shapes.append(Rect(PAD, box.height + 5, 9, 9, colour(k), INK))
        box.text(f"{names.classes[k]}: {number}", SMALL, x=14)
    if len(lines) > most:
        box.text(f"and {len(lines) - most} more classes", SMALL, x=14, tone=FAINT)
    return box


def _answer_lines(leaf: Leaf) -> list[str]:
    """The class, or the value: a line for each addend, as many as a leaf has room for, and the
    last one, which is the constant."""
    if not leaf.parts:
        return [leaf.answer]
    if len(leaf.parts) <= TERMS:
        return list(leaf.parts)
    more = len(leaf.parts) - (TERMS - 1)
    return [*leaf.parts[: TERMS - 2], f"+ {more} more", leaf.parts[-1]]


def _counts(counts: np.ndarray) -> list[tuple[int, str]]:
    return [(k, str(int(counts[k]))) for k in _order(counts, 0.5)]


def _order(values: np.ndarray, least: float) -> list[int]:
    """Classes with at least so much, the most frequent first."""
    return [k for k in np.argsort(-values, kind="stable").tolist() if values[k] >= least]


def _group(node: Split | Leaf, box: Box, names: Names, x: float, y: float) -> Group:
    """The shapes of a box at its place."""
    size = box.size
    if isinstance(node, Split):
        frame: list[Shape] = [Rect(x, y, size.width, size.height, BRANCH, FAINT, 6)]
        shapes = [*frame, *(moved(shape, x, y) for shape in box.shapes)]
        return Group("split", (node.heap,), node.text, tuple(shapes))
    frame = [
        Rect(x, y, size.width, size.height, PAPER, INK),
        Rect(x, y, size.width, 5, FAINT if node.label is None else colour(node.label), INK),
    ]
    counts = node.counts if names.counted else None
    shares = counts if node.chances is None else node.chances
    if shares is not None and shares.sum() > 0:
        rows = 1 + (node.counts is not None)
        frame += _bar(shares, x + PAD, y + PAD + rows * ROW + 3, size.width - 2 * PAD)
    shapes = [*frame, *(moved(shape, x, y) for shape in box.shapes)]
    return Group("leaf", node.heap, leaf_title(node, names), tuple(shapes))


def _bar(shares: np.ndarray, x: float, y: float, width: float) -> Iterator[Rect]:
    """The share of each class, in the order of the classes in every leaf."""
    total = float(shares.sum())
    for k in np.flatnonzero(shares).tolist():
        part = width * float(shares[k]) / total
        yield Rect(x, y, part, 8, colour(k), INK)
        x += part


def leaf_title(leaf: Leaf, names: Names) -> str:
    """`leaf 4: setosa; 50 points: 50 setosa`, with every class that occurs."""
    number = ", ".join(map(str, leaf.heap))
    parts = [f"{'leaf' if len(leaf.heap) == 1 else 'leaves'} {number}: {leaf.answer}"]
    if leaf.chances is not None:
        order = _order(leaf.chances, 5e-4)
        colon = ":" * names.numbers
        parts.append(", ".join(f"{names.classes[k]}{colon} {leaf.chances[k]:.3g}" for k in order))
    if leaf.counts is not None:
        pairs = _counts(leaf.counts) if names.counted else []
        of = " of " if names.numbers else " "
        each = ", ".join(f"{count}{of}{names.counted[k]}" for k, count in pairs)
        parts.append(points(int(leaf.counts.sum())) + (f": {each}" if each else ""))
    return "; ".join(parts)


def moved(shape: Shape, x: float, y: float) -> Shape:
    """The shape so far to the right and down."""
    if isinstance(shape, Line):
        return Line(shape.x1 + x, shape.y1 + y, shape.x2 + x, shape.y2 + y)
    return replace(shape, x=shape.x + x, y=shape.y + y)
