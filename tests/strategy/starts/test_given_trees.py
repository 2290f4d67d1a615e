"""A tree over one encoding of the columns, taken over to others, sends all points the same way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.starts.given_trees import placed_in, splits_of_tree
from treemip.api.compiled import Compiled
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree


@pytest.mark.parametrize("seed", one_in(3, range(12)))
def test_splits_over_other_inputs_send_every_point_the_same_way(seed: int) -> None:
    """Against the tree's own predictions."""
    draw = np.random.default_rng(seed)
    columns: dict[str, Any] = {
        "a": (draw.integers(0, 50, 60) / 8).tolist(),
        "b": draw.normal(0, 3, 60).tolist(),
        "colour": draw.choice(["blue", "green", "red"], 60).tolist(),
        "side": draw.choice(["left", "right"], 60).tolist(),
        "c": draw.choice(["n", "y"], 60).tolist(),
    }
    encodings = [
        "scale minmax;",
        "scale standard;",
        "scale minmax(-1, 1); encode onehot(drop = if_binary);",
        "",
    ]

    def made(encoding: str) -> Compiled:
        text = f'data "t" {{ label c; {encoding} }} topology complete(depth = 3); '
        return treemip.loads(text + "split oblique by svm1_odt;", data=columns).compile()

    first = made(encodings[seed % 4]).instance
    assert first.data is not None and first.topology is not None
    size, names = first.topology.size, first.data.encoder.input_names
    weights = np.where(
        draw.random((size, len(names))) < 0.4, draw.normal(size=(size, len(names))), 0
    )
    weights[first.topology.leaves] = 0
    at = first.table.inputs[draw.integers(60, size=size)]
    threshold = (weights * at).sum(axis=1) + draw.normal(0, 0.01, size)
    classes = np.where(first.topology.is_leaf, draw.integers(0, 2, size), -1)
    tree = Tree(
        first.topology, weights, threshold, bool(seed % 2),
        ClassAnswer(classes, first.table.classes), names, first.data.encoder,
    )  # fmt: skip
    answers = tree.predict_numbers(first.table.inputs)
    for encoding in encodings:
        other = made(encoding).instance
        assert other.topology is not None
        part = splits_of_tree(other, tree, "the tree")
        placed = placed_in(other.topology, part, other.table.inputs, univariate=False)
        assert placed is not None
        leaf = np.searchsorted(other.topology.leaves, placed.ends(other.table.inputs))
        assert (placed.labels[leaf] == answers).all()
