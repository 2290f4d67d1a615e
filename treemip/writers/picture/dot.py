"""A tree in the language of Graphviz, for pictures that it lays out itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.core.tree.tree import Tree
from treemip.writers.convert.words import plus
from treemip.writers.picture.boxes import Names, names_of
from treemip.writers.picture.contents import Leaf, Split, contents, shown, term_text
from treemip.writers.picture.leaf_boxes import leaf_title
from treemip.writers.picture.shapes import FAINT, colour
from treemip.writers.picture.style import PLAIN, Style

PER_INCH, WIDEST = 96.0, 8.0
"""Pixels to an inch, and how wide the edge is that all points take."""


def dot(tree: Tree, counts: np.ndarray | None = None, style: Style = PLAIN) -> str:
    """A digraph; nodes are called n and their heap number. Lines of a label end in \\l."""
    root = contents(tree, counts, style)
    texts = [shown(text) for text in (style.title, style.note) if text]
    around = [f'  label={_quoted(*texts)}; labelloc="t";'] if texts else []
    if style.size is not None:
        inches = [f"{n / PER_INCH:.4g}" for n in (style.size[0] or 1e6, style.size[1] or 1e6)]
        around.append(f'  size="{",".join(inches)}!";')
    total = 0 if root.counts is None else int(root.counts.sum())
    lines = [
        f"digraph {_quoted(shown(tree.name))} {{",
        *around,
        '  node [shape=box, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=11];',
        *_node(root, names_of(tree), style, total),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node(node: Split | Leaf, names: Names, style: Style, total: int) -> Iterator[str]:
    if isinstance(node, Leaf):
        number, rest = leaf_title(node, names, style).split(": ", 1)
        label = _quoted(number, *rest.split("; "))
        tone = FAINT if node.label is None else colour(node.label, style.colours)
        yield f'  {_name(node)} [label={label}, color="{tone}", penwidth=3];'
        return
    look = 'style="rounded,filled", fillcolor="#f4f4f2"'
    yield f"  {_name(node)} [label={_quoted(*_lines(node, style))}, {look}];"
    for child, side in zip((node.left, node.right), node.sides, strict=True):
        share = int(child.counts.sum()) / total if total and child.counts is not None else 0.0
        width = f"{1 + (WIDEST - 1) * share:.2g}"
        yield f"  {_name(node)} -> {_name(child)} [label={_quoted(side)}, penwidth={width}];"
    yield from _node(node.left, names, style, total)
    yield from _node(node.right, names, style, total)


def _lines(split: Split, style: Style) -> list[str]:
    counted = [] if split.counts is None else [style.points(int(split.counts.sum()))]
    if not split.terms:
        return [split.head, *counted]
    terms = [term_text(term, not k, style) for k, term in enumerate(split.terms)]
    if split.chance:
        terms = ["logistic(", *terms, f"{plus(-split.constant, style.number)} )"]
    return [split.head, *terms, *counted]


def _name(node: Split | Leaf) -> str:
    return f"n{node.heap if isinstance(node, Split) else node.heap[0]}"


def _quoted(*lines: str) -> str:
    """A string of Graphviz; of several lines, each one to the left."""
    texts = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return f'"{texts[0]}"' if len(texts) == 1 else '"' + "".join(f"{t}\\l" for t in texts) + '"'
