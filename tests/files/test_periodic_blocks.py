"""Families whose rows hold the same columns again and again, against the same entries sorted."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.files.mps import periodic_blocks as stripes
from treemip.core.files.mps.columns import Columns
from treemip.core.files.mps.periodic_blocks import Pattern, pattern_of
from treemip.core.model.blocks import SparseRows

Entry = tuple[int, int, float]  # column, row, value


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Families of any size are looked at, a few turns at a time."""
    monkeypatch.setattr(stripes, "_LEAST", 1)
    monkeypatch.setattr(stripes, "_LEAST_TURNS", 2)
    monkeypatch.setattr(stripes, "_AT_ONCE", 40)


def whole_rows(indices: np.ndarray, data: np.ndarray) -> SparseRows:
    """indices, data (rows, width)."""
    count, width = indices.shape
    starts = np.arange(count + 1, dtype=np.int64) * width
    return SparseRows(starts, indices.astype(np.int32).ravel(), data.ravel())


def split(points: int, branches: int, features: int, own: bool = True) -> SparseRows:
    """Rows of points and branches: a[t,f] of all features, and with `own` a column of one row."""
    rng = np.random.default_rng(points)
    point, branch = np.divmod(np.arange(points * branches), branches)
    indices = branch[:, None] * features + np.arange(features)
    if own:
        indices = np.c_[indices, branches * features + np.arange(points * branches)]
    values = rng.integers(1, 9, (points, indices.shape[1])) / 4
    return whole_rows(indices, values[point])


def by_pattern(pattern: Pattern, count: int) -> Columns:
    columns = Columns(count)
    columns.add_pattern(pattern, 1)
    columns.finish()
    return columns


def read(columns: Columns) -> list[Entry]:
    """Without what fills up columns; an empty column has a zero in row 0."""
    found = []
    for cols, rows, codes in columns.pairs(0, columns.count):
        column, row, code = np.repeat(cols, 2), rows.ravel(), codes.ravel()
        kept = row > 0
        value = columns.distinct.values[code[kept]]
        found += zip(column[kept].tolist(), row[kept].tolist(), value.tolist(), strict=True)
    return found


def entries(matrix: SparseRows) -> list[Entry]:
    rows = (matrix.row_of + 1).tolist()
    found = zip(matrix.indices.tolist(), rows, matrix.data.tolist(), strict=True)
    return sorted(found, key=lambda entry: entry[:2])


def test_a_split_has_a_pattern() -> None:
    matrix = split(points=7, branches=3, features=4)
    pattern = pattern_of(matrix)
    assert pattern is not None
    assert (pattern.turns, pattern.period, pattern.width) == (7, 3, 5)
    assert pattern.columns.tolist() == list(range(12))
    assert pattern.others.tolist() == [4, 9, 14]
    columns = by_pattern(pattern, 12 + 21)
    assert read(columns) == entries(matrix)
    assert columns.added == matrix.nonzeros


@given(st.integers(2, 9), st.integers(1, 3), st.integers(1, 5), st.booleans(), st.randoms())
def test_entries_are_those_of_the_rows(
    points: int, branches: int, features: int, own: bool, random: Random
) -> None:
    """Also where some entries have changed places with others, so that the pattern has gaps."""
    matrix = split(points, branches, features, own)
    width = matrix.nonzeros // matrix.count
    indices = matrix.indices.reshape(-1, width).copy()
    for _ in range(random.randrange(3)):
        row, place = random.randrange(len(indices)), random.randrange(width)
        free = set(range(60)) - set(indices[row].tolist())
        indices[row, place] = random.choice(sorted(free))
    changed = whole_rows(indices, matrix.data.reshape(-1, width))
    pattern = pattern_of(changed)
    if pattern is not None:
        assert read(by_pattern(pattern, 200)) == entries(changed)


def test_a_column_at_two_places_is_sorted() -> None:
    """Column 9 is in each of the two rows of a turn: rows of a column ascend."""
    indices = np.tile([[0, 1, 9], [2, 3, 9]], (5, 1))
    matrix = whole_rows(indices, np.arange(1.0, 31.0).reshape(10, 3))
    pattern = pattern_of(matrix)
    assert pattern is not None
    assert pattern.columns.tolist() == [0, 1, 2, 3]
    assert read(by_pattern(pattern, 10)) == entries(matrix)


@pytest.mark.parametrize(
    "indices",
    [
        np.arange(40).reshape(10, 4),  # no column comes again
        np.tile([[0, 1], [2, 3], [4, 5]], (4, 1))[:10],  # three turns and a row
        np.c_[np.tile([0, 1], 5), np.arange(2, 32).reshape(10, 3)],  # a quarter of the entries
        np.zeros((0, 3)),
    ],
)
def test_no_pattern(indices: np.ndarray) -> None:
    assert pattern_of(whole_rows(indices, np.ones(indices.shape))) is None


def test_rows_of_different_lengths_have_no_pattern() -> None:
    matrix = SparseRows(np.array([0, 1, 3, 4, 6]), np.array([0, 1, 2, 0, 1, 2]), np.ones(6))
    assert pattern_of(matrix) is None


def test_small_families_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = split(points=7, branches=3, features=4)
    for name, value in (("_LEAST", matrix.nonzeros + 1), ("_LEAST_TURNS", 8)):
        with monkeypatch.context() as patch:
            patch.setattr(stripes, name, value)
            assert pattern_of(matrix) is None
