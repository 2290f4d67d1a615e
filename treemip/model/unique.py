"""The different values of an array."""

from __future__ import annotations

import numpy as np


def unique(values: np.ndarray) -> np.ndarray:
    """The different values of `values` (any shape, without NaN), ascending, (count,).

    What numpy.unique gives, but that imports numpy.ma, 6 ms at every start.
    """
    ordered = np.sort(values, axis=None)
    return ordered[begins(ordered)]


def numbered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values of `values`, ascending, and which of them each one is, int64."""
    order = values.argsort(kind="stable")
    ordered = values[order]
    first = begins(ordered)
    which = np.empty(len(values), np.int64)
    which[order] = first.cumsum() - 1
    return ordered[first], which


def begins(ordered: np.ndarray) -> np.ndarray:
    """Whether each value of an ordered array is another than the one before, bool."""
    found = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=found[1:])
    return found
