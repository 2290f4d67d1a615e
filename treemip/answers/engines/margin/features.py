"""A relaxation of what a branch pays for the features that it uses: prices, and budgets.

A feature is used to a degree between 0 and 1, its weight, which divides its square in the 2-norm:
the k-support norm in place of the 2-norm (Argyriou, Foygel and Srebro 2012). Each further feature
costs at least as much as the one before, so the dual is a sum of the greatest squares.

marginal float64 (p,): the price of one more feature. state int8 (p,): OPEN, IN or OUT.
"""

from __future__ import annotations

import numpy as np

from treemip.core.model.tolerances import LEAST_WEIGHT, SLIGHT_WEIGHT

OPEN, IN, OUT = 0, 1, 2
"""What is settled of a branch's feature."""

HALVINGS = 100


def cost(marginal: np.ndarray, weight: np.ndarray) -> float:
    """Of features by these weights (p,)."""
    part = np.clip(weight.sum() - np.arange(len(marginal)), 0.0, 1.0)
    counts = (part > SLIGHT_WEIGHT) & (marginal > 0)
    return float((marginal[counts] * part[counts]).sum())


def most(marginal: np.ndarray, state: np.ndarray, normal: np.ndarray) -> float:
    """The greatest sum of normal (p,) ** 2 / 2 over features in use, less what these cost."""
    half = 0.5 * normal**2
    taken = int((state == IN).sum())
    open_ = np.sort(half[state == OPEN])[::-1]
    with np.errstate(invalid="ignore"):
        more = np.maximum(open_ - marginal[taken : taken + len(open_)], 0.0)
    return float(half[state == IN].sum() - marginal[:taken].sum() + more.sum())


def first_weights(marginal: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Weights (p,) to begin with: those of open features alike."""
    taken, open_ = int((state == IN).sum()), state == OPEN
    room = taken < len(state) and np.isfinite(marginal[taken])
    free = max(1, int((marginal == 0).sum()) - taken)
    share = min(1.0, free / max(1, open_.sum())) if room else 0.0
    return np.where(open_, share, np.where(state == IN, 1.0, 0.0))


def better_weights(
    marginal: np.ndarray, state: np.ndarray, weight: np.ndarray, normal: np.ndarray
) -> np.ndarray:
    """Those that the hyperplane weight * normal (p,) is cheapest with."""
    open_ = (state == OPEN) & (weight > 0)
    size = np.where(open_, weight * np.abs(normal), 0.0)
    price = _price(marginal[int((state == IN).sum()) :], size[open_])
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = np.clip(size / np.sqrt(2 * price), LEAST_WEIGHT, 1.0) if price else 1.0
    return np.where(open_, wanted, weight)


def _price(marginal: np.ndarray, size: np.ndarray) -> float:
    """What one more feature costs where those in use are worth it."""

    def in_use(price: float) -> float:
        return float(np.minimum(1.0, size / np.sqrt(2 * price)).sum() if price else len(size))

    for count, most_ in enumerate(marginal):
        if np.isfinite(most_):
            if in_use(most_) > count + 1:
                continue
            if in_use(most_) >= count:
                return float(most_)
        return _between(in_use, count, float(marginal[count - 1]) if count else 0.0, float(most_))
    return 0.0


def _between(in_use, count: int, low: float, high: float) -> float:  # type: ignore[no-untyped-def]
    """The price between two at which so many features are in use."""
    if np.isinf(high):
        high = max(1.0, 2 * low)
        while in_use(high) > count and high < np.sqrt(np.finfo(float).max):
            high *= 4
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high) if low > 0 else (low + high) / 2
        low, high = (middle, high) if in_use(middle) > count else (low, middle)
    return float(high)
