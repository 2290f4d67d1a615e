"""Numbers read back bit for bit, and no shorter text would."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.emit import numbers
from treemip.emit.distinct import Distinct
from treemip.emit.numbers import shortest

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def bits(value: float) -> bytes:
    return struct.pack("d", value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-3.0, "-3"),
        (100.0, "100"),
        (0.5, "0.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e16, "1e+16"),
        (123456789012345.0, "123456789012345"),
        (1e-5, "1e-05"),
        (5e-324, "5e-324"),
        (20.0, "20"),
        (0.0, "0"),
    ],
)
def test_texts(value: float, text: str) -> None:
    assert shortest(np.array([value, value])).tolist() == [text.encode()] * 2
    assert shortest(np.array([value]), lead=True).tolist() == [b" " + text.encode()]


@given(st.lists(FINITE))
@settings(deadline=None)
def test_texts_read_back(values: list[float]) -> None:
    texts = shortest(np.array(values, float)).tolist()
    assert [bits(float(t)) for t in texts] == [bits(v) for v in values]
    assert all(not t.endswith(b".0") and b" " not in t for t in texts)


def test_many_values_in_several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).normal(size=50).round(3)
    whole = shortest(values).tolist()
    monkeypatch.setattr(numbers, "_AT_ONCE", 7)
    assert shortest(values).tolist() == whole
    assert shortest(np.zeros(0)).tolist() == []


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
def test_only_finite_numbers(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        shortest(np.array([1.0, bad]))


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


def test_negative_zero_is_zero() -> None:
    distinct = Distinct()
    assert distinct.codes(np.array([0.0, -0.0, 0.0])).tolist() == [0, 0, 0]
    assert bits(distinct.values[0]) == bits(0.0)
