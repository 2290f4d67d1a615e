"""Decision regions: every place has the class that the tree predicts there."""

from __future__ import annotations

import numpy as np
import pytest
from kinds_of_trees import univariate

import treemip

pytest.importorskip("matplotlib")

FRAME = {
    "length": [1.0, 2.0, 4.0, 6.0],
    "width": [1.0, 2.0, 3.0, 2.0],
    "age": [20.0, 35.0, 50.0, 35.0],
    "colour": ["red", "blue", "blue", "green"],
    "weight": [1.0, 2.0, 3.0, 4.0],
    "same": [3.0, 3.0, 3.0, 3.0],
    "town": ["town 1", "town 1", "town 2", "town 3"],
    "class": ["no", "perhaps", "yes", "no"],
}


def tree():
    return univariate()


def test_places_have_the_class_that_the_tree_predicts():
    axes = treemip.plot.regions(tree(), FRAME, ("length", "age"), resolution=41)
    (mesh,) = axes.collections[:1]
    numbers = np.asarray(mesh.get_array()).reshape(41, 41)
    places = mesh.get_coordinates()
    assert numbers.shape == (41, 41) and places.shape == (42, 42, 2)
    middles = (places[:-1, :-1] + places[1:, 1:]) / 2
    rows = {name: np.full(41 * 41, values[1]) for name, values in FRAME.items()}
    rows["colour"] = np.full(41 * 41, "blue")
    rows |= {"length": middles[..., 0].ravel(), "age": middles[..., 1].ravel()}
    assert (tree().predict(rows) == np.array(tree().classes)[numbers.astype(int).ravel()]).all()


def test_the_title_says_where_the_other_columns_are_held():
    axes = treemip.plot.regions(tree(), FRAME, ("length", "age"), resolution=5)
    assert axes.get_title() == "at width 2, colour blue, weight 2.5, same 3, town town 1"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("length", "age")
    assert len(axes.get_legend().get_texts()) == 3


def test_rows_without_a_class_are_points_without_a_legend():
    rows = {name: values for name, values in FRAME.items() if name != "class"}
    axes = treemip.plot.regions(tree(), rows, ("length", "age"), resolution=5)
    assert axes.get_legend() is None


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (None, "regions are drawn over two features; the tree was trained on 6"),
        (("length",), "regions are drawn over two features; the tree was trained on 6"),
        (("length", "lenght"), "the tree has no feature 'lenght'"),
        (("length", "colour"), "'colour' has categories, and an axis needs numbers"),
        (("length", "length"), "the feature 'length' is named twice"),
    ],
)
def test_other_axes_are_refused(features, message):
    with pytest.raises(treemip.TreemipError) as caught:
        treemip.plot.regions(tree(), FRAME, features)
    assert caught.value.diagnostics[0].message == message
