"""A complete tree of any depth, for tests of pictures and pages."""

from __future__ import annotations

import numpy as np

from treemip.core.instance.trees import from_heap
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree


def deep(depth: int = 6) -> Tree:
    """A complete tree over one feature, whose leaves take turns."""
    nodes, inner = 2 ** (depth + 1) - 1, 2**depth - 1
    threshold = np.zeros(nodes)
    leaf = np.where(np.arange(nodes) >= inner, np.arange(nodes) % 2, -1)
    threshold[:inner] = np.arange(inner)
    weights = np.where(np.arange(nodes) < inner, 1.0, 0.0)[:, None]
    heap = from_heap(np.arange(1, nodes + 1))
    answer = ClassAnswer(leaf, ("no", "yes"))
    return Tree(
        heap, weights, threshold, False, answer, ("age",), counts=np.eye(nodes, 2, dtype=int)
    )
