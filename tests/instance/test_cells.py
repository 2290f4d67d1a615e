"""What a cell is, from a file or from memory."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treemip.core.instance.cells import array_of, cell_text, positions
from treemip.core.instance.columns import Column, Unreadable, column_of
from treemip.core.instance.data_frames import columns_of
from treemip.core.instance.raw_table import table_of_arrays
from treemip.core.source.diagnostic import TreemipError

LONG = 2**53 + 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"),
        (1, "1"),
        (1.0, "1"),
        (-0.0, "0"),
        (np.float32(0.1), "0.10000000149011612"),
        (1e-5, "1e-05"),
        (LONG, "9007199254740993"),
        (2.0**53, "9007199254740992.0"),
        (10**30, "1" + "0" * 30),
        (np.uint64(2**64 - 1), "18446744073709551615"),
        (True, "True"),
        (np.bool_(False), "False"),
        (Decimal("1.50"), "1.50"),
        (math.inf, "inf"),
        *(
            (each, "")
            for each in (None, math.nan, pd.NA, pd.NaT, Decimal("nan"), np.float16("nan"))
        ),
        *((each, None) for each in (Fraction(1, 2), pd.Timestamp("2024-01-01"), b"x", [1], 1j)),
    ],
    ids=repr,
)
def test_the_text_of_a_value(value: object, text: str | None) -> None:
    assert cell_text(value) == text


@pytest.mark.parametrize(
    "values",
    [
        ["x", 1.0, math.nan],
        [True, 2.5],
        [True, 2],
        [LONG, 0.5],
        [2**63, -1],
        [None, 1],
        (1, "a"),
        [Decimal("0.1"), 1],
    ],
    ids=str,
)
def test_a_list_keeps_its_values(values: Any) -> None:
    array = array_of(values)
    assert array.dtype == object
    assert all(a is b for a, b in zip(array, values, strict=True))


def test_values_that_a_masked_array_hides_are_missing() -> None:
    hidden = np.ma.MaskedArray([1.5, -999.0], [False, True])
    assert array_of(hidden).tolist() == [1.5, None]
    assert array_of(hidden[:1]).tolist() == [1.5]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("1", "x"), {"1": 0, "1.0": 0, "True": 0, "TRUE": 0, "true": 0, "x": 1}),
        (("007", "x"), {"007": 0, "7": 0, "7.0": 0, "x": 1}),
        (("007", "7"), {"007": 0, "7": 1, "7.0": 1}),
        (("007", "07"), {"007": 0, "07": 1}),  # either may be 7
        (("12e1", "120"), {"12e1": 0, "120": 1, "120.0": 1}),
        (("0.50",), {"0.50": 0, "0.5": 0}),
        (("true", "unknown"), {"true": 0, "True": 0, "TRUE": 0, "unknown": 1}),
        (("0", "False"), {"0": 0, "0.0": 0, "-0.0": 0, "False": 1, "FALSE": None, "false": None}),
        (("9007199254740992",), {"9007199254740992": 0}),
        (("nan", "\u0661"), {"nan": 0, "\u0661": 1}),
    ],
    ids=str,
)
def test_the_level_that_a_text_stands_for(
    names: tuple[str, ...], found: dict[str, int | None]
) -> None:
    assert positions(names) == {text: k for text, k in found.items() if k is not None}


ASKED = [LONG, None, LONG - 1]


@pytest.mark.parametrize(
    "values",
    [
        ASKED,
        pd.Series(ASKED, dtype="Int64"),
        pd.Series(ASKED, dtype="int64[pyarrow]"),
        pd.Series(ASKED, dtype=object).astype("category"),
        pl.Series(ASKED),
        pl.Series(ASKED, dtype=pl.Int128),
    ],
    ids=lambda values: f"{type(values).__module__} {getattr(values, 'dtype', '')}",
)
def test_long_integers_keep_their_digits_beside_missing_values(values: Any) -> None:
    column = read(values)
    assert [column.text(k) for k in range(3)] == ["9007199254740993", "", "9007199254740992"]
    assert column.missing.tolist() == [False, True, False]


def read(values: Any, *marks: str) -> Column:
    return column_of("a", columns_of({"a": values})["a"], marks)


@pytest.mark.parametrize(
    "values",
    [[-999, 1], [-999.0, 1.0], ["-999", "1"], ["-999.00", "1"], np.array([-999, 1], object)],
    ids=str,
)
@pytest.mark.parametrize("mark", ["-999", "-999.0"])
def test_a_mark_that_is_a_number_is_that_number(values: Any, mark: str) -> None:
    assert read(values, mark).missing.tolist() == [True, False]


@pytest.mark.parametrize(
    "table",
    [
        {1: [1], "1": [2]},
        {"a": [1], " a ": [2]},
        pd.DataFrame([[1, 2]], columns=["a", "a "]),
        pl.DataFrame({"a": [1], "\ta": [2]}),
    ],
    ids=str,
)
def test_no_column_takes_the_place_of_another(table: Any) -> None:
    with pytest.raises(TreemipError, match="two columns have the same name"):
        columns_of(table)


def test_an_integer_that_python_does_not_write_is_refused() -> None:
    with pytest.raises(Unreadable, match="column 'a' has an integer of thousands of digits"):
        table_of_arrays(columns_of({"a": [10**5000]}))
