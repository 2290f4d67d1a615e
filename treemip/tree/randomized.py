"""Trees whose splits send a point left with a probability: Amaldi, Consolo, Manno (2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.instance.trees import from_heap
from treemip.tree.routing import logistic, weighted_sum
from treemip.tree.saved import (
    number,
    points_json,
    require_whole,
    saved_counts,
    saved_encoder,
    texts,
    whole,
)
from treemip.tree.tree import ByCategory, Tree


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomizedTree(Tree):
    """A tree over p inputs that a point passes along every path, with the probability of (1).

    At branch t a point goes left with probability logistic(weights[t] . x - threshold[t]).
    distribution float64 (nodes, K): what leaves predict, 0 at branches; leaf_class is the most
    probable class of a leaf. A point is given the class with the greatest probability over all
    leaves; the leaf it `route`s to is the one it reaches most probably.
    """

    distribution: np.ndarray

    def drawn(self, counts: np.ndarray | None = None) -> str:
        from treemip.tree.draw import draw_randomized

        return draw_randomized(self, counts)

    def chance_left(self, node: int, x: np.ndarray) -> np.ndarray:
        """The probability of going left at a branch, float64 (M,), of rows x float64 (M, p)."""
        return logistic(weighted_sum(x, self.weights[node]) - self.threshold[node])

    def goes_left(self, node: int, x: np.ndarray) -> np.ndarray:
        """Which rows go left at a branch with probability 1/2 or more, bool (M,)."""
        return np.asarray(weighted_sum(x, self.weights[node]) >= self.threshold[node])

    def applied(self, node: int) -> int:
        return node

    def by_category(self, node: int) -> ByCategory | None:
        return None

    def path(self, x: np.ndarray) -> np.ndarray:
        """The probability of passing each node, float64 (M, nodes)."""
        passed = np.zeros((len(x), self.topology.size))
        passed[:, 0] = 1.0
        for node in self.topology.branches:
            left = self.chance_left(int(node), x)
            passed[:, self.topology.left[node]] = passed[:, node] * left
            passed[:, self.topology.right[node]] = passed[:, node] * (1.0 - left)
        return passed

    @property
    def label_table(self) -> np.ndarray:
        return self.distribution

    def class_chances(self, x: np.ndarray) -> np.ndarray:
        """The probability of each class for encoded rows, float64 (M, K): leaf by leaf."""
        passed, chances = self.path(x), np.zeros((len(x), len(self.classes)))
        for leaf in self.topology.leaves:
            chances += passed[:, leaf, None] * self.distribution[leaf]
        return chances

    def predict_numbers(self, x: np.ndarray) -> np.ndarray:
        """The most probable class of encoded rows, int64 (M,)."""
        return np.asarray(self.class_chances(x).argmax(axis=1))

    def to_json(self) -> dict[str, Any]:
        """As of a deterministic tree; leaves have a probability for each class."""
        nodes: list[dict[str, Any]] = []
        for t in range(self.topology.size):
            heap = int(self.topology.heap[t])
            if self.topology.is_leaf[t]:
                chances = zip(self.classes, self.distribution[t].tolist(), strict=True)
                said = {"node": heap, "distribution": dict(chances)}
                nodes.append(said | points_json(self, t))
                continue
            used = np.flatnonzero(self.weights[t])
            weights = {self.features[j]: float(self.weights[t, j]) for j in used}
            nodes.append({"node": heap, "weights": weights, "threshold": float(self.threshold[t])})
        return {
            "name": self.name,
            "kind": "randomized",
            "left_with_probability": "logistic(weights x - threshold)",
            "features": list(self.features),
            "classes": list(self.classes),
            "nodes": nodes,
            "encoder": self.encoder.to_json() if self.encoder else None,
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> RandomizedTree:
        """The inverse of `to_json`. Raises KeyError, ValueError or TypeError when malformed."""
        features, classes = texts(saved["features"]), texts(saved["classes"])
        place = {name: j for j, name in enumerate(features)}
        nodes = sorted(saved["nodes"], key=lambda n: whole(n["node"]))
        topology = from_heap(np.array([n["node"] for n in nodes], np.int64))
        require_whole(topology, nodes, "distribution")
        weights, threshold = np.zeros((len(nodes), len(features))), np.zeros(len(nodes))
        distribution = np.zeros((len(nodes), len(classes)))
        for t, node in enumerate(nodes):
            if "distribution" in node:
                distribution[t] = [number(node["distribution"][name]) for name in classes]
                continue
            threshold[t] = number(node["threshold"])
            for name, value in node["weights"].items():
                weights[t, place[name]] = number(value)
        return cls(
            topology=topology,
            weights=weights,
            threshold=threshold,
            strict=False,
            leaf_class=most_probable(distribution, topology.is_leaf),
            classes=classes,
            features=features,
            encoder=saved_encoder(saved, features),
            name=str(saved["name"]),
            distribution=distribution,
            counts=saved_counts(nodes, classes),
        )


def most_probable(distribution: np.ndarray, is_leaf: np.ndarray) -> np.ndarray:
    """The class of greatest probability at leaves, -1 elsewhere, int64 (nodes,)."""
    return np.where(is_leaf, distribution.argmax(axis=1), -1)
