"""Two trees side by side, with marks on the nodes that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from treemip.writers.picture.shapes import (
    INK,
    PAPER,
    Group,
    Rect,
    Scene,
    Shape,
    Text,
    moved,
    text_width,
)

GAP, TOP, EDGE = 48.0, 44.0, 4.0
"""Pixels between the trees, above them, and of the frame around a marked node."""

CHIP = 16.0


@dataclass(frozen=True)
class Mark:
    """A kind of difference: its sign, its colour, and what it is called."""

    sign: str
    colour: str
    name: str


@dataclass(frozen=True)
class Side:
    """A tree's picture, its heading, and the mark of each node that has one, by heap number."""

    scene: Scene
    heading: str
    marks: Mapping[int, Mark]


def two_trees(old: Side, new: Side, title: str) -> Scene:
    """Both pictures in one, with what the marks mean below them."""
    width = max(old.scene.width, 24 + text_width(old.heading, 14.0, bold=True))
    sides = ((old, 0.0), (new, width + GAP))
    edges: list[Shape] = []
    groups: list[Group] = []
    for side, x in sides:
        edges.append(Text(x + 12, 26, side.heading, 14.0, bold=True))
        edges += [moved(shape, x, TOP) for shape in side.scene.edges]
        groups += [_placed(group, side.marks, x) for group in side.scene.groups]
    height = TOP + max(old.scene.height, new.scene.height)
    used = dict.fromkeys((*old.marks.values(), *new.marks.values()))
    right = 12.0
    for shape, end in _legend(used, height + 4):
        edges.append(shape)
        right = max(right, end)
    end = max(new.scene.width, 24 + text_width(new.heading, 14.0, bold=True))
    total = max(width + GAP + end, right + 12)
    return Scene(total, height + (36 if used else 0), title, tuple(edges), tuple(groups))


def _placed(group: Group, marks: Mapping[int, Mark], x: float) -> Group:
    """A node at its place, in a frame with a sign where it is marked."""
    shapes = tuple(moved(shape, x, TOP) for shape in group.shapes)
    mark = next((marks[n] for n in group.heap if n in marks), None)
    if mark is None:
        return replace(group, shapes=shapes)
    box = shapes[0]
    assert isinstance(box, Rect)
    frame = Rect(
        box.x - EDGE, box.y - EDGE, box.width + 2 * EDGE, box.height + 2 * EDGE, mark.colour, "", 7
    )
    chip = _chip(mark, box.x - CHIP / 2, box.y - CHIP / 2)
    title = f"{mark.name}: {group.title}"
    return replace(group, title=title, shapes=(frame, *shapes, *chip))


def _chip(mark: Mark, x: float, y: float) -> Iterator[Shape]:
    yield Rect(x, y, CHIP, CHIP, mark.colour, PAPER, 3)
    yield Text(x + CHIP / 2, y + CHIP - 4, mark.sign, 12.0, bold=True, middle=True, colour=PAPER)


def _legend(marks: Mapping[Mark, None], y: float) -> Iterator[tuple[Shape, float]]:
    """Each mark with its name, and how far right it ends."""
    x = 12.0
    for mark in marks:
        width = text_width(mark.name, 12.0)
        for shape in (*_chip(mark, x, y), Text(x + CHIP + 6, y + 12, mark.name, 12.0, colour=INK)):
            yield shape, x + CHIP + 6 + width
        x += CHIP + 6 + width + 20
