"""One tree of each kind, with points in its leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.core.instance.categories import Levels
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.encodings import AsIs, MinMax, OneHot, Standard, Thermometer
from treemip.core.instance.feature import Feature
from treemip.core.instance.trees import from_heap
from treemip.core.tree.answers import ClassAnswer, DistributionAnswer
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.tree import Tree

COLOURS = Levels(("blue", "green", "red"), False)
TOWNS = Levels(tuple(f"town {k}" for k in range(12)), False)
FEATURES = (
    Feature("length", None, None, MinMax(1.0, 6.0, 0.0, 1.0)),
    Feature("width", None, None, Standard(2.0, 0.5)),
    Feature("age", None, None, Thermometer((30.0, 40.0))),
    Feature("colour", COLOURS, None, OneHot((0, 1, 2))),
    Feature("weight", None, None, AsIs()),
    Feature("same", None, None, MinMax(3.0, 3.0, 0.5, 1.0)),
)
ENCODER = Encoder(FEATURES, (Feature("town", TOWNS, None, None, True),), "class", COLOURS)
NAMES = ENCODER.input_names
CLASSES = ("no", "perhaps", "yes")
HEAP = np.arange(1, 8)


def _splits(*splits: tuple[dict[str, float], float]) -> tuple[np.ndarray, np.ndarray]:
    weights, threshold = np.zeros((7, len(NAMES))), np.zeros(7)
    for t, (by_name, value) in enumerate(splits):
        threshold[t] = value
        for name, weight in by_name.items():
            weights[t, NAMES.index(name)] = weight
    return weights, threshold


def univariate() -> Tree:
    splits = ({"length": 1.0}, 0.29), ({"colour=red": 1.0}, 0.5), ({"age>=30": -1.0}, -0.5)
    return _tree(splits, (0, 2, 1, 0))


def oblique() -> Tree:
    root = {"length": 0.5, "width": -1.0, "weight": 0.01, "same": 2.0}
    many = {name: (-1.0) ** j * (1 + j) / 8 for j, name in enumerate(NAMES[:8])}
    return _tree((root, 0.25), (many, 0.0), ({"width": 2.0}, 1.0), leaves=(0, 2, 1, 0))


def categories() -> Tree:
    some = {f"town={TOWNS.names[k]}": -1.0 for k in (0, 5)}
    most = {f"town={name}": -1.0 for name in TOWNS.names[:11]}
    return _tree((some, -0.5), ({}, 1.0), (most, -0.5), leaves=(0, 0, 1, 2))


def randomized() -> RandomizedTree:
    weights, threshold = _splits(
        ({"length": 40.0, "width": -3.5}, 12.0), ({"length": -8.0}, -2.0), ({}, -1.0)
    )
    chances = np.zeros((7, 3))
    chances[3:] = [[1, 0, 0], [0.25, 0, 0.75], [0, 1, 0], [0.2, 0.3, 0.5]]
    label = np.array([-1, -1, -1, 0, 2, 1, 2])
    return RandomizedTree(
        topology=from_heap(HEAP),
        weights=weights,
        threshold=threshold,
        strict=False,
        answer=DistributionAnswer(chances, label, CLASSES),
        features=NAMES,
        encoder=ENCODER,
        counts=_counts(),
    )


def _tree(*splits, leaves=None) -> Tree:
    if leaves is None:
        splits, leaves = splits
    weights, threshold = _splits(*splits)
    label = np.array([-1, -1, -1, *leaves])
    return Tree(
        from_heap(HEAP),
        weights,
        threshold,
        False,
        ClassAnswer(label, CLASSES),
        NAMES,
        ENCODER,
        counts=_counts(),
    )


def _counts() -> np.ndarray:
    counts = np.zeros((7, 3), np.int64)
    counts[3:] = [[40, 2, 0], [0, 0, 1], [3, 17, 5], [0, 0, 0]]
    return counts


def hostile() -> Tree:
    """Names that would be markup, commands or several lines."""
    names = ('<script>alert("x")</script>', "a\nb\\l", "]]>&amp;", "$x_1$", "\ufffe\x1b[31m'")
    features = names + tuple("w" * 90 + str(k) for k in range(len(NAMES) - len(names)))
    weights = np.zeros((7, len(features)))
    weights[0, :5], weights[1, 5], weights[2, 2] = 1.0, 1.0, 1.0
    classes = ('</text><b onload="y">', "\u202e" + "long " * 40, "]]>")
    plain = univariate()
    answer = ClassAnswer(plain.leaf_class, classes)
    return replace(
        plain, features=features, weights=weights, answer=answer, encoder=None, name="<&\">'"
    )


KINDS = {
    "univariate": univariate,
    "oblique": oblique,
    "categories": categories,
    "randomized": randomized,
}
