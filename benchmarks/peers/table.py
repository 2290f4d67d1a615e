"""Read a CSV whose last column is the class, as fast as numpy can, for every peer alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Table:
    """x float64 (points, features); y int64 (points,), positions in the sorted classes."""

    x: np.ndarray
    y: np.ndarray
    class_count: int

    @property
    def points(self) -> int:
        return self.x.shape[0]

    @property
    def features(self) -> int:
        return self.x.shape[1]


def read(path: str | Path) -> Table:
    """The table of a numeric CSV with one heading line and the class in its last column."""
    cells = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    classes, y = np.unique(cells[:, -1], return_inverse=True)
    return Table(np.ascontiguousarray(cells[:, :-1]), y, len(classes))


def scaled(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Every column mapped linearly onto [low, high]; a constant column becomes low."""
    least = x.min(axis=0)
    spread = x.max(axis=0) - least
    spread[spread == 0] = 1
    return low + (high - low) * ((x - least) / spread)
