"""Oblique trees to make randomized ones of: their splits say where probabilities change.

A tree is worth what the spec's objective and constraints are with probabilities of 0 and 1, as
sums over points; where an objective has no such sums, it is worth its number of errors. That is a
proposal only: what a randomized tree is worth, the model says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.instance.instance import Instance
from treemip.model.model import Model
from treemip.search.alternate import Alternation
from treemip.search.beginnings import Beginnings
from treemip.search.candidate import Candidate
from treemip.search.inputs import Inputs
from treemip.search.label_rows import LabelRows
from treemip.search.sum_builder import NoSums, sums_of
from treemip.search.sums import Sums
from treemip.source.diagnostic import TreemipError

SWEEPS, ROUNDS = 1, 2
"""Of the alternation: more of them cost more time than the better trees are worth."""


class Proposals:
    """until: of the clock, when to stop. of_point int64 (N,): the number among `search.x`, the
    distinct points, of each."""

    def __init__(
        self, instance: Instance, stated: Model, rng: np.random.Generator, until: float
    ) -> None:
        assert instance.topology is not None
        x, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
        self.of_point = of_point.ravel()
        self.sums = hard_sums(instance, self.of_point)
        self.search = Alternation(
            instance.topology, x, self.sums, rng, until, inputs=Inputs.of(instance)
        )
        self.search.price = max(float(np.abs(self.sums.shared[:, :, 0]).max(initial=0.0)), 1e-9)
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
