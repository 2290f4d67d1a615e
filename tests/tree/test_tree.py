"""Trees by themselves: routing against a loop, and JSON there and back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_trees import X, Y, solved, stump

import treemip
from treemip.instance.trees import shape
from treemip.source.diagnostic import TreemipError
from treemip.source.span import Source
from treemip.tree.tree import Tree

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
    return Tree(topology, weights, threshold, strict, classes, ("a", "b", "c"), ("f", "g"))


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


def places(said: object, path: tuple = ()) -> list[tuple]:
    """Paths to every value in a JSON document."""
    found = [path]
    if isinstance(said, dict):
        found += [p for k, v in said.items() for p in places(v, (*path, k))]
    elif isinstance(said, list):
        found += [p for k, v in enumerate(said) for p in places(v, (*path, k))]
    return found


JUNK = [None, True, -1, 0, 2**70, 0.5, float("nan"), "", "x", "1e999", [], [None], {}, {"a": 1}]
REMOVED = object()


@pytest.mark.parametrize("junk", [*JUNK, REMOVED], ids=[*map(repr, JUNK), "removed"])
def test_damage_is_told_or_harmless(tmp_path: Path, junk: object) -> None:
    """Whatever is changed in tree.json, loading it ends in a tree that predicts or in E701."""
    saved = json.dumps(solved().to_json()["tree"])
    path = tmp_path / "tree.json"
    for place in places(json.loads(saved))[1:]:
        said = inside = json.loads(saved)
        for key in place[:-1]:
            inside = inside[key]
        if junk is REMOVED:
            del inside[place[-1]]
        else:
            inside[place[-1]] = junk
        path.write_text(json.dumps({"format": "treemip tree 1", "status": "", "tree": said}))
        try:
            tree = treemip.load_tree(path)
        except TreemipError as error:
            assert {d.code for d in error.diagnostics} == {"E701"}, place
            continue
        assert np.isfinite(tree.weights).all() and np.isfinite(tree.threshold).all(), place
        found = tree.predict_numbers(np.zeros((1, len(tree.features))))
        assert found.tolist() in ([0], [1]), place


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[]", "not a file that"),
        ('{"format": "treemip tree 0"}', "not a file that"),
        (
            '{"format": "treemip tree 1", "status": "infeasible"}',
            "no tree; the solver's status was",
        ),
        ('{"format": "treemip tree 1", "tree": []}', "holds no tree"),
        ('{"format": "treemip tree 1", "tree": [1]}', "damaged"),
        ("\ud800", "not UTF-8"),
    ],
)
def test_files_that_are_no_trees(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "tree.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(TreemipError, match=message) as caught:
        treemip.load_tree(path)
    assert caught.value.diagnostics[0].code == "E701"
