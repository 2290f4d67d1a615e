"""Clauses that bound a sum of weights of literals: Joshi, Martins and Manquinho's generalized
totalizer (2015). Each node of a balanced tree has a literal for each sum that its inputs can have,
true where their sum is at least that much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise


def totalizer(
    literals: Sequence[int],
    weights: Sequence[int],
    cap: int,
    fresh: Callable[[], int],
    add: Callable[[list[int]], None],
) -> dict[int, int]:
    """For each sum that can be had, up to one that is `cap` or more, the literal that says "at
    least this much", which is true where the weights of the true `literals` come to that.

    fresh: a new variable; add: takes a clause.
    """
    level = [{min(w, cap): v} for v, w in sorted(zip(literals, weights, strict=True), key=_weight)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        merged = [_merged(a, b, cap, fresh, add) for a, b in pairs]
        level = merged + level[2 * len(merged) :]
    return level[0] if level else {}


def _weight(pair: tuple[int, int]) -> int:
    return pair[1]


def _merged(
    one: dict[int, int],
    other: dict[int, int],
    cap: int,
    fresh: Callable[[], int],
    add: Callable[[list[int]], None],
) -> dict[int, int]:
    sums = {min(a + b, cap) for a in (0, *one) for b in (0, *other)} - {0}
    result = {value: fresh() for value in sorted(sums)}
    for a, v in one.items():
        add([-v, result[a]])
        for b, w in other.items():
            add([-v, -w, result[min(a + b, cap)]])
    for b, w in other.items():
        add([-w, result[b]])
    for less, more in pairwise(result):
        add([-result[more], result[less]])
    return result
