"""What papers report of a tree: errors by class, and how many splits and features it uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.tree.saved import texts, whole
from treemip.tree.tree import Tree


@dataclass(frozen=True)
class Score:
    """A tree on M points; each point counts one, whatever its weight.

    A point of a tree whose splits are probabilities takes the way to its most probable leaf.

    confusion int64 (K, K): points of the row's class that are given the column's, classes in the
    order of `classes`. `effective_splits` are branches that send points both ways, `leaves_used`
    leaves that points reach. `features` are the names of the features with a weight that is not
    0, by heap number of the branch; F_t in D'Onofrio et al. (2023).
    """

    classes: tuple[str, ...]
    confusion: np.ndarray
    effective_splits: int
    leaves_used: int
    features: dict[int, tuple[str, ...]]

    @property
    def points(self) -> int:
        return int(self.confusion.sum())

    @property
    def errors(self) -> int:
        return self.points - int(self.confusion.trace())

    @property
    def accuracy(self) -> float | None:
        """The share of points given their own class; None without points."""
        return 1 - self.errors / self.points if self.points else None

    @property
    def recall(self) -> tuple[float | None, ...]:
        """Of each class the share that is given it; None for a class without points."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=1))

    @property
    def precision(self) -> tuple[float | None, ...]:
        """Of the points given each class the share that are of it; None where none is given it."""
        return _shares(self.confusion.diagonal(), self.confusion.sum(axis=0))

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean recall of the classes that occur (D'Onofrio et al. 2023, BACC, for two)."""
        known = [r for r in self.recall if r is not None]
        return sum(known) / len(known) if known else None

    @property
    def features_used(self) -> int:
        """The sum of |F_t| over the branches t (D'Onofrio et al. 2023, Tables 9 to 12)."""
        return sum(len(names) for names in self.features.values())

    @property
    def weighted_splits(self) -> int:
        """Branches with a weight that is not 0: the effective splits of D'Onofrio et al. 2023, 3.

        They may send all points one way.
        """
        return sum(1 for names in self.features.values() if names)

    @property
    def distinct_features(self) -> tuple[str, ...]:
        """Features that some branch uses, in order of first use from the root down."""
        return tuple(dict.fromkeys(name for names in self.features.values() for name in names))

    def to_json(self) -> dict[str, Any]:
        return {
            "points": self.points,
            "errors": self.errors,
            "accuracy": self.accuracy,
            "balanced_accuracy": self.balanced_accuracy,
            "recall": dict(zip(self.classes, self.recall, strict=True)),
            "precision": dict(zip(self.classes, self.precision, strict=True)),
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
            "effective_splits": self.effective_splits,
            "weighted_splits": self.weighted_splits,
            "leaves_used": self.leaves_used,
            "features": {str(node): list(names) for node, names in self.features.items()},
            "features_used": self.features_used,
            "distinct_features": list(self.distinct_features),
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Score:
        """The inverse of `to_json`. Raises KeyError, TypeError or ValueError when malformed."""
        classes = texts(saved["classes"])
        counts = [[whole(count) for count in row] for row in saved["confusion"]]
        confusion = np.array(counts, np.int64).reshape(len(classes), len(classes))
        features = {int(node): texts(names) for node, names in saved["features"].items()}
        splits, leaves = whole(saved["effective_splits"]), whole(saved["leaves_used"])
        return cls(classes, confusion, splits, leaves, features)


def score(tree: Tree, x: np.ndarray, y: np.ndarray) -> Score:
    """The tree on encoded points: x float64 (M, inputs of the tree), y int64 (M,) class numbers."""
    size = len(tree.classes)
    predicted = tree.predict_numbers(x)
    confusion = np.bincount(y * size + predicted, minlength=size * size).reshape(size, size)
    topology = tree.topology
    leaves, branches = np.unique(tree.route(x)), topology.branches
    passed = np.zeros(topology.size, bool)
    passed[leaves] = True
    passed[topology.ancestors.take(leaves).items] = True
    both = passed[topology.left[branches]] & passed[topology.right[branches]]
    return Score(
        tree.classes,
        confusion,
        int(both.sum()),
        len(leaves),
        features_by_branch(tree),
    )


def features_by_branch(tree: Tree) -> dict[int, tuple[str, ...]]:
    """Names of the features that each branch weighs, by heap number, from the root down."""
    used = tree.weights != 0
    return {
        int(tree.topology.heap[t]): _weighed(tree, int(t), np.flatnonzero(used[t]))
        for t in tree.topology.branches
    }


def _weighed(tree: Tree, node: int, used: np.ndarray) -> tuple[str, ...]:
    by_category = tree.by_category(node)
    return (by_category.column,) if by_category else tuple(tree.features[j] for j in used)


def _shares(part: np.ndarray, whole: np.ndarray) -> tuple[float | None, ...]:
    return tuple(a / b if b else None for a, b in zip(part.tolist(), whole.tolist(), strict=True))


@dataclass(frozen=True)
class Sparsity:
    """How few features a tree uses: the indices of Amaldi, Consolo and Manno (2023, section 4.1).

    In percent of the features: those that a branch does not use, averaged over the branches
    (`local`, the paper's delta^L), and those that no branch uses (`everywhere`, delta^G).
    """

    local: float
    everywhere: float

    def to_json(self) -> dict[str, float]:
        return {"local": self.local, "global": self.everywhere}


def sparsity(tree: Tree) -> Sparsity:
    """Of a tree's weights; a feature is used where its weight is not 0."""
    unused = tree.weights[tree.topology.branches] == 0
    return Sparsity(100.0 * float(unused.mean()), 100.0 * float(np.all(unused, axis=0).mean()))
