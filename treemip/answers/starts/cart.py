"""CART grown into the spec's topology: a start, and a tree to compare with.

A tree is grown from the root down, each node by the split of least Gini impurity: Breiman,
Friedman, Olshen and Stone, Classification and Regression Trees (1984), sect. 2.4 and 4.3. Every
column is sorted once; a node takes its rows from that order, so that a level costs one pass over
the table and no sorting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.splits.threshold_cut import Cut, Cuts, purest_cut
from treemip.answers.starts.concepts import no_start
from treemip.answers.starts.from_tree import tree_start
from treemip.answers.starts.problem import Asked, NamedStart, Problem, WarmStart
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.tree.inputs import Inputs


def cart(instance: Instance) -> Grown:
    """CART grown into the topology. Raises NoStart without a topology, data or classes."""
    if instance.topology is None or instance.data is None:
        raise no_start("it needs a tree and data")
    table = instance.table
    if table.without_classes:
        raise no_start(f"it gives leaves classes, and {table.without_classes}")
    # a category against all others is a split of both
    inputs = table.inputs if instance.splits_by_category else table.x
    return grow(inputs, table.y, table.weight, len(table.classes), instance.topology)


@dataclass(frozen=True)
class Grown:
    """`ends` int64 (N,): each point's last node. `classes`: the heaviest class of each such node.

    `splits`: by node that was split.
    """

    ends: np.ndarray
    classes: dict[int, int]
    splits: dict[int, Cut]

    @property
    def predicted(self) -> np.ndarray:
        """int64 (N,): the class that each point is given."""
        of_node = np.zeros(int(self.ends.max(initial=0)) + 1, np.int64)
        of_node[list(self.classes)] = list(self.classes.values())
        return of_node[self.ends]


def grow(x: np.ndarray, y: np.ndarray, weight: np.ndarray, classes: int, topology: Forest) -> Grown:
    """CART of float64 (N, p), class numbers (N,) and weights (N,), within a topology.

    A node ends where it is pure, where its points do not differ in any column, and at the
    topology's leaves. The first of equal classes is taken.
    """
    counts = np.zeros((len(y), classes))
    counts[np.arange(len(y)), y] = weight
    ends = np.zeros(len(y), np.int64)
    labels: dict[int, int] = {}
    splits: dict[int, Cut] = {}
    waiting = [(0, np.arange(len(y)), Cuts(x))]
    while waiting:
        node, rows, cuts = waiting.pop()
        ends[rows] = node
        totals = counts[rows].sum(axis=0)
        pure = np.count_nonzero(totals) <= 1
        cut = None if topology.is_leaf[node] or pure else purest_cut(cuts, rows, counts)
        if cut is None:
            labels[node] = int(totals.argmax())
            continue
        splits[node] = cut
        left = x[:, cut.feature] <= cut.threshold
        for child, side in ((topology.left, left), (topology.right, ~left)):
            waiting.append((int(child[node]), rows[side[rows]], cuts.of_points(side)))
    return Grown(ends, labels, splits)


# ------------------------------------------------------------------------------------ as a start


def of_cart(instance: Instance, grown: Grown) -> Candidate:
    """CART's tree. Branches at which it ended have no split, and one class below."""
    topology = instance.topology
    assert topology is not None
    tree, inputs = Candidate.empty(topology, instance.table.inputs.shape[1]), Inputs.of(instance)
    for node, split in grown.splits.items():
        if split.feature >= inputs.features:  # all other categories of its column go left
            tree.send_left(node, inputs.others(split.feature))
            continue
        tree.weights[node, split.feature] = 1.0
        tree.threshold[node] = split.threshold
    for number, leaf in enumerate(topology.leaves.tolist()):
        end = leaf
        while end not in grown.classes:
            end = int(topology.parent[end])
        tree.labels[number] = grown.classes[end]
    return tree


def _begin(problem: Problem, _: Asked) -> WarmStart:
    instance = problem.instance
    other = bool(instance.spec.other_answers)
    tree = _greedy(instance) if other else of_cart(instance, cart(instance))
    return tree_start("cart", problem, [tree])


def _greedy(instance: Instance) -> Candidate:
    """CART's tree where leaves answer something else than classes. Raises NoStart."""
    from treemip.answers.search.greedy import greedy_tree
    from treemip.answers.search.start import other_answers_refused
    from treemip.answers.search.sums import NoSums

    if instance.topology is None or instance.data is None:
        raise no_start("it needs a tree and data")
    why = other_answers_refused(instance)
    try:
        if not why:
            return greedy_tree(instance)
    except NoSums as error:
        why = f"no tree can be grown for this spec: {error}"
    raise no_start(why)


START = NamedStart("CART's routing", _begin)
