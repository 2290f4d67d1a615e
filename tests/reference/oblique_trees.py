"""The best oblique tree on a few points by every way to part them: independent of the engine.

All points keep the gap at every branch that they pass, those that end up wrong as well.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import linprog


def widest(left: np.ndarray, right: np.ndarray) -> float:
    """The widest gap between two sets of points for |a|_1 <= 1; infinite where one is empty."""
    if not len(left) or not len(right):
        return np.inf
    p = left.shape[1]
    cost = np.concatenate(
        [np.zeros(2 * p), [1.0, -1.0]]
    )  # greatest of the left, least of the right
    above = np.hstack([left, -left, -np.ones((len(left), 1)), np.zeros((len(left), 1))])
    below = np.hstack([-right, right, np.zeros((len(right), 1)), np.ones((len(right), 1))])
    norm = np.concatenate([np.ones(2 * p), [0.0, 0.0]])[None]
    limits = np.concatenate([np.zeros(len(left) + len(right)), [1.0]])
    bounds = [(0, 1)] * (2 * p) + [(None, None)] * 2
    found = linprog(cost, np.concatenate([above, below, norm]), limits, bounds=bounds)
    assert found.status == 0
    return -float(found.fun)


def least_loss(x: np.ndarray, loss: np.ndarray, depth: int, gap: float) -> float:
    """The least sum of losses (N, K) of the labels that a tree of this depth gives to x (N, p)."""
    every = 2 ** len(x) - 1
    bits = np.array([[(s >> i) & 1 for i in range(len(x))] for s in range(every + 1)], bool)

    @cache
    def parted(one: int, other: int) -> bool:
        return widest(x[bits[one]], x[bits[other]]) >= gap

    @cache
    def best(here: int, levels: int) -> float:
        value = float(loss[bits[here]].sum(axis=0).min())
        if levels == 0 or value == 0:
            return value
        side = (here - 1) & here
        while side > here ^ side:
            parts = best(side, levels - 1) + best(here ^ side, levels - 1)
            if parts < value and parted(side, here ^ side):
                value = parts
            side = (side - 1) & here
        return value

    return best(every, depth)
