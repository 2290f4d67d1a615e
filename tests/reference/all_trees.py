"""All univariate trees of depth 1 to 3 on a few points, by what a spec can say of them.

Independent of everything in treemip. Trees that predict the same, use features equally often and
have as many leaves with points are one, so that depth 3 is within reach; what a spec's words are
worth on them is one numpy expression over all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

LeafKeeps = Callable[[np.ndarray], bool]
"""Whether a leaf may have the points of a mask, bool (N,)."""


@dataclass(frozen=True)
class Trees:
    """T trees of N points: predicted int64 (T, N), uses int64 (T, p), the splits on each feature,
    and leaves int64 (T,), those that have points. branches: of the topology."""

    predicted: np.ndarray
    uses: np.ndarray
    leaves: np.ndarray
    branches: int

    @cached_property
    def splits(self) -> np.ndarray:
        return np.asarray(self.uses.sum(axis=1))

    @cached_property
    def features(self) -> np.ndarray:
        return np.asarray((self.uses > 0).sum(axis=1))


class AllTrees:
    """The trees that a formulation has for the points x (N, p).

    BinOCT has a split at each branch, by a threshold between two values in the table. Elsewhere a
    branch may be without one, as are all branches below, and the points are in one leaf.
    """

    def __init__(
        self, formulation: str, x: np.ndarray, classes: int, leaf_keeps: LeafKeeps | None = None
    ) -> None:
        self.must_split = formulation == "binoct"
        self.x, self.classes, self.leaf_keeps = x, classes, leaf_keeps
        self.cuts = [(j, x[:, j] <= v) for j in range(x.shape[1]) for v in np.unique(x[:, j])[:-1]]
        self.labelled = classes ** np.arange(len(x))
        self.sizes = (*[classes] * len(x), *[8] * x.shape[1], 9)
        self.units = np.cumprod([1, *self.sizes[:-1]])
        self.known: dict[tuple[bytes, int], np.ndarray] = {}

    def of(self, rows: np.ndarray, depth: int) -> Trees:
        """All trees of that depth for the points of a mask; the others predict 0."""
        codes = self._codes(rows, depth)
        parts = codes[:, None] // self.units % np.array(self.sizes)
        predicted, uses, leaves = np.split(parts, [len(self.x), len(self.sizes) - 1], axis=1)
        return Trees(predicted, uses, leaves[:, 0], 2**depth - 1)

    def every(self, depth: int) -> Trees:
        return self.of(np.ones(len(self.x), bool), depth)

    def _codes(self, rows: np.ndarray, depth: int) -> np.ndarray:
        """Trees as numbers, which add up where trees are joined, int64 (T,)."""
        key = rows.tobytes(), depth
        if key not in self.known:
            self.known[key] = np.unique(np.concatenate(self._made(rows, depth)))
        return self.known[key]

    def _made(self, rows: np.ndarray, depth: int) -> list[np.ndarray]:
        if depth == 0:
            return [self._leaf(rows)]
        made = [np.zeros(0, np.int64)]
        if not self.must_split and len(self._leaf(rows & False)):
            made.append(self._leaf(rows))
        for feature, left in self.cuts:
            low, high = self._codes(rows & left, depth - 1), self._codes(rows & ~left, depth - 1)
            use = self.units[self.x.shape[0] + feature]
            made.append((low[:, None] + high + use).ravel())
        return made

    def _leaf(self, rows: np.ndarray) -> np.ndarray:
        if self.leaf_keeps is not None and not self.leaf_keeps(rows):
            return np.zeros(0, np.int64)
        labels = np.arange(self.classes if rows.any() else 1)
        occupied = self.units[-1] * int(rows.any())
        return np.asarray(labels * self.labelled[rows].sum() + occupied)
