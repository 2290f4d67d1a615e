"""A tree as it stands in tree.json, and back; JSON read strictly, so that it has one meaning."""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from typing import Any, NoReturn, TypeGuard

import numpy as np

from treemip.core.instance.encoder import Encoder
from treemip.core.instance.trees import Forest, from_heap
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.answers import (
    LABEL,
    Answer,
    ClassAnswer,
    DistributionAnswer,
    Kind,
    ValueAnswer,
    by_feature,
    header_json,
)
from treemip.core.tree.leaf_outcomes import STEPS, Estimate, LeafOutcomes, Outcome, Spread, Survival
from treemip.core.tree.leaf_shares import UNSMOOTHED, Smoothing
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.splits import IN_SET
from treemip.core.tree.tree import Tree

LARGEST = 2**63 - 1
"""Largest whole number that is read."""

MANY = 2_000_000
"""Maximum number of lists and objects in a text: more would take gigabytes."""


KINDS: dict[str, tuple[type[Tree], Kind]] = {
    "": (Tree, "class"),
    "randomized": (RandomizedTree, "distribution"),
}
"""By `kind` in a tree's JSON: its class, and the answer of its leaves where none is recorded."""

CHANCE = "logistic(weights x - threshold)"


def tree_json(tree: Tree) -> dict[str, Any]:
    """Nodes from the root down by heap number; weights by feature name, zeros left out.

    A branch that asks for the category of one kept column has the categories for each side.
    """
    randomized = isinstance(tree, RandomizedTree)
    how: dict[str, Any] = {"left_when": "<" if tree.strict else "<="}
    if randomized:
        how = {"kind": "randomized", "left_with_probability": CHANCE}
    usual: Kind = "distribution" if randomized else "class"
    return {
        "name": tree.name,
        **how,
        "features": list(tree.features),
        **header_json(tree.answer, usual),
        **({"outcome": tree.outcomes.header_json()} if tree.outcomes else {}),
        "classes": list(tree.classes),
        **_weights_header(tree),
        "nodes": [_node_json(tree, t) for t in range(tree.topology.size)],
        "encoder": tree.encoder.to_json() if tree.encoder else None,
    }


def _node_json(tree: Tree, t: int) -> dict[str, Any]:
    heap = int(tree.topology.heap[t])
    if tree.topology.is_leaf[t]:
        own = tree.answer.leaf_json(t, tree.features)
        outcome = tree.outcomes.leaf_json(t) if tree.outcomes else {}
        return {"node": heap, **own, **_points_json(tree, t), **_weight_json(tree, t), **outcome}
    by_category = tree.by_category(t)
    if by_category is not None:
        return {"node": heap, **by_category.to_json()}
    weights = by_feature(tree.features, tree.weights[t])
    return {"node": heap, "weights": weights, "threshold": float(tree.threshold[t])}


def tree_of(saved: dict[str, Any]) -> Tree:
    """The inverse of `tree_json`. Raises KeyError, ValueError or TypeError when malformed."""
    kind, usual = KINDS[saved.get("kind", "")]
    features, classes = texts(saved["features"]), texts(saved["classes"])
    nodes = sorted(saved["nodes"], key=lambda n: whole(n["node"]))
    topology = from_heap(np.array([n["node"] for n in nodes], np.int64))
    place = {name: j for j, name in enumerate(features)}
    encoder = saved_encoder(saved, features)
    answer = _saved_answer(saved, nodes, topology, usual, encoder)
    require_whole(topology, nodes, answer.kind)
    weights, threshold = np.zeros((len(nodes), len(features))), np.zeros(len(nodes))
    for t in topology.branches.tolist():
        node = nodes[t]
        if "column" in node:
            for name in node["left"]:
                weights[t, place[f"{node['column']}={name}"]] = IN_SET
            threshold[t] = IN_SET / 2
            continue
        threshold[t] = number(node["threshold"])
        for name, value in node["weights"].items():
            weights[t, place[name]] = number(value)
    strict = kind is Tree and {"<": True, "<=": False}[saved["left_when"]]
    names = classes if answer.kind != "value" and answer.of == LABEL else ()
    return kind(
        topology,
        weights,
        threshold,
        strict,
        answer,
        features,
        encoder,
        str(saved["name"]),
        counts := saved_counts(nodes, names),
        leaf_weights=_saved_weights(saved, nodes, names if answer.kind == "class" else (), counts),
        smoothing=_saved_smoothing(saved),
        outcomes=_saved_outcomes(saved, nodes),
    )


def _saved_answer(
    saved: dict[str, Any],
    nodes: list[dict[str, Any]],
    topology: Forest,
    usual: Kind,
    encoder: Encoder | None,
) -> Answer:
    """What the leaves answer. Raises KeyError, ValueError or TypeError when malformed."""
    recorded, classes = saved.get("answer", {"kind": usual}), texts(saved["classes"])
    kind, of = recorded["kind"], recorded.get("of", LABEL)
    if not isinstance(of, str) or kind not in ("class", "distribution", "value"):
        raise ValueError("what its leaves answer is unknown")
    leaves = [(t, nodes[t]) for t in topology.leaves.tolist() if kind in nodes[t]]
    if kind == "class":
        leaf = np.full(len(nodes), -1)
        for t, node in leaves:
            leaf[t] = classes.index(node["class"])
        return ClassAnswer(leaf, classes, of)
    if kind == "distribution":
        shares = np.zeros((len(nodes), len(classes)))
        for t, node in leaves:
            shares[t] = [number(node["distribution"][name]) for name in classes]
        return DistributionAnswer.over(shares, topology.is_leaf, classes, of)
    features = texts(saved["features"])
    base, slopes = np.zeros(len(nodes)), np.zeros((len(nodes), len(features)))
    for t, node in leaves:
        base[t] = number(node["value"])
        for name, slope in node.get("slopes", {}).items():
            slopes[t, features.index(name)] = number(slope)
    return ValueAnswer(base, slopes, len(features) if encoder is None else len(encoder.names))


def _points_json(tree: Tree, leaf: int) -> dict[str, Any]:
    """The training points in a leaf: of each class, those without any left out, or all of them."""
    if tree.counts is None:
        return {}
    if not tree.count_names:
        return {"points": int(tree.counts[leaf].sum())}
    counts = zip(tree.count_names, tree.counts[leaf].tolist(), strict=True)
    return {"points": {name: count for name, count in counts if count}}


def _weights_header(tree: Tree) -> dict[str, Any]:
    """Whether leaves have weights, where these are known; and the smoothing, if there is some."""
    weighted = {} if tree.leaf_weights is None else {"weighted": _is_weighted(tree)}
    return weighted | ({"smoothing": tree.smoothing.text} if tree.smoothing.strength else {})


def _is_weighted(tree: Tree) -> bool:
    counts, weights = tree.counts, tree.leaf_weights
    return counts is None or weights is None or not np.array_equal(weights, counts)


def _weight_json(tree: Tree, leaf: int) -> dict[str, Any]:
    """The weight of the training points in a leaf, where it is not their number."""
    if tree.leaf_weights is None or not _is_weighted(tree):
        return {}
    weights = zip(tree.classes, tree.leaf_weights[leaf].tolist(), strict=True)
    return {"weight": {name: weight for name, weight in weights if weight}}


def _saved_weights(
    saved: dict[str, Any],
    nodes: list[dict[str, Any]],
    classes: tuple[str, ...],
    counts: np.ndarray | None,
) -> np.ndarray | None:
    """`Tree.leaf_weights`; None of a file that does not say it. Raises KeyError, ValueError or
    TypeError when malformed."""
    weighted = saved.get("weighted")
    if weighted is None or not classes:
        return None
    if not isinstance(weighted, bool):
        raise ValueError("whether its leaves have weights is not known")
    if not weighted:
        return None if counts is None else counts.astype(float)
    weights = np.zeros((len(nodes), len(classes)))
    for t, node in enumerate(nodes):
        for name, weight in node.get("weight", {}).items():
            weights[t, classes.index(name)] = number(weight)
    if (weights < 0).any():
        raise ValueError("the weight of a leaf is below 0")
    return weights


def _saved_smoothing(saved: dict[str, Any]) -> Smoothing:
    """Raises ValueError for what is none."""
    given = saved.get("smoothing")
    try:
        return Smoothing.of(*texts([given])) if "smoothing" in saved else UNSMOOTHED
    except TreemipError as error:
        raise ValueError(error.diagnostics[0].message) from None


def saved_counts(nodes: list[dict[str, Any]], classes: tuple[str, ...]) -> np.ndarray | None:
    """Points in each leaf, int64 (nodes, classes), or (nodes, 1) where there are no classes; None
    where no leaf has them.

    Raises KeyError, ValueError or TypeError when malformed.
    """
    if not any("points" in node for node in nodes):
        return None
    counts = np.zeros((len(nodes), max(1, len(classes))), np.int64)
    for t, node in enumerate(nodes):
        if "points" not in node:
            continue
        if not classes:
            counts[t] = whole(node["points"])
            continue
        for name, count in node["points"].items():
            counts[t, classes.index(name)] = whole(count)
    return counts


def _saved_outcomes(saved: dict[str, Any], nodes: list[dict[str, Any]]) -> LeafOutcomes | None:
    """What happened in the leaves, None where the file does not say. Raises KeyError, ValueError or
    TypeError when malformed."""
    if "outcome" not in saved:
        return None
    head = saved["outcome"]
    kind, of = head["kind"], head["of"]
    if not isinstance(of, str):
        raise ValueError("the name of an outcome is a text")
    read = {"number": _spread_of, "choice": _received_of, "time": _survival_of}[kind]
    found = {t: read(node["outcome"]) for t, node in enumerate(nodes) if "outcome" in node}
    return LeafOutcomes(kind, of, found, number(head["span"]) if kind == "time" else 0.0)


def _spread_of(saved: dict[str, Any]) -> Spread:
    low, middle, high = map(number, saved.get("quartiles", (0, 0, 0)))
    quartiles = (low, middle, high) if "quartiles" in saved else None
    estimate = None
    if "estimate" in saved:
        estimate = Estimate(number(saved["estimate"]), number(saved["weight"]))
    said = whole(saved["points"]), number(saved["mean"]), number(saved["sd"])
    return Spread(*said, quartiles, estimate)


def _received_of(saved: dict[str, Any]) -> Outcome:
    return {str(name): _spread_of(each) for name, each in saved.items()}


def _survival_of(saved: dict[str, Any]) -> Survival:
    median = None if saved["median"] is None else number(saved["median"])
    curve = tuple(map(number, saved["curve"]))
    if len(curve) != STEPS:
        raise ValueError(f"a survival curve has {STEPS} steps")
    return Survival(whole(saved["points"]), whole(saved["events"]), median, curve)


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


def texts(value: object, several: bool = False) -> tuple[str, ...]:
    """A list of texts. Raises ValueError for anything else and, unless there may be several of a
    text, for duplicates."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError("a list of names is expected")
    if not several and len(set(value)) < len(value):
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
