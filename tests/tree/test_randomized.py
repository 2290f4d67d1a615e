"""Randomized trees: probabilities against a loop, there and back as JSON, and as text."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance.trees import from_heap, shape
from treemip.core.source.span import Source
from treemip.core.tree.answers import ClassAnswer, DistributionAnswer
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.score import sparsity
from treemip.core.tree.tree import Tree

SPAN = Source("t", "x").span(0, 1)


def tree_of(topology, weights, threshold, distribution) -> RandomizedTree:  # type: ignore[no-untyped-def]
    distribution = np.asarray(distribution, float)
    return RandomizedTree(
        topology=topology,
        weights=np.asarray(weights, float),
        threshold=np.asarray(threshold, float),
        strict=False,
        answer=DistributionAnswer.over(
            distribution, topology.is_leaf, ("a", "b", "c")[: distribution.shape[1]]
        ),
        features=("f", "g"),
    )


@st.composite
def trees(draw: st.DrawFn) -> RandomizedTree:
    topology = shape(draw(st.sampled_from(["(. .)", "((. .) .)", "((. .) (. (. .)))"])), SPAN)
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    scale = draw(st.sampled_from([1.0, 1000.0]))  # beyond what exp can take
    weights = scale * rng.normal(size=(topology.size, 2)) * (rng.random((topology.size, 2)) < 0.7)
    weights[topology.leaves] = 0
    threshold = np.where(topology.is_leaf, 0.0, scale * rng.normal(size=topology.size))
    distribution = rng.dirichlet([0.5] * 3, topology.size)
    distribution[topology.branches] = 0
    return tree_of(topology, weights, threshold, distribution)


def chances(tree: RandomizedTree, row: np.ndarray) -> list[float]:
    """The probability of each node, from the root down: (1) of Amaldi et al."""
    found = [0.0] * tree.topology.size
    found[0] = 1.0
    for node in tree.topology.branches.tolist():
        u = sum(w * v for w, v in zip(tree.weights[node], row, strict=True)) - tree.threshold[node]
        left = 1 / (1 + math.exp(-u)) if u > -700 else math.exp(u)
        found[tree.topology.left[node]] = found[node] * left
        found[tree.topology.right[node]] = found[node] * (1 - left)
    return found


@given(trees())
def test_probabilities(tree: RandomizedTree) -> None:
    x = np.array([[a, b] for a in (-1.0, 0.0, 0.3, 2.0) for b in (-0.5, 1.0)])
    expected = np.array([chances(tree, row) for row in x])
    assert tree.path(x) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    leaves = tree.topology.leaves
    assert tree.path(x)[:, leaves].sum(axis=1) == pytest.approx(np.ones(len(x)))
    by_class = expected[:, leaves] @ tree.distribution[leaves]
    assert tree.class_chances(x) == pytest.approx(by_class, rel=1e-9, abs=1e-12)
    assert tree.class_chances(x).sum(axis=1) == pytest.approx(np.ones(len(x)))
    given_class = by_class[np.arange(len(x)), tree.predict_numbers(x)]
    assert given_class == pytest.approx(by_class.max(axis=1), abs=1e-9)


@given(trees())
def test_there_and_back(tree: RandomizedTree) -> None:
    said = json.loads(json.dumps(tree.to_json()))
    back = RandomizedTree.from_json(said)
    for name in ("weights", "threshold", "distribution"):
        assert np.array_equal(getattr(back, name), getattr(tree, name))
    assert back.to_json() == tree.to_json() == said


@pytest.mark.parametrize(
    "damage",
    [
        lambda said: said["nodes"].pop(),
        lambda said: said["nodes"][0].update(threshold=float("nan")),
        lambda said: said["nodes"][0]["weights"].update(unknown=1.0),
        lambda said: said["nodes"][2]["distribution"].pop("a"),
        lambda said: said["nodes"][2].update(distribution="a"),
    ],
)
def test_damaged_files(damage) -> None:  # type: ignore[no-untyped-def]
    said = example().to_json()
    damage(said)
    with pytest.raises((LookupError, ValueError, TypeError)):
        RandomizedTree.from_json(said)


def example() -> RandomizedTree:
    return tree_of(
        from_heap(np.array([1, 2, 3, 4, 5])),
        [[2, 0], [0, -1.5], [0, 0], [0, 0], [0, 0]],
        [3, 0, 0, 0, 0],
        [[0, 0], [0, 0], [1, 0], [0.25, 0.75], [1e-4, 0.9999]],
    )


def test_as_text() -> None:
    assert (
        str(example())
        == """\
left with probability logistic(2 f - 3)
├─ left: left with probability logistic(-1.5 g)
│  ├─ left: b 0.75, a 0.25
│  └─ right: b
└─ right: a"""
    )


def test_points_are_counted_where_they_most_probably_are() -> None:
    counts = np.zeros((5, 2), int)
    counts[2], counts[3] = (1, 0), (3, 4)
    text = example().drawn(counts)
    assert "b 0.75, a 0.25  (most probable for 7 points)" in text
    assert text.endswith("a  (most probable for 1 point)")


def test_a_branch_without_weights_says_its_probability() -> None:
    tree = tree_of(
        from_heap(np.array([1, 2, 3])), np.zeros((3, 2)), [0.0] * 3, [[0, 0], [1, 0], [0, 1]]
    )
    assert str(tree).startswith("left with probability 0.5\n")


def test_sparsity_is_in_percent_of_the_features() -> None:
    found = sparsity(example())
    assert (found.local, found.everywhere) == (50.0, 0.0)
    one = tree_of(
        from_heap(np.array([1, 2, 3])), [[0, 3], [0, 0], [0, 0]], [0] * 3, [[0, 0], [1, 0], [0, 1]]
    )
    assert (sparsity(one).local, sparsity(one).everywhere) == (50.0, 50.0)


def test_a_deterministic_tree_has_the_shares_of_its_leaves() -> None:
    tree = Tree(
        from_heap(np.array([1, 2, 3])),
        np.array([[1.0], [0.0], [0.0]]),
        np.array([0.5, 0, 0]),
        False,
        ClassAnswer(np.array([-1, 1, 0]), ("a", "b")),
        ("f",),
        leaf_weights=np.array([[0.0, 0.0], [0.0, 3.0], [1.5, 0.0]]),
    )
    assert tree.class_chances(np.array([[0.0], [1.0]])).tolist() == [[0.0, 1.0], [1.0, 0.0]]


@given(trees(), st.integers(0, 99))
def test_a_row_has_the_same_probabilities_in_every_batch(tree: RandomizedTree, seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(13, 2))
    path, chances = tree.path(x), tree.class_chances(x)
    assert (tree.path(np.tile(x, (400, 1))) == np.tile(path, (400, 1))).all()
    for i in range(len(x)):
        assert (tree.path(x[i : i + 1]) == path[i]).all()
        assert (tree.class_chances(x[i : i + 1]) == chances[i]).all()
