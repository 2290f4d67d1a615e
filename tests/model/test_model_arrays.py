"""numpy's unique, without what it imports."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from treemip.core.model import arrays as own_arrays
from treemip.core.model.arrays import Ragged, distinct_rows, numbered, offsets_of, unique


@given(arrays(np.int32, array_shapes(max_dims=2, min_side=0)))
def test_as_numpy(values: np.ndarray) -> None:
    found = unique(values)
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, np.unique(values))


@given(arrays(np.int64, st.integers(0, 20), elements=st.integers(-3, 3)))
def test_numbered_as_numpy(values: np.ndarray) -> None:
    found, which = numbered(values)
    expected = np.unique(values, return_inverse=True)
    assert found.tolist() == expected[0].tolist()
    assert which.tolist() == expected[1].tolist()


def test_of_booleans_and_floats() -> None:
    assert unique(np.array([True, False, True])).tolist() == [False, True]
    assert unique(np.array([0.5, -0.0, 0.0, np.inf])).tolist() == [0.0, 0.5, np.inf]


def test_a_model_is_compiled_without_masked_arrays(tmp_path) -> None:
    code = (
        "import sys, treemip\n"
        "spec = 'data \"d.csv\" { label k; scale minmax; } '\n"
        "spec += 'topology complete(depth = 1); split oblique by soct;'\n"
        "table = {'u': [0.0, 0.3, 1.0], 'k': ['n', 'y', 'n']}\n"
        "treemip.loads(spec, data=table).compile().write(sys.argv[1])\n"
        "assert 'numpy.ma' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "m.mps")], check=True)


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


@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float64, np.uint8]))
def test_distinct_rows_are_those_of_numpy(seed: int, kind: type) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, (int(rng.integers(1, 60)), int(rng.integers(1, 12)))).astype(kind)
    first, of_row = distinct_rows(x)
    assert len(first) == len(np.unique(x, axis=0))
    assert (np.diff(first) > 0).all()
    assert np.array_equal(x[first[of_row]], x)
    assert (first[of_row] <= np.arange(len(x))).all()


def test_zeros_of_either_sign_are_equal_rows() -> None:
    first, of_row = distinct_rows(np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0]]))
    assert first.tolist() == [0, 2]
    assert of_row.tolist() == [0, 0, 1]


def test_rows_of_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_arrays, "_hashes", lambda x: np.zeros(len(x), np.uint64))
    first, of_row = distinct_rows(np.array([[2.0], [1.0], [2.0], [3.0]]))
    assert first.tolist() == [0, 1, 3]
    assert of_row.tolist() == [0, 1, 0, 2]
