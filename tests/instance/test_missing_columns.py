"""Missing values as part of the encoding: their places, their names, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_data import load, spanned

from treemip.core.instance.encoder import Encoder
from treemip.core.instance.encodings import AS_IS
from treemip.core.instance.missing import fill_value
from treemip.core.instance.missing_columns import numbers_with_sides, with_indicator
from treemip.core.resolve.settings.data_spec import Scaling
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source, Span

CSV = "a,c,y\n1,red,0\n,blue,1\n3,,1\n7,red,0\n"
NOWHERE = Span(Source("", ""), 0, 0)


def encoded(folder: Path, settings: str, csv: str = CSV) -> dict[str, list[float]]:
    data = load(folder, csv, f"label y; {settings}")
    return dict(zip(data.train.features, data.train.x.T.tolist(), strict=True))


def test_columns_without_gaps_are_as_without_the_rule(tmp_path: Path) -> None:
    whole = "a,c,y\n1,red,0\n2,blue,1\n"
    assert list(encoded(tmp_path, "missing side;", whole)) == ["a", "c=blue", "c=red"]
    assert list(encoded(tmp_path, "missing indicator(mode);", whole)) == ["a", "c=blue", "c=red"]
    encoder = load(tmp_path, whole, "label y; missing side;").encoder
    columns = {"a": np.array([np.nan, 2.0]), "c": np.array(["red", ""])}
    for each in (encoder, Encoder.from_json(json.loads(json.dumps(encoder.to_json())))):
        assert each.encode(columns).tolist() == [[1.5, 0, 1], [2, 1, 0]]
        assert len(each.fill_warnings(columns, "rows")) == 1
    refusing = load(tmp_path, whole, "label y;").encoder
    with pytest.raises(TreemipError, match="row 1 of the data has no value in column 'a'"):
        refusing.encode(columns)


def test_present_values_beyond_the_training_values_are_not_missing(tmp_path: Path) -> None:
    encoder = load(tmp_path, CSV, "label y; use a; missing side; scale minmax;").encoder
    x = encoder.encode({"a": np.array([-1e300, 1.0, np.nan, 7.0, 1e300])})
    assert x[:3, 0].tolist() == [3 / 9, 3 / 9, 0]
    assert x[2:, 1].tolist() == [1, 6 / 9, 6 / 9]


@pytest.mark.parametrize(
    "settings",
    [
        "missing side; scale minmax;",
        "missing side; scale standard; encode keep(unseen = zero) c;",
        "missing side; bin quantile(3) a; encode onehot(unseen = zero) c;",
        "missing indicator(mean) a; missing indicator(mode) c; scale minmax(0.1, 0.9);",
    ],
)
def test_saved_exactly(tmp_path: Path, settings: str) -> None:
    encoder = load(tmp_path, CSV, f"label y; {settings}").encoder
    saved = json.loads(json.dumps(encoder.to_json()))
    again = Encoder.from_json(saved)
    assert again == encoder
    rows = {"a": np.array([2.0, np.nan, 1e9]), "c": np.array(["red", "", "blue"], object)}
    np.testing.assert_array_equal(again.inputs(rows), encoder.inputs(rows))


@pytest.mark.parametrize(
    "part",
    [
        {"finish": {"kind": "none"}, "missing": [0, 1]},
        {"finish": {"kind": "none"}, "missing": []},
        {"finish": {"kind": "none"}, "missing": ["x"]},
        {"finish": {"kind": "none"}, "missing": [0], "end": "x"},
        {"finish": {"kind": "indicator"}, "missing": [1], "end": 3},
        {"finish": {"kind": "apart", "parts": []}, "missing": [1]},
        {"missing": [1]},
    ],
)
def test_damaged_parts_are_refused(tmp_path: Path, part: Any) -> None:
    saved = load(tmp_path, CSV, "label y; use a; missing side;").encoder.to_json()
    saved["features"][0]["finish"] = {"kind": "apart", "parts": [part]}
    with pytest.raises(TreemipError) as caught:
        Encoder.from_json(saved)
    assert caught.value.diagnostics[0].code == "E701"


def test_missing_values_of_the_test_part_alone_are_filled_in(tmp_path: Path) -> None:
    csv = "a,c,k,y\n" + "".join(
        f"{'' if k == 6 else k},{'' if k == 6 else 'uvv'[k % 3]},{'' if k == 6 else 'p'},{k % 2}\n"
        for k in range(12)
    )
    settings = "label y; missing side; encode keep k;"
    parts = (load(tmp_path, csv, f"{settings} train 0.5 seed {seed};") for seed in range(20))
    data = next(d for d in parts if d.test is not None and 7 in d.test.row_numbers)
    assert data.test is not None
    at = data.test.row_numbers.tolist().index(7)
    median = float(np.median(data.train.x[:, 0]))
    mode = max(
        ("u", "v"), key=lambda name: data.train.x[:, data.train.features.index(f"c={name}")].sum()
    )
    filled = dict(zip(data.test.features, data.test.x[at].tolist(), strict=True))
    assert (filled["a"], filled[f"c={mode}"]) == (median, 1)
    assert data.test.categorical["k"][0][at] == 0
    (warning,) = data.warnings
    assert data.filled == (warning,)
    assert warning.message == (
        f"test part: 1 missing value of 'a' counts as {median:g}, its training median; 1 missing "
        f"value of 'c' counts as '{mode}', its most frequent training value; 1 missing value of "
        "'k' counts as 'p', its most frequent training value, since the training part has no "
        "missing values there, so no split has a side for them"
    )
    assert spanned(warning) == "missing side;"


@given(
    st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=8),
    st.sampled_from(["none", "minmax", "standard", "rank"]),
)
def test_missing_values_are_beyond_all_others(values: list[float], kind: str) -> None:
    try:
        ends = (0.0, 1.0) if kind == "minmax" else ()
        scaling = Scaling(kind=kind, arguments=ends, span=NOWHERE)
        sides = numbers_with_sides(scaling, np.array(values))
    except OverflowError:
        return
    x = sides.apply(np.array([*values, np.nan]))
    assert (x[-1, 0] < x[:-1, 0]).all()
    assert (x[-1, 1] > x[:-1, 1]).all()
    if kind in ("minmax", "rank"):
        assert (x[-1].tolist(), x.min(), x.max()) == ([0, 1], 0, 1)


def test_a_filled_in_value_is_that_of_the_encoding() -> None:
    assert with_indicator(AS_IS, 2.5).apply(np.array([1.0, np.nan])).tolist() == [[1, 0], [2.5, 1]]


def test_the_fill_is_fitted_on_the_training_part(tmp_path: Path) -> None:
    rows = [f"{value},{k % 2}" for k, value in enumerate([1, 2, 3, 4, "", "", 100, 200])]
    data = load(tmp_path, "\n".join(["a,y", *rows]), "label y; missing impute(mean); train 0.5;")
    assert data.test is not None
    known = [
        float(r.split(",")[0])
        for k, r in enumerate(rows, 1)
        if k in data.train.row_numbers and not r.startswith(",")
    ]
    filled = [
        x
        for table in (data.train, data.test)
        for x, k in zip(table.x[:, 0], table.row_numbers, strict=True)
        if k in (5, 6)
    ]
    assert filled == [np.mean(known)] * 2


def test_fill_values() -> None:
    values = np.array([5.0, 1, 5, 1, 9])
    assert fill_value("mode", values) == 1
    assert fill_value("median", values) == 5
    assert fill_value("mean", values) == 4.2
