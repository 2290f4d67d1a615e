"""A tree as shapes: a box for each split and leaf, placed as a tidy tree, what holds on the way to
each above it, and title, legend and note around them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.core.tree.leaf_outcomes import Spread
from treemip.core.tree.tree import Tree
from treemip.writers.picture.boxes import (
    PAD,
    SMALL,
    WIDEST_CHANCES,
    Box,
    Names,
    names_of,
    split_box,
)
from treemip.writers.picture.contents import Leaf, Split, contents, leaves_below, shown, splits_of
from treemip.writers.picture.layout import BELOW, MARGIN, Placing, Size, place
from treemip.writers.picture.leaf_boxes import leaf_box, leaf_title
from treemip.writers.picture.shapes import (
    BRANCH,
    ELLIPSIS,
    FAINT,
    INK,
    LINE,
    PAPER,
    Group,
    Line,
    Path,
    Rect,
    Scene,
    Shape,
    Text,
    colour,
    fitted,
    moved,
    text_width,
    wrapped,
)
from treemip.writers.picture.style import PLAIN, Style

LINES, LINE_HEIGHT, THINNEST, WIDEST_EDGE = 3, 14.0, 1.2, 9.0
"""Lines of a condition, pixels from one to the next, and of an edge that few or all points take."""

TITLE, TITLE_HEIGHT = 18.0, 30.0


class _Node:
    """A split or leaf with its box, the lines of text above it, and its children by position."""

    def __init__(self, node: Split | Leaf, names: Names, style: Style, side: str, level: int):
        self.node, self.level = node, level
        self.box: Box = (
            split_box(node, names, style)
            if isinstance(node, Split)
            else leaf_box(node, names, style)
        )
        most = max(self.box.width, WIDEST_CHANCES)
        self.above = _few(side, most) if side else []
        self.children: tuple[int, int] | None = None

    @property
    def width(self) -> float:
        return max([self.box.width, *(text_width(line, SMALL) + 6 for line in self.above)])


def _few(text: str, most: float) -> list[str]:
    """A condition in at most LINES lines: a long list loses its end."""
    lines, parts = wrapped(text, most, SMALL), text.split(", ")
    while len(lines) > LINES and len(parts) > 1:
        parts.pop()
        lines = wrapped(f"{', '.join(parts)}, {ELLIPSIS}", most, SMALL)
    if len(lines) <= LINES:
        return lines
    return [*lines[: LINES - 1], fitted(" ".join(lines[LINES - 1 :]), most, SMALL)]


def scene_of(tree: Tree, counts: np.ndarray | None = None, style: Style = PLAIN) -> Scene:
    """The picture of a tree. counts int64 (nodes, n): points by leaf, as `Tree.counts`; those of
    the tree where they are left out."""
    root = contents(tree, counts, style)
    names = names_of(tree)._replace(scale=_scale(root))
    nodes: list[_Node] = []
    _listed(root, names, style, "", 0, nodes)
    high = [0.0] * (max(each.level for each in nodes) + 1)
    for each in nodes:
        high[each.level] = max(high[each.level], LINE_HEIGHT * len(each.above))
    sizes = [Size(e.width, e.box.size.height + high[e.level]) for e in nodes]
    placing = place(sizes, [each.children for each in nodes])
    groups = [
        _group(each, names, style, placing.centre[k], placing.top[k] + high[each.level])
        for k, each in enumerate(nodes)
    ]
    edges = list(_edges(nodes, placing, high))
    return _framed(root, names, style, placing, edges, groups, shown(tree.name))


def _scale(root: Split | Leaf) -> tuple[float, float]:
    """Between which numbers the bars of all leaves are."""
    found = []
    for leaf in leaves_below(root):
        if isinstance(leaf.outcome, Spread) and leaf.outcome.quartiles is not None:
            found += [*leaf.outcome.quartiles, *([] if leaf.value is None else [leaf.value])]
    if not found:
        return 0.0, 0.0
    room = 0.06 * (max(found) - min(found))
    return min(found) - room, max(found) + room


def _listed(
    node: Split | Leaf, names: Names, style: Style, side: str, level: int, nodes: list[_Node]
) -> int:
    """Append the node and all below it; returns its position."""
    at, one = len(nodes), _Node(node, names, style, side, level)
    nodes.append(one)
    if isinstance(node, Split):
        left, right = node.sides
        first = _listed(node.left, names, style, left, level + 1, nodes)
        one.children = first, _listed(node.right, names, style, right, level + 1, nodes)
    return at


def _edges(nodes: list[_Node], placing: Placing, high: list[float]) -> Iterator[Shape]:
    """Lines as wide as points are many, and above each box what holds on the way to it."""
    total = _count(nodes[0].node)
    for k, each in enumerate(nodes):
        below = placing.top[k] + high[each.level] + each.box.size.height
        for child in each.children or ():
            there = nodes[child]
            base = placing.top[child] + high[there.level]
            top = base - LINE_HEIGHT * len(there.above)
            share = (_count(there.node) or 0) / total if total else 0.0
            width = THINNEST + (WIDEST_EDGE - THINNEST) * share
            start, end = (placing.centre[k], below), (placing.centre[child], top - 3)
            # Down past the taller boxes of its level first, which a slanted line would cut.
            bend = (placing.centre[k], max(below, placing.top[child] - BELOW))
            if bend[1] > below:
                yield Path((start, bend, end), LINE, width)
            else:
                yield Line(*start, *end, width, LINE)
            for line, text in enumerate(there.above):
                y = top + LINE_HEIGHT * (line + 1) - 4
                yield Text(placing.centre[child], y, text, SMALL, middle=True)


def _count(node: Split | Leaf) -> int | None:
    return None if node.counts is None else int(node.counts.sum())


def _group(each: _Node, names: Names, style: Style, centre: float, y: float) -> Group:
    """The shapes of a box at its place."""
    size, node = each.box.size, each.node
    x = centre - size.width / 2
    shapes = [moved(shape, x, y) for shape in each.box.all_shapes(style.colours)]
    if isinstance(node, Split):
        frame: list[Shape] = [Rect(x, y, size.width, size.height, BRANCH, FAINT, 6)]
        return Group("split", (node.heap,), node.text, (*frame, *shapes))
    tone = FAINT if node.label is None else colour(node.label, style.colours)
    frame = [
        Rect(x, y, size.width, size.height, PAPER, INK),
        Rect(x, y, size.width, 5, tone, INK),
    ]
    return Group("leaf", node.heap, leaf_title(node, names, style), (*frame, *shapes))


# ---------------------------------------------------------------- around the tree


def _framed(
    root: Split | Leaf,
    names: Names,
    style: Style,
    placing: Placing,
    edges: list[Shape],
    groups: list[Group],
    name: str,
) -> Scene:
    """The tree below its title and above legend and note."""
    least = max(placing.width, 300.0 if style.title or style.note else 0.0)
    title = [shown(line) for line in wrapped(shown(style.title), least - 2 * MARGIN, TITLE, True)]
    title = title if style.title else []
    top = TITLE_HEIGHT * len(title)
    head: list[Shape] = [
        Text(MARGIN, MARGIN + TITLE_HEIGHT * k + 18, line, TITLE, True)
        for k, line in enumerate(title)
    ]
    foot, height = _foot(root, names, style, least, top + placing.height)
    texts = [shape for shape in (*head, *foot) if isinstance(shape, Text)]
    ends = [t.x + text_width(t.text, t.size, t.bold) + MARGIN for t in texts]
    width = max([placing.width, *ends])
    aside = (width - placing.width) / 2
    beside = [moved(shape, aside, top) for shape in edges]
    boxes = tuple(
        Group(g.kind, g.heap, g.title, tuple(moved(shape, aside, top) for shape in g.shapes))
        for g in groups
    )
    said = shown(style.title) or name
    place_of_root = placing.centre[0] + aside, placing.top[0] + top
    size = _scaled(style.size, width, height)
    return Scene(width, height, said, (*head, *beside, *foot), boxes, size, place_of_root)


def _foot(
    root: Split | Leaf, names: Names, style: Style, width: float, y: float
) -> tuple[list[Shape], float]:
    """The legend: classes with their colours, what lines and charts mean, and the note; and the
    height down to its end."""
    shapes: list[Shape] = []
    if len(names.classes) > 1 and isinstance(root, Split):
        x, y = MARGIN, y + 4
        for k, name in enumerate(names.classes):
            text = fitted(name, WIDEST_CHANCES, SMALL)
            wide = 14 + text_width(text, SMALL) + 16
            if x > MARGIN and x + wide > max(300.0, width):
                x, y = MARGIN, y + 16
            shapes.append(Rect(x, y, 9, 9, colour(k, style.colours), INK))
            shapes.append(Text(x + 14, y + 8, text, SMALL))
            x += wide
        y += 18
    notes = [(text, FAINT) for text in _legend(root, names, style)]
    notes += [(shown(style.note), INK)] if style.note else []
    for text, tone in notes:
        for line in wrapped(text, max(300.0, width) - 2 * MARGIN, SMALL):
            shapes.append(Text(MARGIN, y + 10, line, SMALL, colour=tone))
            y += LINE_HEIGHT
    return shapes, y + (PAD if shapes else 0)


def _legend(root: Split | Leaf, names: Names, style: Style) -> list[str]:
    """What lines, bars and charts mean, of those that the picture has."""
    if isinstance(root, Leaf):
        return []
    splits, leaves = splits_of(root), leaves_below(root)
    kinds = {names.kind for leaf in leaves if leaf.outcome is not None}
    words = [("width", _count(root) is not None), ("bars", any(s.terms for s in splits))]
    tables = [leaf.outcome for leaf in leaves if isinstance(leaf.outcome, dict)]
    estimated = any(one.estimate is not None for table in tables for one in table.values())
    received = "estimated" if estimated else "received"
    words += [
        (w, k in kinds) for w, k in (("strip", "number"), (received, "choice"), ("curve", "time"))
    ]
    points = style.say("points")  # words given by the user may have braces: no format
    found = [style.say(word).replace("{}", points) for word, there in words if there]
    against = ", ".join(dict.fromkeys(name for leaf in leaves for name in leaf.against))
    return found + ([style.say("against").replace("{}", against)] if against else [])


def _scaled(size: tuple[float, float] | None, width: float, height: float) -> tuple[float, float]:
    """Width and height of the picture, scaled to fit a size; 0 of it is any."""
    if size is None:
        return width, height
    wide, high = size
    scale = min(wide / width if wide else np.inf, high / height if high else np.inf)
    return round(width * scale, 1), round(height * scale, 1)
