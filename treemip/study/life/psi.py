"""The population stability index: how far one distribution is from another."""

from __future__ import annotations

import numpy as np

LEAST = 1e-4
"""A share counts as this much at least: without, an empty bin would make the index infinite."""

LITTLE, MUCH = 0.1, 0.25
"""What is usually read as some change, and as a change that asks for action."""


def psi(before: np.ndarray, now: np.ndarray) -> float | None:
    """The sum of (b - a) log(b / a) over shares a and b of the bins. before, now: counts (bins,).
    None where one of them has none."""
    if not before.sum() or not now.sum():
        return None
    a, b = (np.maximum(each / each.sum(), LEAST) for each in (before, now))
    return float(((b - a) * np.log(b / a)).sum())


def reading(value: float | None) -> str:
    if value is None:
        return "not known"
    return "stable" if value < LITTLE else "some change" if value < MUCH else "much change"
