"""The tape under construction: nothing is written twice."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.lower.linear import Linear
from treemip.lower.tape_builder import Recording, distinct_rows
from treemip.model.sparse_rows import sparse_rows
from treemip.model.tape import Smooth
from treemip.model.values import slot_values


def recording(columns: int) -> Recording:
    return Recording(lambda: (np.zeros(columns), np.ones(columns)))


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
