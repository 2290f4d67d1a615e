"""The tape under construction: nothing is written twice."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance.trees import complete, shape
from treemip.core.lower.linear import Linear
from treemip.core.lower.tape_builder import TapeBuilder, distinct_rows, shared_products
from treemip.core.model.sparse_rows import sparse_rows
from treemip.core.model.tape import Smooth
from treemip.core.model.values import slot_values
from treemip.core.source.span import Source


def recording(columns: int) -> TapeBuilder:
    return TapeBuilder(lambda: (np.zeros(columns), np.ones(columns)))


def test_a_variable_has_one_slot() -> None:
    tape = recording(5)
    first = tape.slots(Linear.variables(np.array([3, 1, 3])))
    again = tape.slots(Linear.variables(np.array([1, 4])))
    assert first[0] == first[2] != first[1] == again[0]
    assert tape.length == 3


def test_a_function_of_a_slot_has_one_slot() -> None:
    tape = recording(3)
    slots = tape.slots(Linear.variables(np.arange(3)))
    a = tape.apply(Smooth.EXP, slots[[0, 1, 0]])
    b = tape.apply(Smooth.EXP, slots[[1, 2]])
    tape.apply(Smooth.POWER, slots, 2.0)
    other = tape.apply(Smooth.POWER, slots, 3.0)
    assert a.slots[0].var.tolist() == [3, 4, 3] and b.slots[0].var.tolist() == [4, 5]
    assert other.slots[0].var.tolist() == [9, 10, 11]


def test_a_coefficient_stands_outside_the_product() -> None:
    tape = recording(2)
    x = Linear.variables(np.array([0, 1]))
    made = tape.product([(x.times(2.0), np.arange(2)), (x.times(-3.0), np.arange(2))], 2)
    assert made.slots[0].numbers.tolist() == [-6.0, -6.0]
    assert slot_values(tape.tape(), np.array([2.0, 5.0])).tolist() == [2.0, 5.0, 4.0, 25.0]


def test_a_quadratic_row_becomes_a_slot() -> None:
    tape = recording(2)
    x, y = Linear.variables(np.array([0, 0])), Linear.variables(np.array([1, 0]))
    value = x.product(y).plus(x.times(2.0)).plus(Linear.known(np.array([5.0, 7.0])))
    slots = tape.slots(value)
    found = slot_values(tape.tape(), np.array([3.0, 4.0]))[slots]
    assert found.tolist() == [3 * 4 + 2 * 3 + 5, 3 * 3 + 2 * 3 + 7]


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, -1.0])] * 4), min_size=1, max_size=30))
def test_equal_rows_are_found(rows: list[tuple[float, ...]]) -> None:
    """Three columns, the last of them in a matrix of its own, and a constant."""
    table = np.array(rows)
    parts = []
    for columns in (table[:, :2], table[:, 2:3]):
        at, k = np.nonzero(columns)
        parts.append(sparse_rows(at, k.astype(np.int32), columns[at, k], len(rows)))
    first, which = distinct_rows(*parts, table[:, 3])
    assert len(first) == len(set(rows))
    assert sorted(first.tolist()) == first.tolist()
    assert (table[first][which] == table).all()


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
