"""The classes of an estimator and those of its tree, whose leaves have numbers of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.instance.categories import Levels
from treemip.core.instance.columns import column_of
from treemip.core.instance.encoded_table import Data
from treemip.core.tree.tree import Tree
from treemip.study.sklearn.errors import invalid


@dataclass(frozen=True)
class Leaves:
    """counts int64 (nodes, K): training points by the tree's classes. classes int64 (K,): the
    estimator's number of each class of the tree; size: the estimator's classes."""

    counts: np.ndarray
    classes: np.ndarray
    size: int

    @classmethod
    def of(cls, tree: Tree, data: Data, numbers: np.ndarray, size: int) -> Leaves:
        """The leaves of a tree on its training part; numbers, as `class_numbers` gives, for the
        estimator's `size` classes."""
        return cls(tree.counts_of(data.train.inputs, data.train.y), numbers, size)

    def chances(self, tree: Tree, x: np.ndarray) -> np.ndarray:
        """The probability of each of the estimator's classes for encoded rows, float64 (M, K)."""
        chances = np.zeros((len(x), self.size))
        chances[:, self.classes] = tree.class_chances(x)
        return chances


def class_numbers(levels: Levels, classes: np.ndarray) -> np.ndarray:
    """For each class of the table, its number among the estimator's classes (K,), int64.

    Raises E305 where two classes of the estimator are one in the table, as "1" and "1.0" are.
    """
    codes = levels.codes(column_of("y", label_values(classes)))
    numbers = np.full(len(levels.names), -1)
    for number, code in enumerate(codes.tolist()):
        if code >= 0 and numbers[code] >= 0:
            first, second = (str(classes[k]) for k in (numbers[code], number))
            message = f"treemip reads the classes {first!r} and {second!r} as one"
            raise invalid("E305", message, "rename one of them")
        if code >= 0:
            numbers[code] = number
    return numbers


def label_values(y: np.ndarray) -> np.ndarray:
    """Labels (N,) as a column: numbers, truth values as 0 and 1, or texts."""
    if y.dtype.kind == "b":
        return y.astype(np.int64)
    return y if y.dtype.kind in "iuf" else y.astype(str)
