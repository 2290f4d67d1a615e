"""Trees in the form that formulations have them: splits as high as they go, none where none part.

A branch whose points all go one way applies no split. Formulations differ in where such a branch
sends its points (OCT to the right, S-OCT to the left), and some let no split stand below a branch
without one. So the splits that part points are moved up, and the rest of the topology sends its
points the formulation's own way, with one class below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.instance.trees import Forest
from treemip.search.candidate import Candidate, is_left


@dataclass(frozen=True)
class Split:
    """A split and what is on its sides: other splits, or the number of a class.

    weights float64 (p,): a point goes left where weights . x <= threshold.
    """

    weights: np.ndarray
    threshold: float
    left: Split | int
    right: Split | int


def canonical(tree: Candidate, x: np.ndarray, unsplit_left: bool) -> Candidate:
    """The same tree, as far as the points x (M, p) can tell; itself where its shape has no room.

    unsplit_left: whether a branch without a split sends its points left.
    """
    placed = embedded(pruned(splits_of(tree), x), tree.topology, x.shape[1], unsplit_left)
    return tree if placed is None else placed


def splits_of(tree: Candidate, node: int = 0) -> Split | int:
    """The splits below a node; a branch without weights is the side that it sends all points to."""
    topology = tree.topology
    if topology.is_leaf[node]:
        return int(tree.labels[int(np.searchsorted(topology.leaves, node))])
    left, right = int(topology.left[node]), int(topology.right[node])
    if not tree.weights[node].any():
        return splits_of(tree, left if tree.unsplit(node) else right)
    below = splits_of(tree, left), splits_of(tree, right)
    return Split(tree.weights[node], float(tree.threshold[node]), *below)


def pruned(part: Split | int, x: np.ndarray) -> Split | int:
    """The splits that part points x (M, p), and the classes where they end."""
    if not isinstance(part, Split) or not len(x):
        while isinstance(part, Split):
            part = part.left
        return part
    left = is_left(x, part.weights, part.threshold)
    if left.all() or not left.any():
        return pruned(part.left if left.all() else part.right, x)
    below = pruned(part.left, x[left]), pruned(part.right, x[~left])
    return Split(part.weights, part.threshold, *below)


def embedded(
    part: Split | int, topology: Forest, features: int, unsplit_left: bool = True
) -> Candidate | None:
    """The splits in a topology, from its root down; None where it has no room for them."""
    placed = Candidate.empty(topology, features, unsplit_left)
    return placed if _embed(part, placed, 0) else None


def _embed(part: Split | int, placed: Candidate, node: int) -> bool:
    """Puts a part below a node of the topology; False where it has no room there."""
    topology = placed.topology
    if topology.is_leaf[node]:
        if isinstance(part, Split):
            return False
        placed.labels[int(np.searchsorted(topology.leaves, node))] = part
        return True
    sides = int(topology.left[node]), int(topology.right[node])
    if isinstance(part, Split):
        placed.weights[node], placed.threshold[node] = part.weights, part.threshold
        below = part.left, part.right
    else:
        below = part, part
    return all(_embed(one, placed, side) for one, side in zip(below, sides, strict=True))
