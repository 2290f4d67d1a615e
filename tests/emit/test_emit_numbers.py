"""Numbers read back bit for bit."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.files import lines as numbers
from treemip.files.lines import shortest

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
