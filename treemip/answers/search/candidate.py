"""A tree under search, and the shape in which formulations have it.

A branch whose points all go one way applies no split. Formulations differ in where such a branch
sends its points (OCT right, S-OCT left), and some allow no split below it. So `canonical` moves the
splits that part points upwards; all other branches send their points the formulation's way, with
one class below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.instance.trees import Forest
from treemip.core.tree.splits import IN_SET, SET_THRESHOLD

AWAY = 1.0
"""Of the threshold of a branch without weights: what hyperplanes that are scaled to a big-M of 1
allow, as those of Zhu et al. (2020)."""


MOST_ROWS = 4
"""How many times as many rows a product takes at least as a copy of a row."""


@dataclass(frozen=True)
class Candidate:
    """weights float64 (nodes, p), threshold float64 (nodes,): a point goes left at branch t when
    weights[t] . x <= threshold[t]. labels int64 (L,): what each leaf answers, the number of a class
    or a row of `answers`; or float64 (L,), the values themselves, or float64 (L, K), shares of the
    classes. unsplit_left: where a branch
    without weights and with threshold 0 sends its points. answers float64 (K, 1 or 1 + inputs): the
    values that labels stand for, each a constant and what is added for a unit of each input."""

    topology: Forest
    weights: np.ndarray
    threshold: np.ndarray
    labels: np.ndarray
    unsplit_left: bool = True
    answers: np.ndarray | None = None

    @classmethod
    def empty(
        cls,
        topology: Forest,
        features: int,
        unsplit_left: bool = True,
        labels: np.ndarray | None = None,
        answers: np.ndarray | None = None,
    ) -> Candidate:
        """No splits, and labels (L,), which are 0 where they are None."""
        weights = np.zeros((topology.size, features))
        labels = np.zeros(len(topology.leaves), np.int64) if labels is None else labels.copy()
        return cls(topology, weights, np.zeros(topology.size), labels, unsplit_left, answers)

    def copy(self) -> Candidate:
        parts = (self.weights.copy(), self.threshold.copy(), self.labels.copy())
        return Candidate(self.topology, *parts, self.unsplit_left, self.answers)

    @property
    def values(self) -> np.ndarray | None:
        """What leaves answer, float64 (L, 1 or 1 + inputs), as rows of `answers`; None of classes
        and their shares."""
        if self.answers is not None:
            return self.answers[self.labels]
        return self.labels[:, None] if self.has_any_value and self.labels.ndim == 1 else None

    @property
    def has_any_value(self) -> bool:
        """Whether leaves may have any value or shares, so that a tree also stands for trees with
        other ones."""
        return self.answers is None and self.labels.dtype.kind == "f"

    @property
    def numbered_answers(self) -> np.ndarray:
        """The number of each leaf's answer among the different ones, in their order, int64 (L,)."""
        return np.unique(self.labels, axis=0, return_inverse=True)[1].reshape(-1)

    def shares(self, classes: int) -> np.ndarray:
        """Of the classes in each leaf, float64 (L, classes), where it answers a class or these."""
        return self.labels if self.labels.ndim == 2 else np.eye(classes)[self.labels]

    def send_left(self, node: int, categories: np.ndarray) -> None:
        """Makes a branch's split one by a set of categories, inputs int64 of one kept column."""
        self.weights[node] = 0.0
        self.weights[node, categories] = IN_SET
        self.threshold[node] = SET_THRESHOLD

    @property
    def leaf_class(self) -> np.ndarray:
        """Class numbers at leaves, -1 elsewhere, int64 (nodes,)."""
        classes = np.full(self.topology.size, -1)
        classes[self.topology.leaves] = self.labels
        return classes

    def unsplit(self, node: int) -> bool:
        """Where a branch without weights sends its points: by its threshold, 0 for the rule."""
        threshold = self.threshold[node]
        return bool(threshold > 0 or (threshold == 0 and self.unsplit_left))

    def without_touching(self) -> Candidate | None:
        """The tree with the hyperplanes of branches without weights AWAY from all points, on the
        side where these do not go; None where each branch has weights."""
        bare = [t for t in self.topology.branches if not self.weights[t].any()]
        if not bare:
            return None
        moved = self.copy()
        moved.threshold[bare] = [AWAY if self.unsplit(t) else -AWAY for t in bare]
        return moved

    def goes_left(self, node: int, x: np.ndarray) -> np.ndarray:
        """Which rows of x go left at a branch, bool."""
        return self.on_left(node, weighted(x, self.weights[node]))

    def on_left(self, node: int, value: np.ndarray) -> np.ndarray:
        """Which values of the weighted sum at a branch, float64, are on its left side, bool."""
        if not self.weights[node].any():
            return np.full(len(value), self.unsplit(node))
        left: np.ndarray = value <= float(self.threshold[node])
        return left

    def ends(self, x: np.ndarray, node: int = 0, rows: np.ndarray | None = None) -> np.ndarray:
        """The leaf below `node` that each row of x ends in, or each of `rows` int64 (R,), int64: a
        node of the topology."""
        ends = np.empty(len(x) if rows is None else len(rows), np.int64)
        waiting = [(node, np.arange(len(ends)))]
        while waiting:
            node, here = waiting.pop()
            if self.topology.is_leaf[node]:
                ends[here] = node
                continue
            value = weighted(x, self.weights[node], here if rows is None else rows[here])
            left = self.on_left(node, value)
            waiting += zip(self.topology.children(node), (here[left], here[~left]), strict=True)
        return ends


def is_left(
    x: np.ndarray, weights: np.ndarray, threshold: float, rows: np.ndarray | None = None
) -> np.ndarray:
    """Where weights . x <= threshold, bool (M,), for x float64 (M, p) and weights that are not 0;
    of `rows` int64 (R,), bool (R,).

    A single feature is compared without rounding that depends on the number of rows.
    """
    left: np.ndarray = weighted(x, weights, rows) <= threshold
    return left


def weighted(x: np.ndarray, weights: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    """weights . x of each row, or of `rows` int64 (R,), float64. A single feature is multiplied
    without a copy of the others, and without rounding that depends on the number of rows; with
    several, most rows are soon multiplied with the others."""
    used = np.flatnonzero(weights)
    if len(used) == 1:
        column = x[:, used[0]] if rows is None else x[rows, used[0]]
        return np.asarray(column * weights[used[0]])
    if not len(used):
        return np.zeros(len(x) if rows is None else len(rows))
    if rows is None or len(rows) * MOST_ROWS < len(x):
        return np.asarray((x if rows is None else x[rows]) @ weights)
    return np.asarray((x @ weights)[rows])


Label = int | float | np.ndarray
"""A class or a row of answers by its number, or a value, or shares of the classes."""


@dataclass(frozen=True)
class Split:
    """A split and what is on its sides: other splits, or the label of a leaf.

    weights float64 (p,): a point goes left where weights . x <= threshold.
    """

    weights: np.ndarray
    threshold: float
    left: Split | Label
    right: Split | Label


def canonical(tree: Candidate, x: np.ndarray, unsplit_left: bool) -> Candidate:
    """The same tree, as far as the points x (M, p) can tell; the tree itself where its topology has
    no room for that.

    unsplit_left: whether a branch without a split sends its points left.
    """
    bare = pruned(splits_of(tree), x)
    own = tree.labels, tree.answers
    placed = embedded(bare, tree.topology, x.shape[1], unsplit_left, *own)
    return tree if placed is None else placed


def splits_of(tree: Candidate, node: int = 0) -> Split | Label:
    """The splits below a node; a branch without weights is the side that it sends all points to."""
    topology = tree.topology
    if topology.is_leaf[node]:
        label = tree.labels[int(np.searchsorted(topology.leaves, node))]
        return label if label.ndim else label.item()
    left, right = topology.children(node)
    if not tree.weights[node].any():
        return splits_of(tree, left if tree.unsplit(node) else right)
    below = splits_of(tree, left), splits_of(tree, right)
    return Split(tree.weights[node], float(tree.threshold[node]), *below)


def pruned(part: Split | Label, x: np.ndarray, rows: np.ndarray | None = None) -> Split | Label:
    """The splits that part points x (M, p), or `rows` int64 (R,) of them, and the labels where they
    end."""
    rows = np.arange(len(x)) if rows is None else rows
    if not isinstance(part, Split) or not len(rows):
        while isinstance(part, Split):
            part = part.left
        return part
    left = is_left(x, part.weights, part.threshold, rows)
    if left.all() or not left.any():
        return pruned(part.left if left.all() else part.right, x, rows)
    below = pruned(part.left, x, rows[left]), pruned(part.right, x, rows[~left])
    return Split(part.weights, part.threshold, *below)


def embedded(
    part: Split | Label,
    topology: Forest,
    features: int,
    unsplit_left: bool = True,
    labels: np.ndarray | None = None,
    answers: np.ndarray | None = None,
) -> Candidate | None:
    """The splits in a topology, from its root down; None where it has no room for them.

    labels: any of the kind that the parts end in, numbers of classes where it is None. answers: as
    of a Candidate.
    """
    placed = Candidate.empty(topology, features, unsplit_left, labels, answers)
    return placed if _embed(part, placed, 0) else None


def _embed(part: Split | Label, placed: Candidate, node: int) -> bool:
    """Puts a part below a node of the topology; False where it has no room there."""
    topology = placed.topology
    if topology.is_leaf[node]:
        if isinstance(part, Split):
            return False
        placed.labels[int(np.searchsorted(topology.leaves, node))] = part
        return True
    sides = topology.children(node)
    if isinstance(part, Split):
        placed.weights[node], placed.threshold[node] = part.weights, part.threshold
        below = part.left, part.right
    else:
        below = part, part
    return all(_embed(one, placed, side) for one, side in zip(below, sides, strict=True))
