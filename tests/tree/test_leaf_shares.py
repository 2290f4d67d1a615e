"""The probabilities of a tree of classes are the shares of training points in its leaves."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from converted_trees import answering, random_tree, rows_for
from json_schema import SCHEMA, faults

from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.leaf_shares import Smoothing, leaves_without_points
from treemip.core.tree.tree import Tree

TREE = SCHEMA["$defs"]["tree"]


def counted(seed: int, weighted: bool = False) -> Tree:
    how = "weights" if weighted else "points"
    return answering(random_tree("sets", "scale minmax", seed), how, seed)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [None, 1, "m=5"])
def test_shares_come_back_from_json(weighted: bool, smoothing: str | float | None) -> None:
    tree = counted(2, weighted).smoothed(smoothing)
    saved = json.loads(json.dumps(tree.to_json()))
    assert list(faults(saved, TREE)) == [] and saved["weighted"] is weighted
    assert any("weight" in node for node in saved["nodes"]) is weighted
    again = Tree.from_json(saved)
    assert np.array_equal(again.shares, tree.shares)
    assert json.loads(json.dumps(again.to_json())) == saved


def test_shares_are_of_the_weights_of_a_leaf() -> None:
    tree = counted(3, weighted=True)
    rows = rows_for(tree, 200, 3)
    leaf = tree.route(tree.encode(rows))
    full = leaf != tree.topology.leaves[0]
    expected = tree.leaf_weights / np.maximum(tree.leaf_weights.sum(axis=1, keepdims=True), 1e-300)
    found = tree.predict_proba(rows)
    assert np.array_equal(found[full], expected[leaf[full]])
    assert np.allclose(found.sum(axis=1), 1)


def test_a_leaf_without_points_has_the_shares_of_the_nearest_node_with_some() -> None:
    tree = counted(4)
    topology = tree.topology
    first = int(topology.leaves[0])
    other = [int(t) for t in topology.leaves if topology.parent[t] == topology.parent[first]][1:]
    assert leaves_without_points(tree).tolist() == [first] and len(other) == 1
    assert np.array_equal(tree.shares[first], tree.shares[other[0]])
    without = tree.counts * (np.arange(topology.size) != other[0])[:, None]
    weights = without.astype(float)
    tree = replace(tree, counts=without, leaf_weights=weights)
    node = int(topology.parent[topology.parent[first]])
    below = topology.leaves_under.take(np.array([node])).items
    assert np.allclose(tree.shares[first], weights[below].sum(axis=0) / weights[below].sum())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0, [3 / 4, 1 / 4]),
        ("1", [4 / 6, 2 / 6]),
        (0.5, [3.5 / 5, 1.5 / 5]),
        ("m=5", [(3 + 5 * 0.25) / 9, (1 + 5 * 0.75) / 9]),
        ("m = 0", [3 / 4, 1 / 4]),
    ],
)
def test_smoothing(given: str | float, expected: list[float]) -> None:
    weights = np.array([[3.0, 1.0], [0.0, 8.0]])
    assert Smoothing.of(given).shares(weights)[0] == pytest.approx(expected)
    assert Smoothing.of(Smoothing.of(given).text) == Smoothing.of(given)


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "1e999", "m=", "many", "m=-2", "1e", ""])
def test_a_smoothing_that_is_none(text: str) -> None:
    with pytest.raises(TreemipError) as caught:
        counted(2).smoothed(text)
    (found,) = caught.value.diagnostics
    assert found.message == f"'{text}' is not a smoothing"
    assert (
        found.remedy
        == "give a number from 0 on, such as 1 for Laplace's, or m=5 for the m-estimate"
    )


@pytest.mark.parametrize("how", ["shares", "constants"])
def test_only_shares_of_points_are_smoothed(how: str) -> None:
    tree = answering(random_tree("sets", "scale minmax", 2), how, 2)
    assert tree.smoothed(0).smoothing.strength == 0
    with pytest.raises(TreemipError, match="only shares of training points are smoothed"):
        tree.smoothed(1)


def test_a_tree_of_probabilities_keeps_its_own() -> None:
    tree = answering(random_tree("sets", "scale minmax", 2), "shares", 2)
    assert np.array_equal(tree.shares, tree.distribution)


@pytest.mark.parametrize("known", [False, True])
def test_shares_of_no_points_are_refused(known: bool) -> None:
    tree = random_tree("sets", "scale minmax", 2)
    if known:
        none = np.zeros((tree.topology.size, len(tree.classes)))
        tree = replace(tree, leaf_weights=none, counts=none.astype(np.int64))
    with pytest.raises(TreemipError) as caught:
        tree.predict_proba(rows_for(tree, 5, 2))
    message = caught.value.diagnostics[0].message
    assert message == (
        "no leaf of the tree has training points"
        if known
        else "the tree does not say how many training points its leaves have"
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [("weighted", 1), ("weighted", "yes"), ("smoothing", "much"), ("smoothing", -1)],
)
def test_damaged_weights_are_refused(key: str, value: object) -> None:
    saved = counted(2).to_json() | {key: value}
    with pytest.raises(ValueError):
        Tree.from_json(saved)


def test_a_negative_weight_is_refused() -> None:
    saved = counted(2, weighted=True).to_json()
    leaf = next(node for node in saved["nodes"] if node.get("weight"))
    leaf["weight"] = dict.fromkeys(leaf["weight"], -1.0)
    with pytest.raises(ValueError, match="below 0"):
        Tree.from_json(saved)
