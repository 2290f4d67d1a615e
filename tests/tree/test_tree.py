"""Trees by themselves: routing against a loop, JSON there and back, splits by category."""

from __future__ import annotations

import copy
import gc
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_trees import X, Y, solved, stump

import treemip
from treemip.core.instance.categories import Levels
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.encodings import AsIs
from treemip.core.instance.feature import Feature
from treemip.core.instance.trees import from_heap, shape
from treemip.core.source.span import Source
from treemip.core.tree import known_ways
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.splits import ByCategory, read_by_category
from treemip.core.tree.tree import Tree
from treemip.writers.picture.drawing import drawing as draw

SPAN = Source("t", "x").span(0, 1)


def walk(tree: Tree, row: np.ndarray) -> int:
    """The leaf of one row, node by node."""
    node = 0
    while tree.topology.left[node] >= 0:
        value = sum(w * v for w, v in zip(tree.weights[node], row, strict=True))
        threshold = tree.threshold[node]
        left = value < threshold if tree.strict else value <= threshold
        node = int((tree.topology.left if left else tree.topology.right)[node])
    return node


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Weights and thresholds are small whole numbers, so that points lie on the splits."""
    topology = shape(draw(st.sampled_from(["(. .)", "((. .) .)", "((. .) (. (. .)))"])), SPAN)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    weights = rng.integers(-2, 3, (topology.size, 2)).astype(float)
    weights[topology.leaves] = 0
    threshold = np.where(topology.is_leaf, 0.0, rng.integers(-2, 3, topology.size))
    classes = np.where(topology.is_leaf, rng.integers(0, 3, topology.size), -1)
    strict = draw(st.booleans())
    return Tree(
        topology, weights, threshold, strict, ClassAnswer(classes, ("a", "b", "c")), ("f", "g")
    )


@given(trees())
def test_route(tree: Tree) -> None:
    x = np.array([[a, b] for a in range(-2, 3) for b in range(-2, 3)], float)
    leaves = [walk(tree, row) for row in x]
    assert tree.route(x).tolist() == leaves
    assert tree.leaf_numbers(x).tolist() == tree.topology.heap[leaves].tolist()
    assert tree.predict_numbers(x).tolist() == tree.leaf_class[leaves].tolist()
    path = tree.path(x)
    for row, leaf in zip(path, leaves, strict=True):
        above = tree.topology.ancestors.take(np.array([leaf])).items
        assert np.flatnonzero(row).tolist() == sorted([*above, leaf])


def test_the_ways_of_a_table_s_points_are_kept() -> None:
    tree, x = stump([1.0], 0.5), np.array([[0.0], [1.0]])
    frozen = x.view()
    frozen.flags.writeable = False
    assert tree.route(frozen).tolist() == [1, 2]
    x[0] = 2.0
    assert tree.route(frozen).tolist() == [2, 2]
    data = treemip.loads(
        'data "t" { label c; } topology complete(depth = 1); split univariate by binoct;',
        data={"a": [0.0, 1.0], "c": ["no", "yes"]},
    ).data
    assert data is not None
    points, others = data.train.inputs, data.train.take(np.array([1, 1])).inputs
    path, route = tree.path(points), tree.route(points)
    assert tree.path(points) is path
    assert tree.route(points) is route
    for again in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), replace(tree)):
        assert again.route(points).tolist() == [1, 2]
    assert tree.route(others).tolist() == [2, 2]
    ways = known_ways._known[id(others)]
    assert {key[0] for key in ways} == {"route", "path"}
    del others
    gc.collect()
    assert all(one is not ways for one in known_ways._known.values())


@given(trees())
def test_json_there_and_back(tree: Tree) -> None:
    again = Tree.from_json(json.loads(json.dumps(tree.to_json())))
    assert again.to_json() == tree.to_json()
    for name in ("weights", "threshold", "leaf_class"):
        assert getattr(again, name).tolist() == getattr(tree, name).tolist()
    assert again.topology.heap.tolist() == tree.topology.heap.tolist()
    assert (again.strict, again.classes) == (tree.strict, tree.classes)


def test_no_points() -> None:
    assert stump([1.0], 0.0).route(np.zeros((0, 1))).tolist() == []


def test_a_saved_tree_predicts_as_before(tmp_path: Path) -> None:
    solved().save(tmp_path / "tree.json")
    again = treemip.load_tree(tmp_path / "tree.json")
    assert again.predict({"x1": X[:, 0], "x2": X[:, 1]}).tolist() == Y.tolist()


KEPT = (
    Feature("colour", Levels(("blue", "green", "red"), False), None, None, False),
    Feature("grade", Levels(("1", "2"), True), None, None, True),
)
ENCODER = Encoder(
    (Feature("age", None, None, AsIs()),), KEPT, "class", Levels(("no", "yes"), False)
)


def read(*weights: float, threshold: float = -0.5) -> ByCategory | None:
    return read_by_category(ENCODER, np.array(weights), threshold)


def test_sets_of_one_column() -> None:
    assert read(0, -1, 0, -1, 0, 0) == ByCategory("colour", ("blue", "red"), ("green",))
    assert read(0, 0, 0, 0, 0, -1) == ByCategory("grade", ("2",), ("1",))
    assert read(0, 0, 0, 0, -1, -1) == ByCategory("grade", ("1", "2"), ())


@pytest.mark.parametrize(
    ("weights", "threshold"),
    [
        ((0, 0, 0, 0, 0, 0), -0.5),
        ((-1, 0, 0, 0, 0, 0), -0.5),
        ((-1, -1, 0, 0, 0, 0), -0.5),
        ((0, 0, 0, -1, -1, 0), -0.5),
        ((0, -1, -2, 0, 0, 0), -0.5),
        ((0, 1, 0, 0, 0, 0), -0.5),
        ((0, -1, 0, 0, 0, 0), 0.5),
    ],
)
def test_other_splits(weights: tuple[float, ...], threshold: float) -> None:
    assert read(*weights, threshold=threshold) is None


def test_without_an_encoder_there_are_no_columns() -> None:
    assert read_by_category(None, np.array([0, -1, 0, 0, 0, 0]), -0.5) is None


def category_stump(*weights: float, threshold: float = -0.5) -> Tree:
    table = np.zeros((3, 6))
    table[0] = weights
    return Tree(
        from_heap(np.array([1, 2, 3])),
        table,
        np.array([threshold, 0, 0]),
        False,
        ClassAnswer(np.array([-1, 1, 0]), ("no", "yes")),
        ENCODER.input_names,
        ENCODER,
    )


def test_rows_go_left_with_one_of_the_categories() -> None:
    tree = category_stump(0, -1, 0, -1, 0, 0)
    assert (
        draw(tree) == "every point\n├─ colour is blue or red: yes\n└─ colour is not blue or red: no"
    )
    rows = {"age": [1, 2, 3], "colour": ["red", "green", "blue"], "grade": [1, 2, 7]}
    assert tree.predict(rows).tolist() == ["yes", "no", "yes"]
    assert tree.score({**rows, "class": ["yes"] * 3}).features == {1: ("colour",)}


def test_a_value_unseen_in_training_goes_right() -> None:
    both = category_stump(0, 0, 0, 0, -1, -1)
    assert draw(both) == "every point\n├─ grade is 1 or 2: yes\n└─ grade is any other value: no"
    rows = {"age": [1, 2], "colour": ["red", "red"], "grade": [2, 3]}
    assert both.predict(rows).tolist() == ["yes", "no"]


def test_json_has_both_sides_and_comes_back() -> None:
    tree = category_stump(0, -1, 0, -1, 0, 0)
    said = tree.to_json()
    assert said["nodes"][0] == {
        "node": 1,
        "column": "colour",
        "left": ["blue", "red"],
        "right": ["green"],
    }
    again = Tree.from_json(said)
    assert again.weights.tolist() == tree.weights.tolist()
    assert again.threshold.tolist() == tree.threshold.tolist()
    assert again.encoder == ENCODER


def test_splits_of_numbers_and_categories_together_keep_their_weights() -> None:
    tree = category_stump(0.5, -1, 0, 0, 0, 2, threshold=0)
    assert draw(tree).splitlines()[0] == "sum = 0.5 age - colour=blue + 2 grade=2"
    said = tree.to_json()["nodes"][0]
    assert said["weights"] == {"age": 0.5, "colour=blue": -1.0, "grade=2": 2.0}
    assert Tree.from_json(tree.to_json()).weights.tolist() == tree.weights.tolist()
