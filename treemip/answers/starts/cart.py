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
from treemip.answers.starts.concepts import no_start
from treemip.answers.starts.from_tree import tree_start
from treemip.answers.starts.problem import Asked, NamedStart, Problem, WarmStart
from treemip.core.instance.instance import Instance
from treemip.core.instance.trees import Forest
from treemip.core.tree.inputs import Inputs

CHUNK = 2_000_000
"""Entries of a node's table that are looked at together."""


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
class Split:
    """x[feature] <= threshold goes left, between the values `low` and `high` of points.

    `worth`: see `best_split`.
    """

    feature: int
    threshold: float
    worth: float
    low: float
    high: float


@dataclass(frozen=True)
class Grown:
    """`ends` int64 (N,): each point's last node. `classes`: the heaviest class of each such node.

    `splits`: by node that was split.
    """

    ends: np.ndarray
    classes: dict[int, int]
    splits: dict[int, Split]


def grow(x: np.ndarray, y: np.ndarray, weight: np.ndarray, classes: int, topology: Forest) -> Grown:
    """CART of float64 (N, p), class numbers (N,) and weights (N,), within a topology.

    A node ends where it is pure, where its points do not differ in any column, and at the
    topology's leaves. The first of equal classes is taken.
    """
    heavy = np.zeros((classes, len(y)))
    heavy[y, np.arange(len(y))] = weight
    ends = np.zeros(len(y), np.int64)
    labels: dict[int, int] = {}
    splits: dict[int, Split] = {}
    waiting = [(0, np.argsort(x, axis=0, kind="stable").T)]
    while waiting:
        node, order = waiting.pop()
        rows = order[0] if len(order) else np.flatnonzero(ends == node)
        ends[rows] = node
        totals = heavy[:, rows].sum(axis=1)
        pure = np.count_nonzero(totals) <= 1
        split = None if topology.is_leaf[node] or pure else best_split(x, heavy, order)
        if split is None:
            labels[node] = int(totals.argmax())
            continue
        splits[node] = split
        left = x[:, split.feature] <= split.threshold
        for child, side in ((topology.left, left), (topology.right, ~left)):
            waiting.append((int(child[node]), order[side[order]].reshape(len(order), -1)))
    return Grown(ends, labels, splits)


def best_split(x: np.ndarray, heavy: np.ndarray, order: np.ndarray) -> Split | None:
    """The split of greatest worth, None where no column has two values.

    heavy float64 (classes, N): the weight of each point under its class. order (p, n): for each
    column the node's points in ascending order. worth: sum over the two sides of the squares of
    the classes' weights over the side's weight, which is the node's weight less the weighted Gini
    impurity. The first column and the least threshold of equal splits are taken.
    """
    columns, points = order.shape
    best: Split | None = None
    step = max(1, CHUNK // max(points, 1))
    for first in range(0, columns, step):
        part = order[first : first + step]
        values = x[part, np.arange(first, first + len(part))[:, None]]
        worth = np.where(values[:, :-1] < values[:, 1:], _worth(heavy, part), -np.inf)
        if not worth.size:
            continue
        column, at = divmod(int(worth.argmax()), worth.shape[1])
        highest = float(worth[column, at])
        if highest > (-np.inf if best is None else best.worth):
            low, high = values[column, at : at + 2].tolist()
            best = Split(first + column, _middle(low, high), highest, low, high)
    return best


def _worth(heavy: np.ndarray, order: np.ndarray) -> np.ndarray:
    """float64 (p, n - 1): of a split behind each point but the last."""
    squares = np.zeros((2, len(order), order.shape[1] - 1))
    weights = np.zeros_like(squares)
    for one in heavy:
        left = np.cumsum(one[order], axis=1)
        sides = left[:, :-1], left[:, -1:] - left[:, :-1]
        for side, total in enumerate(sides):
            squares[side] += total**2
            weights[side] += total
    weighty = weights > 0
    return np.divide(squares, weights, out=np.zeros_like(squares), where=weighty).sum(axis=0)


def _middle(low: float, high: float) -> float:
    """Between two values, and below the greater one where no number lies between."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


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
