"""Ragged tables against lists of lists."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.model.arrays import Ragged, offsets_of

LISTS = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=5)


def ragged(lists: list[list[int]]) -> Ragged:
    items = [item for one in lists for item in one]
    lengths = np.array([len(one) for one in lists], np.int64)
    return Ragged(offsets_of(lengths), np.array(items, np.int64))


def lists(table: Ragged) -> list[list[int]]:
    ends = table.offsets.tolist()
    return [table.items[a:b].tolist() for a, b in pairwise(ends)]


@given(LISTS)
def test_counts_and_lengths(said: list[list[int]]) -> None:
    table = ragged(said)
    assert lists(table) == said
    assert (table.count, table.lengths.tolist()) == (len(said), [len(one) for one in said])


@given(LISTS.filter(bool), st.data())
def test_take(said: list[list[int]], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(said) - 1), max_size=6))
    assert lists(ragged(said).take(np.array(rows, np.int64))) == [said[r] for r in rows]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=12))
def test_from_pairs_keeps_the_order_within_a_row(pairs: list[tuple[int, int]]) -> None:
    rows = np.array([r for r, _ in pairs], np.int64)
    items = np.array([i for _, i in pairs], np.int64)
    found = Ragged.from_pairs(rows, items, 5)
    assert lists(found) == [[i for r, i in pairs if r == row] for row in range(5)]


@given(st.lists(st.integers(0, 9), max_size=4), st.integers(0, 3))
def test_same(items: list[int], count: int) -> None:
    assert lists(Ragged.same(np.array(items, np.int64), count)) == [items] * count
