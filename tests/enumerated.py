"""All trees on a few points, enumerated: independent of everything in treemip."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import linprog


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


Sides = Callable[[np.ndarray], Iterable[np.ndarray]]
"""From some points (n, p) all ways to send them left, bool (n,) each, both sides not empty."""


def predictions(x: np.ndarray, classes: int, depth: int, sides: Sides) -> set[tuple[int, ...]]:
    """What trees of at most this depth can predict for the points x (n, p), all of it."""
    found = {(k,) * len(x) for k in range(classes)}
    if depth == 0 or len(x) < 2:
        return found
    for left in sides(x):
        below = [predictions(x[part], classes, depth - 1, sides) for part in (left, ~left)]
        for one, other in product(*below):
            whole = np.empty(len(x), int)
            whole[left], whole[~left] = one, other
            found.add(tuple(whole.tolist()))
    return found


def axis_sides(x: np.ndarray) -> Iterator[np.ndarray]:
    for column in x.T:
        for value in np.unique(column)[:-1]:
            yield column <= value


def linear_sides(x: np.ndarray) -> Iterator[np.ndarray]:
    """By a hyperplane, whichever side is left; the first point stands for the two of them."""
    for rest in product([False, True], repeat=len(x) - 1):
        left = np.array([True, *rest])
        if not left.all() and _separable(x[left].tobytes(), x[~left].tobytes(), x.shape[1]):
            yield left


@cache
def _separable(one: bytes, other: bytes, width: int) -> bool:
    low, high = (np.frombuffer(part).reshape(-1, width) for part in (one, other))
    rows = np.vstack([np.c_[low, -np.ones(len(low))], np.c_[-high, np.ones(len(high))]])
    ends = np.r_[np.zeros(len(low)), -np.ones(len(high))]
    found = linprog(np.zeros(width + 1), A_ub=rows, b_ub=ends, bounds=(None, None))
    assert found.status in (0, 2)
    return bool(found.status == 0)
