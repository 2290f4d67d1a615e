"""The tree that CART grows for the spec's own objective: a start, and a tree to compare with.

Each branch gets the cut whose two sides are worth most as leaves. For squared or absolute errors
this gives the regression tree of Breiman, Friedman, Olshen and Stone, Classification and Regression
Trees (1984), sect. 8.3 and 8.11; for other sums over points, their analogue.

Where the best values of leaves do not follow from sums, `refined` narrows them down: the cost of a
leaf is taken to fall and then to rise in its value, as every convex loss does. Values are tried at
equal steps, then those between the neighbours of the best one, and so on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.beginnings import Beginnings
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.leaf_answers import MOST_CANDIDATES, LeafAnswers, value_range
from treemip.answers.search.sum_builder import sums_among, sums_of
from treemip.answers.search.sums import Sums
from treemip.core.instance.instance import Instance
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.tree_map import TreeMap

STEPS = 1000  # values between the bounds, where the label is no number
ROUNDS = 8
MOST_REFINED = 1 << 22  # points times leaves times values that are tried in a round: two seconds


def greedy_tree(instance: Instance) -> Candidate:
    """The tree in the spec's topology. Raises NoSums."""
    return Beginnings(valued_trees(instance)).purest_tree()


def trees_to_compare(instance: Instance) -> dict[str, tuple[float, Candidate]]:
    """Trees to compare with and the spec's objective on them: "CART", in the same topology, and the
    best tree with "no split". Nothing where side constraints limit sums over points, where the
    worth of trees is more than such sums, or where it takes long to find. Leaves have constants.
    Raises NoSums.
    """
    values = valued_trees(instance)
    sums = values.sums
    if not sums.additive or sums.opaque or sums.limits[0].count:
        return {}
    cells = len(instance.table.y) * len(instance.nodes.leaves)
    if _is_refined(sums) and cells * MOST_CANDIDATES > MOST_REFINED:
        return {}
    trees = {"CART": Beginnings(values).purest_tree(), "no split": values.empty()}
    return {
        name: (sums.sign * _worth(instance, values, tree), tree) for name, tree in trees.items()
    }


def _worth(instance: Instance, values: Alternation, tree: Candidate) -> float:
    """The objective of a tree with its best leaves, to be minimized. The tree gets the best of the
    answers that the sums list."""
    worth = values.relabelled(tree)
    if not _is_refined(values.sums):
        return worth
    leaf = values.leaf_number[tree.ends(values.x)]
    added, _ = values.of_splits(tree, leaf)
    of_point = instance.table.distinct[1]
    exact, _ = refined(instance, of_point, leaf[of_point], tree)
    return min(worth, exact + values.sums.sign * float(added[0]))


def _is_refined(sums: Sums) -> bool:
    """Whether a leaf's best answer may be missing from those that the sums list."""
    answers = sums.answers
    return sums.curve is None and answers.values is not None and not answers.complete


def valued_trees(instance: Instance) -> Alternation:
    """What univariate trees are worth, over the distinct points. Raises NoSums."""
    x, of_point = instance.table.distinct
    sums = sums_of(instance, of_point)
    inputs, rng = Inputs.of(instance), np.random.default_rng(0)
    return Alternation(
        instance.nodes, x, sums, rng, np.inf, True, None, inputs, TreeMap.of(instance).categories
    )


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
