"""Nested binary columns as one ordered feature.

Of columns such as x > 1, x > 2, x > 3, each implies the one before it; the splits on them are the
cuts of a feature that counts how many hold. Cuts of one feature bound each other, columns do not.
"""

from __future__ import annotations

import numpy as np


def chains(x: np.ndarray, thresholds: list[np.ndarray], price: np.ndarray) -> list[np.ndarray]:
    """The columns of each feature, int64, a chain by growing sets of points that go left.

    x float64 (M, p); thresholds: increasing, of each column; price (..., p): what tells splits on
    columns apart beside the points. Only columns next to each other are joined, those with one
    threshold each.
    """
    found: list[list[int]] = []
    left: np.ndarray | None = None  # of the last column of a chain
    grows = 0  # 1 where sets grow along the columns, -1 where they shrink, 0 where both will do
    for j, cuts in enumerate(thresholds):
        goes = x[:, j] <= cuts[0] if len(cuts) == 1 else None
        way = 0
        same = j > 0 and np.array_equal(price[..., j], price[..., j - 1])
        if same and goes is not None and left is not None:
            up, down = not (left & ~goes).any(), not (goes & ~left).any()
            way = 1 if up and grows >= 0 else -1 if down and grows <= 0 else 0
            if way and not (up and down):
                grows = way
        if way:
            found[-1].append(j)
        else:
            found.append([j])
            grows = 0
        left = goes
    return [_by_size(x, thresholds, np.array(columns)) for columns in found]


def _by_size(x: np.ndarray, thresholds: list[np.ndarray], columns: np.ndarray) -> np.ndarray:
    if len(columns) == 1:
        return columns
    sizes = [(x[:, j] <= thresholds[j][0]).sum() for j in columns]
    ordered: np.ndarray = columns[np.argsort(sizes, kind="stable")]
    return ordered
