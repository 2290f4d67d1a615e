"""Positions of index tuples, against a dict."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance.lookup import Lookup

VALUES = st.one_of(
    st.integers(-3, 6).map(float),
    st.sampled_from([0.5, 0.25, -0.5, 2.5, 1e12, -1e12, 3e6]),
)
WHOLE = st.integers(0, 4)


def expected(rows: list[tuple], asked: list[tuple]) -> list[int]:
    places = {row: k for k, row in enumerate(rows)}
    return [places.get(row, -1) for row in asked]


@given(st.lists(st.lists(VALUES, max_size=5, unique=True), min_size=1, max_size=2), st.data())
def test_products(sets: list[list[float]], data: st.DataObject) -> None:
    lookup = Lookup.product([np.array(s, float) for s in sets])
    rows = [(a, *b) for a in sets[0] for b in ([(c,) for c in sets[1]] if sets[1:] else [()])]
    assert lookup.size == len(rows)
    ask = st.tuples(*(st.one_of(VALUES, st.sampled_from(s or [0.0])) for s in sets))
    asked = data.draw(st.lists(ask, min_size=1, max_size=8))
    columns = [np.array(c, float) for c in zip(*asked, strict=True)]
    assert lookup.locate(columns).tolist() == expected(rows, asked)


@given(st.lists(st.tuples(WHOLE, VALUES), max_size=10, unique=True), st.data())
def test_any_domain(rows: list[tuple[int, float]], data: st.DataObject) -> None:
    """In whatever order, with holes; ids are whole, numbers need not be."""
    first = np.array([r[0] for r in rows], np.int64)
    lookup = Lookup.of_columns([first, np.array([r[1] for r in rows], float)])
    ask = st.one_of(st.tuples(WHOLE, VALUES), st.sampled_from(rows or [(0, 0.0)]))
    asked = data.draw(st.lists(ask, min_size=1, max_size=8))
    columns = [np.array([a for a, _ in asked], np.int64), np.array([b for _, b in asked], float)]
    assert lookup.locate(columns).tolist() == expected(rows, asked)


def test_a_fraction_is_not_the_whole_number_before_it() -> None:
    lookup = Lookup.product([np.arange(1, 4)])
    assert lookup.locate([np.array([1.0, 1.5, 2.999, 3.0])]).tolist() == [0, -1, -1, 2]


def test_a_domain_without_tuples() -> None:
    nothing = np.zeros(0, np.int64)
    for lookup in (Lookup.product([nothing]), Lookup.of_columns([nothing])):
        assert lookup.size == 0 and lookup.locate([np.array([0, 3])]).tolist() == [-1, -1]


def test_an_axis_over_its_whole_sort_takes_ids_as_they_are() -> None:
    lookup = Lookup.product([np.arange(3), np.arange(2)])
    told = lookup.over([3, None])
    assert [axis.whole for axis in told.axes] == [True, False]
    assert [axis.whole for axis in lookup.over([4, 2]).axes] == [False, True]
    points, others = np.array([2, 0, 1]), np.array([1, 2, 0])
    assert told.locate([points, others]).tolist() == [5, -1, 2]
    assert lookup.locate([points, others]).tolist() == [5, -1, 2]
