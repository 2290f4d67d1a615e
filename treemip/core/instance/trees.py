"""Binary trees as tables: the topology, and declared families such as BinOCT's codes.

A forest's nodes are numbered through all its trees, tree after tree, each from its root down,
level by level. `heap` is a node's number within its tree: root 1, children 2h and 2h+1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treemip.core.model.arrays import Ragged
from treemip.core.resolve.settings.topology import drawn, of_depth
from treemip.core.source.span import Span


@dataclass(frozen=True)
class Forest:
    """Arrays over all nodes, int64; left, right and parent are -1 where there is none."""

    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    depth: np.ndarray
    heap: np.ndarray
    family: np.ndarray
    families: int = 1
    values: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.parent)

    @cached_property
    def is_leaf(self) -> np.ndarray:
        return self.left < 0

    @cached_property
    def leaves(self) -> np.ndarray:
        return np.flatnonzero(self.is_leaf)

    @cached_property
    def branches(self) -> np.ndarray:
        return np.flatnonzero(~self.is_leaf)

    @cached_property
    def last_branches(self) -> np.ndarray:
        """Branches both of whose children are leaves."""
        b = self.branches
        return b[self.is_leaf[self.left[b]] & self.is_leaf[self.right[b]]]

    def children(self, branch: int) -> tuple[int, int]:
        """The left and the right one."""
        return int(self.left[branch]), int(self.right[branch])

    def upwards(self, node: int) -> list[int]:
        """The node, its parent, and so on to the root."""
        path = [node]
        while (above := int(self.parent[path[-1]])) >= 0:
            path.append(above)
        return path

    @cached_property
    def left_children(self) -> np.ndarray:
        return np.sort(self.left[self.branches])

    @cached_property
    def right_children(self) -> np.ndarray:
        return np.sort(self.right[self.branches])

    @cached_property
    def roots(self) -> np.ndarray:
        """The root of each tree, in the order of families; -1 for an empty tree."""
        roots = np.full(self.families, -1)
        top = np.flatnonzero(self.parent < 0)
        roots[self.family[top]] = top
        return roots

    @cached_property
    def inner(self) -> Ragged:
        """Branches of each tree of the family."""
        b = self.branches
        return Ragged.from_pairs(self.family[b], b, self.families)

    @cached_property
    def max_inner_depth(self) -> np.ndarray:
        """Greatest depth of a branch of each tree; -1 for a tree without branches."""
        deepest = np.full(self.families, -1)
        np.maximum.at(deepest, self.family[self.branches], self.depth[self.branches])
        return deepest

    @cached_property
    def _climbs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All (node, proper ancestor, side) with side -1 left, +1 right, nearest ancestor first."""
        nodes, above, sides = [], [], []
        node = below = np.arange(self.size)
        while len(node):
            up = self.parent[below]
            keep = up >= 0
            node, below, up = node[keep], below[keep], up[keep]
            nodes.append(node)
            above.append(up)
            sides.append(np.where(self.left[up] == below, -1, 1))
            below = up
        return np.concatenate(nodes), np.concatenate(above), np.concatenate(sides)

    @cached_property
    def ancestors(self) -> Ragged:
        """Proper ancestors of each node, from the root down."""
        return self._climb(0)

    @cached_property
    def left_ancestors(self) -> Ragged:
        """Ancestors whose left branch leads to the node, from the root down."""
        return self._climb(-1)

    @cached_property
    def right_ancestors(self) -> Ragged:
        return self._climb(1)

    def _climb(self, side: int) -> Ragged:
        node, above, sides = (a[::-1] for a in self._climbs)
        keep = np.ones(len(node), bool) if side == 0 else sides == side
        return Ragged.from_pairs(node[keep], above[keep], self.size)

    def _under(self, chosen: np.ndarray) -> Ragged:
        """Chosen nodes at or below each node."""
        node, above, _ = self._climbs
        wanted = np.zeros(self.size, bool)
        wanted[chosen] = True
        keep = wanted[node]
        tops = np.concatenate([above[keep], chosen])
        lows = np.concatenate([node[keep], chosen])
        order = np.lexsort((self._left_to_right[lows], tops))
        return Ragged.from_pairs(tops[order], lows[order], self.size)

    @cached_property
    def _left_to_right(self) -> np.ndarray:
        """A key that orders the nodes of a tree from left to right at whatever depth."""
        return (self.heap + 0.5) / 2.0**self.depth

    @cached_property
    def leaves_under(self) -> Ragged:
        """Leaves at or below each node, from left to right."""
        return self._under(self.leaves)

    @cached_property
    def last_branches_under(self) -> Ragged:
        return self._under(self.last_branches)


# ------------------------------------------------------------------------------------- topologies


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
    relatives = [
        [position.get(h, -1) for h in (int(x) // 2, 2 * int(x), 2 * int(x) + 1)] for x in heap
    ]
    parent, left, right = np.array(relatives, np.int64).T
    depth = np.array([int(h).bit_length() - 1 for h in heap], np.int64)
    return Forest(parent, left, right, depth, heap.astype(np.int64), np.zeros(size, np.int64))
