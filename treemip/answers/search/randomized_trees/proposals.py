"""Oblique trees from which randomized ones begin: their splits say where probabilities change.

A tree's value is the spec's objective and constraints with probabilities of 0 and 1, as sums over
points; where an objective has no such sums, it is the number of errors. This ranks proposals only:
the value of a randomized tree comes from the model. `LabelRows` are rows over the labels of leaves
alone, such as "each class has a leaf".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.beginnings import Beginnings
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.sums import NoSums, Sums
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.tolerances import SAME_WORTH
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.tree_map import NO_CELLS, NONE, TreeMap


class LabelRows:
    """Linear rows whose variables are all labels. low, high float64 (R,): their bounds;
    each (R, L, K): what a leaf's class adds to them; constant (R,)."""

    def __init__(self, instance: Instance, stated: Model) -> None:
        topology = instance.nodes
        leaves, classes = topology.leaves, len(instance.table.classes)
        cells = TreeMap.of(instance).cells("label") or NO_CELLS
        self.low, self.high, matrix = self._rows(stated, cells.column)
        self.constant = matrix @ (-cells.constant / cells.rate)
        self.each = np.zeros((len(self.low), topology.size, classes))
        self.each[:, cells.at[0], cells.at[1]] = matrix / cells.rate
        self.each = self.each[:, leaves]

    @staticmethod
    def _rows(stated: Model, known: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bounds and dense matrix over columns `known`, different ones, of the rows that have no
        others."""
        number = np.full(stated.column_count, NONE)
        number[known] = np.arange(len(known))
        low, high, dense = [np.zeros(0)], [np.zeros(0)], [np.zeros((0, len(known)))]
        for block in stated.rows:
            rows = block.matrix
            if block.slots is not None or block.quadratic.count or not len(known):
                continue
            other = np.bincount(rows.row_of, number[rows.indices] < 0, rows.count)
            of_labels = np.flatnonzero((other == 0) & (np.diff(rows.indptr) > 0))
            entry = np.flatnonzero(np.isin(rows.row_of, of_labels))
            matrix = np.zeros((len(of_labels), len(known)))
            at = np.searchsorted(of_labels, rows.row_of[entry]), number[rows.indices[entry]]
            np.add.at(matrix, at, rows.data[entry])
            low.append(block.lower[of_labels])
            high.append(block.upper[of_labels])
            dense.append(matrix)
        return np.concatenate(low), np.concatenate(high), np.concatenate(dense)

    def mended(self, labels: np.ndarray, worth: np.ndarray) -> np.ndarray:
        """The labels int64 (L,) with as few changed, one by one, as it takes to keep the rows.

        worth float64 (L, K): of each label in each leaf, to be minimized; among changes that keep
        the rows equally well the cheapest is taken. No change helps: as far as it went.
        """
        labels, leaves = labels.copy(), np.arange(len(labels))
        while (broken := self.broken(labels)) > SAME_WORTH:
            sums = self.constant + self.each[:, leaves, labels].sum(axis=1)
            changed = sums[:, None, None] + self.each - self.each[:, leaves, labels][:, :, None]
            off = self._off(changed).sum(axis=0).round(9)
            if off.min() >= broken - SAME_WORTH:
                break
            price = worth - worth[leaves, labels][:, None]
            leaf, label = np.unravel_index(np.lexsort((price.ravel(), off.ravel()))[0], off.shape)
            labels[leaf] = label
        return labels

    def broken(self, labels: np.ndarray) -> float:
        """By how much labels int64 (L,) break the rows, summed."""
        sums = self.constant + self.each[:, np.arange(len(labels)), labels].sum(axis=1)
        return float(self._off(sums).sum())

    def _off(self, sums: np.ndarray) -> np.ndarray:
        shape = (-1,) + (1,) * (sums.ndim - 1)
        low, high = self.low.reshape(shape), self.high.reshape(shape)
        off: np.ndarray = np.maximum(low - sums, 0.0) + np.maximum(sums - high, 0.0)
        return off


# ------------------------------------------------------------------ trees to begin with

SWEEPS, ROUNDS = 1, 2
"""Of the alternation: more of them cost more time than the better trees are worth."""


class Proposals:
    """until: of the clock, when to stop. of_point int64 (N,): the number among `search.x`, the
    distinct points, of each."""

    def __init__(
        self, instance: Instance, stated: Model, rng: np.random.Generator, until: float
    ) -> None:
        x, self.of_point = instance.table.distinct
        self.sums = hard_sums(instance, self.of_point)
        self.search = Alternation(
            instance.nodes, x, self.sums, rng, until, inputs=Inputs.of(instance)
        )
        self.search.price = max(
            float(np.abs(self.sums.shared[:, :, 0]).max(initial=0.0)), SAME_WORTH
        )
        self.classes = (self.sums.sign * self.sums.shared[:, :, 0]).argmin(axis=1)
        self.label_rows = LabelRows(instance, stated)

    def fresh(self) -> list[Candidate]:
        """Random splits, and those improved."""
        return self._both(Beginnings(self.search).random_tree(self.classes))

    def beside(self, tree: Candidate) -> list[Candidate]:
        """Another tree with one split changed, and the same improved."""
        return self._both(Beginnings(self.search).perturbed(tree))

    def _both(self, tree: Candidate) -> list[Candidate]:
        """An improved tree has fewer errors and narrower gaps, which limited steepness may not
        pay for."""
        raw = tree.copy()
        self.search.relabelled(raw)
        self.search.improve(tree, -np.inf, SWEEPS, ROUNDS)
        return [self._mended(raw), self._mended(tree)]

    def labels(self, tree: Candidate, passed: np.ndarray) -> np.ndarray:
        """The best classes of leaves, int64 (L,), that points reach with these probabilities.

        passed float64 (M, nodes), of `search.x`. The tree's own where the objective is no sum over
        leaves.
        """
        sums = self.sums
        if not sums.additive:
            return tree.labels
        reach = passed[:, tree.topology.leaves]
        worth = sums.label[:, :, 0] + reach.T @ sums.shared[:, :, 0]
        if len(sums.local_rows):
            worth = worth + np.einsum("ml,mlk->lk", reach, sums.local[:, :, :, 0])
        worth = sums.sign * worth
        return self.label_rows.mended(worth.argmin(axis=1), worth)

    def _mended(self, tree: Candidate) -> Candidate:
        """With labels that keep the formulation's rows."""
        leaf = self.search.leaf_number[tree.ends(self.search.x)]
        worth = self.search.value(self.sums.constant + self.sums.by_leaf(leaf))
        tree.labels[:] = self.label_rows.mended(tree.labels, worth)
        return tree


def hard_sums(instance: Instance, of_point: np.ndarray) -> Sums:
    """The spec's sums, or those of its constraints and the number of errors, or of errors alone."""
    try:
        return sums_of(instance, of_point)
    except (NoSums, TreemipError):
        spec = replace(instance.spec, objective=None)
    try:
        sums = sums_of(replace(instance, spec=spec), of_point)
    except (NoSums, TreemipError):
        sums = sums_of(replace(instance, spec=replace(spec, constraints=())), of_point)
    shared = sums.shared.copy()
    count, classes = shared.shape[:2]
    of_class = np.zeros((count, classes))
    np.add.at(of_class, (of_point, instance.table.y), 1.0)
    shared[:, :, 0] = of_class.sum(axis=1, keepdims=True) - of_class
    return replace(sums, shared=shared, sign=1.0)
