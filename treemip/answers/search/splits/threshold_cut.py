"""The split of one branch by a threshold on one feature: every cut of every feature at once.

With the points sorted by a feature, the sums of all its cuts are a cumulative sum. At a branch
above two leaves the labels are free as well, so that the best tree of depth 1 is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np

from treemip.answers.search.candidate import Label
from treemip.answers.search.curves.curve import ONE_OF, Choice
from treemip.answers.search.sums import Value
from treemip.core.instance.derived import midpoints
from treemip.core.model.tolerances import LEAST_DIVISOR, ROUNDING, SAME_WORTH

CELLS = 1 << 21  # sums held at once


@dataclass(frozen=True)
class Cut:
    """Points with x[feature] <= threshold go left. labels: of the two leaves, where those are
    free."""

    value: float
    feature: int
    threshold: float
    labels: tuple[Label, Label] | None = None


class Cuts:
    """All cuts of the first p features of x float64 (M, p or more). least float64 (p,): how far
    apart the values on the two sides must be, for each feature; a gap asked for may be wider."""

    def __init__(self, x: np.ndarray, features: int | None = None) -> None:
        self.x = x
        x = x[:, :features]
        self.order = np.argsort(x, axis=0, kind="stable").T.copy()
        self.sorted = np.take_along_axis(x, self.order.T, axis=0).T.copy()
        self.least = np.zeros(x.shape[1])

    def of_points(self, chosen: np.ndarray) -> Cuts:
        """The cuts of some of the points, bool (M,), without sorting them again."""
        part, some = copy(self), chosen[self.order]
        part.order = self.order[some].reshape(len(self.order), -1)
        part.sorted = self.sorted[some].reshape(len(self.order), -1)
        return part

    def at(
        self, rows: np.ndarray, features: np.ndarray, gap: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """The points of a branch in the order of each feature, int64 (features, m), and where a
        cut is possible behind them, bool (features, m - 1): between values `gap` apart."""
        order, values = self.order[features], self.sorted[features]
        if len(rows) < order.shape[1]:
            inside = np.zeros(len(self.x), bool)
            inside[rows] = True
            of_branch = inside[order]
            order = order[of_branch].reshape(len(features), len(rows))
            values = values[of_branch].reshape(len(features), len(rows))
        apart = values[:, 1:] - values[:, :-1]
        if self.least.any():
            least = np.maximum(self.least[features], gap)[:, None]
            return order, (apart > 0) & (apart >= least * (1 - SAME_WORTH))
        return order, (apart >= gap if gap > 0 else apart > 0)

    def threshold(self, order: np.ndarray, feature: int, cut: int) -> float:
        """The middle between the two values that a cut parts."""
        return float(midpoints(self.x[order[cut : cut + 2], feature])[0])


def best_cut(
    cuts: Cuts,
    rows: np.ndarray,
    change: np.ndarray,
    all_right: np.ndarray,
    value: Value,
    added: np.ndarray,
    extra: np.ndarray,
    gap: float = 0.0,
) -> Cut | None:
    """The best cut between values `gap` apart, above anything.

    change float64 (M, R): what a point adds when it goes left instead of right.
    all_right (R,): the sums when all go right; added (p, R), extra (p,): what a split of each
    feature adds to sums and value. None where no feature has two values.
    """
    best: Cut | None = None
    moved = np.flatnonzero(change.any(axis=0))
    change = np.ascontiguousarray(change[:, moved])
    for some in chunks(np.flatnonzero(np.isfinite(extra)), len(rows) * max(1, len(moved))):
        order, possible = cuts.at(rows, some, gap)
        feature, cut = np.nonzero(possible)  # of a feature of two values only one
        if not len(cut):
            continue
        sums = np.tile(all_right, (len(cut), 1))
        sums[:, moved] += np.cumsum(change[order[:, :-1]], axis=1)[feature, cut]
        values = value(sums + added[some][feature]) + extra[some][feature]
        at = int(values.argmin())
        if best is None or values[at] < best.value:
            threshold = cuts.threshold(order[feature[at]], int(some[feature[at]]), int(cut[at]))
            best = Cut(float(values[at]), int(some[feature[at]]), threshold)
    return best


def best_labelled_cut(
    cuts: Cuts,
    rows: np.ndarray,
    worth: tuple[np.ndarray, np.ndarray],
    of_label: tuple[np.ndarray, np.ndarray],
    extra: np.ndarray,
    gap: float = 0.0,
    choice: Choice = ONE_OF,
) -> Cut | None:
    """The best cut between values `gap` apart, above two leaves with their best labels, where the
    value is a sum over points.

    worth: what each point is worth with each label in the left and in the right leaf, to be
    minimized, float64 (m, K) in the order of `rows`; of_label (K,): what a label itself costs
    there; extra (p,): what a split of each feature costs. choice: of the labels. None where no
    feature has such a cut.
    """
    of_row = np.full(len(cuts.x), -1)
    of_row[rows] = np.arange(len(rows))
    best: Cut | None = None
    for some in chunks(np.flatnonzero(np.isfinite(extra)), len(rows) * worth[0].shape[1]):
        order, possible = cuts.at(rows, some, gap)
        feature, cut = np.nonzero(possible)
        if not len(cut):
            continue
        at = of_row[order[:, :-1]]
        left = np.cumsum(worth[0][at], axis=1)[feature, cut] + of_label[0]
        right = worth[1].sum(axis=0) - np.cumsum(worth[1][at], axis=1)[feature, cut] + of_label[1]
        values = choice.least(left) + choice.least(right) + extra[some][feature]
        best_at = int(values.argmin())
        if best is None or values[best_at] < best.value:
            one, other = choice.best(np.array([left[best_at], right[best_at]])).tolist()
            own, behind = int(feature[best_at]), int(cut[best_at])
            threshold = cuts.threshold(order[own], int(some[own]), behind)
            best = Cut(float(values[best_at]), int(some[own]), threshold, (one, other))
    return best


def purest_cut(
    cuts: Cuts,
    rows: np.ndarray,
    counts: np.ndarray,
    gap: float = 0.0,
    sizes: tuple[np.ndarray, float] | None = None,
    among: np.ndarray | None = None,
) -> Cut | None:
    """The cut of least Gini impurity, as CART takes it, between values `gap` apart.

    counts float64 (M, K): the weight of each point under each class. sizes: what each point counts,
    float64 (M,), and the least that both sides must have. among: features, int64; all where it is
    None. None where there is no cut.
    """
    best: Cut | None = None
    totals = counts[rows].sum(axis=0)
    features = np.arange(len(cuts.order)) if among is None else among
    for some in chunks(features, len(rows) * counts.shape[1]):
        order, possible = cuts.at(rows, some, gap)
        if not possible.any():
            continue
        if sizes is not None:
            size = np.cumsum(sizes[0][order], axis=1)
            size = np.minimum(size[:, :-1], size[:, -1:] - size[:, :-1])
            possible &= size >= sizes[1] * (1 - ROUNDING)
            if not possible.any():
                continue
        values = np.where(possible, -_purity(counts, order, totals), np.inf)
        feature, cut = np.unravel_index(int(values.argmin()), values.shape)
        if best is None or values[feature, cut] < best.value - ROUNDING:
            threshold = cuts.threshold(order[feature], int(some[feature]), int(cut))
            best = Cut(float(values[feature, cut]), int(some[feature]), threshold)
    return best


def _purity(counts: np.ndarray, order: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Behind each point but the last, float64 (p, m - 1): over the two sides, the squares of the
    classes' weights over the side's weight, which is the node's weight less its weighted Gini
    impurity."""
    squares = np.zeros((2, len(order), order.shape[1] - 1))
    weights = np.zeros_like(squares)
    for of_class, total in zip(np.ascontiguousarray(counts.T), totals, strict=True):
        left = np.cumsum(of_class[order[:, :-1]], axis=1)
        for side, weight in enumerate((left, total - left)):
            squares[side] += weight**2
            weights[side] += weight
    return (squares / np.maximum(weights, LEAST_DIVISOR)).sum(axis=0)


def chunks(features: np.ndarray, each: int) -> Iterator[np.ndarray]:
    """The features in parts that hold `CELLS` numbers at once, with `each` for one feature."""
    step = max(1, CELLS // max(1, each))
    for start in range(0, len(features), step):
        yield features[start : start + step]
