"""Tables of trees against walks over nested brackets."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.instance.trees import Forest, shape
from treemip.source.span import Source

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
