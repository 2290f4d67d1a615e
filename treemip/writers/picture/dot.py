"""A tree in the language of Graphviz, for pictures that it lays out itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.core.tree.tree import Tree
from treemip.writers.picture.contents import Leaf, Split, contents, shown, term_text
from treemip.writers.picture.scene import Names, leaf_title, names_of
from treemip.writers.picture.shapes import FAINT, colour


def dot(tree: Tree, counts: np.ndarray | None = None) -> str:
    """A digraph; nodes are called n and their heap number. Lines of a label end in \\l."""
    lines = [
        f"digraph {_quoted(shown(tree.name))} {{",
        '  node [shape=box, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=11];',
        *_node(contents(tree, counts), names_of(tree)),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node(node: Split | Leaf, names: Names) -> Iterator[str]:
    if isinstance(node, Leaf):
        number, rest = leaf_title(node, names).split(": ", 1)
        label = _quoted(number, *rest.split("; "))
        tone = FAINT if node.label is None else colour(node.label)
        yield f'  {_name(node)} [label={label}, color="{tone}", penwidth=3];'
        return
    style = 'style="rounded,filled", fillcolor="#f4f4f2"'
    yield f"  {_name(node)} [label={_quoted(*_lines(node))}, {style}];"
    for child, answer in zip((node.left, node.right), node.answers, strict=True):
        yield f'  {_name(node)} -> {_name(child)} [label="{answer}"];'
    yield from _node(node.left, names)
    yield from _node(node.right, names)


def _lines(split: Split) -> list[str]:
    if not split.terms:
        return [split.question]
    before, behind = split.ends
    terms = [term_text(term, first=not k) for k, term in enumerate(split.terms)]
    return [*([before] if before else []), *terms, behind]


def _name(node: Split | Leaf) -> str:
    return f"n{node.heap if isinstance(node, Split) else node.heap[0]}"


def _quoted(*lines: str) -> str:
    """A string of Graphviz; of several lines, each one to the left."""
    texts = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return f'"{texts[0]}"' if len(texts) == 1 else '"' + "".join(f"{t}\\l" for t in texts) + '"'
