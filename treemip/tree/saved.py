"""A tree as it stands in tree.json, and back; JSON read strictly, so that it has one meaning."""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from typing import Any, NoReturn, TypeGuard

import numpy as np

from treemip.instance.encoder import Encoder
from treemip.instance.trees import Forest, from_heap
from treemip.tree.tree import IN_SET, Tree

LARGEST = 2**63 - 1
"""Largest whole number that is read."""

MANY = 2_000_000
"""Maximum number of lists and objects in a text: more would take gigabytes."""


def tree_json(tree: Tree) -> dict[str, Any]:
    """Nodes from the root down by heap number; weights by feature name, zeros left out.

    A branch that asks for the category of one kept column has the categories for each side.
    """
    nodes = []
    for t in range(tree.topology.size):
        heap = int(tree.topology.heap[t])
        if tree.topology.is_leaf[t]:
            said = {"node": heap, "class": tree.classes[tree.leaf_class[t]]}
            nodes.append(said | points_json(tree, t))
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


def tree_of(saved: dict[str, Any]) -> Tree:
    """The inverse of `tree_json`. Raises KeyError, ValueError or TypeError when malformed."""
    features, classes = texts(saved["features"]), texts(saved["classes"])
    nodes = sorted(saved["nodes"], key=lambda n: whole(n["node"]))
    topology = from_heap(np.array([n["node"] for n in nodes], np.int64))
    require_whole(topology, nodes, "class")
    counts = saved_counts(nodes, classes)
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
    encoder = saved_encoder(saved, features)
    strict = {"<": True, "<=": False}[saved["left_when"]]
    return Tree(
        topology,
        weights,
        threshold,
        strict,
        leaf_class,
        classes,
        features,
        encoder,
        str(saved["name"]),
        counts,
    )


def points_json(tree: Tree, leaf: int) -> dict[str, dict[str, int]]:
    """The training points of each class in a leaf, those without any left out."""
    if tree.counts is None:
        return {}
    counts = zip(tree.classes, tree.counts[leaf].tolist(), strict=True)
    return {"points": {name: count for name, count in counts if count}}


def saved_counts(nodes: list[dict[str, Any]], classes: tuple[str, ...]) -> np.ndarray | None:
    """Points of each class in each leaf, int64 (nodes, classes); None where no leaf has them.

    Raises KeyError, ValueError or TypeError when malformed.
    """
    if not any("points" in node for node in nodes):
        return None
    counts = np.zeros((len(nodes), len(classes)), np.int64)
    for t, node in enumerate(nodes):
        for name, count in node.get("points", {}).items():
            counts[t, classes.index(name)] = whole(count)
    return counts


def saved_encoder(saved: dict[str, Any], features: tuple[str, ...]) -> Encoder | None:
    """The encoder of a saved tree. Raises ValueError unless it makes the tree's features."""
    encoder = Encoder.from_json(saved["encoder"]) if saved["encoder"] else None
    if encoder is not None and encoder.input_names != features:
        raise ValueError("the encoder and the tree have different features")
    return encoder


def require_whole(topology: Forest, nodes: list[dict[str, Any]], answer: str) -> None:
    """Raise ValueError unless the saved nodes make a tree; leaves have the key `answer`."""
    both = (topology.left < 0) == (topology.right < 0)
    rooted = (topology.parent >= 0).sum() == topology.size - 1 and topology.heap[0] == 1
    kinds = all(
        (answer in n) == bool(leaf) for n, leaf in zip(nodes, topology.is_leaf, strict=True)
    )
    if not (both.all() and rooted and kinds):
        raise ValueError("the nodes do not form a tree")


# ---------------------------------------------------------------- strict JSON


def strict_json(text: str) -> Any:
    """The value of a text as `json.dumps` writes it.

    Raises ValueError, in words, for what is not JSON, is nested too deeply or too large, for NaN
    and Infinity, and for a key that stands twice in an object.
    """
    if text.count("[") + text.count("{") > MANY:
        raise ValueError(f"it contains more than {MANY:,} lists and objects".replace(",", " "))
    try:
        return json.loads(text, parse_constant=_constant, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON (line {error.lineno}, column {error.colno})") from None
    except _NotStrict:
        raise
    except ValueError:  # of int, which takes some thousand digits
        raise ValueError("it contains a number with too many digits") from None


class _NotStrict(ValueError):
    """Python reads it, and it is not JSON."""


def _constant(name: str) -> NoReturn:
    raise _NotStrict(f"it contains {name}, which is not a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise _NotStrict(f"'{twice}' occurs twice in one object")
    return members


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value read is a finite number, which true and false are not."""
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST


def texts(value: object) -> tuple[str, ...]:
    """A list of texts. Raises ValueError for anything else and for duplicates."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError("a list of names is expected")
    if len(set(value)) < len(value):
        raise ValueError("a name occurs twice in a list of names")
    return tuple(value)


def number(value: object) -> float:
    """A finite number. Raises ValueError for anything else."""
    if not is_number(value):
        raise ValueError("a number is expected")
    return float(value)


def whole(value: object) -> int:
    """A whole number, not below 0. Raises ValueError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise ValueError("a whole number is expected")
    return value
