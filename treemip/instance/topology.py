"""Topologies: the shape of the tree, complete or drawn with brackets."""

from __future__ import annotations

import numpy as np

from treemip.instance.trees import Forest
from treemip.resolve.settings.topology import drawn, of_depth
from treemip.source.span import Span


def complete(depth: int, span: Span) -> Forest:
    """All 2^depth leaves at the same depth. Raises TreemipError (E310)."""
    return from_heap(np.array(of_depth(depth, span)))


def shape(text: str, span: Span) -> Forest:
    """A tree drawn with brackets: `.` is a leaf, `(left right)` a branch. Raises E310."""
    return from_heap(np.array(drawn(text, span)))


def from_heap(heap: np.ndarray) -> Forest:
    """The tree whose nodes have these heap numbers, ascending; every branch has both children."""
    size = len(heap)
    position = {int(h): k for k, h in enumerate(heap)}
    found = [[position.get(h, -1) for h in (int(x) // 2, 2 * int(x), 2 * int(x) + 1)] for x in heap]
    parent, left, right = np.array(found, np.int64).T
    depth = np.array([int(h).bit_length() - 1 for h in heap], np.int64)
    return Forest(parent, left, right, depth, heap.astype(np.int64), np.zeros(size, np.int64))
