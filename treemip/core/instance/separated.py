"""Members of the sets that separators fill: supports of shattering inequalities, cuts of flows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from treemip.core.model.arrays import Ragged


def _none() -> Ragged:
    return Ragged(np.zeros(1, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True)
class Supports:
    """For each support its points on the left and on the right, by number.

    left, right: int64 items, as many rows each.
    """

    left: Ragged = field(default_factory=_none)
    right: Ragged = field(default_factory=_none)

    @property
    def count(self) -> int:
        return self.left.count


@dataclass(frozen=True)
class FlowCuts:
    """Cuts through points' flow networks: a unit enters at the root, follows edges of the tree and
    may leave for the sink at any node.

    points int64 (cuts,): whose flow. source_side: the nodes on the source's side, whose edges to
    the sink are cut. cut_left, cut_right: those of them whose edge to the left or right child is
    cut. int64 items, a row for each cut.
    """

    points: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    source_side: Ragged = field(default_factory=_none)
    cut_left: Ragged = field(default_factory=_none)
    cut_right: Ragged = field(default_factory=_none)

    @property
    def count(self) -> int:
        return len(self.points)
