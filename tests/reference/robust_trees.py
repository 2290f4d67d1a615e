"""Trees under attack: every one of a depth on tiny data, and the points that an attacker can bring
to a leaf of another class."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

Box = tuple[np.ndarray, np.ndarray]
"""Lower and upper ends (p,) of what reaches a node: lower < x <= upper."""


def random_points(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x (N, 2) on a grid in [0, 1] with both ends, classes (N,), radii (2,); with duplicates."""
    rng = np.random.default_rng(seed)
    size, steps = int(rng.integers(5, 9)), int(rng.choice([3, 4, 5, 10]))
    x = np.vstack([rng.integers(0, steps + 1, (size - 2, 2)) / steps, [[0, 1], [1, 0]]])
    if seed % 4 == 0:
        x[0], x[1] = x[-1], x[-2]
    radii = rng.choice([0, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3], 2)
    return x, np.append(rng.integers(0, 2 + seed % 2, size - 2), [0, 1]), radii


def can_reach(x: np.ndarray, radii: np.ndarray, box: Box) -> np.ndarray:
    """Which points some attack moves into the box, bool (N,); no attack where it is empty."""
    low, high = box
    inside = (x - radii <= high + 1e-9) & (x + radii > low + 1e-9)
    return inside.all(1) & (low < high).all()


def least_robust_errors(x: np.ndarray, y: np.ndarray, radii: np.ndarray, depth: int) -> int:
    """Of all trees of this depth, by the attacks themselves: a box meets a leaf's box or not."""
    everywhere = (np.full(x.shape[1], -np.inf), np.full(x.shape[1], np.inf))
    return int(min(sum(lost) for lost in losses(x, y, radii, depth, everywhere)))


def losses(
    x: np.ndarray, y: np.ndarray, radii: np.ndarray, depth: int, box: Box
) -> set[tuple[bool, ...]]:
    """Which points are wrong under attack, for every subtree whose points come from the box."""
    reaches = can_reach(x, radii, box)
    found = {tuple((reaches & (y != k)).tolist()) for k in np.unique(y)}
    if depth == 0:
        return found
    for j in range(x.shape[1]):
        ends = np.unique(np.round(np.concatenate([x[:, j] - radii[j], x[:, j] + radii[j]]), 9))
        for threshold in (ends[:-1] + ends[1:]) / 2:
            low, high = box[0].copy(), box[1].copy()
            low[j], high[j] = max(low[j], threshold), min(high[j], threshold)
            sides = (box[0], high), (low, box[1])
            below = [losses(x, y, radii, depth - 1, side) for side in sides]
            found |= {tuple(map(max, one, other)) for one, other in product(*below)}
    return found


Stump = tuple[int, int, int, int]
"""Errors, errors under attack, splits, size of the smallest leaf that is used."""


def stumps(x: np.ndarray, y: np.ndarray, radii: np.ndarray) -> Iterator[Stump]:
    """All trees of depth 1, thresholds between any two values and ends of attacks."""
    for k in np.unique(y):
        yield int((y != k).sum()), int((y != k).sum()), 0, len(y)
    for j in range(x.shape[1]):
        low, high = x[:, j] - radii[j], x[:, j] + radii[j]
        ends = np.unique(np.round(np.concatenate([low, x[:, j], high]), 9))
        for h in [ends[0] - 1, *((ends[:-1] + ends[1:]) / 2), ends[-1] + 1]:
            left = x[:, j] <= h
            sizes = [n for n in (int(left.sum()), int((~left).sum())) if n]
            for one, other in product(np.unique(y), repeat=2):
                wrong = np.where(left, y != one, y != other)
                attacked = (low <= h) & (y != one) | (high > h) & (y != other)
                yield int(wrong.sum()), int(attacked.sum()), 1, min(sizes)
