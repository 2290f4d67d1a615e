"""The doubles in their order, so that one between two of them can be searched by halving."""

from __future__ import annotations

import numpy as np


def ordinal(value: float) -> int:
    """The position of a double among all doubles in their order; 0 for 0."""
    bits = int(np.float64(abs(value)).view(np.int64))
    return -bits if value < 0 else bits


def double_at(position: int) -> float:
    """The double at a position."""
    size = float(np.int64(abs(position)).view(np.float64))
    return -size if position < 0 else size
