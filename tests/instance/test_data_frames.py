import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treemip.core.instance.data_frames import columns_of
from treemip.core.source.diagnostic import TreemipError


def told(columns: dict[str, np.ndarray]) -> dict[str, list[object]]:
    """Lists in place of arrays, None in place of NaN."""
    return {
        name: [None if isinstance(v, float) and math.isnan(v) else v for v in values.tolist()]
        for name, values in columns.items()
    }


CONTENT = {"n": [1.5, 2.0], "k": [1, 2], "t": ["a", "b"], "b": [True, False]}


@pytest.mark.parametrize(
    "made",
    [
        pd.DataFrame(CONTENT),
        pl.DataFrame(CONTENT),
        {name: np.array(values) for name, values in CONTENT.items()},
        CONTENT,
        {name: pd.Series(values) for name, values in CONTENT.items()},
        {name: pl.Series(values) for name, values in CONTENT.items()},
    ],
)
def test_the_same_table_from_everywhere(made: Any) -> None:
    columns = columns_of(made)
    assert list(columns) == ["n", "k", "t", "b"]
    assert told(columns) == CONTENT


def test_missing_values() -> None:
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], "Int64"),
            "b": pd.array([True, None], "boolean"),
            "s": pd.Series(["x", None], dtype="string"),
            "c": pd.Categorical(["u", None]),
        }
    )
    columns = columns_of(frame)
    assert told({"i": columns["i"], "b": columns["b"]}) == {"i": [1, None], "b": [1, None]}
    assert columns["s"][0] == "x" and pd.isna(columns["s"][1])
    assert columns["c"][0] == "u" and pd.isna(columns["c"][1])
    polars = pl.DataFrame(
        {"i": [1, None], "b": [True, None], "s": ["x", None], "z": [None, None]},
    ).with_columns(c=pl.col("s").cast(pl.Categorical), d=pl.col("i").cast(pl.Decimal(10, 2)))
    assert told(columns_of(polars)) == {
        "i": [1, None],
        "b": [1, None],
        "s": ["x", None],
        "z": [None, None],
        "c": ["x", None],
        "d": [1, None],
    }


def test_matrices_get_names() -> None:
    x = np.array([[1, 2], [3, 4]])
    columns = columns_of((x, ["u", "v"]), label="y")
    assert told(columns) == {"x1": [1, 3], "x2": [2, 4], "y": ["u", "v"]}
    assert told(columns_of(x, y=pd.Series([0, 1]))) == {"x1": [1, 3], "x2": [2, 4], "class": [0, 1]}


def test_names_become_strings() -> None:
    assert list(columns_of(pd.DataFrame({0: [1], 1: [2]}))) == ["0", "1"]


@pytest.mark.parametrize(
    ("data", "y", "message"),
    [
        (np.zeros(3), None, "not an array with 1 dimensions"),
        (np.zeros((1, 2, 3)), None, "not an array with 3 dimensions"),
        ((np.zeros((2, 2)), [0, 1], [1, 1]), None, "the rows have different lengths"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, "the same name"),
        (pd.Series([1]), None, "not a Series"),
        (pl.Series([1]), None, "not a Series"),
        (pd.DataFrame({"class": [1]}), [1], "already have a column called 'class'"),
    ],
)
def test_what_is_no_table(data: Any, y: Any, message: str) -> None:
    with pytest.raises(TreemipError, match=message):
        columns_of(data, y)


@pytest.mark.parametrize("values", [[(1,), "x"], [[1], [1, 2]]])
def test_lists_of_different_lengths_are_values_of_one_column(values: list[object]) -> None:
    assert columns_of({"k": values})["k"].tolist() == values
