"""The different values of an array."""

from __future__ import annotations

import numpy as np


def unique(values: np.ndarray) -> np.ndarray:
    """The different values of `values` (any shape, without NaN), ascending, (count,).

    What numpy.unique gives, but that imports numpy.ma, 6 ms at every start.
    """
    ordered = np.sort(values, axis=None)
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]
