"""The split of one branch by a threshold on one feature: every cut of every feature at once.

With the points sorted by a feature, the sums of all its cuts are a cumulative sum. At a branch
above two leaves the labels are free as well, so that the best tree of depth 1 is found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.frozen import dataclass

Value = Callable[[np.ndarray], np.ndarray]

CELLS = 1 << 22  # sums held at once


@dataclass(frozen=True)
class Cut:
    """Points with x[feature] <= threshold go left. labels: of the two leaves, where those are
    free."""

    value: float
    feature: int
    threshold: float
    labels: tuple[int, int] | None = None


class Cuts:
    """All cuts of the features of x float64 (M, p)."""

    def __init__(self, x: np.ndarray) -> None:
        self.x = x
        self.order = np.argsort(x, axis=0, kind="stable").T.copy()
        self.sorted = np.take_along_axis(x, self.order.T, axis=0).T.copy()

    def at(self, rows: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The points of a branch in the order of each feature, int64 (features, m), and where a
        cut is possible behind them, bool (features, m - 1)."""
        inside = np.zeros(len(self.x), bool)
        inside[rows] = True
        order = self.order[features]
        kept = inside[order]
        order = order[kept].reshape(len(features), len(rows))
        values = self.sorted[features][kept].reshape(len(features), len(rows))
        return order, values[:, 1:] > values[:, :-1]

    def threshold(self, order: np.ndarray, feature: int, cut: int) -> float:
        """The middle between the two values that a cut parts."""
        low, high = self.x[order[cut], feature], self.x[order[cut + 1], feature]
        middle = low + (high - low) / 2
        return float(middle if middle < high else low)


def best_cut(
    cuts: Cuts,
    rows: np.ndarray,
    change: np.ndarray,
    all_right: np.ndarray,
    value: Value,
    added: np.ndarray,
    extra: np.ndarray,
) -> Cut | None:
    """The best cut, where change float64 (M, R) is what a point adds when it goes left instead.

    all_right (R,): the sums when all go right; added (p, R), extra (p,): what a split of each
    feature adds to sums and value. None where no feature has two values.
    """
    features = np.flatnonzero(np.isfinite(extra))
    step = max(1, CELLS // max(1, len(rows) * change.shape[1]))
    best: Cut | None = None
    for start in range(0, len(features), step):
        some = features[start : start + step]
        order, possible = cuts.at(rows, some)
        if not possible.any():
            continue
        sums = all_right + np.cumsum(change[order[:, :-1]], axis=1) + added[some][:, None]
        values = np.where(possible, value(sums) + extra[some][:, None], np.inf)
        at = np.unravel_index(int(values.argmin()), values.shape)
        if best is None or values[at] < best.value:
            feature = int(some[at[0]])
            threshold = cuts.threshold(order[at[0]], feature, int(at[1]))
            best = Cut(float(values[at]), feature, threshold)
    return best
