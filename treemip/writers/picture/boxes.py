"""Boxes of splits: what is asked about, how many points come, and of a weighted sum its weights as
bars to either side of a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treemip.core.tree.answers import are_numbers
from treemip.core.tree.tree import Tree
from treemip.writers.convert.phrases import class_names
from treemip.writers.convert.words import plus
from treemip.writers.picture.contents import Split, shown, term_text
from treemip.writers.picture.layout import Size
from treemip.writers.picture.shapes import (
    FAINT,
    INK,
    MINUS,
    PLUS,
    Line,
    Rect,
    Shape,
    Text,
    colour,
    fitted,
    text_width,
)
from treemip.writers.picture.style import Style

PAD, ROW, SIZE, SMALL = 9.0, 17.0, 13.0, 11.0
WIDEST, WIDEST_SUM, WIDEST_LEAF, WIDEST_CHANCES = 230.0, 330.0, 190.0, 220.0
"""Pixels of a line of text, of a split, of one with weights, of a leaf and of one with more than
its class, before it is broken or shortened."""

TERMS, NAMELESS, HALF, THIN = 8, 40, 36.0, 4.0
"""Features of a sum that are named, those after them that have a thin bar each, and pixels: of the
longest bar to one side, and of a thin bar from one to the next."""


class Names(NamedTuple):
    """What the numbers of leaves stand for: the classes they choose from, those of points, and
    whether these are numbers. label: the column that values are of, where that is known. span: the
    longest time. scale: between which numbers all leaves have their bars."""

    classes: tuple[str, ...]
    counted: tuple[str, ...]
    numbers: bool
    label: str = ""
    kind: str = ""
    span: float = 0.0
    scale: tuple[float, float] = (0.0, 1.0)


def names_of(tree: Tree) -> Names:
    counted = tuple(map(shown, tree.count_names))
    label = tree.encoder.label if tree.encoder is not None else ""
    kind = tree.outcomes.kind if tree.outcomes is not None else ""
    span = tree.outcomes.span if tree.outcomes is not None else 0.0
    numbers = are_numbers(tree.classes)
    classes = tuple(map(shown, class_names(tree)))
    return Names(classes, counted, numbers, shown(label), kind, span)


class Box:
    """Rows of shapes that are added from the top; `size` once they are all there."""

    def __init__(self, least: float, widest: float) -> None:
        self.width, self.height, self.widest = least, PAD, widest
        self.shapes: list[Shape] = []
        self.bars: list[tuple[float, np.ndarray]] = []

    def text(
        self, text: str, size: float = SIZE, bold: bool = False, x: float = 0.0, tone: str = INK
    ) -> None:
        text = fitted(text, self.widest - x, size, bold)
        self.height += ROW
        self.shapes.append(Text(PAD + x, self.height - 4, text, size, bold, False, tone))
        self.width = max(self.width, 2 * PAD + x + text_width(text, size, bold))

    def bar(self, shares: np.ndarray) -> None:
        """The share of each class, as wide as the box will be."""
        if shares.sum() > 0:
            self.bars.append((self.height + 4, shares))
        self.height += 16

    def all_shapes(self, palette: tuple[str, ...]) -> Iterator[Shape]:
        yield from self.shapes
        for y, shares in self.bars:
            yield from _bar(shares, PAD, y, self.width - 2 * PAD, palette)

    @property
    def size(self) -> Size:
        return Size(self.width, self.height + PAD)


def _bar(
    shares: np.ndarray, x: float, y: float, width: float, palette: tuple[str, ...]
) -> Iterator[Rect]:
    """The share of each class, in the order of the classes in every box."""
    total = float(shares.sum())
    for k in np.flatnonzero(shares).tolist():
        part = width * float(shares[k]) / total
        yield Rect(x, y, part, 8, colour(k, palette), INK)
        x += part


def split_box(split: Split, names: Names, style: Style) -> Box:
    box = Box(60, WIDEST_SUM if split.terms else WIDEST)
    box.text(split.head, bold=not split.chance)
    if split.terms:
        _weights(box, split, style)
    if split.chance and split.terms:
        box.text(f"{plus(-split.constant, style.number)} )", x=2 * HALF + 8)
    if split.counts is not None:
        box.text(style.points(int(split.counts.sum())), SMALL, tone=FAINT)
        if names.counted and not split.chance:
            box.bar(split.counts)
    return box


def _weights(box: Box, split: Split, style: Style) -> None:
    """A row for each of the largest weights, thin bars for those after them, a line through 0."""
    named = split.terms if len(split.terms) <= TERMS else split.terms[: TERMS - 1]
    zero, top = PAD + HALF, box.height + 2
    if split.chance:
        box.text("logistic(", SMALL, x=2 * HALF + 8, tone=FAINT)
        top = box.height + 2
    for term in named:
        _weight(box, zero, box.height + 4, 9, term.weight, term.share)
        box.text(term_text(term, True, style), x=2 * HALF + 8)
    rest = split.terms[len(named) :]
    if rest:
        y, before = box.height + 4, box.height
        for term in rest[:NAMELESS]:
            _weight(box, zero, y, THIN - 1, term.weight, term.share)
            y += THIN
        box.text(f"{style.say('and')} {len(rest)} {style.say('more')}", SMALL, x=2 * HALF + 8)
        box.height = max(box.height, before + 4 + THIN * min(len(rest), NAMELESS))
    box.shapes.append(Line(zero, top, zero, box.height, 1, FAINT))


def _weight(box: Box, zero: float, y: float, high: float, weight: float, share: float) -> None:
    width = max(1.0, HALF * share)
    left, tone = (zero - width, MINUS) if weight < 0 else (zero, PLUS)
    box.shapes.append(Rect(left, y, width, high, tone))
