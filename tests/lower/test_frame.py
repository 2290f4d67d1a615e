"""Frames beside plain lists of index tuples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.lower.frame import Frame, distinct
from treemip.core.model.arrays import Ragged, offsets_of


@dataclass
class Both:
    """A frame, and its rows as tuples of name and value; `local` are the lists rows have."""

    frame: Frame
    rows: list[dict[str, float]]
    local: dict[str, list[tuple[int, ...]]]


def ragged(lists: list[list[int]]) -> Ragged:
    lengths = np.array([len(one) for one in lists], np.int64)
    return Ragged(offsets_of(lengths), np.array([v for one in lists for v in one], np.int64))


@st.composite
def frames(draw: st.DrawFn) -> Both:
    """Up to five steps from the empty frame."""
    both = Both(Frame.empty(), [{}], {})
    for step in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(["same", "each", "take", "local"]))
        both = STEPS[kind](draw, both, f"n{step}")
    return both


def grow_same(draw: st.DrawFn, both: Both, name: str) -> Both:
    items = draw(st.lists(st.integers(-2, 9), max_size=3))
    rows = [{**row, name: v} for row in both.rows for v in items]
    local = {k: [v for v in lists for _ in items] for k, lists in both.local.items()}
    return Both(both.frame.grow(name, ragged([items])), rows, local)


def grow_each(draw: st.DrawFn, both: Both, name: str) -> Both:
    count = draw(st.integers(2, 3))
    lists = [draw(st.lists(st.integers(0, 4), max_size=2)) for _ in range(count)]
    which = [draw(st.integers(0, count - 1)) for _ in both.rows]
    pairs = list(zip(both.rows, which, strict=True))
    rows = [{**row, name: v} for row, w in pairs for v in lists[w]]
    local = {
        k: [one for one, w in zip(own, which, strict=True) for _ in lists[w]]
        for k, own in both.local.items()
    }
    frame = both.frame.grow(name, ragged(lists), np.array(which, np.int64))
    return Both(frame, rows, local)


def take(draw: st.DrawFn, both: Both, name: str) -> Both:
    kept = [k for k in range(len(both.rows)) if draw(st.booleans())]
    rows = [both.rows[k] for k in kept]
    local = {n: [lists[k] for k in kept] for n, lists in both.local.items()}
    return Both(both.frame.take(np.array(kept, np.int64)), rows, local)


def add_local(draw: st.DrawFn, both: Both, name: str) -> Both:
    lists = [draw(st.lists(st.integers(0, 4), max_size=2)) for _ in range(2)]
    which = [draw(st.integers(0, 1)) for _ in both.rows]
    frame = both.frame.with_local(name, ragged(lists), np.array(which, np.int64))
    return Both(frame, both.rows, {**both.local, name: [tuple(lists[w]) for w in which]})


STEPS = {"same": grow_same, "each": grow_each, "take": take, "local": add_local}


def local_lists(frame: Frame, name: str) -> list[tuple[int, ...]]:
    lists, which = frame.local(name)
    ends = lists.offsets
    return [tuple(lists.items[ends[w] : ends[w + 1]].tolist()) for w in which]


def names_of(both: Both) -> list[str]:
    return sorted({name for row in both.rows for name in row})


@given(frames())
def test_rows_are_those_of_the_lists(both: Both) -> None:
    assert both.frame.size == len(both.rows)
    for name in names_of(both):
        assert both.frame.column(name).tolist() == [row[name] for row in both.rows]
    for name, lists in both.local.items():
        assert local_lists(both.frame, name) == lists


@given(frames(), st.data())
def test_a_projection_has_each_combination_and_says_which(both: Both, data: st.DataObject) -> None:
    if not both.rows:
        return
    names = data.draw(st.sets(st.sampled_from(names_of(both)))) if names_of(both) else set()
    local = data.draw(st.sets(st.sampled_from(sorted(both.local)))) if both.local else set()
    found, which = both.frame.project(frozenset(names), frozenset(local))
    assert len(which) == both.frame.size
    assert set(which.tolist()) <= set(range(found.size))
    for name in names:
        assert found.column(name)[which].tolist() == both.frame.column(name).tolist()
    for name in local:
        lists = local_lists(found, name)
        assert [lists[w] for w in which.tolist()] == both.local[name]
    if not local:
        combinations = {tuple(row[n] for n in sorted(names)) for row in both.rows}
        seen = {tuple(found.column(n)[k] for n in sorted(names)) for k in set(which.tolist())}
        assert seen == combinations


def test_a_projection_is_found_on_the_frame_that_bound_its_names() -> None:
    """Growing by other names repeats rows, so combinations are sought where there are fewer."""
    above = Frame.empty().grow("a", ragged([[3, 1, 3]]))
    below = above.grow("b", ragged([[5, 6]])).grow("c", ragged([[7, 8, 9]]))
    assert not below.owns(frozenset("a"), frozenset()) and below.owns(frozenset("c"), frozenset())
    found, which = below.project(frozenset("a"), frozenset())
    assert found.size == 2 and found.column("a").tolist() == [1, 3]
    assert which.tolist() == [1] * 6 + [0] * 6 + [1] * 6


def test_no_names_are_one_row_and_no_rows_stay_none() -> None:
    some = Frame.empty().grow("a", ragged([[1, 2]]))
    found, which = some.project(frozenset(), frozenset())
    assert found.size == 1 and which.tolist() == [0, 0]
    none = some.take(np.zeros(0, np.int64))
    found, which = none.project(frozenset(), frozenset())
    assert found.size == 0 and which.tolist() == []


def test_a_name_that_is_not_bound() -> None:
    frame = Frame.empty().grow("a", ragged([[1]]))
    with pytest.raises(KeyError):
        frame.column("b")
    with pytest.raises(KeyError):
        frame.local("b")


numbers = st.one_of(st.integers(0, 3), st.integers(-(2**62), 2**62), st.floats(-3, 3))


@given(
    st.integers(0, 8).flatmap(
        lambda n: st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=1, max_size=3)
    )
)
def test_distinct_tuples(columns: list[list[float]]) -> None:
    arrays = [
        np.array(c, np.int64) if all(isinstance(v, int) for v in c) else np.array(c, float)
        for c in columns
    ]
    first, which = distinct(arrays)
    tuples = list(zip(*(a.tolist() for a in arrays), strict=True))
    assert len(first) == len(set(tuples))
    assert [tuples[first[w]] for w in which.tolist()] == tuples
    assert all(tuples.index(tuples[k]) == k for k in first.tolist())
