"""Trees improved branch by branch: each split anew, all others given, from the last level up.

The idea is tree alternating optimization (Carreira-Perpinan, Tavallali 2018), but for whatever the
spec asks for rather than the number of errors: a point matters at a branch only if its two sides
differ in worth.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.answers.search.candidate import Candidate, weighted
from treemip.answers.search.feature_steps import FeatureSteps
from treemip.answers.search.splits.category_sets import CategorySet
from treemip.answers.search.splits.hyperplane_step import HyperplaneStep
from treemip.answers.search.splits.line_search import Branch
from treemip.answers.search.sums import Value
from treemip.answers.search.tree_values import HARD
from treemip.core.model.tolerances import ROUNDING, SAME_WORTH

SIZES = np.array([1, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70, 100, 200, 500, 10**6])
TRIED = 4  # sets of features tried at one visit of a branch
BANDS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # prices of a point that is too near to a hyperplane
SMOOTHING = ((1.0, 0.1), (1.0, 0.3), (0.3, 0.3), (0.1, 0.3))  # shares of a width, and prices
POLISH = 5  # rounds over all points, after a sample
THOROUGH = 2  # rounds whose steps begin with fits


class Alternation(FeatureSteps):
    """Improves the branches of trees one after another; the arguments are those of `TreeValues`."""

    def improve_by_sample(
        self, tree: Candidate, goal: float, size: int, worth_while: Callable[[float], bool]
    ) -> float:
        """The tree improved for a new sample of the points, and then for all of them if its value
        so far makes that `worth_while`; its value."""
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
        self._smooth_over(tree, sweeps)
        soft = len(bands) if self.gap > 0 and not self.univariate else 0
        for turn in range(rounds):
            before, hard = best, turn >= min(soft, rounds - 1)
            self.band = HARD if hard else bands[turn]
            self.thorough = turn < THOROUGH or turn == soft
            for node in self._from_below:
                if self.structure.by_leaf:
                    best = self._if_better(tree, node, best, sweeps)
                else:
                    self._improve_branch(tree, node, sweeps)
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

    def rethreshold(self, tree: Candidate, rounds: int) -> float:
        """Every threshold of the tree anew, in place, from the last level up, with directions as
        they are; its value. It costs no sorting of features."""
        best = self.relabelled(tree)
        for _ in range(rounds):
            before = best
            for node in self._from_below:
                if self.late:
                    return best
                best = self._if_better(tree, node, best)
            if best >= before - SAME_WORTH:
                break
        return best

    @property
    def _from_below(self) -> list[int]:
        """The branches, those of the last level first."""
        branches, depth = self.topology.branches, self.topology.depth
        return list(map(int, branches[np.argsort(-depth[branches], kind="stable")]))

    def _smooth_over(self, tree: Candidate, sweeps: int) -> None:
        """Rounds with a price for points near the hyperplanes, even if points may be near them in
        the end: as with a margin, it moves hyperplanes to where few points are."""
        if self.smooth <= self.gap or self.univariate or self.structure.matters:
            return
        gap = self.gap
        for turn, (share, self.band) in enumerate(SMOOTHING):
            self.gap, self.thorough = max(gap, share * self.smooth), turn == 0
            for node in self._from_below:
                if not self.late:
                    self._improve_branch(tree, node, sweeps)
            self.relabelled(tree)
        self.gap = gap

    def _widen(self, tree: Candidate, sweeps: int) -> bool:
        """Improves once more the branches whose points are too near, from the root down, since
        changes above a branch bring it other points. Whether there were any."""
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

    def _if_better(self, tree: Candidate, node: int, best: float, sweeps: int = 0) -> float:
        """Improves a branch as if the leaves that have points stayed the same. Where its points
        then reach more or fewer leaves and the tree is worse, the branch is restored. sweeps: 0 for
        its threshold alone."""
        weights, threshold = tree.weights[node].copy(), float(tree.threshold[node])
        labels = tree.labels.copy()
        if sweeps:
            self._improve_branch(tree, node, sweeps)
        else:
            self._move_threshold(tree, node)
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
        sides = self._sides(tree, node, rows)
        by_set = self._best_set(tree, node, rows, sides)
        if not self.univariate:
            self._improve_hyperplane(tree, node, rows, sides, sweeps, by_set)
        else:
            self._improve_cut(tree, node, rows, sides, by_set)

    def _sides(
        self, tree: Candidate, node: int, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What all other points add to the sums, (R,), and what each of a branch's points adds on
        its left and on its right side, (rows, R) each."""
        if_left, if_right = self.on_sides(tree, node, rows)
        left = self.on_left(tree, node, rows)[:, None]
        now = np.where(left, if_left, if_right).sum(axis=0)
        return self.totals(tree) - now, if_left, if_right

    def _move_threshold(self, tree: Candidate, node: int) -> None:
        """The threshold of a branch to where it is worth most, with the gap asked for."""
        rows, weights = self.members(tree, node), tree.weights[node]
        if len(rows) < 2 or not weights.any() or self.inputs.is_by_set(weights):
            return
        rest, if_left, if_right = self._sides(tree, node, rows)
        all_left, change = rest + if_left.sum(axis=0), if_right - if_left
        differs, size = (np.abs(change) > ROUNDING).any(axis=0), np.abs(weights).sum()
        along = weighted(self.x, weights / size, rows)[:, None]
        step = self._step(along, change, all_left, differs)
        tree.threshold[node] = size * step.thresholded(np.ones(1))[2]

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
            added, broken = self.supports(tree, node, allowed[None])
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
        added, broken = self.supports(tree, node, np.eye(self.features, dtype=bool))
        change = np.zeros((len(self.x), self.sums.rows))
        change[rows] = if_left - if_right
        cut = self._best_cut(rows, change, rest + if_right.sum(axis=0), added, broken)
        if cut is None:
            return
        x, weights = self.x[rows], tree.weights[node]
        added, broken = self.supports(tree, node, (weights != 0)[None])
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
        steps: np.ndarray | None = None,
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
        _, broken = self.supports(tree, node, tried)
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
