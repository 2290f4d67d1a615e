"""What the columns of a candidate's points are: features, then the categories of kept columns.

A split by categories has the weight -1 for those of one column that go left, and the threshold
-1/2, as a `Tree` has it (`tree/splits.py`). Any other split has weights of features alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.tree.splits import IN_SET, SET_THRESHOLD


@dataclass(frozen=True)
class Inputs:
    """width: columns of the points; the first `features` are numbers. offsets int64
    (kept columns + 1,): where each kept column's categories begin behind the features; (1,) where
    splits cannot tell categories."""

    width: int
    features: int
    offsets: np.ndarray

    @classmethod
    def of(cls, instance: Instance) -> Inputs:
        table = instance.table
        kept = instance.splits_by_category and bool(table.categorical)
        offsets = table.categories.offsets if kept else np.zeros(1, np.int64)
        return cls(table.inputs.shape[1], table.x.shape[1], np.asarray(offsets, np.int64))

    @classmethod
    def plain(cls, features: int) -> Inputs:
        """Numbers alone."""
        return cls(features, features, np.zeros(1, np.int64))

    @property
    def columns(self) -> int:
        """How many kept columns splits may test."""
        return len(self.offsets) - 1

    def categories(self, column: int) -> np.ndarray:
        """The inputs that are a column's categories, int64."""
        return self.features + np.arange(self.offsets[column], self.offsets[column + 1])

    def in_set(self, weights: np.ndarray) -> np.ndarray:
        """The categories that go left, bool (..., V), for weights (..., inputs) of splits."""
        inside: np.ndarray = weights[..., self.features : self.features + self.offsets[-1]] != 0
        return inside

    def tested(self, in_set: np.ndarray) -> np.ndarray:
        """Which columns have one of these categories, bool (..., C), for bool (..., V)."""
        parts = [
            in_set[..., a:b].any(axis=-1)
            for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True)
        ]
        return np.stack(parts, axis=-1) if parts else np.zeros((*in_set.shape[:-1], 0), bool)

    def column_of(self, weights: np.ndarray) -> int:
        """The kept column that a split's weights (inputs,) test, -1 for none."""
        tested = np.flatnonzero(self.tested(self.in_set(weights)))
        return int(tested[0]) if len(tested) else -1

    def others(self, category: int) -> np.ndarray:
        """The other categories of an input's column, inputs int64."""
        column = int(np.searchsorted(self.offsets, category - self.features, side="right")) - 1
        of_column = self.categories(column)
        return of_column[of_column != category]

    def is_set(self, weights: np.ndarray, threshold: float) -> bool:
        """Whether a split sends a set of one column's categories left, and nothing else."""
        used = np.flatnonzero(weights)
        in_set = self.in_set(weights)
        return bool(
            len(used) == in_set.sum()
            and self.tested(in_set).sum() == 1
            and (weights[used] == IN_SET).all()
            and threshold == SET_THRESHOLD
        )

    def is_by_set(self, weights: np.ndarray) -> np.ndarray:
        """Whether splits are by categories, bool (...,), for weights (..., inputs)."""
        return np.asarray(self.in_set(weights).any(axis=-1))
