"""What trees can predict for a few points: all of it, by every way to send points left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product

import numpy as np

from reference.oblique_trees import widest

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
    return widest(low, high) > 1e-9
