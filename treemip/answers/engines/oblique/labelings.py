"""All labelings of a tree's leaves up to symmetry, which a proof takes one after another.

Two leaves below one branch have different labels: with equal ones, the branch may as well send all
its points to one of them, and the other's label makes no difference. Two subtrees of one shape may
be exchanged, since a hyperplane and its opposite part points by the same gap.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product
from math import comb

import numpy as np

from treemip.answers.engines.oblique.problem import ObliqueProblem
from treemip.answers.engines.refusal import Refusal
from treemip.core.instance.trees import Forest

MOST = 5000

Shape = tuple["Shape", "Shape"] | None
"""The shapes left and right of a branch; None is a leaf."""


def labelings(topology: Forest, classes: int) -> list[tuple[int, ...]]:
    """The labels of `topology.leaves` in each choice. Raises Refusal where there are too many."""
    shape, order = _shape(topology, 0)
    if _count(shape, classes) > MOST:
        raise Refusal(f"its leaves can be labelled in more than {MOST} ways")
    number = {node: k for k, node in enumerate(topology.leaves.tolist())}
    every = []
    for choice in _choices(shape, classes):
        labels = [0] * len(choice)
        for node, label in zip(order, choice, strict=True):
            labels[number[node]] = label
        every.append(tuple(labels))
    return every


def alike(topology: Forest, labels: tuple[int, ...], node: int) -> bool:
    """Whether both subtrees below a branch have one shape and the same labels."""
    number = {leaf: k for k, leaf in enumerate(topology.leaves.tolist())}
    sides = [_shape(topology, int(child[node])) for child in (topology.left, topology.right)]
    (one, first), (other, second) = sides
    return one == other and all(
        labels[number[a]] == labels[number[b]] for a, b in zip(first, second, strict=True)
    )


def anchored(problem: ObliqueProblem, labels: tuple[int, ...]) -> list[tuple[int, int]]:
    """A point, and nodes that it never passes: right children where both subtrees are alike, since
    these could be exchanged."""
    topology, loss = problem.topology, problem.loss[:, list(labels)]
    weight = np.ptp(loss, axis=1) + 1e-6 * problem.x.sum(axis=1)
    point = int(weight.argmax())
    return [
        (point, int(topology.right[node]))
        for node in topology.branches
        if not topology.is_leaf[topology.right[node]] and alike(topology, labels, int(node))
    ]


def _shape(topology: Forest, node: int) -> tuple[Shape, list[int]]:
    """The shape below a node, and its leaves from left to right."""
    if topology.is_leaf[node]:
        return None, [node]
    left, first = _shape(topology, int(topology.left[node]))
    right, second = _shape(topology, int(topology.right[node]))
    return (left, right), first + second


def _choices(shape: Shape, classes: int) -> list[tuple[int, ...]]:
    if shape is None:
        return [(k,) for k in range(classes)]
    left, right = (_choices(side, classes) for side in shape)
    if shape[0] is None and shape[1] is None:
        return [a + b for a, b in combinations(left, 2)] or [(0, 0)]
    if shape[0] == shape[1]:
        return [a + b for a, b in combinations_with_replacement(left, 2)]
    return [a + b for a, b in product(left, right)]


def _count(shape: Shape, classes: int) -> int:
    if shape is None:
        return classes
    left, right = (_count(side, classes) for side in shape)
    if shape[0] is None and shape[1] is None:
        return max(1, comb(classes, 2))
    return comb(left + 1, 2) if shape[0] == shape[1] else left * right
