"""The best tree of a depth on few points, where the cost is a sum over leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

LeafCost = Callable[[np.ndarray], float]
"""Of the points of one leaf, bool (N,)."""


def tiny(seed: int) -> tuple[np.random.Generator, np.ndarray, int]:
    """5 to 8 points, some of them twice, one or two features of few values: x (N, p); a depth."""
    rng = np.random.default_rng(seed)
    size, width = int(rng.integers(5, 9)), int(rng.integers(1, 3))
    x = rng.integers(0, 4, (size, width)).astype(float)
    x[-1], x[0], x[1] = x[2], 0.0, 3.0
    return rng, x, 1 + seed % 2


def thresholds(x: np.ndarray) -> list[np.ndarray]:
    """The ways to send points x (N, p) left by a feature and a value, bool (N,) each."""
    return [column <= value for column in x.T for value in np.unique(column)[:-1]]


def least_by(
    ways: Iterable[np.ndarray],
    points: int,
    depth: int,
    leaf: LeafCost,
    alpha: float = 0.0,
    size: int = 0,
    least: float = -np.inf,
) -> float:
    """The least sum over the leaves, and alpha for each split, of all trees that part the points by
    some ways, bool (points,) each; inf where none has `size` points in each leaf.

    least: what no leaf costs less than: such a leaf is not parted.
    """
    every = list({way.tobytes(): way for way in ways}.values())
    known: dict[tuple[bytes, int], float] = {}

    def best(here: np.ndarray, depth: int) -> float:
        key = here.tobytes(), depth
        if key not in known:
            known[key] = parted(here, depth)
        return known[key]

    def parted(here: np.ndarray, depth: int) -> float:
        found = leaf(here) if here.sum() >= size else np.inf
        if depth == 0 or found <= least:
            return found
        for way in every:
            left, right = here & way, here & ~way
            if left.any() and right.any():
                found = min(found, alpha + best(left, depth - 1) + best(right, depth - 1))
        return found

    return best(np.ones(points, bool), depth)


def least_cost(x: np.ndarray, depth: int, alpha: float, size: int, leaf: LeafCost) -> float:
    """The same of univariate trees on the points x (N, p)."""
    return least_by(thresholds(x), len(x), depth, leaf, alpha, size)


def errors(y: np.ndarray, price: float = 1.0) -> LeafCost:
    """What a leaf of the most frequent class costs, for each point of another class y (N,)."""
    codes = np.unique(y, return_inverse=True)[1]
    return lambda here: price * (here.sum() - np.bincount(codes[here], minlength=1).max())


def least_errors(ways: Iterable[np.ndarray], y: np.ndarray, depth: int) -> int:
    """The fewest errors of a tree with such splits."""
    return int(least_by(ways, len(y), depth, errors(y), least=0.0))
