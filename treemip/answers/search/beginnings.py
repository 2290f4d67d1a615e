"""Trees to begin a search with: CART's, random greedy ones, and known ones with a split changed."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.splits.category_sets import (
    CategorySet,
    exchanged,
    purest_set,
    random_set,
)
from treemip.answers.search.splits.hyperplane_step import FITTED, logistic_fit
from treemip.answers.search.splits.threshold_cut import Cut, best_labelled_cut, purest_cut
from treemip.answers.search.sums import Sums
from treemip.core.instance.encoded_table import Table
from treemip.core.model.tolerances import ROUNDING, SAME_WORTH

EXCHANGED = 0.5  # share of splits by categories that change by one category
FEW = 24  # cuts of single features, up to which random trees take each in turn at the root
LIMITED = 0.25  # share of random trees on some features, where limits rule out most others
PUREST = 0.5  # share of trees on some features that are grown as CART's, where these are limited
UNSPLIT_SHARE = (
    0.2  # share of perturbed trees that lose a split, where splits or leaves are counted
)


def class_weights(sums: Sums, table: Table, of_point: np.ndarray) -> np.ndarray | None:
    """The weight of each distinct point under each class, float64 (M, K); None where leaves answer
    something else."""
    if not sums.answers.are_classes:
        return None
    counts = np.zeros((sums.points, sums.classes))
    np.add.at(counts, (of_point, table.y), table.weight)
    return counts


def best_labels(sums: Sums, table: Table, of_point: np.ndarray) -> np.ndarray:
    """The label of each distinct point that is worth most, int64 (M,)."""
    own = sums.sign * sums.shared[:, :, 0]
    if sums.answers.are_classes and not np.ptp(own, axis=1).any():
        # functions of sums are all that counts
        own = np.zeros_like(own)
        np.add.at(own, (of_point, table.y), -1.0)
    return own.argmin(axis=1)


class Beginnings:
    """Trees for an alternation over its own points, by its random numbers."""

    def __init__(self, search: Alternation) -> None:
        self.search = search
        self.x, self.topology, self.rng = search.x, search.topology, search.rng
        self.inputs, self.features = search.inputs, search.features
        self._in_turn: list[tuple[int, float]] = []  # cuts of the root that are still to come

    @property
    def sums(self) -> Sums:
        return self.search.sums

    def purest_tree(
        self,
        toward: np.ndarray | None = None,
        sizes: tuple[np.ndarray, float] | None = None,
        among: np.ndarray | None = None,
    ) -> Candidate:
        """CART's tree: at each branch the cut of least Gini impurity, with the gap asked for; where
        leaves answer something else than classes, the one of the best objective if its sides were
        leaves, as the squared or absolute error of regression trees.

        toward: what a unit of each sum costs, float64 (R,). A point then weighs under each class
        what it costs not to have that label, as with weights of classes. sizes, among: as of
        `purest_cut`.
        """
        counts, tree = self.search.counts, self.search.empty()
        if toward is not None:
            worth = self.sums.shared @ toward
            counts = worth.max(axis=1, keepdims=True) - worth
        for node in self.topology.branches:
            rows = self.search.members(tree, int(node))
            self.search.put(tree, int(node), self._purest(rows, counts, sizes, among))
        self.search.relabelled(tree)
        return tree

    def _purest(
        self,
        rows: np.ndarray,
        counts: np.ndarray,
        sizes: tuple[np.ndarray, float] | None,
        among: np.ndarray | None,
    ) -> Cut | CategorySet:
        """The split of least Gini impurity, by a feature or a set of categories; none above points
        of one class. counts float64 (M, K): the weight of each point under each class."""
        if not self.sums.answers.are_classes:
            return self._worthiest(rows)
        if np.count_nonzero(counts[rows].sum(axis=0)) <= 1:
            return Cut(0.0, -1, 1.0)
        cut = purest_cut(self.search.cuts, rows, counts, self.search.gap, sizes, among)
        by_set = purest_set(self.inputs, self.x[rows], counts[rows])
        if by_set is not None and (cut is None or by_set.value < cut.value - ROUNDING):
            return by_set
        return Cut(0.0, -1, 1.0) if cut is None else cut

    def _worthiest(self, rows: np.ndarray) -> Cut:
        """The cut whose sides are worth most as leaves; none where no feature parts the points."""
        worth, free = self.sums.sign * self.sums.by_label(rows, 0), np.zeros(self.sums.classes)
        none, sides = np.zeros(self.features), ((worth, worth), (free, free))
        choice = self.sums.choice
        cut = best_labelled_cut(self.search.cuts, rows, *sides, none, self.search.gap, choice)
        whole = float(choice.least(worth.sum(axis=0)[None])[0])
        if cut is None or cut.value >= whole - SAME_WORTH:
            return Cut(0.0, -1, 1.0)
        return replace(cut, labels=None)

    def random_tree(self, classes: np.ndarray) -> Candidate:
        """Random greedy splits: logistic fits that part random groups of classes.

        classes int64 (M,): the class of each distinct point that counts most.
        """
        allowed = self.some_features() if self.rng.random() < LIMITED else None
        if allowed is not None and self.sums.answers.are_classes and self.rng.random() < PUREST:
            return self.purest_tree(among=allowed)
        tree = self.search.empty()
        support: np.ndarray | None = None
        for node in self.topology.branches:
            rows = self.search.members(tree, int(node))
            if len(rows) < 2:
                tree.threshold[node] = 1.0
                continue
            if self._put_random_set(tree, int(node), rows, classes):
                continue
            if not self.features:
                tree.threshold[node] = 1.0
                continue
            if self.search.univariate:
                first = node == 0 and bool(self.few_cuts) and allowed is None
                cut = self._root_cut() if first else self._random_cut(rows, allowed)
                tree.weights[node, cut[0]], tree.threshold[node] = 1.0, cut[1]
                continue
            weights, threshold = self._random_split(rows, classes)
            if self.budget is not None:
                number, one_for_all = self.budget
                if support is None or not one_for_all:
                    support = self._largest(weights, rows, number)
                weights, threshold = self._random_split(rows, classes, support)
            size = np.abs(weights).sum() + ROUNDING
            tree.weights[node], tree.threshold[node] = weights / size, threshold / size
        return tree

    def _put_random_set(
        self, tree: Candidate, node: int, rows: np.ndarray, classes: np.ndarray
    ) -> bool:
        """Whether a branch gets a random set: as often as a kept column is drawn from all
        columns."""
        columns = self.inputs.columns
        if not columns or self.rng.random() >= columns / (columns + self.features):
            return False
        chosen = random_set(self.inputs, self.x[rows], classes[rows], self.rng)
        if chosen is not None:
            tree.send_left(node, chosen)
        return chosen is not None

    @cached_property
    def budget(self) -> tuple[int, bool] | None:
        """How many features a branch may use, and whether all must use the same ones then; None
        where features are not limited."""
        features, branches = self.features, self.topology.branches
        if not self.search.structure.by_feature or not self.sums.limits[0].count:
            return None
        uses = np.zeros((self.topology.size, self.inputs.width), bool)
        in_leaf = np.ones(len(self.topology.leaves))
        most = 0
        for size in range(features, 0, -1):
            uses[branches, :features] = np.arange(features) < size
            if not self.sums.broken_limits(self.search.structure.columns(uses, in_leaf)):
                most = size
                break
        if most in (0, features):
            return None
        for k, branch in enumerate(branches):
            some = (np.arange(most) + k * most) % features
            uses[branch, :features] = np.isin(np.arange(features), some)
        apart = self.sums.broken_limits(self.search.structure.columns(uses, in_leaf)) > 0
        return most, bool(apart)

    def _largest(self, weights: np.ndarray, rows: np.ndarray, number: int) -> np.ndarray:
        """The features that count most along a direction, bool (p,)."""
        size = np.abs(weights) * (self.x[rows].std(axis=0) + ROUNDING)
        return np.isin(np.arange(len(weights)), np.argsort(-size, kind="stable")[:number])

    def _random_split(
        self, rows: np.ndarray, classes: np.ndarray, support: np.ndarray | None = None
    ) -> tuple[np.ndarray, float]:
        """support bool (p,): the features that may be used; None for all."""
        weights, threshold = np.zeros(self.x.shape[1]), 0.0
        used = np.arange(self.features) if support is None else np.flatnonzero(support)
        weights[used], threshold = self._split_in(rows, classes, used)
        return weights, threshold

    def _split_in(
        self, rows: np.ndarray, classes: np.ndarray, used: np.ndarray
    ) -> tuple[np.ndarray, float]:
        rng, present = self.rng, np.unique(classes[rows])
        if len(present) > 1 and rng.random() < 0.7:
            group = np.zeros(self.sums.classes, bool)
            while group[present].all() or not group[present].any():
                group = rng.random(self.sums.classes) < 0.5
            some = rows[rng.random(len(rows)) < rng.uniform(0.2, 1)]
            some = some if len(some) > 5 else rows
            if len(some) > FITTED:
                some = np.sort(rng.choice(some, FITTED, replace=False))
            ridge = 10 ** rng.uniform(-3, 2)
            right = group[classes[some]]
            try:
                return logistic_fit(self.x[some][:, used], right, np.ones(len(some)), ridge)
            except np.linalg.LinAlgError:
                pass
        weights, threshold = self._between_points(rows, used)
        return weights[used], threshold

    @cached_property
    def few_cuts(self) -> list[tuple[int, float]]:
        """All cuts, where they are at most FEW; else none. Feature and threshold of each."""
        order, values = self.search.cuts.order, self.search.cuts.sorted
        feature, cut = np.nonzero(values[:, 1:] > values[:, :-1])
        if len(feature) > FEW:
            return []
        places = zip(feature.tolist(), cut.tolist(), strict=True)
        return [(j, self.search.cuts.threshold(order[j], j, k)) for j, k in places]

    def _root_cut(self) -> tuple[int, float]:
        """The next of few cuts, in a random order. Independent draws could miss the cut of the best
        tree for long; branches below are improved in any case."""
        if not self._in_turn:
            self._in_turn = [self.few_cuts[k] for k in self.rng.permutation(len(self.few_cuts))]
        return self._in_turn.pop()

    def some_features(self) -> np.ndarray | None:
        """Features that univariate splits may all use, int64, as many as limits allow beside ones
        drawn at random; None where features are not limited for different splits."""
        if not self.search.univariate or not self.search.structure.by_feature or not self.features:
            return None
        order = self.rng.permutation(self.features)
        branches = len(self.topology.branches)
        if self._excess(order[None, :branches])[0] <= SAME_WORTH:
            return None
        chosen, least = order[:1], float(self._excess(order[None, :1])[0])
        while len(chosen) < branches:
            rest = order[~np.isin(order, chosen)]
            more = np.column_stack([np.tile(chosen, (len(rest), 1)), rest])
            free = rest[self._excess(more) <= least + SAME_WORTH]
            if not len(free):
                break
            chosen = np.append(chosen, free[0])
        rest = order[~np.isin(order, chosen)]
        instead = np.column_stack([np.tile(chosen[:-1], (len(rest), 1)), rest])
        more = np.column_stack([np.tile(chosen, (len(rest), 1)), rest])[:, -branches:]
        more = instead if len(chosen) == branches else more
        return np.sort(np.append(chosen, rest[self._excess(more) <= least + SAME_WORTH]))

    def _excess(self, features: np.ndarray) -> np.ndarray:
        """How far splits by these features, int64 (n, k), in turn over the branches, break rows and
        limits beyond what is broken without any, float64 (n,)."""
        structure, branches = self.search.structure, self.topology.branches
        uses = np.zeros((len(features), self.topology.size, self.inputs.width), bool)
        each = features[:, np.arange(len(branches)) % features.shape[1]]
        uses[np.arange(len(features))[:, None], branches, each] = True
        columns = structure.columns(uses, np.ones(len(self.topology.leaves)))
        rows = self.sums.constant + self.sums.of_structure.times(columns)
        off = self.sums.worth(rows)[1] - self.sums.worth(self.sums.constant)[1]
        return np.asarray(off + self.sums.broken_limits(columns))

    def _random_cut(self, rows: np.ndarray, among: np.ndarray | None = None) -> tuple[int, float]:
        """A feature, and the middle between two random points' values of it."""
        features = np.arange(self.features) if among is None else among
        for _ in range(20):
            feature = int(features[self.rng.integers(len(features))])
            i, j = self._pair(rows)
            low, high = sorted((float(self.x[i, feature]), float(self.x[j, feature])))
            if low < high:
                return feature, low + (high - low) / 2
        return feature, low

    def _pair(self, rows: np.ndarray) -> np.ndarray:
        """Two random ones of the rows; the same one twice where there is no other."""
        return self.rng.choice(rows, 2, replace=len(rows) < 2)

    def _between_points(self, rows: np.ndarray, used: np.ndarray) -> tuple[np.ndarray, float]:
        """The hyperplane half-way between two random points, by the features `used`."""
        i, j = self._pair(rows)
        weights = np.zeros(self.x.shape[1])
        weights[used] = (self.x[i] - self.x[j])[used]
        return weights, float(weights @ (self.x[i] + self.x[j]) / 2)

    def shorn(self, tree: Candidate) -> Candidate:
        """A copy without the branches that are not worth their splits, from the leaves up."""
        bare, tree = self.search.empty(), tree.copy()
        best = self.search.relabelled(tree)
        for node in reversed(self.topology.branches.tolist()):
            if not tree.weights[node].any():
                continue
            other = tree.copy()
            below = [b for b in self.topology.branches.tolist() if node in self.topology.upwards(b)]
            other.weights[below], other.threshold[below] = 0.0, bare.threshold[below]
            value = self.search.relabelled(other)
            if value <= best:
                tree, best = other, value
        return tree

    def perturbed(self, tree: Candidate) -> Candidate:
        """A copy with one split moved, replaced, or left out."""
        tree = tree.copy()
        rng, node = self.rng, int(self.rng.choice(self.topology.branches))
        if self.search.structure.matters and rng.random() < UNSPLIT_SHARE:
            tree.weights[node], tree.threshold[node] = 0.0, rng.choice([-1.0, 1.0])
            return tree
        by_set = bool(self.inputs.is_by_set(tree.weights[node]))
        if by_set and rng.random() < EXCHANGED:
            tree.send_left(node, exchanged(self.inputs, tree.weights[node], rng))
            return tree
        rows = np.arange(len(self.x))
        classes = self.search.counts.argmax(axis=1)
        if self._put_random_set(tree, node, rows, classes) or not self.features:
            return tree
        if self.search.univariate:
            feature, tree.threshold[node] = self._random_cut(rows)
            tree.weights[node] = 0.0
            tree.weights[node, feature] = 1.0
            return tree
        if not by_set and rng.random() < 0.5:
            size = 10 ** rng.uniform(-2.5, -0.3) * (np.abs(tree.weights[node]).max() + 1e-3)
            noise = rng.standard_normal(self.features) * size
            own = tree.weights[node, : self.features]
            own += noise if self.budget is None else noise * (own != 0)
        else:
            used = np.arange(self.features)
            if self.budget is not None:
                used = (
                    rng.permutation(used)[: self.budget[0]]
                    if by_set
                    else np.flatnonzero(tree.weights[node])
                )
            weights, threshold = self._between_points(rows, used)
            tree.weights[node], tree.threshold[node] = weights, threshold
        size = np.abs(tree.weights[node]).sum() + ROUNDING
        tree.weights[node] /= size
        tree.threshold[node] /= size
        return tree
