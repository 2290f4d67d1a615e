"""Probabilities of classes from training points: the share of each class among a leaf's points."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.instance.trees import Forest
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused

if TYPE_CHECKING:
    from treemip.core.instance.encoded_table import Table
    from treemip.core.tree.tree import Tree

TEXT = re.compile(r"(?:(m)\s*=\s*)?([0-9.eE+-]+)")


@dataclass(frozen=True)
class Smoothing:
    """How shares of few points are drawn towards less certain ones; strength 0: not at all.

    Of a leaf with weights w_k, W in all, and K classes: Laplace's (w_k + a) / (W + a K) with
    a = `strength`, or where `to_prior` the m-estimate (w_k + m p_k) / (W + m) with m = `strength`
    and p_k the share of class k among all training points (Cestnik 1990).
    """

    strength: float = 0.0
    to_prior: bool = False

    @classmethod
    def of(cls, given: Smoothing | str | float | None) -> Smoothing:
        """From 1 or "1", Laplace's, or "m=5", the m-estimate. Raises E902."""
        if isinstance(given, Smoothing):
            return given
        found = TEXT.fullmatch("0" if given is None else str(given).strip())
        try:
            strength = float(found[2]) if found else -1.0
        except ValueError:
            strength = -1.0
        if found is None or not (isfinite(strength) and strength >= 0):
            remedy = "give a number from 0 on, such as 1 for Laplace's, or m=5 for the m-estimate"
            raise refused(f"'{given}' is not a smoothing", remedy)
        return cls(strength, found[1] is not None)

    @property
    def text(self) -> str:
        return f"{'m=' if self.to_prior else ''}{self.strength:.17g}"

    def shares(self, weights: np.ndarray) -> np.ndarray:
        """float64 (nodes, K) from weights float64 (nodes, K); nan for a node without any, unless
        smoothing says something of it."""
        prior = weights.sum(axis=0) / weights.sum() if self.to_prior else np.ones(weights.shape[1])
        more = self.strength * prior
        with np.errstate(invalid="ignore"):
            return (weights + more) / (weights.sum(axis=1) + more.sum())[:, None]


UNSMOOTHED = Smoothing()


def class_weights(tree: Tree, table: Table) -> np.ndarray | None:
    """The weight of a table's points by the leaf where they end and their class, float64
    (nodes, K); None where the leaves' answer is no class of the label."""
    if tree.answer.kind != "class" or not tree.predicts_label:
        return None
    size, classes = tree.topology.size, len(tree.classes)
    place = tree.route(table.inputs) * classes + table.y
    found = np.bincount(place, weights=table.weight, minlength=size * classes)
    return found.reshape(size, classes)


def leaf_shares(tree: Tree) -> np.ndarray:
    """The probability of each class in each leaf, float64 (nodes, K), 0 at branches.

    Where leaves answer classes of the label, the share of the class in the weight of the training
    points of the leaf, smoothed as the tree says; a leaf without training points has the weights
    of the nearest node above it that has some. Leaves that answer probabilities have these, and
    leaves that choose from a group 0 or 1. Raises E701 where the weights are not known, TypeError
    where leaves predict values.
    """
    if tree.answer.kind != "class" or not tree.predicts_label:
        return tree.distribution
    weights = known_weights(tree)
    leaves = tree.topology.leaves
    if not weights.sum() > 0:
        raise _unknown("no leaf of the tree has training points")
    own = tree.smoothing.shares(weights)
    above = tree.smoothing.shares(_with_those_above(tree.topology, weights))
    shares = np.zeros_like(weights)
    shares[leaves] = np.where(weights[leaves].any(axis=1)[:, None], own[leaves], above[leaves])
    return shares


def known_weights(tree: Tree) -> np.ndarray:
    """`Tree.leaf_weights`, or the same from the training points, where the tree's file is of a
    version that did not record it. Raises E701."""
    if tree.leaf_weights is not None:
        return tree.leaf_weights
    found = None if tree.spec is None else tree.spec.leaf_weights(tree)
    if found is None:
        raise _unknown("the tree does not say how many training points its leaves have")
    return found


def leaves_without_points(tree: Tree) -> np.ndarray:
    """Leaves that no training point reaches, whose probabilities are those of a node above them;
    positions int64 (n,). Raises E701."""
    if tree.answer.kind != "class" or not tree.predicts_label:
        return np.zeros(0, np.int64)
    leaves = tree.topology.leaves
    return leaves[~known_weights(tree)[leaves].any(axis=1)]


def _with_those_above(topology: Forest, weights: np.ndarray) -> np.ndarray:
    """The weights with those of the nearest node above it that has some for each leaf without."""
    below = weights.copy()
    for node in range(topology.size - 1, 0, -1):  # nodes come after their parents
        below[topology.parent[node]] += below[node]
    found = weights.copy()
    for leaf in topology.leaves[~weights[topology.leaves].any(axis=1)].tolist():
        node = leaf
        while not below[node].any():
            node = int(topology.parent[node])
        found[leaf] = below[node]
    return found


def _unknown(why: str) -> TreemipError:
    remedy = "solve again with -o to have probabilities"
    return TreemipError(Diagnostic.outside("E701", why, remedy))
