"""Tables of trees against walks over nested brackets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemip
from treemip.core.instance.trees import Forest, complete, shape
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source

SPAN = Source("t", "x").span(0, 1)
Node = tuple  # (heap, left, right) or (heap,)

SHAPES = st.recursive(
    st.just("."),
    lambda inner: st.tuples(inner, inner).map(lambda p: f"({p[0]} {p[1]})"),
    max_leaves=7,
).filter(lambda text: text != ".")


def nested(text: str) -> Node:
    """The brackets as nested tuples with heap numbers."""
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def read(heap: int) -> Node:
        if tokens.pop(0) == ".":
            return (heap,)
        found = (heap, read(2 * heap), read(2 * heap + 1))
        assert tokens.pop(0) == ")"
        return found

    return read(1)


def walk(node: Node, above: tuple = ()):  # type: ignore[no-untyped-def]
    """(node, ancestors from the root down as (heap, side))."""
    yield node, above
    for side, child in zip(("left", "right"), node[1:], strict=False):
        yield from walk(child, (*above, (node[0], side)))


def heaps(forest: Forest, nodes: np.ndarray) -> list[int]:
    return forest.heap[nodes].tolist()


def leaves(node: Node) -> list[int]:
    return [node[0]] if len(node) == 1 else [h for child in node[1:] for h in leaves(child)]


def last(node: Node) -> list[int]:
    if len(node) == 1:
        return []
    own = [node[0]] if len(node[1]) == len(node[2]) == 1 else []
    return own + [h for child in node[1:] for h in last(child)]


@given(SHAPES)
def test_every_table(text: str) -> None:
    forest = shape(text, SPAN)
    nodes = sorted(walk(nested(text)), key=lambda pair: pair[0][0])
    assert forest.heap.tolist() == [node[0] for node, _ in nodes]
    place = {node[0]: k for k, (node, _) in enumerate(nodes)}
    for k, (node, above) in enumerate(nodes):
        assert forest.depth[k] == len(above)
        assert forest.parent[k] == (place[above[-1][0]] if above else -1)
        below = [place[child[0]] for child in node[1:]] or [-1, -1]
        assert [forest.left[k], forest.right[k]] == below
        at = np.array([k])
        assert heaps(forest, forest.ancestors.take(at).items) == [h for h, _ in above]
        for side in ("left", "right"):
            found = getattr(forest, f"{side}_ancestors").take(at).items
            assert heaps(forest, found) == [h for h, s in above if s == side]
        assert heaps(forest, forest.leaves_under.take(at).items) == leaves(node)
        assert sorted(heaps(forest, forest.last_branches_under.take(at).items)) == sorted(
            last(node)
        )


@given(SHAPES)
def test_every_set(text: str) -> None:
    forest = shape(text, SPAN)
    nodes = [node for node, _ in walk(nested(text))]
    assert heaps(forest, forest.leaves) == sorted(n[0] for n in nodes if len(n) == 1)
    assert heaps(forest, forest.branches) == sorted(n[0] for n in nodes if len(n) == 3)
    assert heaps(forest, forest.last_branches) == sorted(last(nested(text)))
    assert heaps(forest, forest.left_children) == sorted(n[1][0] for n in nodes if len(n) == 3)
    assert heaps(forest, forest.right_children) == sorted(n[2][0] for n in nodes if len(n) == 3)
    assert forest.roots.tolist() == [0]
    assert forest.max_inner_depth.tolist() == [max(forest.depth[forest.branches])]
    assert forest.inner.items.tolist() == forest.branches.tolist()


SPAN_of_topology = Source("t", "x").span(0, 1)


def test_complete() -> None:
    tree = complete(2, SPAN_of_topology)
    assert tree.heap.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert tree.left.tolist() == [1, 3, 5, -1, -1, -1, -1]
    assert tree.depth.tolist() == [0, 1, 1, 2, 2, 2, 2]
    assert (
        complete(1, SPAN_of_topology).heap.tolist()
        == shape("(. .)", SPAN_of_topology).heap.tolist()
    )


def test_a_chain() -> None:
    assert shape("(.(.(. .)))", SPAN_of_topology).heap.tolist() == [1, 2, 3, 6, 7, 14, 15]
    assert shape(" ( ( . . ) . ) ", SPAN_of_topology).heap.tolist() == [1, 2, 3, 4, 5]


def test_the_greatest_drawing() -> None:
    text = "(." * 39 + " ." + ")" * 39
    assert shape(text, SPAN_of_topology).depth.max() == 39


@pytest.mark.parametrize("depth", [0, -1, 17])
def test_depths_that_no_tree_has(depth: int) -> None:
    with pytest.raises(TreemipError, match="depth 1 to 16") as caught:
        complete(depth, SPAN_of_topology)
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
        shape(text, SPAN_of_topology)
    assert caught.value.diagnostics[0].code == "E310"


@pytest.mark.parametrize(
    "said", ["complete", "complete(depth = 1.5)", "complete(2, 3)", "star(2)", "shape"]
)
def test_statements_that_say_no_tree(said: str) -> None:
    with pytest.raises(TreemipError) as caught:
        treemip.loads(f"topology {said}; var v; minimize v;")
    assert caught.value.diagnostics[0].code == "E310"
