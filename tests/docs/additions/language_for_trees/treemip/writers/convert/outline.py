"""A tree as an indented outline."""

from __future__ import annotations

from treemip.writers.convert.raw_splits import Branch, RawTree, features_of, paths


def outline(tree: RawTree) -> str:
    """A line for each node: the columns of a split, or the leaf's number."""
    lines = []
    for node, path in paths(tree.root):
        words = f"leaf {node.node}"
        if isinstance(node, Branch):
            words = ", ".join(f.column for f in features_of(node.split))
        lines.append(f"{'  ' * len(path)}{words}\n")
    return "".join(lines)
