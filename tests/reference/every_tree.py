"""All univariate trees on a few points, with every labelling: independent of everything in treemip.

What a tree is worth comes from a function of its predictions, leaves and splits, in plain numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

Split = tuple[int, float] | None
"""A feature and a threshold; None where a branch applies no split."""


@dataclass(frozen=True)
class Routed:
    """leaf int64 (N,): the leaf of each point, from left to right. used: the feature of each branch
    in breadth-first order, None without a split. labels: the label of each leaf."""

    leaf: np.ndarray
    used: tuple[int | None, ...]
    labels: np.ndarray

    @property
    def predicted(self) -> np.ndarray:
        return self.labels[self.leaf]

    @property
    def splits(self) -> int:
        return sum(f is not None for f in self.used)

    @property
    def features(self) -> int:
        return len(set(self.used) - {None})

    def sizes(self) -> np.ndarray:
        return np.bincount(self.leaf, minlength=len(self.labels))


def splits_of(x: np.ndarray) -> list[tuple[int, float]]:
    return [
        (j, float(value + following) / 2)
        for j, column in enumerate(x.T)
        for value, following in zip(np.unique(column)[:-1], np.unique(column)[1:], strict=True)
    ]


def every_tree(formulation: str, x: np.ndarray, classes: int, depth: int) -> Iterator[Routed]:
    """All trees that the formulation has for the points x (N, p).

    BinOCT: a split at each branch. OCT: a branch without one sends points right; FlowOCT: left, and
    all leaves below have one label. With both, no split stands below a branch that has none. OCT's
    splits may send all points right as well, with a right-hand side of 0.
    """
    choices: list[Split] = list(splits_of(x))
    if formulation == "oct":
        choices += [(j, -1.0) for j in range(x.shape[1])]
    if formulation != "binoct":
        choices.append(None)
    leaves = 2**depth
    every = np.array(list(product(range(classes), repeat=leaves)))
    for splits in product(choices, repeat=leaves - 1):
        if any(splits[(t - 1) // 2] is None and s is not None for t, s in enumerate(splits) if t):
            continue
        leaf = _route(x, splits, depth, formulation == "flow_oct")
        used = tuple(None if s is None else s[0] for s in splits)
        for labels in every:
            if formulation == "flow_oct" and not _agree(splits, labels, depth):
                continue
            yield Routed(leaf, used, labels)


def _route(x: np.ndarray, splits: tuple[Split, ...], depth: int, left: bool) -> np.ndarray:
    node = np.zeros(len(x), int)
    for _ in range(depth):
        for t in np.unique(node):
            here, split = node == t, splits[t]
            if split is None:
                goes = np.full(int(here.sum()), left)
            else:
                goes = x[here, split[0]] <= split[1]
            node[here] = 2 * t + np.where(goes, 1, 2)
    return node - (2**depth - 1)


def _agree(splits: tuple[Split, ...], labels: np.ndarray, depth: int) -> bool:
    for t, split in enumerate(splits):
        if split is None:
            level = int(np.log2(t + 1))
            width = 2 ** (depth - level)
            first = (t - (2**level - 1)) * width
            if len(set(labels[first : first + width].tolist())) > 1:
                return False
    return True


def least(trees: Iterator[Routed], worth: Callable[[Routed], float | None]) -> float:
    """The least worth of the trees, None that of one that breaks a constraint; or infinity."""
    best = np.inf
    for tree in trees:
        value = worth(tree)
        if value is not None and value < best:
            best = value
    return best
