"""What trees are worth by sums over points, with the best labels, and which points a branch has."""

from __future__ import annotations

import time
from collections.abc import Iterator
from copy import copy
from functools import cached_property
from itertools import pairwise, product
from typing import Self

import numpy as np

from treemip.answers.search.candidate import Candidate, weighted
from treemip.answers.search.splits.grid_directions import grid_steps
from treemip.answers.search.splits.threshold_cut import Cuts
from treemip.answers.search.structure import Structure
from treemip.answers.search.sums import RowValue, Sums, Value
from treemip.core.instance.trees import Forest
from treemip.core.model.tolerances import ROUNDING
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.tree.category_form import CategoryForm
from treemip.core.tree.inputs import Inputs

MOST_LABELLINGS = 4096
HARD = 1e6  # price of a point that is too near to a hyperplane, in units of the objective


class TreeValues:
    """x float64 (M, p): the distinct points. price: what a unit of violation costs. gap: how far
    apart the points on the two sides of a hyperplane must be. counts float64 (M, K): the weight of
    each point under each class, for trees as CART grows them; where they are None, a point counts
    once under the class that is worth most. inputs: what the columns of x are, numbers where it is
    None. form: the variables of splits by categories, None where there are no such splits. barred:
    bool (nodes, features), features that branches must not be split by; None for none."""

    def __init__(
        self,
        topology: Forest,
        x: np.ndarray,
        sums: Sums,
        rng: np.random.Generator,
        until: float,
        univariate: bool = False,
        counts: np.ndarray | None = None,
        inputs: Inputs | None = None,
        form: CategoryForm | None = None,
    ) -> None:
        self.topology, self.x, self.sums = topology, x, sums
        self.inputs = Inputs.plain(x.shape[1]) if inputs is None else inputs
        self.features, self.form = self.inputs.features, form
        self.rng, self.until, self.price, self.gap = rng, until, 1.0, 0.0
        self.structure = Structure(sums, topology, self.inputs, form)
        self.univariate = univariate
        self.band, self.thorough, self.smooth = HARD, True, 0.0
        if counts is None:  # of the labels that points are worth most with
            best = (sums.sign * sums.shared[:, :, 0]).argmin(axis=1)
            counts = np.eye(sums.classes)[best]
        self.counts = counts
        self.leaf_number = self.structure.leaf_number
        self.barred: np.ndarray | None = None

    def count(self, sums: Sums) -> None:
        """Other sums over the same points from now on."""
        self.sums = sums
        self.structure = Structure(sums, self.topology, self.inputs, self.form)

    def sampled(self, size: int) -> Self:
        """The same over some of the points, drawn at random, with the gap and the price as they
        are."""
        some = np.sort(self.rng.choice(len(self.x), size, replace=False))
        sample = copy(self)
        for name in ("cuts", "steps", "_labellings"):
            sample.__dict__.pop(name, None)
        sample.x, sample.counts = self.x[some], self.counts[some]
        sample.count(self.sums.sampled(some))
        return sample

    @cached_property
    def cuts(self) -> Cuts:
        return Cuts(self.x, self.features)

    @cached_property
    def steps(self) -> np.ndarray:
        """Of the grids that the features' values are on, float64 (features,); 0 for no grid."""
        return grid_steps(self.x[:, : self.features])

    def empty(self) -> Candidate:
        """A tree without splits."""
        sums, features = self.sums, self.x.shape[1]
        return Candidate.empty(self.topology, features, True, sums.no_labels, sums.listed)

    def is_late(self) -> bool:
        return self.late

    @property
    def late(self) -> bool:
        return time.perf_counter() > self.until or asked_to_stop()

    def value(self, sums: np.ndarray) -> np.ndarray:
        objective, violation = self.sums.worth(sums)
        return objective + self.price * violation

    def value_of(self, rows: np.ndarray, base: np.ndarray) -> Value:
        """The value as a function of the sums of `rows` alone, int64; the others are as in `base`
        (R,). Only without functions of sums."""
        sums = self.sums
        others = np.setdiff1d(np.arange(sums.rows), rows)
        off = np.maximum(sums.low - base, 0.0) + np.maximum(base - sums.high, 0.0)
        constant = self.price * float((off / sums.scale)[others].sum())
        constant += sums.sign * float(base[0]) if 0 in others else 0.0
        return RowValue(
            np.where(rows == 0, sums.sign, 0.0),
            sums.low[rows],
            sums.high[rows],
            self.price / sums.scale[rows],
            constant,
        )

    def totals(self, tree: Candidate) -> np.ndarray:
        """The sums of a tree without what its splits add, float64 (R,)."""
        leaf = self.leaf_number[tree.ends(self.x)]
        added = self.sums.added(np.arange(len(self.x)), leaf, tree.labels)
        return self.sums.constant + self.sums.label_part(tree.labels) + added.sum(axis=0)

    def of_splits(self, tree: Candidate, leaf: np.ndarray) -> tuple[np.ndarray, float]:
        """What splits and leaves add to the sums, (R,), and the price of limits they break."""
        if not self.structure.size:
            return np.zeros(self.sums.rows), 0.0
        in_leaf = np.bincount(leaf, minlength=len(self.topology.leaves))
        added, broken = self.structure.of(tree, in_leaf)
        return added, self.price * broken

    def rows(self, tree: Candidate) -> np.ndarray:
        """All sums of a tree, float64 (R,)."""
        leaf = self.leaf_number[tree.ends(self.x)]
        rows: np.ndarray = self.totals(tree) + self.of_splits(tree, leaf)[0]
        return rows

    def worth(self, tree: Candidate) -> tuple[float, float]:
        """Objective, to be minimized, and violation, by the sums."""
        leaf = self.leaf_number[tree.ends(self.x)]
        added, broken = self.of_splits(tree, leaf)
        objective, violation = self.sums.worth(self.totals(tree) + added)
        return float(objective), float(violation) + broken

    def shape(self, tree: Candidate) -> bytes:
        """What trees have in common that break the same rows, but for where hyperplanes are: the
        ways of the points, the labels, and what each branch uses."""
        ends = self.leaf_number[tree.ends(self.x)]
        return ends.tobytes() + tree.labels.tobytes() + (tree.weights != 0).tobytes()

    def relabelled(self, tree: Candidate) -> float:
        """The best labels for the tree's routing, put into it; its value."""
        leaf = self.leaf_number[tree.ends(self.x)]
        by_leaf = self.sums.by_leaf(leaf)
        leaves, classes = by_leaf.shape[:2]
        added, broken = self.of_splits(tree, leaf)
        constant = self.sums.constant + added
        if self.sums.free_labels:
            worth = self.sums.sign * by_leaf[:, :, 0]
            tree.labels[:] = self.sums.choice.best(worth)
            tied = np.ptp(worth, axis=1) == 0
            if self._of_classes and tied.any():  # nothing here tells them apart; other rows may
                tree.labels[tied] = self._heaviest(leaf)[tied]
            total = constant + self.sums.labelled(by_leaf, tree.labels).sum(axis=0)
            return float(self.value(total)) + broken
        if classes**leaves <= MOST_LABELLINGS:
            every = self._labellings
            total = constant + by_leaf[np.arange(leaves), every].sum(axis=1)
            values = self.value(total)
            tree.labels[:] = every[values.argmin()]
            return float(values.min()) + broken
        if self._of_classes:
            self._put_heaviest(tree, leaf, by_leaf, constant)
        return self._relabelled_in_turn(tree, by_leaf, constant) + broken

    def best_labellings(self, tree: Candidate, most: int) -> Iterator[tuple[float, np.ndarray]]:
        """Values of a tree with other labels (L,) of the leaves that have points, and these labels,
        the best ones first; none where there are too many, or leaves may have any value."""
        leaf = self.leaf_number[tree.ends(self.x)]
        by_leaf = self.sums.by_leaf(leaf)
        leaves, classes = by_leaf.shape[:2]
        if self.sums.curve is not None or classes**leaves > MOST_LABELLINGS:
            return
        added, broken = self.of_splits(tree, leaf)
        total = self.sums.constant + added
        total = total + by_leaf[np.arange(leaves), self._labellings].sum(axis=1)
        values = self.value(total) + broken
        empty = np.bincount(leaf, minlength=leaves) == 0
        kept = np.flatnonzero((self._labellings[:, empty] == tree.labels[empty]).all(axis=1))
        for one in kept[np.argsort(values[kept], kind="stable")[:most]]:
            yield float(values[one]), self._labellings[one]

    @property
    def _of_classes(self) -> bool:
        return self.sums.answers.are_classes

    def _heaviest(self, leaf: np.ndarray) -> np.ndarray:
        """The heaviest class of each leaf, int64 (leaves,)."""
        leaves = len(self.topology.leaves)
        return np.array([np.bincount(leaf, own, leaves) for own in self.counts.T]).argmax(axis=0)

    def _put_heaviest(
        self, tree: Candidate, leaf: np.ndarray, by_leaf: np.ndarray, constant: np.ndarray
    ) -> None:
        """Each leaf's heaviest class into the tree, where that is better than its labels: from
        labels that are all the same, one leaf's at a time seldom helps the class that is worst off.
        """
        number, heaviest = np.arange(len(by_leaf)), self._heaviest(leaf)
        each = np.stack([tree.labels, heaviest])
        now, other = self.value(constant + by_leaf[number, each].sum(axis=1))
        if other < now:
            tree.labels[:] = heaviest

    @cached_property
    def _labellings(self) -> np.ndarray:
        leaves = range(len(self.topology.leaves))
        return np.array(list(product(range(self.sums.classes), repeat=len(leaves))))

    def _relabelled_in_turn(
        self, tree: Candidate, by_leaf: np.ndarray, constant: np.ndarray
    ) -> float:
        leaves, number = len(by_leaf), np.arange(len(by_leaf))
        total = constant + by_leaf[number, tree.labels].sum(axis=0)
        best = float(self.value(total))
        for _ in range(3):
            before = best
            for leaf in range(leaves):
                without = total - by_leaf[leaf, tree.labels[leaf]]
                values = self.value(without + by_leaf[leaf])
                tree.labels[leaf] = values.argmin()
                best = float(values.min())
                total = without + by_leaf[leaf, tree.labels[leaf]]
            if best >= before:
                break
        return best

    def members(self, tree: Candidate, node: int) -> np.ndarray:
        """The points that reach a branch, int64."""
        rows = np.arange(len(self.x))
        for branch, child in pairwise(reversed(self.topology.upwards(node))):
            left = self.topology.left[branch] == child
            rows = rows[self.on_left(tree, branch, rows) == left]
        return rows

    def on_left(self, tree: Candidate, node: int, rows: np.ndarray) -> np.ndarray:
        """Which points of a branch go left there, bool (rows,)."""
        return tree.on_left(node, weighted(self.x, tree.weights[node], rows))

    def matter(self, tree: Candidate, node: int, rows: np.ndarray) -> np.ndarray:
        """Which points of a branch are worth another on its other side, bool (rows,)."""
        if_left, if_right = self.on_sides(tree, node, rows)
        return (np.abs(if_left - if_right) > ROUNDING).any(axis=1)

    def on_sides(
        self, tree: Candidate, node: int, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What points of a branch add to the sums on its left and on its right side, float64
        (rows, R) each."""
        left, right = (tree.ends(self.x, child, rows) for child in self.topology.children(node))
        at_left = self.sums.added(rows, self.leaf_number[left], tree.labels)
        return at_left, self.sums.added(rows, self.leaf_number[right], tree.labels)
