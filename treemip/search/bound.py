"""What no tree can be better than, whatever its splits: points with equal inputs go together.

Each distinct point is worth its best label at most, and with more classes than leaves the labels
are those of the best choice of classes. Splits and leaves that are paid for cost nothing at least.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from treemip.search.sums import Sums

MOST_CHOICES = 2000


def trivial_bound(sums: Sums, leaves: int) -> float:
    """A lower bound of the objective, to be minimized; -inf where nothing is proven.

    leaves: of the topology.
    """
    if sums.opaque or any(fold.to[:, 0].any() for fold in sums.folds) or 0 in sums.local_rows:
        return -np.inf
    prices = sums.sign * sums.structure[:, 0]
    known = np.isin(np.arange(len(prices)), _known_columns(sums))
    if (prices[known] < 0).any() or prices[~known].any():
        return -np.inf
    worth = sums.sign * sums.shared[:, :, 0]
    least_label = leaves * min(0.0, float((sums.sign * sums.label[:, :, 0]).min(initial=0.0)))
    base = sums.sign * float(sums.constant[0]) + least_label
    return base + _by_points(worth, leaves)


def _known_columns(sums: Sums) -> np.ndarray:
    """Columns that are 0 or 1, so that a price not below 0 adds nothing below 0."""
    names = ("uses", "active", "uses_anywhere", "occupied", "tested", "tested_anywhere")
    families = [sums.families[name] for name in names if name in sums.families]
    parts = [family.start + np.arange(family.length) for family in families]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _by_points(worth: np.ndarray, leaves: int) -> float:
    """The sum over points of their best label, of as many labels as there are leaves.

    worth float64 (M, K).
    """
    classes = worth.shape[1]
    if classes <= leaves or comb(classes, leaves) > MOST_CHOICES:
        return float(worth.min(axis=1).sum())
    choices = combinations(range(classes), leaves)
    return min(float(worth[:, list(choice)].min(axis=1).sum()) for choice in choices)
