"""Derived sets and trees: the closed list of functions from the data to a table.

Each is a small typed function, registered under the name the language knows it by; they are the
one thing that a formulation may need and that is written in Python.
"""

from __future__ import annotations

import numpy as np

from treemip.core.instance.trees import Forest
from treemip.core.model.arrays import Ragged, offsets_of, unique
from treemip.core.model.tolerances import LEAST_GAP


def thresholds(x: np.ndarray, y: np.ndarray) -> Ragged:
    """All midpoints between consecutive distinct values of each feature, ascending.

    x float64 (points, features). With these no split of the data is lost, where values up to the
    threshold go left: between neighbouring doubles the threshold is the lower one.
    """
    return _per_feature([midpoints(unique(column)) for column in x.T])


def class_thresholds(x: np.ndarray, y: np.ndarray) -> Ragged:
    """Midpoints where the class can change: both neighbours pure and of one class are skipped.

    This is the pruning of Verwer and Zhang (2019), section 3. It can lose the optimum for trees
    of depth 2 and more: x = (4,0) (0,2) (5,2) (3,3) (2,0) (1,3), y = 1 0 0 0 0 1 has 0 errors at
    depth 2 with all thresholds and 1 with these.
    """
    per_feature = []
    for column in x.T:
        values, where = np.unique(column, return_inverse=True)
        low = np.full(len(values), np.iinfo(np.int64).max)
        high = np.full(len(values), -1)
        np.minimum.at(low, where, y)
        np.maximum.at(high, where, y)
        same = (low[:-1] == high[:-1]) & (low[1:] == high[1:]) & (low[:-1] == low[1:])
        per_feature.append(midpoints(values)[~same])
    return _per_feature(per_feature)


def gaps(x: np.ndarray) -> dict[str, np.ndarray]:
    """Least differences between two values of each feature, float64 (features,); 1 for a constant
    feature.

    "least_gap" are those above 1e-5 between consecutive distinct values, Bertsimas and Dunn's
    epsilon_j; the floor keeps rounding noise from counting as a gap. "least_difference" are those
    of all, however small, and at most 1.
    """
    found = {"least_gap": np.ones(x.shape[1]), "least_difference": np.ones(x.shape[1])}
    if x.dtype == np.uint8:  # 0 and 1
        return found
    for j, column in enumerate(x.T):
        apart = np.diff(np.sort(column))
        found["least_difference"][j] = apart[apart > 0].min(initial=1.0)
        apart = apart[apart > LEAST_GAP]
        if len(apart):
            found["least_gap"][j] = apart.min()
    return found


def least_gap(x: np.ndarray) -> np.ndarray:
    return gaps(x)["least_gap"]


def least_difference(x: np.ndarray) -> np.ndarray:
    return gaps(x)["least_difference"]


def least_gap_moved(x: np.ndarray, features: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Least difference above 1e-5 between values of a feature and these moved by a radius.

    features, radii (M,): each value of the feature stands for itself, itself less the radius and
    itself plus the radius. 1 where all of these are one number. float64 (M,).
    """
    if not len(features):
        return np.zeros(0)
    asked, where = np.unique(np.column_stack([features, radii]), axis=0, return_inverse=True)
    gaps = np.empty(len(asked))
    for row, (feature, radius) in enumerate(asked):
        column = unique(x[:, int(feature)])
        moved = np.concatenate([column, column - radius, column + radius])
        gaps[row] = least_gap(moved[:, None])[0]
    return gaps[where.ravel()]


def bisect(thresholds: Ragged) -> Forest:
    """The binary search tree over each row's sorted numbers (Verwer and Zhang, Algorithm 1).

    An inner node stands for the range min..max of threshold numbers with mid = min + (max-min)//2
    and asks whether the threshold is at most th[mid]; its left child has min..mid, its right
    child mid+1..max. A leaf is one threshold. Values: `mid` th[mid] (the threshold itself at a
    leaf), `next` th[mid+1], `lo` th[min], `hi` th[max].
    """
    lengths = thresholds.lengths
    family = np.flatnonzero(lengths > 0)
    low, high = np.zeros(len(family), np.int64), lengths[family] - 1
    above = np.full(len(family), -1)
    heap = np.ones(len(family), np.int64)
    levels: list[tuple[np.ndarray, ...]] = []
    count = 0
    while len(family):
        number = count + np.arange(len(family))
        levels.append((family, low, high, above, heap, np.full(len(family), len(levels))))
        count += len(family)
        split = high > low
        mid = low + (high - low) // 2
        s = split
        family = np.concatenate([family[s], family[s]])
        above = np.concatenate([number[s], number[s]])
        heap = np.concatenate([2 * heap[s], 2 * heap[s] + 1])
        low, high = np.concatenate([low[s], mid[s] + 1]), np.concatenate([mid[s], high[s]])
    return _forest(levels, thresholds)


def _forest(levels: list[tuple[np.ndarray, ...]], thresholds: Ragged) -> Forest:
    columns = list(zip(*levels, strict=True)) or [(np.zeros(0, np.int64),)] * 6
    family, low, high, above, heap, depth = (np.concatenate(c) for c in columns)
    order = np.lexsort((heap, family))
    new = np.empty(len(order), np.int64)
    new[order] = np.arange(len(order))
    family, low, high, heap, depth = (a[order] for a in (family, low, high, heap, depth))
    parent = np.where(above[order] < 0, -1, new[above[order]])
    left, right = (np.full(len(order), -1) for _ in range(2))
    child = np.flatnonzero(parent >= 0)
    is_left = heap[child] % 2 == 0
    left[parent[child[is_left]]] = child[is_left]
    right[parent[child[~is_left]]] = child[~is_left]
    start = thresholds.offsets[:-1][family]
    mid = low + (high - low) // 2
    th = thresholds.items
    values = {
        "lo": th[start + low],
        "hi": th[start + high],
        "mid": th[start + mid],
        "next": th[start + np.minimum(mid + 1, high)],
    }
    return Forest(parent, left, right, depth, heap, family, thresholds.count, values)


def midpoints(values: np.ndarray) -> np.ndarray:
    """Halfway between neighbours; the lower one where rounding leaves no number between."""
    low, high = values[:-1], values[1:]
    with np.errstate(over="ignore"):
        apart = high - low
        middle = np.where(np.isinf(apart), low / 2 + high / 2, low + apart / 2)
    return np.where(middle < high, middle, low)


def _per_feature(lists: list[np.ndarray]) -> Ragged:
    lengths = np.array([len(a) for a in lists], np.int64)
    return Ragged(offsets_of(lengths), np.concatenate(lists) if lists else np.zeros(0))


SETS = {"thresholds": thresholds, "class_thresholds": class_thresholds}
GAPS = {"least_gap": least_gap, "least_difference": least_difference}
