"""A randomized tree as text: the probability of going left, and what leaves predict."""

from __future__ import annotations

import numpy as np

from treemip.source.render import visible
from treemip.tree.randomized import RandomizedTree
from treemip.tree.split_words import scaling, short, sum_text


def draw(tree: RandomizedTree, counts: np.ndarray | None = None) -> str:
    """The tree from the root down, without a final line end.

    counts int64 (nodes, classes): points of each class in the leaf they reach most probably.
    """
    lines: list[str] = []
    _node(tree, 0, "", "", lines, counts)
    used = np.flatnonzero((tree.weights != 0).any(axis=0))
    notes = [line for j in used for line in scaling(tree, int(j))]
    drawn = [*lines, *(["", "scaled:"] if notes else []), *notes]
    return "\n".join(visible(line.replace("\r", "\\r").replace("\n", "\\n")) for line in drawn)


def _node(
    tree: RandomizedTree,
    node: int,
    lead: str,
    below: str,
    lines: list[str],
    counts: np.ndarray | None,
) -> None:
    if tree.topology.is_leaf[node]:
        lines.append(lead + leaf_text(tree, node, counts))
        return
    lines.append(lead + split_text(tree, node))
    left, right = int(tree.topology.left[node]), int(tree.topology.right[node])
    _node(tree, left, f"{below}├─ left:  ", f"{below}│  ", lines, counts)
    _node(tree, right, f"{below}└─ right: ", f"{below}   ", lines, counts)


def split_text(tree: RandomizedTree, node: int) -> str:
    """`left with probability logistic(85.333 petal_width - 512)`."""
    weights, threshold = tree.weights[node], float(tree.threshold[node])
    used = np.flatnonzero(weights)
    if not len(used):
        return f"left with probability {short(float(tree.chance_left(node, weights[None])[0]))}"
    constant = f" {'-' if threshold > 0 else '+'} {short(abs(threshold))}" if threshold else ""
    return f"left with probability logistic({sum_text(tree, weights, used)}{constant})"


def leaf_text(tree: RandomizedTree, node: int, counts: np.ndarray | None = None) -> str:
    """`setosa`, or `setosa 0.9, virginica 0.1`; what is below 0.0005 is left out."""
    chances = tree.distribution[node]
    order = [k for k in np.argsort(-chances, kind="stable") if chances[k] >= 5e-4]
    sure = len(order) == 1
    text = ", ".join(
        tree.classes[k] if sure else f"{tree.classes[k]} {chances[k]:.3g}" for k in order
    )
    if counts is None:
        return text
    total = int(counts[node].sum())
    return f"{text}  (most probable for {total} point{'s' * (total != 1)})"
