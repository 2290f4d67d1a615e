"""The tree that CART grows for the spec's own objective: a start, and a tree to compare with.

At each branch the cut is taken whose two sides are worth most as leaves. Of squared or absolute
errors this is the regression tree of Breiman, Friedman, Olshen and Stone, Classification and
Regression Trees (1984), sect. 8.3 and 8.11; of other sums over points it is their analogue.
"""

from __future__ import annotations

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.beginnings import Beginnings
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.leaf_refinement import refined
from treemip.answers.search.sum_builder import sums_of
from treemip.core.instance.instance import Instance
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.tree_map import TreeMap


def greedy_tree(instance: Instance) -> Candidate:
    """The tree in the spec's topology. Raises NoSums."""
    return Beginnings(valued_trees(instance)).purest_tree()


def trees_to_compare(instance: Instance) -> dict[str, tuple[float, Candidate]]:
    """Trees to compare with and the spec's objective on them: "CART", in the same topology, and the
    best tree with "no split". Nothing where side constraints limit sums over points, or where trees
    cost what such sums do not say. Leaves have constants. Raises NoSums.
    """
    values = valued_trees(instance)
    sums = values.sums
    if not sums.additive or sums.opaque or sums.limits[0].count:
        return {}
    trees = {"CART": Beginnings(values).purest_tree(), "no split": values.empty()}
    return {
        name: (sums.sign * _worth(instance, values, tree), tree) for name, tree in trees.items()
    }


def _worth(instance: Instance, values: Alternation, tree: Candidate) -> float:
    """The objective of a tree with its best leaves, to be minimized. The tree gets the best of the
    answers that the sums list."""
    worth = values.relabelled(tree)
    answers = values.sums.answers
    if values.sums.curve is not None or answers.values is None or answers.complete:
        return worth
    leaf = values.leaf_number[tree.ends(values.x)]
    added, _ = values.of_splits(tree, leaf)
    of_point = instance.table.distinct[1]
    exact, _ = refined(instance, of_point, leaf[of_point], tree)
    return min(worth, exact + values.sums.sign * float(added[0]))


def valued_trees(instance: Instance) -> Alternation:
    """What univariate trees are worth, over the distinct points. Raises NoSums."""
    x, of_point = instance.table.distinct
    sums = sums_of(instance, of_point)
    inputs, rng = Inputs.of(instance), np.random.default_rng(0)
    return Alternation(
        instance.nodes, x, sums, rng, np.inf, True, None, inputs, TreeMap.of(instance).categories
    )
