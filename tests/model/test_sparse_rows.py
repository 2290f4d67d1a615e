"""Sparse rows against dense matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.model.blocks import SparseRows
from treemip.core.model.sparse_rows import (
    Part,
    add_scaled,
    add_triplets,
    append_columns,
    interleave,
    interval,
    join_parts,
    scale_rows,
    sparse_rows,
    stack,
    stack_slices,
    take_rows,
)

WIDTH = 5
COEF = st.sampled_from([-2.0, -1.0, 0.5, 1.0, 3.0])
ENTRIES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, WIDTH - 1), COEF), max_size=12)
SIZE = 4


def arrays(entries: list[tuple]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    row, var, coef = zip(*entries, strict=True) if entries else ((), (), ())
    return np.array(row, np.int64), np.array(var, np.int32), np.array(coef, float)


def added(entries: list[tuple], size: int = SIZE) -> np.ndarray:
    table = np.zeros((size, WIDTH))
    for row, var, coef in entries:
        table[row, var] += coef
    return table


def dense(matrix: SparseRows) -> np.ndarray:
    """The matrix as a table, after its own promises: ascending, once each, no zeros, dtypes."""
    assert matrix.indptr.dtype == np.int64 and matrix.indices.dtype == np.int32
    assert matrix.data.dtype == np.float64 and (matrix.data != 0).all()
    assert matrix.indptr[0] == 0 and matrix.indptr[-1] == len(matrix.indices) == len(matrix.data)
    table = np.zeros((matrix.count, WIDTH))
    for r in range(matrix.count):
        at = slice(matrix.indptr[r], matrix.indptr[r + 1])
        ids = matrix.indices[at].tolist()
        assert ids == sorted(set(ids))
        table[r, ids] = matrix.data[at]
    return table


def rows(entries: list[tuple]) -> SparseRows:
    return sparse_rows(*arrays(entries), SIZE)


@given(ENTRIES)
def test_from_triplets(entries: list[tuple]) -> None:
    assert (dense(rows(entries)) == added(entries)).all()
    assert rows(entries).row_of.tolist() == np.nonzero(added(entries))[0].tolist()


@given(st.lists(st.tuples(ENTRIES, st.booleans()), max_size=4))
def test_joining_parts(parts: list[tuple[list[tuple], bool]]) -> None:
    """Parts overlap, repeat each other's columns and cancel; coefficients of 1 may be left out."""
    made, whole = [], np.zeros((SIZE, WIDTH))
    for entries, ones in parts:
        ordered = sorted(((r, v, 1.0 if ones else c) for r, v, c in entries), key=lambda e: e[0])
        row, var, coef = arrays(ordered)
        made.append(Part(np.bincount(row, minlength=SIZE), var, None if ones else coef))
        whole += added(ordered)
    assert (dense(join_parts(SIZE, made)) == whole).all()


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(0, 10**6))
def test_joining_parts_of_one_width(widths: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    made, whole = [], np.zeros((SIZE, WIDTH))
    for width in widths:
        var = rng.integers(0, WIDTH, SIZE * width).astype(np.int32)
        coef = rng.integers(-2, 3, SIZE * width).astype(float)
        made.append(Part(width, var, coef))
        np.add.at(whole, (np.repeat(np.arange(SIZE), width), var), coef)
    assert (dense(join_parts(SIZE, made)) == whole).all()


@given(st.lists(st.lists(st.sets(st.integers(0, WIDTH - 1)), max_size=6), min_size=1, max_size=9))
def test_slices_one_after_the_other(slices: list[list[set[int]]]) -> None:
    """Long rows may come after short ones, so that the room there was is too small."""
    made = []
    for each in slices:
        entries = [(r, v, 1.0 + v) for r, columns in enumerate(each) for v in columns]
        made.append(sparse_rows(*arrays(entries), len(each)))
    count = sum(one.count for one in made)
    joined = stack_slices(iter(made), count)
    assert joined.count == count
    assert (dense(joined) == np.vstack([dense(one) for one in made])).all()


@given(ENTRIES, ENTRIES, st.lists(COEF, min_size=SIZE, max_size=SIZE))
def test_sums_and_products(first: list[tuple], second: list[tuple], numbers: list[float]) -> None:
    a, b, factor = rows(first), rows(second), np.array(numbers)
    x, y = added(first), added(second)
    assert (dense(scale_rows(a, factor)) == x * factor[:, None]).all()
    assert (dense(add_scaled(a, b, factor)) == x + y * factor[:, None]).all()
    assert (dense(add_triplets(a, *arrays(second))) == x + y).all()
    assert (dense(stack([a, b])) == np.vstack([x, y])).all()
    assert (dense(interleave(a, b)) == np.stack([x, y], 1).reshape(-1, WIDTH)).all()


@given(ENTRIES, st.lists(st.integers(0, WIDTH - 1), min_size=SIZE, max_size=SIZE))
def test_one_entry_more_a_row(entries: list[tuple], columns: list[int]) -> None:
    found = append_columns(rows(entries), np.array(columns), np.full(SIZE, -1.0))
    whole = added(entries)
    whole[np.arange(SIZE), columns] -= 1
    assert (dense(found) == whole).all()


@given(ENTRIES, st.sets(st.integers(0, SIZE - 1)))
def test_some_rows(entries: list[tuple], keep: set[int]) -> None:
    chosen = np.array(sorted(keep), np.int64)
    assert (dense(take_rows(rows(entries), chosen)) == added(entries)[chosen]).all()


@given(ENTRIES, st.lists(st.sampled_from([-np.inf, -1.0, 0.0]), min_size=WIDTH, max_size=WIDTH))
def test_intervals_are_attained_at_corners(entries: list[tuple], low: list[float]) -> None:
    lower, upper = np.array(low), np.array([0.0, 2.0, np.inf, 1.0, np.inf])
    found = interval(rows(entries), np.full(SIZE, 0.25), lower, upper)
    for row, least, greatest in zip(added(entries), *found, strict=True):
        parts = [sorted((c * a, c * b)) for c, a, b in zip(row, lower, upper, strict=True) if c]
        assert least == 0.25 + sum(p[0] for p in parts)
        assert greatest == 0.25 + sum(p[1] for p in parts)
