"""A tree as it stands in tree.json, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from treemip.instance.encoder import Encoder
from treemip.instance.trees import Forest, from_heap
from treemip.tree.by_category import IN_SET
from treemip.tree.strict_json import number, texts, whole
from treemip.tree.tree import Tree


def tree_json(tree: Tree) -> dict[str, Any]:
    """Nodes from the root down by heap number; weights by feature name, zeros left out.

    A branch that asks for the category of one kept column has the categories for each side.
    """
    nodes = []
    for t in range(tree.topology.size):
        heap = int(tree.topology.heap[t])
        if tree.topology.is_leaf[t]:
            nodes.append({"node": heap, "class": tree.classes[tree.leaf_class[t]]})
            continue
        by_category = tree.by_category(t)
        if by_category is not None:
            nodes.append({"node": heap, **by_category.to_json()})
            continue
        used = np.flatnonzero(tree.weights[t])
        weights = {tree.features[j]: float(tree.weights[t, j]) for j in used}
        nodes.append({"node": heap, "weights": weights, "threshold": float(tree.threshold[t])})
    return {
        "name": tree.name,
        "left_when": "<" if tree.strict else "<=",
        "features": list(tree.features),
        "classes": list(tree.classes),
        "nodes": nodes,
        "encoder": tree.encoder.to_json() if tree.encoder else None,
    }


def tree_of(said: dict[str, Any]) -> Tree:
    """The inverse of `tree_json`. Raises KeyError, ValueError or TypeError when malformed."""
    features, classes = texts(said["features"]), texts(said["classes"])
    nodes = sorted(said["nodes"], key=lambda n: whole(n["node"]))
    topology = from_heap(np.array([n["node"] for n in nodes], np.int64))
    require_whole(topology, nodes, "class")
    place = {name: j for j, name in enumerate(features)}
    weights = np.zeros((len(nodes), len(features)))
    threshold, leaf_class = np.zeros(len(nodes)), np.full(len(nodes), -1)
    for t, node in enumerate(nodes):
        if "class" in node:
            leaf_class[t] = classes.index(node["class"])
            continue
        if "column" in node:
            for name in node["left"]:
                weights[t, place[f"{node['column']}={name}"]] = IN_SET
            threshold[t] = IN_SET / 2
            continue
        threshold[t] = number(node["threshold"])
        for name, value in node["weights"].items():
            weights[t, place[name]] = number(value)
    encoder = saved_encoder(said, features)
    strict = {"<": True, "<=": False}[said["left_when"]]
    return Tree(
        topology,
        weights,
        threshold,
        strict,
        leaf_class,
        classes,
        features,
        encoder,
        str(said["name"]),
    )


def saved_encoder(said: dict[str, Any], features: tuple[str, ...]) -> Encoder | None:
    """The encoder of a saved tree. Raises ValueError unless it makes the tree's features."""
    encoder = Encoder.from_json(said["encoder"]) if said["encoder"] else None
    if encoder is not None and encoder.input_names != features:
        raise ValueError("the encoder makes other features than the tree has")
    return encoder


def require_whole(topology: Forest, nodes: list[dict[str, Any]], answer: str) -> None:
    """Raise ValueError unless the saved nodes make a tree; `answer` is what leaves say."""
    both = (topology.left < 0) == (topology.right < 0)
    rooted = (topology.parent >= 0).sum() == topology.size - 1 and topology.heap[0] == 1
    kinds = all(
        (answer in n) == bool(leaf) for n, leaf in zip(nodes, topology.is_leaf, strict=True)
    )
    if not (both.all() and rooted and kinds):
        raise ValueError("the nodes do not make a tree")
