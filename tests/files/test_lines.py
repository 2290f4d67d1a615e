"""Lines put together from tables of tokens."""

from __future__ import annotations

import io
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.core.files import lines
from treemip.core.files import lines as numbers
from treemip.core.files.lines import Lines, right, shortest


@pytest.mark.parametrize("size", [1, 30, 1 << 18])
def test_lines_have_no_padding(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_AT_ONCE", size)
    names, numbers = np.array([b"", b" a", b" long(12,3)"]), np.array([b" 1", b" -0.25"])
    file = io.BytesIO()
    writer = Lines(file, b"\n ", names, b"=", numbers)
    writer.write(np.array([2, 1, -3]), np.array([0, 1, 1]))
    writer.write(np.array([], int), np.array([], int))
    writer.write(np.array([1]), np.array([0]))
    assert file.getvalue() == b"\n  long(12,3)= 1\n  a= -0.25\n = -0.25\n  a= 1"


def test_right_aligned_tokens_keep_their_text() -> None:
    tokens = np.array([b"", b" a", b" long(12,3)"])
    moved = right(tokens)
    assert [t.replace(b"\0", b"") for t in moved.tolist()] == tokens.tolist()
    assert moved.tolist()[1].startswith(b"\0")


@pytest.mark.parametrize("width", range(1, 70))
@pytest.mark.parametrize("aligned", [False, True])
def test_tokens_of_any_width(width: int, aligned: bool) -> None:
    """Wide tokens are cut into pieces; each piece has its place."""
    text = (b"abcdefghijklmnopqrstuvwxyz" * 3)[:width]
    table = np.array([text, b"-", text[::-1]])
    file = io.BytesIO()
    writer = Lines(file, b"\n", right(table) if aligned else table, np.array([b"1", b"22"]))
    writer.write(np.array([0, 1, 2], np.int8), np.array([1, 0, 1], np.int32))
    assert file.getvalue() == b"\n%s22\n-1\n%s22" % (text, text[::-1])


def test_tables_cut_out_of_others() -> None:
    """Every other token of a longer table: not in one piece of memory."""
    table = np.array([b"no", b"seven77", b"no", b"x"])[1::2]
    file = io.BytesIO()
    Lines(file, table, b";").write(np.array([0, 1]))
    assert file.getvalue() == b"seven77;x;"


# -------------------- Numbers read back bit for bit.

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
