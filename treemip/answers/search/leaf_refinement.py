"""The best values of a tree's leaves, where they do not follow from sums: by narrowing in.

What a leaf costs is taken to fall and then to rise in its value, as that of every convex loss does.
Values are tried at equal steps, then those between the neighbours of the best one, and so on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.leaf_answers import MOST_CANDIDATES, LeafAnswers, value_range
from treemip.answers.search.sum_builder import sums_among
from treemip.core.instance.instance import Instance

STEPS = 1000  # values between the bounds, where the label is no number
ROUNDS = 8


def refined(
    instance: Instance, of_point: np.ndarray, leaf: np.ndarray, tree: Candidate
) -> tuple[float, Candidate]:
    """The least worth of the routing, to be minimized, without what splits add, and the tree with
    the leaf values that have it.

    of_point int64 (N,): the distinct points; leaf int64 (N,): the number of each point's leaf. Each
    leaf may have the label of one of its points, or where there are none, one of STEPS values.
    Raises NoSums.
    """
    grids = _grids(instance, leaf, len(tree.labels))
    first, last = np.zeros(len(grids), int), np.array([len(grid) - 1 for grid in grids])
    of_distinct = np.zeros(int(of_point.max()) + 1, int)
    of_distinct[of_point] = leaf
    for _ in range(ROUNDS):
        steps = np.linspace(first, last, MOST_CANDIDATES, axis=1).round().astype(int)
        values = np.array([grid[at] for grid, at in zip(grids, steps, strict=True)])
        sums = sums_among(instance, of_point, LeafAnswers.among(values))
        by_leaf = sums.by_leaf(of_distinct)
        best = (sums.sign * by_leaf[:, :, 0]).argmin(axis=1)
        every = np.arange(len(grids))
        near = np.clip([best - 1, best + 1], 0, MOST_CANDIDATES - 1)
        done = (last - first < MOST_CANDIDATES).all()
        first, last = steps[every, near[0]], steps[every, near[1]]
        if done:
            break
    chosen = sums.constant + by_leaf[every, best].sum(axis=0)
    answers = values[every, best][:, None]
    return float(sums.sign * chosen[0]), replace(tree, labels=every, answers=answers)


def _grids(instance: Instance, leaf: np.ndarray, leaves: int) -> list[np.ndarray]:
    """Increasing values for each leaf."""
    table, ends = instance.table, value_range(instance)
    assert ends is not None
    if table.label_kind != "number":
        return [np.linspace(*ends, STEPS)] * leaves
    y = np.clip(table.y, *ends)
    own = [np.unique(y[leaf == one]) for one in range(leaves)]
    return [grid if len(grid) else np.array(ends) for grid in own]
