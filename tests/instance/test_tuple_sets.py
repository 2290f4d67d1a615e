"""Sets of tuples against sets of Python's tuples."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance.tuple_sets import Tuples

parts = st.integers(-2, 4)
triples = st.sets(st.tuples(st.integers(0, 2), parts, parts, parts), max_size=30)


def built(members: set[tuple[int, ...]], count: int) -> Tuples:
    rows = np.array(sorted(members, key=hash), np.int64).reshape(-1, 4)
    return Tuples.of(rows[:, 0], [rows[:, k] for k in (1, 2, 3)], count)


@given(triples)
def test_tuples_are_kept_in_ascending_order_set_by_set(members: set[tuple[int, ...]]) -> None:
    sets = built(members, 3)
    assert list(zip(*(c.tolist() for c in sets.columns), strict=True)) == [
        m[1:] for m in sorted(members)
    ]
    assert sets.lengths.tolist() == [sum(m[0] == k for m in members) for k in range(3)]


@given(triples, st.integers(0, 2), st.lists(st.tuples(st.integers(0, 2), parts, parts), max_size=9))
def test_a_section_continues_its_prefix(
    members: set[tuple[int, ...]], length: int, asked: list[tuple[int, ...]]
) -> None:
    rows = np.array(asked, np.int64).reshape(-1, 3)
    found = built(members, 3).section(rows[:, 0], [rows[:, k + 1] for k in range(length)])
    lists = [part.tolist() for part in np.split(found.items, found.offsets[1:-1])][: len(asked)]
    for wanted, items in zip(asked, lists, strict=True):
        begins = wanted[: length + 1]
        assert items == sorted({m[length + 1] for m in members if m[: length + 1] == begins})


def test_numbers_that_are_not_whole() -> None:
    sets = Tuples.of(np.zeros(3, np.int64), [np.array([0.5, 0.5, 0.25]), np.array([2, 1, 7])], 1)
    found = sets.section(np.zeros(3, np.int64), [np.array([0.25, 0.5, 0.75])])
    assert found.lengths.tolist() == [1, 2, 0]
    assert found.items.tolist() == [7, 1, 2]
