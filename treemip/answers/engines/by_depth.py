"""Prices of splits that differ by branch, bounded by prices of a tree's depth.

An objective that depends on which branches split, as by a price of the deepest one, has a number
for each set of branches. A tree whose longest chain of splits is k has the points of a tree of
depth k, and at least the least price of all such sets. The least over k of both is a bound; it is
the optimum where the price depends on the depth alone.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from treemip.answers.search.folds import arguments_of
from treemip.answers.search.sums import Sums
from treemip.core.instance.trees import Forest


def differ(split: np.ndarray) -> np.ndarray:
    """Which rows differ by branch, bool (R,); split float64 (branches, p, R)."""
    rows: np.ndarray = (split != split[:1]).any(axis=(0, 1))
    return rows


def only_of_branches(sums: Sums, split: np.ndarray, others: np.ndarray) -> np.ndarray | None:
    """The arguments of functions that depend only on which branches split, bool (sums.rows,); None
    where a function takes anything else as well, or a constraint takes one.

    split float64 (branches, p, R); others (n, R): what features and leaves add to the rows.
    """
    taken = arguments_of(sums.folds, sums.rows)
    counted = (sums.shared != 0).any(axis=(0, 1)) | (sums.label != 0).any(axis=(0, 1))
    counted[sums.local_rows] = True
    counted |= (others[:, : sums.rows] != 0).any(axis=0)
    counted |= (split[:, :, : sums.rows] != split[:, :1, : sums.rows]).any(axis=(0, 1))
    bounded = np.isfinite(sums.low) | np.isfinite(sums.high)
    to = np.zeros(sums.rows, bool)
    for fold in sums.folds:
        to |= (fold.to != 0).any(axis=0)
    to[0] = False
    return None if (taken & counted).any() or ((taken | to) & bounded).any() else taken


def price_of_depth(sums: Sums, split: np.ndarray, topology: Forest) -> np.ndarray:
    """The least that sets of branches with a longest chain of k splits add to the objective, to be
    minimized, float64 (depth + 1,).

    split float64 (branches, sums.rows): what each branch adds, its own prices in the objective and
    arguments of the functions.
    """
    branches = topology.branches
    sets = np.array(list(product((False, True), repeat=len(branches))))
    rows = sums.constant + sets @ split
    rows[:, 0] = sets @ split[:, 0]
    for fold in sums.folds:
        rows = rows + fold.values(rows) @ fold.to
    longest = np.zeros((len(sets), topology.size), np.int64)
    for number, node in enumerate(branches.tolist()):  # parents come first
        parent = int(topology.parent[node])
        above = longest[:, parent] if parent >= 0 else 0
        longest[:, node] = above + sets[:, number]
    depth = longest.max(axis=1)
    least = np.full(int(topology.depth.max()) + 1, np.inf)
    np.minimum.at(least, depth, sums.sign * rows[:, 0])
    return least
