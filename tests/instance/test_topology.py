"""Topologies: complete, drawn, and the drawings that are none."""

from __future__ import annotations

import pytest

import treemip
from treemip.instance.trees import complete, shape
from treemip.source.diagnostic import TreemipError
from treemip.source.span import Source

SPAN = Source("t", "x").span(0, 1)


def test_complete() -> None:
    tree = complete(2, SPAN)
    assert tree.heap.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert tree.left.tolist() == [1, 3, 5, -1, -1, -1, -1]
    assert tree.depth.tolist() == [0, 1, 1, 2, 2, 2, 2]
    assert complete(1, SPAN).heap.tolist() == shape("(. .)", SPAN).heap.tolist()


def test_a_chain() -> None:
    assert shape("(.(.(. .)))", SPAN).heap.tolist() == [1, 2, 3, 6, 7, 14, 15]
    assert shape(" ( ( . . ) . ) ", SPAN).heap.tolist() == [1, 2, 3, 4, 5]


def test_the_greatest_drawing() -> None:
    text = "(." * 39 + " ." + ")" * 39
    assert shape(text, SPAN).depth.max() == 39


@pytest.mark.parametrize("depth", [0, -1, 17])
def test_depths_that_no_tree_has(depth: int) -> None:
    with pytest.raises(TreemipError, match="depth 1 to 16") as caught:
        complete(depth, SPAN)
    assert caught.value.diagnostics[0].code == "E310"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".", "at least one branch"),
        ("", "at character 1, but there is the end"),
        ("(. .", r"expected '\)' at character 5"),
        ("(. . .)", r"expected '\)' at character 6"),
        ("(.)", r"at character 3, but there is '\)'"),
        ("(. .) .", "the tree ends before '.'"),
        ("(. x)", "at character 4, but there is 'x'"),
        ("(." * 41 + " ." + ")" * 41, "deeper than 40 levels"),
        ("(" * 5000, "deeper than 40 levels"),
    ],
)
def test_drawings_that_are_no_trees(text: str, message: str) -> None:
    with pytest.raises(TreemipError, match=message) as caught:
        shape(text, SPAN)
    assert caught.value.diagnostics[0].code == "E310"


@pytest.mark.parametrize(
    "said", ["complete", "complete(depth = 1.5)", "complete(2, 3)", "star(2)", "shape"]
)
def test_statements_that_say_no_tree(said: str) -> None:
    with pytest.raises(TreemipError) as caught:
        treemip.loads(f"topology {said}; var v; minimize v;")
    assert caught.value.diagnostics[0].code == "E310"
