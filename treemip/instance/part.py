"""The training part of the rows: a share or a fold, stratified by class."""

from __future__ import annotations

import numpy as np

from treemip.resolve.settings.data_spec import Fold, Share


def training_rows(train: Share | Fold | None, y: np.ndarray) -> np.ndarray:
    """bool (N,): which rows are for training. y int64 (N,) are class numbers.

    The choice depends on y, the seed and nothing else.
    """
    if train is None:
        return np.ones(len(y), bool)
    if isinstance(train, Share):
        return share_rows(y, train.share, train.seed)
    return fold_of(y, train.count, train.seed) != train.number


def share_rows(y: np.ndarray, share: float, seed: int) -> np.ndarray:
    """bool (N,) with exactly round(share N) true, spread over the classes by largest remainder."""
    total = round(share * len(y))
    counts = np.bincount(y)
    quota, remainder = np.divmod(counts * total, len(y))
    largest = np.argsort(-remainder, kind="stable")[: total - quota.sum()]
    quota[largest] += 1
    order = _shuffled_by_class(y, seed)
    place_in_class = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = np.zeros(len(y), bool)
    chosen[order] = place_in_class < quota[y[order]]
    return chosen


def fold_of(y: np.ndarray, count: int, seed: int) -> np.ndarray:
    """int64 (N,): each row's fold 1 … count.

    Fold sizes differ by at most one, over all rows and within each class.
    """
    fold = np.empty(len(y), np.int64)
    fold[_shuffled_by_class(y, seed)] = np.arange(len(y)) % count + 1
    return fold


def _shuffled_by_class(y: np.ndarray, seed: int) -> np.ndarray:
    """Rows class by class, in random order within each.

    Sorted by raw 64-bit draws: numpy keeps a bit generator's stream for ever, but not the
    algorithms of `Generator.permutation` and its like, and a seed is meant to outlive a release.
    """
    keys = np.random.PCG64(seed).random_raw(len(y))
    return np.lexsort((keys, y))
