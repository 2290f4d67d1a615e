"""Where the boxes of a binary tree stand: a parent above the middle of its children, subtrees as
close as their outlines allow (after Reingold and Tilford, 1981), in O(nodes x depth)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

BESIDE, BELOW, MARGIN = 18.0, 32.0, 12.0
"""Space between two boxes of a level, between two levels, and around the tree."""


@dataclass(frozen=True)
class Size:
    width: float
    height: float


@dataclass(frozen=True)
class Placing:
    """centre and top: of each box; width and height: of the whole picture."""

    centre: list[float]
    top: list[float]
    width: float
    height: float


@dataclass
class _Subtree:
    """centre: of its boxes, the root at 0. left and right: its outline, level by level."""

    centre: dict[int, float]
    left: list[float]
    right: list[float]


def place(sizes: Sequence[Size], children: Sequence[tuple[int, int] | None]) -> Placing:
    """The boxes of a tree whose root is box 0; children: positions of both, None at leaves."""
    whole = _placed(0, sizes, children)
    level = _levels(children)
    heights = [0.0] * (max(level.values()) + 1)
    for box, depth in level.items():
        heights[depth] = max(heights[depth], sizes[box].height)
    tops = [MARGIN + sum(heights[:d]) + BELOW * d for d in range(len(heights))]
    shift = MARGIN - min(whole.left)
    return Placing(
        [whole.centre[box] + shift for box in range(len(sizes))],
        [tops[level[box]] for box in range(len(sizes))],
        max(whole.right) + shift + MARGIN,
        tops[-1] + heights[-1] + MARGIN,
    )


def _placed(
    box: int, sizes: Sequence[Size], children: Sequence[tuple[int, int] | None]
) -> _Subtree:
    half = sizes[box].width / 2
    pair = children[box]
    if pair is None:
        return _Subtree({box: 0.0}, [-half], [half])
    left, right = (_placed(child, sizes, children) for child in pair)
    apart = max(r - lf for r, lf in zip(left.right, right.left, strict=False)) + BESIDE
    centre = {box: 0.0}
    centre |= {each: x - apart / 2 for each, x in left.centre.items()}
    centre |= {each: x + apart / 2 for each, x in right.centre.items()}
    return _Subtree(
        centre,
        [-half, *_outline(left.left, right.left, apart, min)],
        [half, *_outline(left.right, right.right, apart, max)],
    )


def _outline(
    left: list[float],
    right: list[float],
    apart: float,
    outermost: Callable[[Iterable[float]], float],
) -> list[float]:
    """The outline of two subtrees whose roots are `apart`, from the middle between them."""
    depth = max(len(left), len(right))
    sides = [[x - apart / 2 for x in left], [x + apart / 2 for x in right]]
    return [outermost(side[d] for side in sides if d < len(side)) for d in range(depth)]


def _levels(children: Sequence[tuple[int, int] | None]) -> dict[int, int]:
    level = {0: 0}
    waiting = [0]
    while waiting:
        box = waiting.pop()
        for child in children[box] or ():
            level[child] = level[box] + 1
            waiting.append(child)
    return level
