"""Topologies: the shape of the tree, complete or drawn with brackets."""

from __future__ import annotations

import numpy as np

from treemip.instance.trees import Forest
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span

MAX_DEPTH = 16


def complete(depth: int, span: Span) -> Forest:
    """All 2^depth leaves at the same depth. Raises TreemipError (E310)."""
    if not 1 <= depth <= MAX_DEPTH:
        raise TreemipError(
            Diagnostic("E310", f"a complete tree has depth 1 to {MAX_DEPTH}, not {depth}", span)
        )
    return from_heap(np.arange(1, 2 ** (depth + 1)))


def shape(text: str, span: Span) -> Forest:
    """A tree drawn with brackets: `.` is a leaf, `(left right)` a branch. Raises E310."""
    heaps: list[int] = []
    rest = _read(text, 0, 1, heaps, span)
    if text[rest:].strip():
        raise _fault(f"after the tree stands '{text[rest:].strip()}'", span)
    if len(heaps) == 1:
        raise _fault("a tree has at least one branch", span)
    return from_heap(np.array(sorted(heaps)))


def _read(text: str, at: int, heap: int, heaps: list[int], span: Span) -> int:
    at = _skip(text, at)
    if heap.bit_length() > 40:
        raise _fault("the tree is deeper than 40 levels", span)
    heaps.append(heap)
    if text[at : at + 1] == ".":
        return at + 1
    if text[at : at + 1] != "(":
        found = f"'{text[at]}'" if at < len(text) else "the end"
        raise _fault(f"'.' or '(' is needed, but {found} stands at character {at + 1}", span)
    at = _read(text, at + 1, 2 * heap, heaps, span)
    at = _skip(text, _read(text, at, 2 * heap + 1, heaps, span))
    if text[at : at + 1] != ")":
        raise _fault(f"')' is missing at character {at + 1}: a branch has two children", span)
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _fault(message: str, span: Span) -> TreemipError:
    remedy = 'draw a leaf as . and a branch as (left right), such as "((. .) .)"'
    return TreemipError(Diagnostic("E310", message, span, remedy))


def from_heap(heap: np.ndarray) -> Forest:
    """The tree whose nodes have these heap numbers, ascending; every branch has both children."""
    size = len(heap)
    position = {int(h): k for k, h in enumerate(heap)}
    found = [[position.get(h, -1) for h in (int(x) // 2, 2 * int(x), 2 * int(x) + 1)] for x in heap]
    parent, left, right = np.array(found, np.int64).T
    depth = np.array([int(h).bit_length() - 1 for h in heap], np.int64)
    return Forest(parent, left, right, depth, heap.astype(np.int64), np.zeros(size, np.int64))
