"""Two neighbouring branches split anew together, where rows couple what their points add.

A cut that keeps a limit on a share or a difference of groups often needs another cut beside it:
one branch alone then stays as it is. All pairs of their cuts, with all labels of the leaves below,
are looked at; of these only pairs whose objective is better than what is known, and from row to row
only those that are left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.answers.search.candidate import Candidate, Label
from treemip.answers.search.feature_steps import FeatureSteps
from treemip.answers.search.splits.threshold_cut import Cut, Cuts
from treemip.core.model.tolerances import SAME_WORTH

MOST_CELLS = 1 << 21  # pairs held at once
MOST_NUMBERS = 1 << 22  # sums of all options of one branch
MOST_LABELS = 4  # classes


@dataclass(frozen=True)
class _Options:
    """Ways to split a branch above two leaves, n in all. sums float64 (n, R): what its points add;
    feature int64 (n,), -1 for no cut; place int64 (n,), of a cut in the `order` int64 (features, m)
    of the points by a feature; labels int64 (n, 2)."""

    sums: np.ndarray
    feature: np.ndarray
    place: np.ndarray
    labels: np.ndarray
    order: np.ndarray

    def cut(self, k: int, cuts: Cuts) -> Cut:
        pair: tuple[Label, Label] = (int(self.labels[k, 0]), int(self.labels[k, 1]))
        feature, place = int(self.feature[k]), int(self.place[k])
        if feature < 0:
            return Cut(0.0, -1, -1.0, pair)
        return Cut(0.0, feature, cuts.threshold(self.order[feature], feature, place), pair)


class SiblingCuts:
    """Looks for pairs of cuts in trees of one search over few points."""

    def __init__(self, values: FeatureSteps) -> None:
        self.values = values
        self.seen: set[bytes] = set()

    @property
    def applies(self) -> bool:
        """Whether rows couple leaves that have classes, in sums that no function is taken of."""
        sums = self.values.sums
        return (
            self.values.univariate
            and not self.values.gap
            and sums.rows > 1
            and not sums.folds
            and sums.curve is None
            and sums.classes <= MOST_LABELS
            and bool(self.values.features)
        )

    def improved(self, tree: Candidate, below: float) -> Candidate | None:
        """The tree with the best pair of cuts below some branch that keeps the rows and whose
        objective is less than `below`; None where there is none, or it was looked at before."""
        best = None
        for node in self._parents():
            key = self._around(tree, node)
            if key in self.seen or self.values.late:
                continue
            self.seen.add(key)
            found = self._at(tree, node, below)
            if found is not None:
                best, below = found
        return best

    def _parents(self) -> list[int]:
        """Branches above two branches above leaves."""
        topology = self.values.topology
        leaf = topology.is_leaf
        found = []
        for node in topology.branches:
            children = [*topology.children(int(node))]
            below = [c for one in children if not leaf[one] for c in topology.children(one)]
            if not leaf[children].any() and leaf[below].all():
                found.append(int(node))
        return found

    def _around(self, tree: Candidate, node: int) -> bytes:
        """What of a tree stays as it is: which points come to the two branches, and the rest."""
        other = tree.copy()
        for child in self.values.topology.children(node):
            other.weights[child], other.threshold[child] = 0.0, 1.0
            for leaf in self.values.topology.children(child):
                other.labels[self.values.leaf_number[leaf]] = 0
        return bytes([node]) + self.values.shape(other)

    def _at(self, tree: Candidate, node: int, below: float) -> tuple[Candidate, float] | None:
        values, (one, other) = self.values, self.values.topology.children(node)
        left, right = self._options(tree, one), self._options(tree, other)
        if left is None or right is None:
            return None
        base = values.rows(tree) - self._now(tree, one) - self._now(tree, other)
        pair = _best_pair(values, base, left.sums, right.sums, below)
        if pair is None:
            return None
        found = tree.copy()
        values.put(found, one, left.cut(pair[0], values.cuts))
        values.put(found, other, right.cut(pair[1], values.cuts))
        objective, violation = values.worth(found)
        return (found, objective) if violation <= SAME_WORTH and objective < below else None

    def _now(self, tree: Candidate, node: int) -> np.ndarray:
        """What a branch's points and the labels of its leaves add as they are, float64 (R,)."""
        values, rows = self.values, self.values.members(tree, node)
        left = tree.goes_left(node, values.x[rows])
        one, other = self._leaves(node)
        leaf, sums = np.where(left, one, other), values.sums
        both = [one, other]
        points = sums.added(rows, leaf, tree.labels).sum(axis=0)
        return points + sums.labelled(sums.label, tree.labels)[both].sum(axis=0)

    def _leaves(self, node: int) -> tuple[int, int]:
        left, right = self.values.topology.children(node)
        return int(self.values.leaf_number[left]), int(self.values.leaf_number[right])

    def _options(self, tree: Candidate, node: int) -> _Options | None:
        """All cuts of a branch with all different labels of its leaves, and no cut with each label;
        None where these are too many. What cuts add by their features is part of the sums."""
        values, rows = self.values, self.values.members(tree, node)
        sums = values.sums
        classes = range(sums.classes)
        pairs = [(a, b) for a in classes for b in classes if a != b]
        order, possible = values.cuts.at(rows, np.arange(values.features))
        feature, place = np.nonzero(possible)
        if len(feature) * len(pairs) * sums.rows > MOST_NUMBERS or len(rows) < 2:
            return None
        added, _ = values.supports(tree, node, np.eye(values.features, dtype=bool))
        none, _ = values.supports(tree, node, np.zeros((1, values.features), bool))
        now, _ = values.supports(tree, node, (tree.weights[node] != 0)[None])
        left, right = self._leaves(node)
        parts, labels = [], []
        for a, b in [*pairs, *((a, a) for a in classes)]:
            whole = tree.labels.copy()
            whole[[left, right]] = a, b
            own = sums.labelled(sums.label, whole)[[left, right]].sum(axis=0) - now[0]
            at_right = sums.added(rows, np.full(len(rows), right), whole)
            if a == b:
                parts.append((at_right.sum(axis=0) + own + none[0])[None])
            else:
                change = np.zeros((len(values.x), sums.rows))
                change[rows] = sums.added(rows, np.full(len(rows), left), whole) - at_right
                cuts = np.cumsum(change[order[:, :-1]], axis=1)[feature, place]
                parts.append(cuts + at_right.sum(axis=0) + own + added[feature])
            labels.append(np.tile((a, b), (len(parts[-1]), 1)))
        times, no_cut = len(pairs), len(classes)
        return _Options(
            np.concatenate(parts),
            np.append(np.tile(feature, times), np.full(no_cut, -1)),
            np.append(np.tile(place, times), np.full(no_cut, -1)),
            np.concatenate(labels),
            order,
        )


def _best_pair(
    values: FeatureSteps, base: np.ndarray, left: np.ndarray, right: np.ndarray, below: float
) -> tuple[int, int] | None:
    """The options (n, R) and (m, R) of two branches whose sums keep the rows beside `base` (R,) and
    have the least objective, less than `below`; None where none do."""
    sums, best = values.sums, None
    order = np.argsort(sums.sign * left[:, 0], kind="stable")
    worth = sums.sign * (base[0] + left[order, 0]), sums.sign * right[:, 0]
    least = worth[1].min()
    bounded = np.flatnonzero(np.isfinite(sums.low) | np.isfinite(sums.high))
    slack = SAME_WORTH * sums.scale
    step = max(1, MOST_CELLS // len(right))
    for start in range(0, len(order), step):
        some = slice(start, start + step)
        if worth[0][start] + least >= below - SAME_WORTH:
            break
        i, j = np.nonzero(worth[0][some, None] + worth[1] < below - SAME_WORTH)
        own = left[order[some]]
        for r in bounded:
            total = base[r] + own[i, r] + right[j, r]
            keep = (total >= sums.low[r] - slack[r]) & (total <= sums.high[r] + slack[r])
            i, j = i[keep], j[keep]
        if len(i):
            at = int((worth[0][some][i] + worth[1][j]).argmin())
            below = float(worth[0][some][i[at]] + worth[1][j[at]])
            best = int(order[start + i[at]]), int(j[at])
    return best
