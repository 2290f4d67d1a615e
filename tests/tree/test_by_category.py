"""Which weights are a split by the categories of one column."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.instance.categories import Levels
from treemip.instance.encoder import Encoder, Feature
from treemip.instance.encodings import AsIs
from treemip.instance.trees import from_heap
from treemip.tree.by_category import ByCategory, read_by_category
from treemip.tree.draw import draw
from treemip.tree.tree import Tree

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


def stump(*weights: float, threshold: float = -0.5) -> Tree:
    table = np.zeros((3, 6))
    table[0] = weights
    return Tree(
        from_heap(np.array([1, 2, 3])),
        table,
        np.array([threshold, 0, 0]),
        False,
        np.array([-1, 1, 0]),
        ("no", "yes"),
        ENCODER.input_names,
        ENCODER,
    )


def test_rows_go_left_with_one_of_the_categories() -> None:
    tree = stump(0, -1, 0, -1, 0, 0)
    assert draw(tree) == "colour in {blue, red}?\n├─ yes: yes\n└─ no:  no"
    rows = {"age": [1, 2, 3], "colour": ["red", "green", "blue"], "grade": [1, 2, 7]}
    assert tree.predict(rows).tolist() == ["yes", "no", "yes"]
    assert tree.score({**rows, "class": ["yes"] * 3}).features == {1: ("colour",)}


def test_a_value_unseen_in_training_goes_right() -> None:
    both = stump(0, 0, 0, 0, -1, -1)
    assert draw(both) == "grade in {1, 2}?\n├─ yes: yes\n└─ no:  no"
    rows = {"age": [1, 2], "colour": ["red", "red"], "grade": [2, 3]}
    assert both.predict(rows).tolist() == ["yes", "no"]


def test_json_has_both_sides_and_comes_back() -> None:
    tree = stump(0, -1, 0, -1, 0, 0)
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
    tree = stump(0.5, -1, 0, 0, 0, 2, threshold=0)
    assert draw(tree).splitlines()[0] == "0.5 age - colour=blue + 2 grade=2 <= 0?"
    said = tree.to_json()["nodes"][0]
    assert said["weights"] == {"age": 0.5, "colour=blue": -1.0, "grade=2": 2.0}
    assert Tree.from_json(tree.to_json()).weights.tolist() == tree.weights.tolist()
