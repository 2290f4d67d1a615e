"""Features, weights and groups in the forms that scikit-learn's users have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treemip.sklearn import OptimalTreeClassifier

Y = [0, 0, 1, 1]


def fitted(x: Any, **more: Any) -> OptimalTreeClassifier:
    return OptimalTreeClassifier(depth=1).fit(x, Y, **more)


@pytest.mark.parametrize(
    "x",
    [
        np.array([["a", 1], ["a", 2], ["b", 3], ["b", 4]], dtype=object),
        np.array([["a"], ["a"], ["b"], ["b"]]),
        np.array([["1"], ["2"], ["3"], ["4"]]),
        pd.DataFrame({"c": pd.Categorical(["a", "a", "b", "b"])}),
        pd.DataFrame({"c": pd.array([True, True, False, False], "boolean")}),
        pd.DataFrame({"c": pd.array([1, 2, 3, 4], "Int64")}),
        pd.DataFrame({0: [1, 2, 3, 4]}),
        pl.DataFrame({"c": [False, False, True, True]}),
        pl.DataFrame({"c": ["a", "a", "b", "b"]}, schema={"c": pl.Categorical}),
    ],
    ids=str,
)
def test_numbers_texts_and_truth_values_are_features(x: Any) -> None:
    assert fitted(x).predict(x).tolist() == Y


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (pd.DataFrame({"c": ["a", None, "b", "b"]}), "NaN: column 'c' has missing values. Fill"),
        (pd.DataFrame({"c": [1.0, np.nan, 2, 3]}), "NaN: column 'c' has missing values. Fill"),
        (pl.DataFrame({"c": [1, None, 2, 3]}), "NaN: column 'c' has missing values. Fill"),
        (pd.DataFrame({"c": [1.0, np.inf, 2, 3]}), "infinity: column 'c'"),
        (pd.DataFrame({"c": []}), "0 sample"),
        (pd.DataFrame({"c": [1, 2, 3]}), "inconsistent numbers of samples"),
        (np.array([["1"], ["nan"], ["3"], ["4"]], dtype=object), "contains NaN"),
        ([[1], [2, 3], [4], [5]], "inhomogeneous"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_a_value_error(x: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted(x)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"sample_weight": [1, 1, 1]}, r"sample_weight has the shape \(3,\), and X has 4 rows"),
        ({"sample_weight": [1, 1, 1, -1]}, "sample_weight has negative weights"),
        ({"sample_weight": [0, 0, 0, 0]}, "sample_weight is zero for all points"),
        ({"sample_weight": [1, np.nan, 1, 1]}, "sample_weight contains NaN"),
        ({"groups": ["a", "b"]}, "groups has 2 rows, and X has 4"),
        ({"groups": [["a", "b"]] * 4}, "should be a 1d array"),
        ({"groups": ["a", None, "b", "b"]}, "the group 'group' has missing values"),
    ],
    ids=str,
)
def test_weights_and_groups_that_do_not_fit_are_refused(more: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted([[1], [2], [3], [4]], **more)


def test_one_weight_is_that_of_every_point() -> None:
    assert fitted([[1], [1], [1], [4]], sample_weight=2.5).result_.objective == 2.5
