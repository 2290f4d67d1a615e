"""Features, weights and groups in the forms that scikit-learn's users have them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from small_credit import ALONE

from treemip.sklearn import OptimalTreeClassifier
from treemip.study.sklearn.columns import PARTS, by_parts
from treemip.study.sklearn.errors import EstimatorError

Y = [0, 0, 1, 1]


def fitted(x: Any, **more: Any) -> OptimalTreeClassifier:
    return OptimalTreeClassifier(depth=1, **ALONE).fit(x, Y, **more)


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


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_matrices_are_features(form: str) -> None:
    x = sparse.random_array((4, 3), density=0.5, random_state=0, format=form)
    x = sparse.coo_array(np.column_stack([[0, 0, 2, 3], x.toarray()])).asformat(form)
    tree = fitted(x)
    assert tree.predict(x).tolist() == tree.predict(x.toarray()).tolist() == Y


def test_large_sparse_matrices_are_refused() -> None:
    x = sparse.csr_array((4, 100_000_000))
    with pytest.raises(EstimatorError, match=r"X is sparse, and as an array \(4, 100000000\)"):
        fitted(x)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (pd.DataFrame({"c": ["a", None, "b", "b"]}), "NaN: column 'c' has missing values. Fill"),
        (pd.DataFrame({"c": [1.0, np.nan, 2, 3]}), "NaN: column 'c' has missing values. Fill"),
        (pl.DataFrame({"c": [1, None, 2, 3]}), "NaN: column 'c' has missing values. Fill"),
        (pd.DataFrame({"c": [1.0, np.inf, 2, 3]}), "infinity: column 'c'"),
        (pd.DataFrame({"c": []}), "0 sample"),
        (pd.DataFrame({"c": [1, 2, 3]}), "inconsistent numbers of samples"),
        (np.array([["1"], ["nan"], ["3"], ["4"]], dtype=object), "row 2 of .* has 'nan' in column"),
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


TRUTH = [True, True, False, False]


@pytest.mark.parametrize("text", [str, lambda value: str(value).lower()], ids=["True", "true"])
def test_a_tree_of_texts_reads_truth_values(text: Any) -> None:
    words = [text(value) for value in TRUTH]
    tree = fitted(pd.DataFrame({"x1": words}))
    frames = (
        pd.DataFrame({"x1": TRUTH}),
        pd.DataFrame({"x1": pd.array(TRUTH, "boolean")}),
        pd.DataFrame({"x1": pd.array(TRUTH, object)}),
        pl.DataFrame({"x1": TRUTH}),
    )
    for frame in (pd.DataFrame({"x1": words}), *frames):
        assert tree.predict(frame).tolist() == Y
        assert tree.tree_.predict(frame).tolist() == Y
        assert tree.tree_.score(frame, Y).accuracy == 1
    names: dict[str, Any] = {}
    exec(tree.tree_.to_text("python"), names)
    for column in (words, TRUTH, list(np.array(TRUTH))):
        assert [names["predict"]({"x1": value}) for value in column] == Y
    matrix = np.array([[word, 7] for word in words], object)
    truth = np.array([[value, 7] for value in TRUTH], object)
    assert fitted(matrix).predict(truth).tolist() == Y


def test_truth_values_are_classes_written_as_words() -> None:
    x = pd.DataFrame({"x1": [1, 2, 3, 4]})
    tree = OptimalTreeClassifier(depth=1).fit(x, [str(value) for value in TRUTH]).tree_
    assert tree.score(x, TRUTH).accuracy == 1
    assert tree.score(pl.DataFrame({"x1": [1, 2, 3, 4]}), pl.Series(TRUTH)).accuracy == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            pd.date_range("2024-01-01", periods=4, tz="Europe/Berlin"),
            "column 'd' holds a Timestamp, which is neither a number nor text",
        ),
        (
            [Fraction(1)] * 4,
            "column 'd' holds a Fraction, which is neither a number nor text",
        ),
        (
            pd.cut([1, 2, 3, 4], 2),
            "column 'd' holds a Interval, which is neither a number nor text",
        ),
    ],
    ids=["zones", "fractions", "intervals"],
)
def test_values_that_are_neither_numbers_nor_text_are_refused(values: Any, message: str) -> None:
    x = pd.DataFrame({"d": values})
    for attempt in (
        lambda: fitted(x),
        lambda: fitted(pd.DataFrame({"d": [1, 2, 3, 4]})).predict(x),
        lambda: fitted(pd.DataFrame({"a": [1, 2, 3, 4]}), groups=x),
    ):
        with pytest.raises(EstimatorError, match=message) as raised:
            attempt()
        assert [d.code for d in raised.value.diagnostics] == ["E304"]


DAYS = pd.Series(pd.date_range("2024-01-01", periods=4, freq="400D"))


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (DAYS.dt.tz_localize("Europe/Berlin"), 'df["d"].dt.year'),
        (DAYS.dt.to_period("M"), 'df["d"].dt.year'),
        (pd.Series(DAYS.dt.date), 'pd.to_datetime(df["d"]).dt.year'),
        (pd.Series(DAYS.dt.to_pydatetime(), dtype=object), 'pd.to_datetime(df["d"]).dt.year'),
        (DAYS - DAYS[0], 'df["d"].dt.days'),
    ],
    ids=["zone", "months", "dates", "datetimes", "durations"],
)
def test_the_remedy_for_dates_makes_numbers_that_a_tree_takes(values: Any, numbers: str) -> None:
    df = pd.DataFrame({"d": values})
    remedy = f"give a number taken from it, such as {numbers}, or drop it"
    with pytest.raises(EstimatorError) as raised:
        fitted(df)
    assert [d.remedy for d in raised.value.diagnostics] == [remedy]
    column = eval(numbers, {"df": df, "pd": pd})
    assert fitted(df.assign(d=column)).predict(df.assign(d=column)).tolist() == Y


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_date_is_its_parts(library: str) -> None:
    """Its month tells the classes apart, its year does not; and parts are those of pandas."""
    days = pd.date_range("2023-01-01 06:00", periods=90, freq="9D")
    x = pd.DataFrame({"a": np.arange(90) % 7, "opened": days})
    y = np.where(days.month > 6, "late", "early")
    frame = x if library == "pandas" else pl.from_pandas(x)
    model = OptimalTreeClassifier(depth=1).fit(frame, y)
    assert model.predict(frame[:40]).tolist() == y[:40].tolist()
    assert model.n_features_in_ == 2 and model.feature_importances_.tolist() == [0.0, 1.0]
    assert "opened.month" in str(model.tree_)
    parts = by_parts({"d": days.to_numpy()})
    for part in ("year", "month", "day", "dayofweek", "hour"):
        own = parts[f"d.{'weekday' if part == 'dayofweek' else part}"]
        assert own.tolist() == getattr(days, part).tolist()


def test_a_date_before_1970_or_missing() -> None:
    parts = by_parts({"d": np.array(["1969-12-31T23:00", "NaT"], "datetime64[s]")})
    assert [parts[f"d.{name}"][0] for name in PARTS] == [1969, 12, 31, 2, 23]
    assert all(np.isnan(parts[f"d.{name}"][1]) for name in PARTS)
    with pytest.raises(EstimatorError, match="'d' is a date, whose year is called like a column"):
        fitted(pd.DataFrame({"d": pd.date_range("2024-01-01", periods=4), "d.year": [1, 2, 3, 4]}))


@pytest.mark.parametrize(
    "x",
    [
        np.array([[np.nan], [1.0], [np.nan], [2.0]]),
        np.array([[None], [1], [None], [2]], object),
        np.array([[None], ["a"], [np.nan], ["b"]], object),
        pd.DataFrame({"c": [None, "a", None, "b"]}),
        pd.DataFrame({"c": pd.array([None, 1, None, 2], "Int64")}),
        pl.DataFrame({"c": [None, 1.5, None, 2]}),
    ],
    ids=str,
)
def test_missing_values_have_a_side(x: Any) -> None:
    """Whether the value is there tells the classes apart."""
    classes = ["absent", "present", "absent", "present"]
    tree = OptimalTreeClassifier(depth=1, missing="side", **ALONE).fit(x, classes)
    assert tree.predict(x).tolist() == classes


def test_missing_values_that_training_did_not_have_count_as_the_median() -> None:
    x = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    tree = OptimalTreeClassifier(depth=1, missing="side").fit(x, [*Y, 1])
    with pytest.warns(
        UserWarning, match="1 missing value of 'x1' counts as 3, its training median"
    ):
        assert tree.predict([[np.nan]]).tolist() == [1]


@pytest.mark.parametrize("missing", [3, ["a"]])
def test_a_rule_is_a_text_or_a_dictionary(missing: Any) -> None:
    with pytest.raises(ValueError, match="neither a text nor a dictionary"):
        OptimalTreeClassifier(depth=1, missing=missing).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize(
    "y",
    [
        np.array(["p", None, "q"], object),
        ["p", None, "q"],
        pd.Series(["p", pd.NA, "q"]),
        np.array(["p", np.float32("nan"), "q"], object),
        np.array(["p", pd.NaT, "q"], object),
    ],
    ids=str,
)
def test_labels_may_not_be_missing(y: Any) -> None:
    for x in (np.arange(3.0)[:, None], pd.DataFrame({"a": [0.0, 1, 2]})):
        with pytest.raises(ValueError, match="Input y contains NaN: the label of row 2 is missing"):
            OptimalTreeClassifier(depth=1).fit(x, y)


def test_the_rule_for_missing_values_is_the_spec_s_own() -> None:
    spec = 'data "m" { label y; } topology complete(depth = 1); split univariate by oct;'
    with pytest.raises(ValueError, match="missing='side' is given beside a spec"):
        OptimalTreeClassifier(spec, missing="side").fit([[1.0], [2.0]], [0, 1])


def test_a_row_is_read_by_itself() -> None:
    """Texts and numbers in one column: a batch of numbers alone is read as the fit was."""
    x = np.array([["x"], [0.0], [1.0], [1.0], [0.0], ["x"], [2.0], [2.0]], object)
    y = ["a", "b", "a", "a", "b", "a", "b", "b"]
    tree = OptimalTreeClassifier(depth=2).fit(x, y)
    assert tree.predict(x).tolist() == y
    assert [tree.predict(x[i : i + 1])[0] for i in range(8)] == y
    assert tree.predict(x[1:5].tolist()).tolist() == y[1:5]
    assert tree.predict(np.array([[1.0], [0.0]])).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="contains NaN"):
        tree.predict(np.array([["x"], [np.nan]], object))
