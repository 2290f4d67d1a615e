"""Every value has one number, however many there are and in whatever pieces they come."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.core.files.value_codes import Distinct

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def bits(value: float) -> bytes:
    return struct.pack("d", value)


@given(st.lists(st.lists(FINITE | st.integers(-3, 3).map(float), max_size=50), max_size=5))
@settings(deadline=None)
def test_codes_find_their_values(chunks: list[list[float]]) -> None:
    distinct = Distinct()
    codes = [distinct.codes(np.array(chunk, float)) for chunk in chunks]
    values = distinct.values
    assert len({bits(v) for v in values}) == len(values)
    for chunk, code in zip(chunks, codes, strict=True):
        assert [bits(v) for v in values[code]] == [bits(v + 0.0) for v in chunk]
    assert set(values.tolist()) == {v for chunk in chunks for v in chunk}


@pytest.mark.parametrize("count", [20_000, 150_000])
def test_codes_of_many_values(count: int) -> None:
    """More values than the table starts with, drawn again and again in any order."""
    rng = np.random.default_rng(count)
    pool = np.concatenate([rng.random(count - 1000), np.arange(1000.0)])
    distinct = Distinct()
    for _ in range(3):
        drawn = rng.choice(pool, count)
        codes = distinct.codes(drawn)
        assert (distinct.values[codes] == drawn).all()
    assert len(np.unique(distinct.values)) == len(distinct.values)
    assert len(distinct._table) >= 4 * len(distinct.values), "so full that it grows slow"


def test_negative_zero_is_zero() -> None:
    distinct = Distinct()
    assert distinct.codes(np.array([0.0, -0.0, 0.0])).tolist() == [0, 0, 0]
    assert bits(distinct.values[0]) == bits(0.0)


def test_zero_finds_its_place() -> None:
    """All its bits are 0, so it would meet the same slot's owner turn after turn."""
    distinct = Distinct()
    size = len(distinct._table)
    distinct.codes(np.random.default_rng(3).random(size // 5))
    distinct._table[0] = 1
    code = distinct.codes(np.zeros(1))
    assert distinct.values[code] == 0
    assert len(distinct._table) == size


@pytest.mark.parametrize("times", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 90])
def test_codes_of_rows_that_repeat(count: int, times: int) -> None:
    rng = np.random.default_rng(times)
    rows = np.repeat(rng.integers(0, 4, (count, 3)) / 4, times, axis=0)
    rows[rng.random(len(rows)) < 0.1] = -0.0
    distinct = Distinct()
    codes = distinct.codes_of_rows(rows)
    assert codes.shape == (rows.size,)
    assert distinct.values[codes].tolist() == rows.ravel().tolist()
