"""A tree as text: a line for each node, what holds there and what the leaf answers.

Conditions, words and options are those of pictures. A split of several features is in the encoded
features, and notes below the tree tell how those are scaled. Numbers are rounded to five digits
unless others are asked for; `Tree.to_json` has them exactly.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.core.instance.encodings import Number
from treemip.core.instance.missing_columns import MISSING, part_of
from treemip.core.source.diagnostic import refused
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.raw_units import feature_of
from treemip.core.tree.tree import Tree
from treemip.writers.convert.phrases import answer_text, chance_text, weighted
from treemip.writers.convert.sides import both_signs
from treemip.writers.convert.words import on_one_line, short
from treemip.writers.picture.boxes import Names, names_of
from treemip.writers.picture.contents import Leaf, Split, contents, splits_of
from treemip.writers.picture.leaf_boxes import TIMES, counted_text
from treemip.writers.picture.style import PLAIN, Looks, Style, style_of

OF_PICTURES = ("size", "palette")
"""Options that a text has no use for."""


def style_of_text(looks: Looks) -> Style:
    """Raises E902 for a look that is none, or that only pictures have."""
    for look in OF_PICTURES:
        if looks.get(look) is not None:
            message = f"'{look}' does not apply to a tree as text"
            raise refused(message, "leave it out, or write a picture, such as .svg")
    return style_of(looks)


def drawing(tree: Tree, counts: np.ndarray | None = None, style: Style = PLAIN) -> str:
    """The tree from the root down, without a final line end.

    counts int64 (nodes, n): points in each leaf, as of `Tree.counts_of`; of a randomized tree, in
    the leaf they reach most probably. Without them, those of the tree.
    """
    root = contents(tree, counts, style)
    branches = [split.heap for split in splits_of(root)]
    notes = _scalings(tree, np.isin(tree.topology.heap, branches))
    lines = [
        *([style.title, ""] if style.title else []),
        *_Drawing(tree, style).below(root),
        *(["", *notes] if notes else []),
        *(["", style.note] if style.note else []),
    ]
    return "\n".join(map(on_one_line, lines))


class _Drawing:
    def __init__(self, tree: Tree, style: Style) -> None:
        self.tree, self.style = tree, style
        self.names: Names = names_of(tree)
        self.position = {heap: k for k, heap in enumerate(tree.topology.heap.tolist())}

    def below(self, node: Split | Leaf, above: str = "", lead: str = "") -> Iterator[str]:
        """The lines of a node and those under it. above: what holds there. lead: of its children's
        lines."""
        if isinstance(node, Leaf):
            yield f"{above}{': ' * bool(above)}{self._leaf(node)}"
            return
        yield ": ".join(filter(None, (above, self._asked(node)))) or self._root(node)
        left, right = self._sides(node)
        first, *more = self.below(node.left, left, f"{lead}│  ")
        yield f"{lead}├─ {first}"
        yield from more
        first, *more = self.below(node.right, right, f"{lead}   ")
        yield f"{lead}└─ {first}"
        yield from more

    def _root(self, node: Split) -> str:
        """`150 points`, or `every point`."""
        counts = node.counts
        return self.style.say("every point") if counts is None else self._points(counts)

    def _points(self, counts: np.ndarray) -> str:
        return self.style.points(int(counts.sum()))

    def _asked(self, node: Split) -> str:
        """Of a split that one column does not decide: its sum, or its probability."""
        at, number = self.position[node.heap], self.style.number
        if isinstance(self.tree, RandomizedTree):
            return chance_text(self.tree, at, self.style.say("left with probability"), number)
        if not node.terms:
            return ""
        return f"{self.style.say('sum')} = {weighted(self.tree, self.tree.weights[at], number)}"

    def _sides(self, node: Split) -> tuple[str, str]:
        if not node.terms or node.chance:
            return node.sides
        threshold = float(self.tree.threshold[self.position[node.heap]])
        sign = "<" if self.tree.strict else "<="
        return both_signs(self.style.say("sum"), sign, self.style.number(threshold))

    def _leaf(self, leaf: Leaf) -> str:
        """`virginica  (46 points: 45 virginica, 1 versicolor; 2 leaves)`: leaves of one answer."""
        style, notes = self.style, []
        if leaf.counts is not None and leaf.likely:
            notes.append(f"{style.say('most probable for')} {self._points(leaf.counts)}")
        elif leaf.counts is not None:
            notes.append(counted_text(leaf.counts, self.names, style))
        if len(leaf.heap) > 1:
            notes.append(f"{len(leaf.heap)} {style.say('leaves')}")
        return self._answer(leaf) + (f"  ({'; '.join(notes)})" if notes else "")

    def _answer(self, leaf: Leaf) -> str:
        if leaf.folded:
            return leaf.answer
        text = answer_text(self.tree, self.position[leaf.heap[0]], self.style.number)
        if self.names.kind == "time":
            return f"{self.style.say('hazard')} {TIMES} {text}"
        return text if leaf.value is None else f"{text} {self.style.unit}".rstrip()


# ------------------------------------------------------------------- scalings


def _scalings(tree: Tree, branches: np.ndarray) -> list[str]:
    """How the features in splits of several are scaled; of a randomized tree all that it uses."""
    used = tree.weights[branches] != 0
    randomized = isinstance(tree, RandomizedTree)
    if not randomized:
        used &= used.sum(axis=1, keepdims=True) > 1
    lines = [line for j in np.flatnonzero(used.any(axis=0)) for line in _scaling(tree, int(j))]
    head = "scaled:" if randomized else "scaled in splits of several features:"
    return [head, *lines] if lines else []


def _scaling(tree: Tree, j: int) -> Iterator[str]:
    """A line on how column j of x is scaled, if it is."""
    origin = feature_of(tree, j)
    if origin is None:
        return
    part, finish, place = part_of(origin[0].finish, origin[1])
    if not isinstance(finish, Number):
        return
    end = None if part is None else part.end
    lowest = part is not None and end is not None and part.lowest
    stated = [finish.described(short, end if lowest else None, None if lowest else end)]
    if part is not None:
        stated.append(f"{MISSING} becomes {short(part.missing[place])}")
    if text := ", ".join(filter(None, stated)):
        yield f"  {tree.features[j]}: {text}"
