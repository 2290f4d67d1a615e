"""Trees in the form that formulations have them: splits as high as they go, none where none part.

A branch whose points all go one way applies no split. Formulations differ in where such a branch
sends its points (OCT to the right, S-OCT to the left), and some let no split stand below a branch
without one. So the splits that part points are moved up, and the rest of the topology sends its
points the formulation's own way, with one class below.
"""

from __future__ import annotations

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.trees import Forest
from treemip.search.candidate import Candidate


@dataclass(frozen=True)
class Split:
    """A split that parts points, and the node of the searched tree that it stands at."""

    node: int
    left: Split | int
    right: Split | int


def canonical(tree: Candidate, x: np.ndarray, unsplit_left: bool) -> Candidate:
    """The same tree, as far as the points x (M, p) can tell; itself where its shape has no room.

    unsplit_left: whether a branch without a split sends its points left.
    """
    whole = _pruned(tree, 0, x, np.arange(len(x)))
    placed = Candidate.empty(tree.topology, x.shape[1], unsplit_left)
    if not _embed(tree, whole, placed, 0):
        return tree
    return placed


def _pruned(tree: Candidate, node: int, x: np.ndarray, rows: np.ndarray) -> Split | int:
    """The splits that part points, and the classes where they end."""
    topology = tree.topology
    if topology.is_leaf[node]:
        return int(tree.labels[int(np.searchsorted(topology.leaves, node))])
    left = tree.goes_left(node, x[rows])
    if not len(rows):
        return _pruned(tree, int(topology.left[node]), x, rows)
    sides = int(topology.left[node]), int(topology.right[node])
    if left.all() or not left.any():
        return _pruned(tree, sides[0] if left.all() else sides[1], x, rows)
    below = _pruned(tree, sides[0], x, rows[left]), _pruned(tree, sides[1], x, rows[~left])
    return Split(node, *below)


def _embed(tree: Candidate, part: Split | int, placed: Candidate, node: int) -> bool:
    """Puts a part below a node of the topology; False where it has no room there."""
    topology: Forest = tree.topology
    if topology.is_leaf[node]:
        if isinstance(part, Split):
            return False
        placed.labels[int(np.searchsorted(topology.leaves, node))] = part
        return True
    sides = int(topology.left[node]), int(topology.right[node])
    if isinstance(part, Split):
        placed.weights[node] = tree.weights[part.node]
        placed.threshold[node] = tree.threshold[part.node]
        below = part.left, part.right
    else:
        below = part, part
    return all(_embed(tree, one, placed, side) for one, side in zip(below, sides, strict=True))
