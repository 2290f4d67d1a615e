"""All axis-aligned trees, enumerated: independent of everything in treemip."""

from __future__ import annotations

import numpy as np


def least_errors(x: np.ndarray, y: np.ndarray, depth: int) -> int:
    """Fewest errors of any axis-aligned tree of at most this depth; x (N, p), y (N,).

    Every feature, every place between two of its values at the node, every subtree.
    """
    if len(y) == 0:
        return 0
    best = len(y) - int(np.unique(y, return_counts=True)[1].max())
    if depth == 0 or best == 0:
        return best
    for column in x.T:
        for value in np.unique(column)[:-1]:
            left = column <= value
            errors = least_errors(x[left], y[left], depth - 1)
            errors += least_errors(x[~left], y[~left], depth - 1)
            best = min(best, errors)
    return best


def least_cost(
    x: np.ndarray, y: np.ndarray, depth: int, error: float, split: float, size: int = 1
) -> float:
    """Least errors * error + splits * split of any such tree whose leaves have `size` points."""
    best = error * (len(y) - int(np.unique(y, return_counts=True)[1].max(initial=0)))
    if depth == 0:
        return best
    for column in x.T:
        for value in np.unique(column)[:-1]:
            left = column <= value
            if min(left.sum(), (~left).sum()) < size:
                continue
            below = [least_cost(x[s], y[s], depth - 1, error, split, size) for s in (left, ~left)]
            best = min(best, split + sum(below))
    return best
