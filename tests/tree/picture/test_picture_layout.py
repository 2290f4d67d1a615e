"""Boxes that do not overlap, parents above the middle of their children, nothing outside."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from treemip.writers.picture.layout import BELOW, BESIDE, MARGIN, Size, place


def tree_of(seed: int) -> tuple[list[Size], list[tuple[int, int] | None]]:
    """Sizes and children of a random tree of at most 31 boxes, in preorder."""
    random = Random(seed)
    sizes: list[Size] = []
    children: list[tuple[int, int] | None] = []

    def grow(depth: int) -> int:
        at = len(sizes)
        sizes.append(Size(random.randint(20, 300), random.randint(20, 120)))
        children.append(None)
        if depth < 4 and random.random() < 0.7:
            left = grow(depth + 1)
            children[at] = left, grow(depth + 1)
        return at

    grow(0)
    return sizes, children


@given(st.integers(0, 10**6))
def test_boxes_have_their_own_places(seed):
    sizes, children = tree_of(seed)
    placing = place(sizes, children)
    levels: dict[float, list[int]] = {}
    for box, top in enumerate(placing.top):
        levels.setdefault(top, []).append(box)
    for boxes in levels.values():
        for a, b in pairwise(boxes):  # in preorder a level runs from left to right
            gap = placing.centre[b] - placing.centre[a] - (sizes[a].width + sizes[b].width) / 2
            assert gap >= BESIDE - 1e-6
    for box, pair in enumerate(children):
        assert placing.centre[box] - sizes[box].width / 2 >= MARGIN - 1e-6
        assert placing.centre[box] + sizes[box].width / 2 <= placing.width - MARGIN + 1e-6
        assert placing.top[box] + sizes[box].height <= placing.height - MARGIN + 1e-6
        if pair is not None:
            left, right = pair
            middle = (placing.centre[left] + placing.centre[right]) / 2
            assert abs(placing.centre[box] - middle) < 1e-6
            assert placing.top[left] >= placing.top[box] + sizes[box].height + BELOW - 1e-6


def test_siblings_stand_as_near_as_they_may():
    placing = place([Size(10, 10), Size(40, 10), Size(60, 20)], [(1, 2), None, None])
    assert placing.centre == [MARGIN + 54, MARGIN + 20, MARGIN + 88]
    assert placing.top == [MARGIN, MARGIN + 10 + BELOW, MARGIN + 10 + BELOW]
    assert (placing.width, placing.height) == (2 * MARGIN + 118, 2 * MARGIN + 30 + BELOW)
