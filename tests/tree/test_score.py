"""Scores against scikit-learn's measures, and against points followed one by one."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_trees import X, Y, solved, stump
from test_tree import category_stump, trees, walk

import treemip
from treemip.core.instance.trees import from_heap
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.answers import DistributionAnswer
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.score import Score, score
from treemip.core.tree.tree import Tree

metrics = pytest.importorskip("sklearn.metrics")


@st.composite
def points(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """x (M, 2) on the trees' grid and y (M,) of at most three classes."""
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    count = draw(st.integers(1, 12))
    return rng.integers(-2, 3, (count, 2)).astype(float), rng.integers(0, 3, count)


@given(trees(), points())
def test_measures_are_those_of_scikit_learn(tree: Tree, data: tuple[np.ndarray, ...]) -> None:
    x, y = data
    found = score(tree, x, y)
    given_classes = tree.predict_numbers(x)
    numbers = [0, 1, 2]
    expected = metrics.confusion_matrix(y, given_classes, labels=numbers)
    assert found.confusion.tolist() == expected.tolist()
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, given_classes))
    assert found.errors == metrics.zero_one_loss(y, given_classes, normalize=False)
    for own, its in ((found.recall, metrics.recall_score), (found.precision, _precision)):
        theirs = its(y, given_classes, labels=numbers, average=None, zero_division=np.nan)
        assert [np.nan if v is None else v for v in own] == pytest.approx(theirs, nan_ok=True)
    present = np.unique(y)
    mean = metrics.recall_score(y, given_classes, labels=present, average="macro")
    assert found.balanced_accuracy == pytest.approx(mean)


def _precision(y, given_classes, **more):  # type: ignore[no-untyped-def]
    return metrics.precision_score(y, given_classes, **more)


@given(trees(), points())
def test_splits_and_leaves_are_those_that_points_use(
    tree: Tree, data: tuple[np.ndarray, ...]
) -> None:
    x, y = data
    leaves = {walk(tree, row) for row in x}
    found = score(tree, x, y)
    assert found.leaves_used == len(leaves)
    assert found.effective_splits == len(leaves) - 1  # a binary tree over the leaves in use


@given(trees(), points())
def test_json_there_and_back(tree: Tree, data: tuple[np.ndarray, ...]) -> None:
    found = score(tree, *data)
    again = Score.from_json(json.loads(json.dumps(found.to_json())))
    assert again.to_json() == found.to_json()
    assert again.confusion.tolist() == found.confusion.tolist()


def test_features_of_branches_and_tree() -> None:
    tree = solved().tree
    assert tree is not None
    found = score(stump([0.0, -2.0, 1.0], 0.5), np.zeros((2, 3)), np.array([0, 1]))
    assert found.features == {1: ("f1", "f2")}
    assert (found.features_used, found.distinct_features) == (2, ("f1", "f2"))


def test_a_split_by_categories_uses_one_feature() -> None:
    found = score(category_stump(0, -1, 0, -1, 0, 0), np.zeros((1, 6)), np.array([0]))
    assert found.features == {1: ("colour",)}
    found = score(category_stump(0.5, -1, 0, -1, 0, 0), np.zeros((1, 6)), np.array([0]))
    assert len(found.features[1]) == 3


def test_points_of_a_randomized_tree_take_their_most_probable_way() -> None:
    tree = RandomizedTree(
        topology=from_heap(np.array([1, 2, 3, 4, 5])),
        weights=np.array([[8.0], [8.0], [0], [0], [0]]),
        threshold=np.array([4.0, 40.0, 0, 0, 0]),
        strict=False,
        answer=DistributionAnswer(
            np.array([[0.0, 0], [0, 0], [0.4, 0.6], [1, 0], [0, 1]]),
            np.array([-1, -1, 1, 0, 1]),
            ("a", "b"),
        ),
        features=("f",),
    )
    x = np.array([[0.0], [1.0], [1.0]])
    found = score(tree, x, np.array([1, 1, 0]))
    assert found.leaves_used == len(np.unique(tree.route(x))) == 2
    assert found.effective_splits == 1
    assert found.errors == int((tree.predict_numbers(x) != [1, 1, 0]).sum())


def test_no_points_have_no_shares() -> None:
    found = score(stump([1.0], 0.5), np.zeros((0, 1)), np.zeros(0, np.int64))
    assert (found.points, found.accuracy, found.balanced_accuracy) == (0, None, None)
    assert found.recall == found.precision == (None, None)
    assert found.to_json()["accuracy"] is None


def test_raw_rows_with_their_classes() -> None:
    tree = solved().tree
    assert tree is not None
    frame = pd.DataFrame(X, columns=["x1", "x2"])
    apart = tree.score(frame, Y)
    assert apart.accuracy == 1.0 and apart.points == 6
    assert tree.score(frame.assign(**{"class": Y})).to_json() == apart.to_json()
    wrong = tree.score((X, Y[::-1]))
    assert (wrong.errors, wrong.balanced_accuracy) == (6, 0.0)


def test_classes_that_cannot_be_scored() -> None:
    tree = solved().tree
    assert tree is not None
    with pytest.raises(TreemipError, match="lacks the column 'class'"):
        tree.score(X)
    with pytest.raises(TreemipError, match="'maybe'"):
        tree.score(X, ["maybe", *Y[1:]])


def test_a_result_scores_both_parts() -> None:
    x, y = np.r_[X, X + 0.1], np.r_[Y, Y]
    text = (
        'data "t" { label class; scale minmax; train 0.5 seed 1; }'
        "topology complete(depth = 1); split oblique by soct;"
    )
    result = treemip.loads(text, (x, y)).compile().solve("highs", start="none")
    data = result.compiled.instance.data
    for part, found in ((data.train, result.train_score), (data.test, result.test_score)):
        own = result.tree.predict_numbers(part.x)
        assert found.accuracy == metrics.accuracy_score(part.y, own)
    said = result.to_json()
    assert said["scores"]["training"] == result.train_score.to_json()
    assert said["scores"]["test"] == result.test_score.to_json()
    assert solved().test_score is None and solved().to_json()["scores"]["test"] is None
