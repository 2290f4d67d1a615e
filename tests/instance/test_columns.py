import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.instance import decimals
from treemip.core.instance.columns import (
    CellColumn,
    NumberColumn,
    Texts,
    Unreadable,
    column_of,
    is_numeric,
)
from treemip.core.instance.decimals import parse_decimals

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5).map(
    lambda text: text.strip(" \t")
)


def told(texts: Texts) -> list[str | None]:
    return [texts.levels[code] if code >= 0 else None for code in texts.codes]


@given(st.lists(TEXT), st.lists(TEXT, max_size=2))
def test_texts_tell_every_cell(cells: list[str], marks: list[str]) -> None:
    column = CellColumn.of(cells, tuple(marks))
    missing = [cell == "" or cell in marks for cell in cells]
    assert column.missing.tolist() == missing
    expected = [None if gone else cell for cell, gone in zip(cells, missing, strict=True)]
    assert told(column.texts) == expected
    assert column.texts.levels == tuple(sorted({cell for cell in expected if cell is not None}))
    assert [column.text(k) for k in range(len(column))] == cells


@given(st.data())
def test_taking_rows_commutes_with_reading(data: st.DataObject) -> None:
    cells = data.draw(st.lists(TEXT | st.integers(-99, 99).map(str), min_size=1))
    rows = np.array(data.draw(st.lists(st.integers(0, len(cells) - 1))), np.int64)
    column = CellColumn.of(cells, ("?",))
    before = column.take(rows)
    whole = column.numbers  # read first, so that the rows are taken from what was read
    after = column.take(rows)
    for taken in (before, after):
        assert [taken.text(k) for k in range(len(rows))] == [cells[k] for k in rows]
        np.testing.assert_array_equal(taken.numbers, whole[rows])
        np.testing.assert_array_equal(taken.missing, column.missing[rows])


def test_numbers_of_cells() -> None:
    column = CellColumn.of(["1", "", "-999", "x", "2.5"], ("-999",))
    np.testing.assert_array_equal(column.numbers, [1, np.nan, np.nan, np.nan, 2.5])
    assert column.missing.tolist() == [False, True, True, False, False]
    assert not is_numeric(column)
    assert is_numeric(CellColumn.of(["1", "", "2"]))
    assert not is_numeric(CellColumn.of(["", ""]))


def test_numbers_from_memory() -> None:
    column = NumberColumn(np.array([1.0, np.nan, -999, np.inf, 0.1]), ("-999.0", "NA"))
    np.testing.assert_array_equal(column.numbers, [1, np.nan, np.nan, np.nan, 0.1])
    assert column.missing.tolist() == [False, True, True, False, False]
    assert told(column.texts) == ["1", None, None, "inf", "0.1"]
    assert not is_numeric(column)


@pytest.mark.parametrize(
    ("values", "numbers", "texts"),
    [
        (np.array([3, 1], np.int8), [3, 1], ["3", "1"]),
        (np.array([2**53 + 1], np.int64), [2.0**53], ["9007199254740993"]),
        (np.array([True, False]), [1, 0], ["True", "False"]),
        (np.array([0.5, 2.0], np.float32), [0.5, 2], ["0.5", "2"]),
        (np.array(["1.0", " b "]), [1, np.nan], ["1.0", "b"]),
        (np.array([1, 2.0, None, "b", True], object), [1, 2, np.nan, np.nan, 1], None),
        (
            np.array([pd.NA, pd.NaT, float("nan"), np.float64(0.1)], object),
            [np.nan] * 3 + [0.1],
            None,
        ),
    ],
)
def test_arrays(values: np.ndarray, numbers: list[float], texts: list[str] | None) -> None:
    column = column_of("a", values)
    np.testing.assert_array_equal(column.numbers, numbers)
    if texts is not None:
        assert told(column.texts) == texts


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array(["2020-01-01"], "datetime64[D]"), "holds datetime64"),
        (np.array([1j]), "holds complex128"),
        (np.array([[1.0]]), "has 2 dimensions"),
        (np.array([[1], None], object), "holds a list"),
        (np.array(["a\0"], object), "NUL"),
    ],
)
def test_arrays_that_are_no_column(values: np.ndarray, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        column_of("a", values)


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


LIKE_NUMBERS = st.text("0123456789.+-eE x", max_size=24)


@given(st.lists(LIKE_NUMBERS | st.floats(allow_nan=False).map(repr), min_size=1))
def test_numbers_are_read_alike_with_and_without_the_kernel(cells: list[str]) -> None:
    data = b"".join(cell.encode() for cell in cells)
    stop = np.cumsum([len(cell) for cell in cells])
    start = stop - [len(cell) for cell in cells]
    ends = start.astype(np.int64), stop.astype(np.int64)
    with pytest.MonkeyPatch.context() as patch:
        own = parse_decimals(data or b"\n", *ends)[0]
        patch.setattr(decimals, "kernel", lambda: None)
        plain = parse_decimals(data or b"\n", *ends)[0]
    assert own.tobytes() == plain.tobytes()
