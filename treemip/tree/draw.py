"""A tree as text: a line for each node, and the scaling of what splits of several features say.

Numbers are rounded to five digits; `Tree.to_json` has them exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.source.render import visible
from treemip.tree.split_words import scaling, split_text

if TYPE_CHECKING:
    from treemip.tree.tree import Tree


def draw(tree: Tree, counts: np.ndarray | None = None) -> str:
    """The tree from the root down, without a final line end; points that satisfy a split go left.

    counts int64 (nodes, classes): points of each class in each leaf, as `class_counts` gives.
    """
    lines: list[str] = []
    notes = _scalings(tree, _node(tree, 0, "", "", lines, counts))
    drawn = [*lines, *([""] if notes else []), *notes]
    return "\n".join(visible(line.replace("\r", "\\r").replace("\n", "\\n")) for line in drawn)


def class_counts(tree: Tree, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Points of each class in each node where they end, int64 (nodes, classes)."""
    counts = np.zeros((tree.topology.size, len(tree.classes)), np.int64)
    np.add.at(counts, (tree.route(x), y), 1)
    return counts


def _node(
    tree: Tree, node: int, lead: str, below: str, lines: list[str], counts: np.ndarray | None
) -> list[int]:
    """Append the node's line after `lead`, then its children, indented by `below`.

    The branches that are drawn.

    A branch without weights sends every row one way, so it is no split and what it leads to
    stands in its place: a node where the tree stops early is drawn as one leaf. So is a branch
    whose leaves all have one class, with the number of leaves beside it.
    """
    node = tree.applied(node)
    leaves = _leaves(tree, node)
    if len(set(tree.leaf_class[leaves].tolist())) == 1:
        lines.append(lead + _leaf_text(tree, leaves, counts))
        return []
    lines.append(f"{lead}{split_text(tree, node)}?")
    left, right = int(tree.topology.left[node]), int(tree.topology.right[node])
    return [
        node,
        *_node(tree, left, f"{below}├─ yes: ", f"{below}│  ", lines, counts),
        *_node(tree, right, f"{below}└─ no:  ", f"{below}   ", lines, counts),
    ]


def _leaves(tree: Tree, node: int) -> list[int]:
    """The leaves below a node that rows can reach, from left to right."""
    node = tree.applied(node)
    if tree.topology.is_leaf[node]:
        return [node]
    left, right = int(tree.topology.left[node]), int(tree.topology.right[node])
    return _leaves(tree, left) + _leaves(tree, right)


def _leaf_text(tree: Tree, leaves: list[int], counts: np.ndarray | None) -> str:
    """`virginica  (46 points: 45 virginica, 1 versicolor; 2 leaves)`: leaves of one class."""
    notes = [] if counts is None else [_counted(tree, counts[leaves].sum(axis=0))]
    notes += [f"{len(leaves)} leaves"] if len(leaves) > 1 else []
    return tree.classes[tree.leaf_class[leaves[0]]] + (f"  ({'; '.join(notes)})" if notes else "")


def _counted(tree: Tree, row: np.ndarray) -> str:
    """`46 points: 45 virginica, 1 versicolor`, the most frequent class first."""
    total = int(row.sum())
    if not total:
        return "no point"
    order = [k for k in np.argsort(-row, kind="stable") if row[k]]
    parts = ", ".join(f"{row[k]} {tree.classes[k]}" for k in order)
    return f"{total} point{'s' * (total != 1)}: {parts}"


def _scalings(tree: Tree, branches: list[int]) -> list[str]:
    """The scaling of the features that stand in splits of several."""
    used = np.zeros(len(tree.features), bool)
    for node in branches:
        here = tree.weights[node] != 0
        used |= here & (here.sum() > 1)
    lines = [line for j in np.flatnonzero(used) for line in scaling(tree, int(j))]
    return ["scaled in splits of several features:", *lines] if lines else []
