"""The splits of a tree by themselves: which way rows go at each branch, and where they end.

A split compares a weighted sum of a row's inputs with a threshold. One by categories is of this
form too, and is read back from its weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.core.instance.encoded_table import is_of_table
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.trees import Forest
from treemip.core.tree.known_ways import known
from treemip.core.tree.routing import weighted_sum

ROWS = 1 << 16
"""That are routed at a time."""

MOST = 3
"""Where no less than one row in so many passes a branch, all rows are held against it."""

IN_SET = -1.0
SET_THRESHOLD = IN_SET / 2
"""A split by categories of one column has the weight -1 for each that goes left and the threshold
-1/2: a row goes left when it has one of them. A row with a value that training did not have has
none and goes right."""


@dataclass(frozen=True)
class Splits:
    """The splits of a tree over p inputs: encoded features, and a 0/1 column for each category of
    kept columns.

    topology: the nodes. weights float64 (nodes, p), threshold float64 (nodes,): at branch t a
    point goes left when weights[t] . x <= threshold[t], or < where `strict`. weights[t] . x is
    `weighted_sum`, so a row goes the same way in every batch and on every machine.
    """

    topology: Forest
    weights: np.ndarray
    threshold: np.ndarray
    strict: bool

    def goes_left(self, node: int, x: np.ndarray) -> np.ndarray:
        """Which rows of x float64 (M, p) go left at a branch, bool (M,)."""
        return self._is_left(node, weighted_sum(x, self.weights[node]))

    def _is_left(self, node: int, value: np.ndarray) -> np.ndarray:
        """Where rows go left whose weighted sums at a branch are `value`, bool (M,)."""
        return value < self.threshold[node] if self.strict else value <= self.threshold[node]

    def applied(self, node: int) -> int:
        """The node itself, or the first below it that is a leaf or has weights to split by."""
        while not self.topology.is_leaf[node] and not self.weights[node].any():
            zero = self.threshold[node] > 0 if self.strict else self.threshold[node] >= 0
            node = int((self.topology.left if zero else self.topology.right)[node])
        return node

    def path(self, x: np.ndarray) -> np.ndarray:
        """Which nodes each row passes, bool (M, nodes)."""
        return known(x, ("path", *self._splits), lambda: self._path(x))

    @property
    def _splits(self) -> tuple[bytes | bool, ...]:
        """All that the ways of points depend on."""
        arrays = self.weights, self.threshold, self.topology.left, self.topology.right
        return type(self).__name__.encode(), *(array.tobytes() for array in arrays), self.strict

    def _path(self, x: np.ndarray) -> np.ndarray:
        passed = np.zeros((len(x), self.topology.size), bool)
        passed[:, 0] = True
        if is_of_table(x) and (np.count_nonzero(self.weights, axis=1) > 1).any():
            self._pass(x, passed, MOST * len(x))  # such sums of all rows are known
            return passed
        for start in range(0, len(x), ROWS):
            self._pass(x[start : start + ROWS], passed[start : start + ROWS])
        return passed

    def _pass(self, x: np.ndarray, passed: np.ndarray, most: int = MOST) -> None:
        """Fills in the nodes below the root that rows x float64 (M, p) pass, bool (M, nodes); all
        rows are held against a branch where no less than one in `most` passes it."""
        left, right = self.topology.left, self.topology.right
        for node in self.topology.branches.tolist():
            here = passed[:, node]
            if most * np.count_nonzero(here) >= len(x):  # in place, those elsewhere with them
                is_left = self.goes_left(node, x)
                np.logical_and(here, is_left, out=passed[:, left[node]])
                np.greater(here, is_left, out=passed[:, right[node]])
                continue
            rows, used = np.flatnonzero(here), np.flatnonzero(self.weights[node])
            seen = x[rows[:, None], used]
            is_left = self._is_left(node, weighted_sum(seen, self.weights[node, used]))
            passed[rows, left[node]] = is_left
            passed[rows, right[node]] = ~is_left

    def route(self, x: np.ndarray) -> np.ndarray:
        """The leaf each row of x float64 (M, p) reaches: a position among the nodes, int64 (M,)."""
        return known(x, ("route", *self._splits), lambda: self._route(x))

    def _route(self, x: np.ndarray) -> np.ndarray:
        leaves = self.topology.leaves
        ends: np.ndarray = leaves[self.path(x)[:, leaves].argmax(axis=1)]
        return ends

    def leaf_numbers(self, x: np.ndarray) -> np.ndarray:
        """The leaf of each encoded row by its heap number (root 1, children 2t and 2t+1)."""
        return self.topology.heap[self.route(x)]


@dataclass(frozen=True)
class ByCategory:
    """A split by the values of `column`; `left` is not empty, `right` may be."""

    column: str
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"{self.column} in {{{', '.join(self.left)}}}"

    def to_json(self) -> dict[str, Any]:
        return {"column": self.column, "left": list(self.left), "right": list(self.right)}


def read_by_category(
    encoder: Encoder | None, weights: np.ndarray, threshold: float
) -> ByCategory | None:
    """The split that weights float64 (p + categories,) and threshold are, or None for another."""
    used = np.flatnonzero(weights)
    if encoder is None or not len(used) or threshold != SET_THRESHOLD:
        return None
    at = len(encoder.names)
    for feature in encoder.kept:
        names = feature.categories
        if at <= used[0] and used[-1] < at + len(names) and (weights[used] == IN_SET).all():
            chosen = weights[at : at + len(names)] != 0
            sides = (
                tuple(name for name, left in zip(names, chosen, strict=True) if left == side)
                for side in (True, False)
            )
            return ByCategory(feature.column, *sides)
        at += len(names)
    return None
