"""Products along a prefix tree: the values of the plain products, and as few slots as there are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.instance.trees import complete, shape
from treemip.lower.tape_builder import shared_products
from treemip.source.span import Source

SPAN = Source("t", "x").span(0, 1)


def values(steps, result: np.ndarray, factors: np.ndarray) -> list[float]:  # type: ignore[no-untyped-def]
    slots = factors.tolist()
    for step in steps:
        for r in range(step.length):
            mine = step.factors[step.offsets[r] : step.offsets[r + 1]]
            slots.append(math.prod(slots[k] for k in mine))
    return [slots[k] for k in result]


@given(st.lists(st.lists(st.integers(0, 6), max_size=6), min_size=1, max_size=12))
def test_they_are_the_products(groups: list[list[int]]) -> None:
    """Primes, so that equal products have equal factors."""
    factors = np.array([2, 3, 5, 7, 11, 13, 17])
    owner = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    factor = np.array([f for g in groups for f in g], np.int64)
    steps, result = shared_products(owner, factor, len(groups), len(factors))
    assert values(steps, result, factors) == [math.prod(factors[g].tolist()) for g in groups]
    distinct = {tuple(sorted(g)) for g in groups}
    assert len(set(result.tolist())) == len(distinct)
    assert all(np.diff(step.offsets).min() > 1 or len(step.factors) == 0 for step in steps)


@pytest.mark.parametrize(
    "forest",
    [complete(3, SPAN), shape("((. (. .)) .)", SPAN), shape("(((. .) .) (. (. .)))", SPAN)],
)
def test_paths_of_a_tree_cost_a_slot_a_node(forest) -> None:  # type: ignore[no-untyped-def]
    """Two factors for each branch, one a side, in any order."""
    owner, factor = [], []
    for n, leaf in enumerate(forest.leaves.tolist()):
        node = leaf
        while node:
            above = int(forest.parent[node])
            owner.append(n)
            factor.append(2 * above + int(forest.left[above] == node))
            node = above
    order = np.random.default_rng(1).permutation(len(owner))
    steps, result = shared_products(
        np.array(owner)[order], np.array(factor)[order], len(forest.leaves), 2 * forest.size
    )
    deep = int((forest.depth >= 2).sum())
    assert sum(step.length for step in steps) == deep
    assert all((np.diff(step.offsets) == 2).all() for step in steps)
    assert len(set(result.tolist())) == len(forest.leaves)


def test_a_tail_that_nothing_shares_is_one_product() -> None:
    steps, result = shared_products(np.zeros(9, np.int64), np.arange(9), 1, 9)
    assert [(s.length, len(s.factors)) for s in steps] == [(1, 9)]
    assert result.tolist() == [9]


def test_products_follow_their_rarest_factor() -> None:
    """Leaves' labels times paths, leaf by leaf: taken in the order of the paths' slots."""
    labels, paths = [0, 1], [10, 12, 14, 11, 13, 15]
    factor = np.array([f for k, path in enumerate(paths) for f in (path, labels[k // 3])])
    (step,), found = shared_products(np.repeat(np.arange(6), 2), factor, 6, 20)
    assert step.factors.reshape(-1, 2)[:, 0].tolist() == [10, 11, 12, 13, 14, 15]
    assert found.tolist() == [20, 22, 24, 21, 23, 25]
