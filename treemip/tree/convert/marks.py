"""Marks of missing values as numbers, for columns of numbers."""

from __future__ import annotations

import numpy as np

from treemip.instance.columns import parse_decimals


def number_of_mark(mark: str) -> float | None:
    """The number that a mark is, or None."""
    raw = mark.encode()
    value, known = parse_decimals(raw, np.zeros(1, np.int64), np.array([len(raw)]))
    return float(value[0]) if known[0] else None
