"""Sets of points that several branches share, each solved once: the points left of one cut and
right of another are the same whichever cut comes first.

Sets are compared point by point, never by a hash alone, since a collision would make a false proof.
A cut of the root knows what was found by the cuts merged before it began, and what it finds itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.plans import Side

if TYPE_CHECKING:
    from treemip.answers.engines.separable import Separable

Key = tuple[int, bytes]


NOTHING = Side(-np.inf, np.inf)


@dataclass(frozen=True)
class Known:
    """Of a set: its best tree, or a bound alone; no tree is below `none_below`."""

    side: Side = NOTHING
    none_below: float = -np.inf

    def answers(self, goal: float, tolerance: float) -> bool:
        """Goals that different branches come to are the same but for rounding."""
        least = max(self.none_below, self.side.relaxed)
        return bool(np.isfinite(self.side.exact) or least >= goal - 0.5 * tolerance)


class Sets:
    """Some of them, in so many bytes."""

    def __init__(self, most: float) -> None:
        self.most, self.bytes = most, 0.0
        self.known: dict[Key, Known] = {}

    def keep(self, key: Key, depth: int, known: Known) -> None:
        """size: about what is held of a set by the kernel, its tree with it."""
        size = 8.0 * -(-len(key[1]) // 8) + (256 << (depth - 2))
        if key not in self.known:
            if self.bytes + size > self.most:
                return
            self.bytes += size
        self.known[key] = known

    def take(self, own: Sets) -> None:
        """All or nothing, so that the order within is nothing."""
        if self.bytes + own.bytes > self.most:
            return
        self.bytes += own.bytes
        for key, known in own.known.items():
            now = self.known.get(key, Known())
            if not np.isfinite(now.side.exact) and known.none_below > now.none_below:
                self.known[key] = known


class KnownSets:
    """Of a tree that is being solved: by all cuts of its root that are merged, and by the one that
    is evaluated."""

    def __init__(self, task: Separable, root: int, depth: int) -> None:
        self.task, self.depth = task, depth
        self.merged, self.own = Sets(task.known_bytes / 2), Sets(0.0)
        self.kind: dict[int, int] = {}
        first: dict[bytes, int] = {}
        self._tell_kinds(first, root, depth)

    def _tell_kinds(self, first: dict[bytes, int], node: int, depth: int) -> bytes:
        """The kind of each node: the first one with the same prices below it."""
        if depth == 0:
            return b""
        task, topology = self.task, self.task.problem.topology
        prices = (task.feature_price[task.number(node)] + 0.0).tobytes()
        for child in topology.children(node):
            prices += self._tell_kinds(first, child, depth - 1)
        self.kind[node] = first.setdefault(prices, node)
        return prices

    def begin(self) -> None:
        self.own = Sets(self.task.known_bytes / 2 / self.task.window)

    def solved(
        self, node: int, depth: int, rows: np.ndarray, goal: float, solve: Callable[[], Side]
    ) -> Side:
        """What `solve` finds for the points, unless it is known."""
        if depth < 2 or depth > self.depth - 2 or not len(rows):
            return solve()
        inside = np.zeros(len(self.task.most), bool)
        inside[rows] = True
        key = self.kind[node], np.packbits(inside).tobytes()
        known = self.own.known.get(key) or self.merged.known.get(key) or Known()
        if known.answers(goal, self.task.tolerance):
            side = known.side
            return side if side.exact < goal else Side(side.relaxed, np.inf)
        side = solve()
        side = replace(side, relaxed=max(side.relaxed, known.side.relaxed))
        if self.task.complete:
            least = side.exact if np.isfinite(side.exact) else goal
            self.own.keep(key, depth, Known(replace(side, bound=None), least))
        return side
