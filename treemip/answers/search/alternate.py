"""Trees improved branch by branch: each split anew, all others given, from the last level up.

The idea is tree alternating optimization (Carreira-Perpinan, Tavallali 2018), with what the spec
asks for in place of the number of errors: a point matters at a branch only where its two sides
differ in worth.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from treemip.answers.search.candidate import Candidate, Label
from treemip.answers.search.splits.category_sets import CategorySet, best_set, present
from treemip.answers.search.splits.hyperplane_step import HyperplaneStep
from treemip.answers.search.splits.line_search import Branch
from treemip.answers.search.splits.threshold_cut import Cut, best_cut, best_labelled_cut
from treemip.answers.search.sums import Value
from treemip.answers.search.tree_values import HARD, TreeValues
from treemip.core.model.tolerances import ROUNDING, SAME_WORTH

SIZES = np.array([1, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70, 100, 200, 500, 10**6])
TRIED = 4  # sets of features tried at one visit of a branch
BANDS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # prices of a point that is too near to a hyperplane
SMOOTHING = ((1.0, 0.1), (1.0, 0.3), (0.3, 0.3), (0.1, 0.3))  # shares of a width, and prices
POLISH = 5  # rounds over all points, after a sample
THOROUGH = 2  # rounds whose steps begin with fits
PAIRS = 6  # of labels tried at one visit of a branch above two leaves, where sums are coupled


class Alternation(TreeValues):
    """The branches of trees, one after another: what an alternation is made of is that of
    `TreeValues`."""

    def improve_by_sample(
        self, tree: Candidate, goal: float, size: int, worth_while: Callable[[float], bool]
    ) -> float:
        """The tree improved for some of the points first, drawn anew, then for all, unless it is
        not `worth_while` at its value in between; its value."""
        self.sampled(size).improve(tree, -np.inf)
        value = self.relabelled(tree)
        if self.late or not worth_while(value):
            return value
        smooth, self.smooth = self.smooth, 0.0
        value = self.improve(tree, goal, 1, POLISH, BANDS[-2:])
        self.smooth = smooth
        return value

    def improve(
        self,
        tree: Candidate,
        goal: float,
        sweeps: int = 3,
        rounds: int = 40,
        bands: tuple[float, ...] = BANDS,
    ) -> float:
        """The tree improved in place until nothing helps; its value. Where a gap is asked for,
        points that are nearer to a hyperplane cost `bands` from round to round, and HARD then."""
        best, stalled = self.relabelled(tree), 0
        if self.late:
            return best
        order = np.argsort(-self.topology.depth[self.topology.branches], kind="stable")
        self._smooth_over(tree, self.topology.branches[order], sweeps)
        soft = len(bands) if self.gap > 0 and not self.univariate else 0
        for turn in range(rounds):
            before, hard = best, turn >= min(soft, rounds - 1)
            self.band = HARD if hard else bands[turn]
            self.thorough = turn < THOROUGH or turn == soft
            for node in self.topology.branches[order]:
                if self.structure.by_leaf:
                    best = self._improve_if_better(tree, int(node), sweeps, best)
                else:
                    self._improve_branch(tree, int(node), sweeps)
                if self.late:
                    break
            best = self.relabelled(tree)
            if (hard and best <= goal + SAME_WORTH) or self.late:
                break
            stalled = stalled + 1 if hard and best >= before - SAME_WORTH else 0
            if stalled >= 2:
                break
        self.band, self.thorough = HARD, True
        if soft and not self.late and self._widen(tree, sweeps):
            return self.relabelled(tree)
        return best

    def _smooth_over(self, tree: Candidate, branches: np.ndarray, sweeps: int) -> None:
        """Rounds with a price for points near the hyperplanes, however near they may be in the end:
        as with a margin, where most points are shows the way."""
        if self.smooth <= self.gap or self.univariate or self.structure.matters:
            return
        gap = self.gap
        for turn, (share, self.band) in enumerate(SMOOTHING):
            self.gap, self.thorough = max(gap, share * self.smooth), turn == 0
            for node in branches:
                if not self.late:
                    self._improve_branch(tree, int(node), sweeps)
            self.relabelled(tree)
        self.gap = gap

    def _widen(self, tree: Candidate, sweeps: int) -> bool:
        """The branches whose points are too near once more, from the root down: what changes above
        a branch brings it other points. Whether there were any."""
        narrow = False
        for node in self.topology.branches[np.argsort(self.topology.depth[self.topology.branches])]:
            if self._is_narrow(tree, int(node)):
                narrow = True
                self._improve_branch(tree, int(node), sweeps)
        return narrow

    def _is_narrow(self, tree: Candidate, node: int) -> bool:
        x, weights = self.x[self.members(tree, node)], tree.weights[node]
        left = tree.goes_left(node, x)
        if left.all() or not left.any() or self.inputs.is_by_set(weights):
            return False
        position = x @ weights
        width = position[~left].min() - position[left].max()
        return bool(width < self.gap * np.abs(weights).sum())

    def _improve_if_better(self, tree: Candidate, node: int, sweeps: int, best: float) -> float:
        """A branch is improved with the leaves that have points as they are: where its points then
        reach more leaves or fewer, and that is worse on the whole, it stays as it was."""
        weights, threshold = tree.weights[node].copy(), float(tree.threshold[node])
        labels = tree.labels.copy()
        self._improve_branch(tree, node, sweeps)
        value = self.relabelled(tree)
        if value <= best + SAME_WORTH:
            return value
        tree.weights[node], tree.threshold[node] = weights, threshold
        tree.labels[:] = labels
        return best

    def _improve_branch(self, tree: Candidate, node: int, sweeps: int) -> None:
        rows = self.members(tree, node)
        if len(rows) < 2:
            tree.weights[node] = 0.0
            return
        left, right = self.topology.children(node)
        x = self.x[rows]
        at_left, at_right = tree.ends(x, left), tree.ends(x, right)
        if_left = self.sums.added(rows, self.leaf_number[at_left], tree.labels)
        if_right = self.sums.added(rows, self.leaf_number[at_right], tree.labels)
        now = np.where(tree.goes_left(node, x)[:, None], if_left, if_right).sum(axis=0)
        rest = self.totals(tree) - now
        sides = rest, if_left, if_right
        by_set = self._best_set(tree, node, rows, sides)
        if not self.univariate:
            self._improve_hyperplane(tree, node, rows, sides, sweeps, by_set)
        else:
            self._improve_cut(tree, node, rows, sides, by_set)

    def _supports(
        self, tree: Candidate, node: int, supports: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the tree's splits add with each support of the branch, and the price of limits."""
        if not self.structure.size:
            return np.zeros((len(supports), self.sums.rows)), np.zeros(len(supports))
        leaf = self.leaf_number[tree.ends(self.x)]
        in_leaf = np.bincount(leaf, minlength=len(self.topology.leaves))
        added, broken = self.structure.of_supports(tree, node, in_leaf, supports)
        return added, self.price * broken

    # ----------------------------------------------------------------- hyperplanes

    def _improve_hyperplane(
        self,
        tree: Candidate,
        node: int,
        rows: np.ndarray,
        sides: tuple[np.ndarray, np.ndarray, np.ndarray],
        sweeps: int,
        by_set: CategorySet | None,
    ) -> None:
        rest, if_left, if_right = sides
        change = if_right - if_left
        differs = np.abs(change) > ROUNDING
        matter = differs.any(axis=1)
        if not matter.any() and not self.structure.matters:
            if self.gap > 0:  # nothing is to be parted here, nor kept apart
                tree.weights[node], tree.threshold[node] = 0.0, 1.0
            self._put_if_better(tree, node, by_set, rest + if_left.sum(axis=0))
            return
        if self.gap > 0:  # every point keeps its distance then, whatever it is worth
            matter[:] = True
        x, change = self.x[rows][matter, : self.features], change[matter]
        all_left = rest + if_left.sum(axis=0)
        if (self.gap > 0 and self.thorough) or self.structure.by_feature:
            self._cut_first(tree, node, rows, rest, if_left, if_right)
        best = (np.inf, tree.weights[node].copy(), float(tree.threshold[node]))
        for allowed in self._allowed(tree, node, x, change, all_left):
            used = np.flatnonzero(allowed)
            added, broken = self._supports(tree, node, allowed[None])
            step = self._step(
                x[:, used], change, all_left + added[0], differs.any(axis=0), self.steps[used]
            )
            weights, threshold = tree.weights[node, used], float(tree.threshold[node])
            value, weights, threshold = step.improved(weights, threshold, sweeps, self.thorough)
            if value + broken[0] < best[0] - SAME_WORTH:
                whole = np.zeros(self.inputs.width)
                whole[used] = weights
                best = (value + broken[0], whole, threshold)
            if self.late:
                break
        if by_set is not None and by_set.value < best[0] + SAME_WORTH:
            self.put(tree, node, by_set)
            return
        tree.weights[node], tree.threshold[node] = best[1], best[2]

    def _cut_first(
        self,
        tree: Candidate,
        node: int,
        rows: np.ndarray,
        rest: np.ndarray,
        if_left: np.ndarray,
        if_right: np.ndarray,
    ) -> None:
        """The best cut by one feature with the gap asked for, where that is better: gaps of many
        features are narrow, and seldom found among many points; and where features have prices,
        the fits that rank them know nothing of these."""
        added, broken = self._supports(tree, node, np.eye(self.features, dtype=bool))
        change = np.zeros((len(self.x), self.sums.rows))
        change[rows] = if_left - if_right
        cut = self._best_cut(rows, change, rest + if_right.sum(axis=0), added, broken)
        if cut is None:
            return
        x, weights = self.x[rows], tree.weights[node]
        added, broken = self._supports(tree, node, (weights != 0)[None])
        all_left = rest + if_left.sum(axis=0) + added[0]
        branch = Branch(if_right - if_left, all_left, self.value, self.gap, self.band_price)
        step = HyperplaneStep(x, branch, self.rng)
        if cut.value < step.of(weights, float(tree.threshold[node])) + broken[0] - SAME_WORTH:
            self.put(tree, node, cut)

    def _step(
        self,
        x: np.ndarray,
        change: np.ndarray,
        all_left: np.ndarray,
        differs: np.ndarray,
        steps: np.ndarray,
    ) -> HyperplaneStep:
        """The step of a branch; differs bool (R,): the sums that its points change at all."""
        value: Value = self.value
        if not self.sums.folds:
            rows = np.flatnonzero(differs) if differs.any() else np.zeros(1, np.int64)
            value = self.value_of(rows, all_left)
            change, all_left = np.ascontiguousarray(change[:, rows]), all_left[rows]
        branch = Branch(change, all_left, value, self.gap, self.band_price)
        return HyperplaneStep(x, branch, self.rng, self.is_late, self.until, steps)

    def _allowed(
        self, tree: Candidate, node: int, x: np.ndarray, change: np.ndarray, all_left: np.ndarray
    ) -> list[np.ndarray]:
        """The sets of features to try, bool (p,): all, and where features have prices or limits,
        the one in use and the largest of a logistic fit, fewer and fewer, none at last."""
        features = x.shape[1]
        everything = np.ones(features, bool)
        if not self.structure.matters:
            return [everything]
        if not self.structure.by_feature:
            return [everything, ~everything]
        order = HyperplaneStep(x, Branch(change, all_left, self.value), self.rng).ranking()
        sizes = np.unique(np.minimum(SIZES, features))
        tried = np.array([np.isin(np.arange(features), order[:size]) for size in sizes])
        weights = tree.weights[:, :features]
        others = np.delete(weights != 0, node, axis=0).any(axis=0)
        more = order[~others[order]]
        shared = [others | np.isin(np.arange(features), more[:size]) for size in (0, 1, 2, 4)]
        now = weights[node] != 0
        known = order[others[order]]
        fewer = [np.isin(np.arange(features), known[:size]) for size in sizes if size < len(known)]
        tried = np.array([*tried, *shared, *fewer, ~everything, now])
        _, broken = self._supports(tree, node, tried)
        least_broken = broken <= broken.min() + SAME_WORTH
        open_ones = np.flatnonzero(least_broken)
        open_ones = open_ones[np.unique(tried[open_ones], axis=0, return_index=True)[1]]
        if len(open_ones) > TRIED:
            open_ones = self.rng.choice(open_ones, TRIED, replace=False)
        chosen = [tried[k] for k in open_ones]
        if least_broken[-1] and not any((one == now).all() for one in chosen):
            chosen.append(now)
        return chosen

    @property
    def band_price(self) -> float:
        """What a point costs that is nearer to a hyperplane than the gap allows."""
        return self.sums.unit * self.band

    # ------------------------------------------------------------------------ cuts

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
        added, broken = self._supports(tree, node, np.eye(features, dtype=bool))
        none, unbroken = self._supports(tree, node, np.zeros((1, features), bool))
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
        """`best_cut` by the sums that a cut changes at all."""
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

    # ------------------------------------------------------------------------ sets

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
        added, broken = self._supports(tree, node, (tree.weights[node] != 0)[None])
        if by_set.value < float(self.value(all_left + added[0])) + broken[0] - SAME_WORTH:
            self.put(tree, node, by_set)

    def _set_prices(
        self, tree: Candidate, node: int, of_column: np.ndarray, sets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What sets bool (n, v) of the inputs `of_column` add to the sums, and their limits' price;
        the same for all, unless the spec speaks of single categories."""
        supports = np.zeros((len(sets) if self.structure.by_set else 1, self.inputs.width), bool)
        supports[:, of_column] = sets if self.structure.by_set else sets[:1]
        return self._supports(tree, node, supports)

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
        """The labels to try at the two leaves below a branch, for points int64 (m,); None for those
        it has, and where it has other branches. Values are those of the cut that is best but for
        constraints."""
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
