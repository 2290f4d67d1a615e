"""Clusters: points of one class in one leaf of a tree (Zhu et al. 2020, section 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.answers.starts.cart import grow
from treemip.core.instance.trees import Forest
from treemip.core.tree.tree import Tree


@dataclass(frozen=True)
class Partition:
    """How a tree parts N points.

    leaf int64 (N,): the node where each ends; predicted int64 (N,): the class it is given;
    distance float64 (N,): the least Euclidean distance to a hyperplane on its way, infinite where
    there is none. by: whose tree it is.
    """

    leaf: np.ndarray
    predicted: np.ndarray
    distance: np.ndarray
    by: str


def of_cart(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, classes: int, topology: Forest
) -> Partition:
    """CART's parts of x float64 (N, p), as `cart.grow` takes them."""
    grown = grow(x, y, weight, classes, topology)
    distance = np.full(len(x), np.inf)
    for node, split in grown.splits.items():
        under = np.isin(grown.ends, _under(topology, node))
        own = np.abs(x[under, split.feature] - split.threshold)
        distance[under] = np.minimum(distance[under], own)
    return Partition(grown.ends, grown.predicted, distance, "CART")


def of_tree(x: np.ndarray, tree: Tree) -> Partition:
    """A tree's parts of its inputs x float64 (N, p)."""
    passed = tree.path(x)
    distance = np.full(len(x), np.inf)
    for node in tree.topology.branches.tolist():
        norm = float(np.linalg.norm(tree.weights[node]))
        if norm > 0:
            here = np.flatnonzero(passed[:, node])
            own = np.abs(x[here] @ tree.weights[node] - tree.threshold[node]) / norm
            distance[here] = np.minimum(distance[here], own)
    leaf = tree.route(x)
    return Partition(leaf, tree.leaf_class[leaf], distance, "the tree before")


def _under(topology: Forest, node: int) -> list[int]:
    """The node and all below it."""
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        found.append(one)
        if not topology.is_leaf[one]:
            waiting += [int(topology.left[one]), int(topology.right[one])]
    return found


@dataclass(frozen=True)
class Cluster:
    """rows int64 (m,): its points, ascending, the first of equal ones only.

    copies int64 (c,): the other points equal to one of `rows`; original int64 (c,): which one, as
    a position in `rows`.
    """

    rows: np.ndarray
    copies: np.ndarray
    original: np.ndarray

    @property
    def size(self) -> int:
        return len(self.rows) + len(self.copies)

    @property
    def all_rows(self) -> np.ndarray:
        return np.sort(np.concatenate([self.rows, self.copies]))


def clusters(x: np.ndarray, y: np.ndarray, leaf: np.ndarray) -> list[Cluster]:
    """The clusters of points x float64 (N, p), with classes y and ends `leaf`, int64 (N,).

    Theorem 4 needs distinct points, so equal ones of a cluster are told apart from the first.
    """
    order = np.lexsort((np.arange(len(y)), y, leaf))
    starts = np.flatnonzero(np.diff(leaf[order], prepend=-1) | np.diff(y[order], prepend=-1))
    return [_merged(x, rows) for rows in np.split(order, starts[1:])] if len(order) else []


def _merged(x: np.ndarray, rows: np.ndarray) -> Cluster:
    _, first, which = np.unique(x[rows], axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    kept = np.sort(first)
    is_copy = np.ones(len(rows), bool)
    is_copy[kept] = False
    original = np.searchsorted(kept, first[which[is_copy]])
    return Cluster(rows[kept], rows[is_copy], original)
