"""Trees over features of every kind, for drawings and the words of splits."""

from __future__ import annotations

import numpy as np

from treemip.core.instance.categories import Levels
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.encodings import AsIs, MinMax, OneHot, Standard, Thermometer
from treemip.core.instance.feature import Feature
from treemip.core.instance.trees import from_heap
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree

COLOURS = Levels(("blue", "green", "red"), False)
FEATURES = (
    Feature("length", None, None, MinMax(1.0, 6.0, 0.0, 1.0)),
    Feature("width", None, None, Standard(2.0, 0.5)),
    Feature("age", None, None, Thermometer((30.0, 40.0))),
    Feature("colour", COLOURS, None, OneHot((0, 1, 2))),
    Feature("grade", Levels(("low", "mid", "high"), False), None, AsIs()),
    Feature("same", None, None, MinMax(3.0, 3.0, 0.5, 1.0)),
)
ENCODER = Encoder(FEATURES, (), "class", Levels(("no", "yes"), False))
NAMES = ENCODER.names


def tree(
    splits: dict[int, tuple[dict[str, float], float]], classes: dict[int, int], strict=False
) -> Tree:
    """Splits and leaf classes by heap number."""
    heap = sorted([*splits, *classes])
    weights, threshold = np.zeros((len(heap), len(NAMES))), np.zeros(len(heap))
    leaf_class = np.full(len(heap), -1)
    for t, number in enumerate(heap):
        if number in classes:
            leaf_class[t] = classes[number]
            continue
        said, threshold[t] = splits[number]
        for name, value in said.items():
            weights[t, NAMES.index(name)] = value
    topology = from_heap(np.array(heap))
    return Tree(
        topology, weights, threshold, strict, ClassAnswer(leaf_class, ("no", "yes")), NAMES, ENCODER
    )


def stump(weights: dict[str, float], threshold: float, strict=False) -> Tree:
    return tree({1: (weights, threshold)}, {2: 0, 3: 1}, strict)
