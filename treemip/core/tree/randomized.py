"""Trees whose splits send a point left with a probability: Amaldi, Consolo, Manno (2023)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.tree.routing import logistic, weighted_sum
from treemip.core.tree.splits import ByCategory
from treemip.core.tree.tree import Tree


@dataclass(frozen=True, repr=False)
class RandomizedTree(Tree):
    """A tree over p inputs that a point passes along every path, with the probability of (1).

    At branch t a point goes left with probability logistic(weights[t] . x - threshold[t]). A point
    is given the class with the greatest probability over all leaves, or the expected value; the
    leaf it `route`s to is the one it reaches most probably.
    """

    def chance_left(self, node: int, x: np.ndarray) -> np.ndarray:
        """The probability of going left at a branch, float64 (M,), of rows x float64 (M, p)."""
        return logistic(weighted_sum(x, self.weights[node]) - self.threshold[node])

    def goes_left(self, node: int, x: np.ndarray) -> np.ndarray:
        """Which rows go left at a branch with probability 1/2 or more, bool (M,)."""
        return np.asarray(weighted_sum(x, self.weights[node]) >= self.threshold[node])

    def applied(self, node: int) -> int:
        return node

    def by_category(self, node: int) -> ByCategory | None:
        return None

    def path(self, x: np.ndarray) -> np.ndarray:
        """The probability of passing each node, float64 (M, nodes)."""
        passed = np.zeros((len(x), self.topology.size))
        passed[:, 0] = 1.0
        for node in self.topology.branches:
            left = self.chance_left(int(node), x)
            passed[:, self.topology.left[node]] = passed[:, node] * left
            passed[:, self.topology.right[node]] = passed[:, node] * (1.0 - left)
        return passed

    def class_chances(self, x: np.ndarray) -> np.ndarray:
        """The probability of each class for encoded rows, float64 (M, K): leaf by leaf."""
        passed, chances = self.path(x), np.zeros((len(x), len(self.classes)))
        distribution = self.distribution
        for leaf in self.topology.leaves:
            chances += passed[:, leaf, None] * distribution[leaf]
        return chances

    def predict_numbers(self, x: np.ndarray) -> np.ndarray:
        """The most probable class of encoded rows, int64 (M,)."""
        return np.asarray(self.class_chances(x).argmax(axis=1))

    def values(self, x: np.ndarray) -> np.ndarray:
        """The expected value for encoded rows, float64 (M,): leaf by leaf."""
        passed, answer = self.path(x), self.value_answer
        expected = np.zeros(len(x))
        for leaf in self.topology.leaves.tolist():
            expected += passed[:, leaf] * answer.at(leaf, x)
        return expected
