"""Directions along which values on a grid fall together.

A formulation that asks for a gap admits few hyperplanes where features are whole numbers: along
most directions the points come to lie closer than that. With whole multiples of the features' own
steps they fall on a grid again, whose step is 1 over the sum of the multiples over the steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.core.model.tolerances import CLEARLY, ROUNDING

MULTIPLES = (1, 2, 3)  # the greatest multiples that are tried
PAIRS = 4  # random pairs of features at a visit


def grid_steps(x: np.ndarray) -> np.ndarray:
    """The step of each column's grid, float64 (p,), for x (m, p); 0 where its values are on none.

    A grid is meant to have few steps: a column whose least difference divides all others.
    """
    steps = np.zeros(x.shape[1])
    for feature, column in enumerate(x.T):
        apart = np.diff(np.unique(column))
        apart = apart[apart > ROUNDING]
        if len(apart):
            counts = apart / apart.min()
            is_grid = np.abs(counts - np.round(counts)).max() <= CLEARLY * counts.max()
            steps[feature] = apart.min() if is_grid else 0.0
    return steps


def rounded(weights: np.ndarray, steps: np.ndarray, gap: float) -> Iterator[np.ndarray]:
    """Directions near `weights` (p,) along which points on the grid are at least `gap` apart, of
    1-norm 1; of two features or more.

    Weights of a feature whose step is below the gap, or that is on no grid, become 0.
    """
    per_step = np.where(steps >= gap, weights * steps, 0.0)
    largest = np.abs(per_step).max(initial=0.0)
    if largest <= ROUNDING:
        return
    known = set()
    for most in MULTIPLES:
        multiples = np.round(per_step / largest * most).astype(np.int64)
        multiples //= np.gcd.reduce(multiples)
        key = multiples.tobytes()
        if np.count_nonzero(multiples) > 1 and key not in known:
            known.add(key)
            yield from _wide_enough(multiples, steps, gap)


def random_pairs(steps: np.ndarray, gap: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Directions of two random features, as `rounded` gives them."""
    usable = np.flatnonzero(steps >= gap)
    for _ in range(PAIRS if len(usable) > 1 else 0):
        multiples = np.zeros(len(steps), np.int64)
        pair = rng.choice(usable, 2, replace=False)
        multiples[pair] = rng.choice(MULTIPLES[:2]), rng.choice([-2, -1, 1, 2])
        multiples //= np.gcd.reduce(multiples)
        yield from _wide_enough(multiples, steps, gap)


def _wide_enough(multiples: np.ndarray, steps: np.ndarray, gap: float) -> Iterator[np.ndarray]:
    used = np.flatnonzero(multiples)
    weights = np.zeros(len(steps))
    weights[used] = multiples[used] / steps[used]
    size = np.abs(weights).sum()
    if 1 / size >= gap * (1 + CLEARLY):
        yield weights / size
