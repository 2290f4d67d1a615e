import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.instance.columns import parse_decimals


def parse(cells: list[str]) -> tuple[np.ndarray, np.ndarray]:
    data = "\n".join(["", *cells, ""]).encode()
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    return parse_decimals(data, ends[:-1] + 1, ends[1:])


def bits(values: list[float]) -> list[bytes]:
    return [np.float64(value).tobytes() for value in values]


SPELLINGS = st.from_regex(r"[+-]?([0-9]{1,22}\.?[0-9]{0,22}|\.[0-9]{1,22})", fullmatch=True)
WITH_EXPONENT = st.builds("{}e{}".format, SPELLINGS, st.integers(-330, 290))


@given(st.lists(SPELLINGS | WITH_EXPONENT, min_size=1))
def test_every_decimal_is_exactly_float(cells: list[str]) -> None:
    values, found = parse(cells)
    expected = [float(cell) for cell in cells]
    finite = [math.isfinite(value) for value in expected]
    assert found.tolist() == finite
    assert bits(values[found]) == bits([v for v in expected if math.isfinite(v)])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_double_survives_its_repr(numbers: list[float]) -> None:
    values, found = parse([repr(number) for number in numbers])
    assert found.all()
    assert bits(values) == bits(numbers)


@given(st.lists(st.integers(2**53 - 10, 2**53 + 10).map(str), min_size=1))
def test_integers_around_the_last_exact_one(cells: list[str]) -> None:
    values, _ = parse(cells)
    assert bits(values) == bits([float(cell) for cell in cells])


NO_NUMBERS = """. + - +-1 --1 1- 1.2.3 1,5 1_000 nan inf -Infinity 1e e5 1e5.0 0x10 1e999 a1 1a"""


@pytest.mark.parametrize("cell", ["", "1 2", "\u0661", "9" * 400, *NO_NUMBERS.split()])
def test_what_is_no_finite_number(cell: str) -> None:
    values, found = parse(["1.5", cell, "-2"])
    assert found.tolist() == [True, False, True]
    assert np.isnan(values[1])
    assert values[[0, 2]].tolist() == [1.5, -2.0]


@pytest.mark.parametrize(
    "cell",
    [
        "18446744073709551617",  # 2**64 + 1, which is 1 where 64 bits wrap around
        "-18446744073709551617",
        "+0.00000000000000001234",  # its first twenty characters are a number as well
        "00000000000000000000012",
        "123456789012345678",
        "9007199254740993",
        "0.9007199254740993",
        ".000000000000000001",
    ],
)
def test_cells_at_the_limits_of_the_fast_way(cell: str) -> None:
    values, _ = parse([cell])
    assert bits(values) == bits([float(cell)])


def test_minus_zero_keeps_its_sign() -> None:
    values, _ = parse(["-0", "-0.0", "0"])
    assert np.signbit(values).tolist() == [True, True, False]


def test_no_cells() -> None:
    values, found = parse_decimals(b"\n", np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert len(values) == len(found) == 0
