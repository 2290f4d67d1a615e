"""All univariate trees of a depth on tiny data, where the cost is a sum over leaves; a saved tree
with another answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from treemip.api.result import Result
from treemip.api.store import checksum

LeafCost = Callable[[np.ndarray], float]
"""Of the points of one leaf, bool (N,)."""


def tiny(seed: int) -> tuple[np.random.Generator, np.ndarray, int]:
    """5 to 8 points, some of them twice, one or two features of few values: x (N, p); a depth."""
    rng = np.random.default_rng(seed)
    size, width = int(rng.integers(5, 9)), int(rng.integers(1, 3))
    x = rng.integers(0, 4, (size, width)).astype(float)
    x[-1], x[0], x[1] = x[2], 0.0, 3.0
    return rng, x, 1 + seed % 2


def least_cost(x: np.ndarray, depth: int, alpha: float, size: int, leaf: LeafCost) -> float:
    """The least sum over the leaves, and alpha for each split; a leaf has `size` points or more."""

    def best(points: np.ndarray, depth: int) -> float:
        found = leaf(points) if points.sum() >= size else np.inf
        if depth == 0:
            return found
        for column in x.T:
            for value in np.unique(column[points])[:-1]:
                sides = (points & (column <= value), points & (column > value))
                found = min(found, alpha + sum(best(side, depth - 1) for side in sides))
        return found

    return best(np.ones(len(x), bool), depth)


def changed_leaf(
    result: Result, folder: Path, change: Callable[[dict[str, Any]], None], leaf: int
) -> Path:
    """The tree.json of a result with another answer of a leaf, and a checksum that fits it."""
    path = folder / "tree.json"
    result.save(path)
    document = json.loads(path.read_text())
    (node,) = (each for each in document["tree"]["nodes"] if each["node"] == leaf)
    change(node)
    document["checksum"] = checksum(document)
    path.write_text(json.dumps(document))
    return path
