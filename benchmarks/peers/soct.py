"""What every peer's S-OCT shares: the scaled points, big-M values and the tree's numbering.

Boutilier, Michini, Zhou (2023), eq. (1) with (5)-(7). Node t of the paper is position t - 1
here, so the left child of position t is 2t + 1 and the right one 2t + 2: over all branches
these are the slices `LEFT` and `RIGHT` of an axis of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from table import read, scaled

EPSILON = 0.005
LOW, HIGH = 0.00001, 0.99999
LEFT, RIGHT = slice(1, None, 2), slice(2, None, 2)


@dataclass(frozen=True)
class Soct:
    """x (points, features) in [LOW, HIGH]; y (points,) classes; big_m (points,), eq. (7)."""

    x: np.ndarray
    y: np.ndarray
    class_count: int
    big_m: np.ndarray
    branches: int
    leaves: int

    @property
    def nodes(self) -> int:
        return self.branches + self.leaves


def soct(path: str | Path, depth: int) -> Soct:
    """The data of the S-OCT baseline of that depth over the CSV at `path`."""
    table = read(path)
    x = scaled(table.x, LOW, HIGH)
    return Soct(x, table.y, table.class_count, x.max(axis=1) + 1, 2**depth - 1, 2**depth)
