"""One branch split anew by a feature or a set of categories, all other branches given.

Above two leaves their labels are chosen with the split.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from treemip.answers.search.candidate import Candidate, Label
from treemip.answers.search.splits.category_sets import CategorySet, best_set, present
from treemip.answers.search.splits.threshold_cut import Cut, best_cut, best_labelled_cut
from treemip.answers.search.sums import Value
from treemip.answers.search.tree_values import TreeValues
from treemip.core.model.tolerances import ROUNDING, SAME_WORTH

PAIRS = 6  # of labels tried at one visit of a branch above two leaves, where sums are coupled


class FeatureSteps(TreeValues):
    """What a branch can be split by, priced over points, leaves and what splits cost."""

    def supports(
        self, tree: Candidate, node: int, supports: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the tree's splits add with each support of the branch, and the price of limits."""
        if not self.structure.size:
            return np.zeros((len(supports), self.sums.rows)), np.zeros(len(supports))
        leaf = self.leaf_number[tree.ends(self.x)]
        in_leaf = np.bincount(leaf, minlength=len(self.topology.leaves))
        added, broken = self.structure.of_supports(tree, node, in_leaf, supports)
        return added, self.price * broken

    def _improve_cut(
        self,
        tree: Candidate,
        node: int,
        rows: np.ndarray,
        sides: tuple[np.ndarray, np.ndarray, np.ndarray],
        by_set: CategorySet | None,
    ) -> None:
        rest, if_left, if_right = sides
        features = self.features
        added, broken = self.supports(tree, node, np.eye(features, dtype=bool))
        if self.barred is not None:
            broken = np.where(self.barred[node], np.inf, broken)
        none, unbroken = self.supports(tree, node, np.zeros((1, features), bool))
        best: Cut | CategorySet = self._one_way(
            rest + none[0], if_left, if_right, float(unbroken[0])
        )
        if by_set is not None and by_set.value < best.value - SAME_WORTH:
            best = by_set
        if self.sums.additive and self._above_leaves(node):
            cut = self._labelled_cut(tree, node, rows, rest, self.value(added) + broken)
            self.put(tree, node, cut if cut and cut.value < best.value - SAME_WORTH else best)
            return
        for labels in self._label_pairs(tree, node, rows):
            left, right, base = if_left, if_right, rest
            if labels is not None:
                left, right, base = self._relabelled_sides(tree, node, rows, labels, rest)
            change = np.zeros((len(self.x), self.sums.rows))
            change[rows] = left - right
            parts = change, base + right.sum(axis=0), added
            cut = self._best_cut(rows, *parts, broken)
            if cut is not None and cut.value < best.value - SAME_WORTH:
                best = Cut(cut.value, cut.feature, cut.threshold, labels)
            if self.late:
                break
        self.put(tree, node, best)

    def _best_cut(
        self,
        rows: np.ndarray,
        change: np.ndarray,
        all_right: np.ndarray,
        added: np.ndarray,
        broken: np.ndarray,
    ) -> Cut | None:
        """`best_cut`, looking only at the sums that a cut changes."""
        value: Value = self.value
        differs = (np.abs(change) > ROUNDING).any(axis=0) | (added != 0).any(axis=0)
        if not self.sums.folds and not differs.all():
            few = np.flatnonzero(differs)
            value = self.value_of(few, all_right)
            change, all_right, added = change[:, few], all_right[few], added[:, few]
        return best_cut(self.cuts, rows, change, all_right, value, added, broken, self.gap)

    def _labelled_cut(
        self, tree: Candidate, node: int, rows: np.ndarray, rest: np.ndarray, extra: np.ndarray
    ) -> Cut | None:
        """The best cut above two leaves with the best labels, of a sum over points."""
        leaves, sums = self.leaf_number[[*self.topology.children(node)]], self.sums
        worth = [sums.sign * sums.by_label(rows, leaf) for leaf in leaves]
        left, right = (sums.sign * sums.label[leaf, :, 0] for leaf in leaves)
        now = float(sums.labelled(sums.label, tree.labels)[leaves, 0].sum())
        base = float(self.value(rest)) - sums.sign * now
        parts = (worth[0], worth[1]), (left + base, right)
        return best_labelled_cut(self.cuts, rows, *parts, extra, self.gap, sums.choice)

    def put(self, tree: Candidate, node: int, best: Cut | CategorySet) -> None:
        if isinstance(best, CategorySet):
            tree.send_left(node, best.inputs)
        else:
            tree.weights[node] = 0.0
            if best.feature >= 0:
                tree.weights[node, best.feature] = 1.0
            tree.threshold[node] = best.threshold
        if best.labels is not None:
            for child, label in zip(self.topology.children(node), best.labels, strict=True):
                tree.labels[self.leaf_number[child]] = label

    def _best_set(
        self,
        tree: Candidate,
        node: int,
        rows: np.ndarray,
        sides: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> CategorySet | None:
        """The best split by categories of one kept column, above two leaves with their labels;
        None where no column parts the points."""
        rest, if_left, if_right = sides
        columns = []
        if self.form is not None:
            columns = present(self.inputs, self.x[rows], self.structure.by_set)
        best: CategorySet | None = None
        for labels in self._label_pairs(tree, node, rows) if columns else []:
            left, right, base = if_left, if_right, rest
            if labels is not None:
                left, right, base = self._relabelled_sides(tree, node, rows, labels, rest)
            change, all_right = left - right, base + right.sum(axis=0)
            differs = (np.abs(change) > ROUNDING).any(axis=0)
            for of_column in columns:
                groups = np.zeros((len(of_column), self.sums.rows))
                groups[:, differs] = self.x[rows][:, of_column].T @ change[:, differs]
                price = partial(self._set_prices, tree, node, of_column)
                value, chosen = best_set(groups, all_right, self.value, price)
                if best is None or value < best.value - SAME_WORTH:
                    best = CategorySet(value, of_column[chosen], labels)
            if self.late:
                break
        return best

    def _put_if_better(
        self, tree: Candidate, node: int, by_set: CategorySet | None, all_left: np.ndarray
    ) -> None:
        """Puts in a set where it is better than the split as it is, whose sides are worth the
        same."""
        if by_set is None:
            return
        added, broken = self.supports(tree, node, (tree.weights[node] != 0)[None])
        if by_set.value < float(self.value(all_left + added[0])) + broken[0] - SAME_WORTH:
            self.put(tree, node, by_set)

    def _set_prices(
        self, tree: Candidate, node: int, of_column: np.ndarray, sets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What sets bool (n, v) of the inputs `of_column` add to the sums, and their limits' price;
        the same for all, unless the spec speaks of single categories."""
        supports = np.zeros((len(sets) if self.structure.by_set else 1, self.inputs.width), bool)
        supports[:, of_column] = sets if self.structure.by_set else sets[:1]
        return self.supports(tree, node, supports)

    def _one_way(
        self, rest: np.ndarray, if_left: np.ndarray, if_right: np.ndarray, broken: float
    ) -> Cut:
        """No split: all points to the better side."""
        to_left = float(self.value(rest + if_left.sum(axis=0))) + broken
        to_right = float(self.value(rest + if_right.sum(axis=0))) + broken
        return Cut(min(to_left, to_right), -1, 1.0 if to_left <= to_right else -1.0)

    def _label_pairs(
        self, tree: Candidate, node: int, rows: np.ndarray
    ) -> list[tuple[Label, Label] | None]:
        """The labels to try at the two leaves below a branch, for points int64 (m,); None stands
        for those it has, and is all that there is above other branches. Where leaves have values,
        those of the cut that is best without constraints."""
        if not self._above_leaves(node):
            return [None]
        if self.sums.answers.values is not None:
            rest, extra = np.zeros(self.sums.rows), np.zeros(self.features)
            cut = self._labelled_cut(tree, node, rows, rest, extra) if self.features else None
            return [None, None if cut is None else cut.labels]
        classes = range(self.sums.classes)
        pairs: list[tuple[Label, Label]] = [(a, b) for a in classes for b in classes if a != b]
        if len(pairs) > PAIRS:
            pairs = [pairs[k] for k in self.rng.choice(len(pairs), PAIRS, replace=False)]
        return [None, *pairs]

    def _above_leaves(self, node: int) -> bool:
        return bool(self.topology.is_leaf[[*self.topology.children(node)]].all())

    def _relabelled_sides(
        self,
        tree: Candidate,
        node: int,
        rows: np.ndarray,
        labels: tuple[Label, Label],
        rest: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        leaves = self.leaf_number[[*self.topology.children(node)]]
        other = tree.labels.copy()
        other[leaves] = labels
        base = rest - self.sums.label_part(tree.labels) + self.sums.label_part(other)
        left, right = (self.sums.added(rows, np.full(len(rows), leaf), other) for leaf in leaves)
        return left, right, base
