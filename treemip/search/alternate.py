"""Trees improved branch by branch: each split anew, all others given, from the last level up.

The idea is tree alternating optimization (Carreira-Perpinan, Tavallali 2018), with what the spec
asks for in place of the number of errors: a point matters at a branch only where its two sides
differ in worth.
"""

from __future__ import annotations

import itertools
import time
from functools import cached_property

import numpy as np

from treemip.emit.watch import asked_to_stop
from treemip.instance.trees import Forest
from treemip.search.candidate import Candidate
from treemip.search.oblique import HyperplaneStep, logistic_fit
from treemip.search.structure import Structure
from treemip.search.sums import Sums
from treemip.search.univariate import Cut, Cuts, best_cut

MOST_LABELLINGS = 4096
SIZES = np.array([1, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70, 100, 200, 500, 10**6])
UNSPLIT = 0.2  # share of perturbed trees that lose a split, where splits or leaves are counted
TRIED = 4  # sets of features tried at one visit of a branch


class Alternation:
    """x float64 (M, p): the distinct points. price: what a unit of violation costs."""

    def __init__(
        self,
        topology: Forest,
        x: np.ndarray,
        sums: Sums,
        rng: np.random.Generator,
        until: float,
        univariate: bool = False,
    ) -> None:
        self.topology, self.x, self.sums = topology, x, sums
        self.rng, self.until, self.price = rng, until, 1.0
        self.structure = Structure(sums, topology, x.shape[1], x.shape[1])
        self.cuts = Cuts(x) if univariate else None
        self.leaf_number = np.full(topology.size, -1)
        self.leaf_number[topology.leaves] = np.arange(len(topology.leaves))

    def count(self, sums: Sums) -> None:
        """Other sums over the same points from now on."""
        self.sums = sums
        self.structure = Structure(sums, self.topology, self.x.shape[1], self.x.shape[1])

    @property
    def late(self) -> bool:
        return time.perf_counter() > self.until or asked_to_stop()

    def value(self, sums: np.ndarray) -> np.ndarray:
        objective, violation = self.sums.worth(sums)
        return objective + self.price * violation

    # ---------------------------------------------------------------- whole trees

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

    def relabelled(self, tree: Candidate) -> float:
        """The best labels for the tree's routing, put into it; its value."""
        leaf = self.leaf_number[tree.ends(self.x)]
        by_leaf = self.sums.by_leaf(leaf)
        leaves, classes = by_leaf.shape[:2]
        added, broken = self.of_splits(tree, leaf)
        constant = self.sums.constant + added
        if self.sums.additive:
            own = self.sums.sign * by_leaf[:, :, 0]
            tree.labels[:] = own.argmin(axis=1)
            total = constant + by_leaf[np.arange(leaves), tree.labels].sum(axis=0)
            return float(self.value(total)) + broken
        if classes**leaves <= MOST_LABELLINGS:
            every = self._labellings
            total = constant + by_leaf[np.arange(leaves), every].sum(axis=1)
            values = self.value(total)
            tree.labels[:] = every[values.argmin()]
            return float(values.min()) + broken
        return self._relabelled_in_turn(tree, by_leaf, constant) + broken

    @cached_property
    def _labellings(self) -> np.ndarray:
        leaves = range(len(self.topology.leaves))
        return np.array(list(itertools.product(range(self.sums.classes), repeat=len(leaves))))

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

    # ------------------------------------------------------------------- branches

    def improve(self, tree: Candidate, goal: float, sweeps: int = 3, rounds: int = 40) -> float:
        """The tree improved in place until nothing helps; its value."""
        best, stalled = self.relabelled(tree), 0
        order = np.argsort(-self.topology.depth[self.topology.branches], kind="stable")
        for _ in range(rounds):
            before = best
            for node in self.topology.branches[order]:
                if self.structure.by_leaf:
                    best = self._improve_if_better(tree, int(node), sweeps, best)
                else:
                    self._improve_branch(tree, int(node), sweeps)
                if self.late:
                    break
            best = self.relabelled(tree)
            if best <= goal + 1e-9 or self.late:
                break
            stalled = stalled + 1 if best >= before - 1e-9 else 0
            if stalled >= 2:
                break
        return best

    def _improve_if_better(self, tree: Candidate, node: int, sweeps: int, best: float) -> float:
        """A branch is improved with the leaves that have points as they are: where its points then
        reach more leaves or fewer, and that is worse on the whole, it stays as it was."""
        weights, threshold = tree.weights[node].copy(), float(tree.threshold[node])
        labels = tree.labels.copy()
        self._improve_branch(tree, node, sweeps)
        value = self.relabelled(tree)
        if value <= best + 1e-9:
            return value
        tree.weights[node], tree.threshold[node] = weights, threshold
        tree.labels[:] = labels
        return best

    def members(self, tree: Candidate, node: int) -> np.ndarray:
        """The points that reach a branch, int64."""
        rows, path = np.arange(len(self.x)), []
        while node > 0:
            above = int(self.topology.parent[node])
            path.append((above, self.topology.left[above] == node))
            node = above
        for branch, left in reversed(path):
            rows = rows[tree.goes_left(branch, self.x[rows]) == left]
        return rows

    def _improve_branch(self, tree: Candidate, node: int, sweeps: int) -> None:
        rows = self.members(tree, node)
        if len(rows) < 2:
            tree.weights[node] = 0.0
            return
        left, right = int(self.topology.left[node]), int(self.topology.right[node])
        x = self.x[rows]
        at_left, at_right = tree.ends(x, left), tree.ends(x, right)
        if_left = self.sums.added(rows, self.leaf_number[at_left], tree.labels)
        if_right = self.sums.added(rows, self.leaf_number[at_right], tree.labels)
        now = np.where(tree.goes_left(node, x)[:, None], if_left, if_right).sum(axis=0)
        rest = self.totals(tree) - now
        if self.cuts is None:
            self._improve_hyperplane(tree, node, rows, (rest, if_left, if_right), sweeps)
        else:
            self._improve_cut(tree, node, rows, (rest, if_left, if_right))

    def matter(self, tree: Candidate, node: int, rows: np.ndarray) -> np.ndarray:
        """Which points of a branch are worth another on its other side, bool (rows,)."""
        x = self.x[rows]
        left, right = int(self.topology.left[node]), int(self.topology.right[node])
        if_left = self.sums.added(rows, self.leaf_number[tree.ends(x, left)], tree.labels)
        if_right = self.sums.added(rows, self.leaf_number[tree.ends(x, right)], tree.labels)
        return (np.abs(if_left - if_right) > 1e-12).any(axis=1)

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
    ) -> None:
        rest, if_left, if_right = sides
        change = if_right - if_left
        matter = (np.abs(change) > 1e-12).any(axis=1)
        if not matter.any() and not self.structure.matters:
            return
        x, change = self.x[rows][matter], change[matter]
        all_left = rest + if_left.sum(axis=0)
        best = (np.inf, tree.weights[node].copy(), float(tree.threshold[node]))
        for allowed in self._allowed(tree, node, x, change, all_left):
            used = np.flatnonzero(allowed)
            added, broken = self._supports(tree, node, allowed[None])
            step = HyperplaneStep(x[:, used], change, all_left + added[0], self.value, self.rng)
            weights, threshold = tree.weights[node, used], float(tree.threshold[node])
            value, weights, threshold = step.improved(weights, threshold, sweeps)
            if value + broken[0] < best[0] - 1e-9:
                whole = np.zeros(x.shape[1])
                whole[used] = weights
                best = (value + broken[0], whole, threshold)
        tree.weights[node], tree.threshold[node] = best[1], best[2]

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
        order = HyperplaneStep(x, change, all_left, self.value, self.rng).ranking()
        sizes = np.unique(np.minimum(SIZES, features))
        tried = np.array([np.isin(np.arange(features), order[:size]) for size in sizes])
        tried = np.concatenate([tried, [~everything, tree.weights[node] != 0]])
        _, broken = self._supports(tree, node, tried)
        open_ones = np.flatnonzero(broken <= broken.min() + 1e-9)
        if len(open_ones) > TRIED:
            open_ones = self.rng.choice(open_ones, TRIED, replace=False)
        return [tried[k] for k in open_ones]

    # ------------------------------------------------------------------------ cuts

    def _improve_cut(
        self,
        tree: Candidate,
        node: int,
        rows: np.ndarray,
        sides: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        assert self.cuts is not None
        rest, if_left, if_right = sides
        features = self.x.shape[1]
        added, broken = self._supports(tree, node, np.eye(features, dtype=bool))
        none, unbroken = self._supports(tree, node, np.zeros((1, features), bool))
        best = self._one_way(rest + none[0], if_left, if_right, float(unbroken[0]))
        for labels in self._label_pairs(tree, node):
            left, right, base = if_left, if_right, rest
            if labels is not None:
                left, right, base = self._relabelled_sides(tree, node, rows, labels, rest)
            change = np.zeros((len(self.x), self.sums.rows))
            change[rows] = left - right
            total = base + right.sum(axis=0)
            cut = best_cut(self.cuts, rows, change, total, self.value, added, broken)
            if cut is not None and cut.value < best.value - 1e-9:
                best = Cut(cut.value, cut.feature, cut.threshold, labels)
        tree.weights[node] = 0.0
        if best.feature >= 0:
            tree.weights[node, best.feature] = 1.0
        tree.threshold[node] = best.threshold
        if best.labels is not None:
            children = self.topology.left[node], self.topology.right[node]
            for child, label in zip(children, best.labels, strict=True):
                tree.labels[self.leaf_number[child]] = label

    def _one_way(
        self, rest: np.ndarray, if_left: np.ndarray, if_right: np.ndarray, broken: float
    ) -> Cut:
        """No split: all points to the better side."""
        to_left = float(self.value(rest + if_left.sum(axis=0))) + broken
        to_right = float(self.value(rest + if_right.sum(axis=0))) + broken
        return Cut(min(to_left, to_right), -1, 1.0 if to_left <= to_right else -1.0)

    def _label_pairs(self, tree: Candidate, node: int) -> list[tuple[int, int] | None]:
        """The labels to try at the two leaves below a branch; None where it has other branches."""
        children = [int(self.topology.left[node]), int(self.topology.right[node])]
        if not self.topology.is_leaf[children].all():
            return [None]
        classes = range(self.sums.classes)
        return [None, *((a, b) for a in classes for b in classes if a != b)]

    def _relabelled_sides(
        self,
        tree: Candidate,
        node: int,
        rows: np.ndarray,
        labels: tuple[int, int],
        rest: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        children = [int(self.topology.left[node]), int(self.topology.right[node])]
        leaves = self.leaf_number[children]
        other = tree.labels.copy()
        other[leaves] = labels
        base = rest - self.sums.label_part(tree.labels) + self.sums.label_part(other)
        left, right = (self.sums.added(rows, np.full(len(rows), leaf), other) for leaf in leaves)
        return left, right, base

    # --------------------------------------------------------------------- starts

    def random_tree(self, classes: np.ndarray) -> Candidate:
        """Random greedy splits: logistic fits that part random groups of classes.

        classes int64 (M,): the class of each distinct point that counts most.
        """
        tree = Candidate.empty(self.topology, self.x.shape[1])
        for node in self.topology.branches:
            rows = self.members(tree, int(node))
            if len(rows) < 2:
                tree.threshold[node] = 1.0
                continue
            if self.cuts is not None:
                feature, threshold = self._random_cut(rows)
                tree.weights[node, feature], tree.threshold[node] = 1.0, threshold
                continue
            weights, threshold = self._random_split(rows, classes)
            size = np.abs(weights).sum() + 1e-12
            tree.weights[node], tree.threshold[node] = weights / size, threshold / size
        return tree

    def _random_split(self, rows: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, float]:
        rng, present = self.rng, np.unique(classes[rows])
        if len(present) > 1 and rng.random() < 0.7:
            group = np.zeros(self.sums.classes, bool)
            while group[present].all() or not group[present].any():
                group = rng.random(self.sums.classes) < 0.5
            some = rows[rng.random(len(rows)) < rng.uniform(0.2, 1)]
            some = some if len(some) > 5 else rows
            ridge = 10 ** rng.uniform(-3, 2)
            right = group[classes[some]]
            try:
                return logistic_fit(self.x[some], right, np.ones(len(some)), ridge)
            except np.linalg.LinAlgError:
                pass
        return self._between_points(rows)

    def _random_cut(self, rows: np.ndarray) -> tuple[int, float]:
        """A feature, and the middle between two random points' values of it."""
        for _ in range(20):
            feature = int(self.rng.integers(self.x.shape[1]))
            i, j = self.rng.choice(rows, 2, replace=False)
            low, high = sorted((float(self.x[i, feature]), float(self.x[j, feature])))
            if low < high:
                return feature, low + (high - low) / 2
        return feature, low

    def _between_points(self, rows: np.ndarray) -> tuple[np.ndarray, float]:
        """The hyperplane half-way between two random points."""
        i, j = self.rng.choice(rows, 2, replace=False)
        weights = self.x[i] - self.x[j]
        return weights, float(weights @ (self.x[i] + self.x[j]) / 2)

    def perturbed(self, tree: Candidate) -> Candidate:
        """A copy with one split moved, replaced, or left out."""
        tree = tree.copy()
        rng, node = self.rng, int(self.rng.choice(self.topology.branches))
        if self.structure.matters and rng.random() < UNSPLIT:
            tree.weights[node], tree.threshold[node] = 0.0, rng.choice([-1.0, 1.0])
            return tree
        if self.cuts is not None:
            feature, tree.threshold[node] = self._random_cut(np.arange(len(self.x)))
            tree.weights[node] = 0.0
            tree.weights[node, feature] = 1.0
            return tree
        if rng.random() < 0.5:
            size = 10 ** rng.uniform(-2.5, -0.3) * (np.abs(tree.weights[node]).max() + 1e-3)
            tree.weights[node] += rng.standard_normal(self.x.shape[1]) * size
        else:
            weights, threshold = self._between_points(np.arange(len(self.x)))
            tree.weights[node], tree.threshold[node] = weights, threshold
        size = np.abs(tree.weights[node]).sum() + 1e-12
        tree.weights[node] /= size
        tree.threshold[node] /= size
        return tree
