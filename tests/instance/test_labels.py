"""Labels that are classes, numbers or nothing; known numbers; values for missing ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import small_data
from json_schema import SCHEMA, faults

from treemip.core.instance.encoder import Encoder
from treemip.core.instance.table import Data, load_rows
from treemip.core.source.diagnostic import TreemipError

TABLE = """a,b,price,mu,arm
1,x,3.5,-1,red
2,y,-4.25,2.5,blue
3,x,1e3,3,red
4,y,0.1,4,blue
"""
GAPS = """a,price,mu,arm
1,3,,red
2,,2,
3,5,3,blue
"""


def load(tmp_path: Path, settings: str, csv: str = TABLE) -> Data:
    return small_data.load(tmp_path, csv, settings)


def refused(tmp_path: Path, settings: str, csv: str = TABLE) -> tuple[str, str, str]:
    error = small_data.fault(tmp_path, csv, settings)
    return error.code, f"{error.message}; {error.remedy}", small_data.spanned(error)


def test_a_label_of_numbers(tmp_path: Path) -> None:
    data = load(tmp_path, "label price number; drop arm; scale minmax;")
    table = data.train
    assert (table.label_kind, table.classes, data.positive) == ("number", (), None)
    assert table.y.dtype == np.float64
    assert table.y.tolist() == [3.5, -4.25, 1000, 0.1]
    assert table.features == ("a", "b=x", "b=y", "mu")


def test_no_label(tmp_path: Path) -> None:
    table = load(tmp_path, "label none;").train
    assert (table.label_kind, table.classes) == ("none", ())
    assert table.y.dtype == np.int64 and table.y.tolist() == [0, 0, 0, 0]
    assert table.features == ("a", "b=x", "b=y", "price", "mu", "arm=blue", "arm=red")


def test_classes_are_still_classes(tmp_path: Path) -> None:
    table = load(tmp_path, "label arm;").train
    assert (table.label_kind, table.classes) == ("class", ("blue", "red"))
    assert table.y.tolist() == [1, 0, 1, 0]


def test_a_column_called_none(tmp_path: Path) -> None:
    assert load(tmp_path, 'label "none";', "a,none\n1,x\n2,y\n").train.classes == ("x", "y")


def test_numbers_of_points_are_raw_and_no_features(tmp_path: Path) -> None:
    table = load(tmp_path, "label arm; number price, mu; scale minmax;").train
    assert table.features == ("a", "b=x", "b=y")
    assert {name: values.tolist() for name, values in table.numbers.items()} == {
        "price": [3.5, -4.25, 1000, 0.1],
        "mu": [-1, 2.5, 3, 4],
    }
    assert table.take(np.array([1, 3])).numbers["mu"].tolist() == [2.5, 4]


@pytest.mark.parametrize("label", ["price number", "none"])
@pytest.mark.parametrize("train", ["0.5 seed 3", "fold 1 of 3"])
def test_parts_without_classes(tmp_path: Path, label: str, train: str) -> None:
    csv = "a,price,mu\n" + "".join(f"{k},{k / 4},{-k}\n" for k in range(1, 13))
    data = load(tmp_path, f"label {label}; number mu; train {train};", csv)
    assert data.test is not None
    for part, rows in ((data.train, 6 if "0.5" in train else 8), (data.test, None)):
        assert rows is None or len(part.y) == rows
        np.testing.assert_array_equal(part.numbers["mu"], -part.row_numbers)
        expected = part.row_numbers / 4 if label != "none" else 0 * part.row_numbers
        np.testing.assert_array_equal(part.y, expected)
    both = np.concatenate([data.train.row_numbers, data.test.row_numbers])
    assert sorted(both.tolist()) == list(range(1, 13))


def test_a_training_part_without_rows(tmp_path: Path) -> None:
    code, message, place = refused(tmp_path, "label price number; train 0.1;")
    assert (code, place) == ("E306", "train 0.1;")
    assert message == "the training part has none of 4 rows; write a larger share"


# ------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("settings", ["label b number;", "label arm; number b;"])
def test_texts_are_no_numbers(tmp_path: Path, settings: str) -> None:
    code, message, place = refused(tmp_path, settings)
    assert (code, place) == ("E304", "b")
    assert message == (
        "row 1 of small.csv has 'x' in column 'b', which holds finite numbers; if it stands for a "
        'missing value, write  missing … marks "x";'
    )


@pytest.mark.parametrize(
    ("settings", "column"),
    [("label price number; drop mu, arm;", "price"), ("label none; number mu; use a;", "mu")],
)
def test_missing_numbers(tmp_path: Path, settings: str, column: str) -> None:
    row = {"price": 2, "mu": 1}[column]
    code, message, place = refused(tmp_path, settings, GAPS)
    assert (code, place) == ("E303", column)
    assert message == (
        f"row {row} of small.csv has no value in column '{column}'; write  missing drop {column};  "
        f"to leave such rows out, or  missing impute(0) {column};  if a missing value means 0, or "
        "another number"
    )


@pytest.mark.parametrize(
    ("settings", "code", "message", "place"),
    [
        (
            'label price number; drop mu, arm; missing impute("no") price;',
            "E304",
            "column 'price' holds numbers, so it cannot be filled in with 'no'; "
            "give a number:  missing impute(0) price;",
            "price",
        ),
        (
            'label price number; drop mu; missing impute("no") arm; missing drop price;',
            "E309",
            "column 'arm' has no value 'no' in the training part to fill in; "
            "its values are 'blue', 'red'",
            "arm",
        ),
        (
            "label price number; missing impute(mean) price;",
            "E209",
            "column 'price' is not among the features, so it cannot be filled in by its mean; "
            "give the value:  missing impute(0) price;",
            "price",
        ),
    ],
)
def test_values_that_do_not_fit(
    tmp_path: Path, settings: str, code: str, message: str, place: str
) -> None:
    assert refused(tmp_path, settings, GAPS) == (code, message, place)


# ---------------------------------------------------------------------- values for missing cells


def test_missing_rows_are_dropped(tmp_path: Path) -> None:
    table = load(tmp_path, "label price number; number mu; missing drop;", GAPS).train
    assert (table.row_numbers.tolist(), table.y.tolist()) == ([3], [5])


def test_values_for_missing_numbers(tmp_path: Path) -> None:
    settings = "label price number; number mu; drop arm; missing impute(-2.5) price, mu;"
    table = load(tmp_path, settings, GAPS).train
    assert table.y.tolist() == [3, -2.5, 5]
    assert table.numbers["mu"].tolist() == [-2.5, 2, 3]


def test_a_value_for_a_missing_feature(tmp_path: Path) -> None:
    settings = 'label none; missing impute(9) price, mu; missing impute("red") arm;'
    table = load(tmp_path, settings, GAPS).train
    assert table.features == ("a", "price", "mu", "arm=blue", "arm=red")
    assert table.x.tolist() == [[1, 3, 9, 0, 1], [2, 9, 2, 0, 1], [3, 5, 3, 1, 0]]


@pytest.mark.parametrize(
    ("value", "classes"),
    [('"none"', ("blue", "none", "red")), ('"red"', ("blue", "red")), ("0", ("0", "blue", "red"))],
)
def test_a_missing_class_is_a_class(tmp_path: Path, value: str, classes: tuple[str, ...]) -> None:
    data = load(tmp_path, f"label arm; use a; missing impute({value}) arm;", GAPS)
    named = classes.index(value.strip('"'))
    assert data.train.classes == classes
    assert data.train.y.tolist() == [classes.index("red"), named, classes.index("blue")]
    assert data.encoder.labels({"arm": np.array(["", "red"])}).tolist() == [
        named,
        classes.index("red"),
    ]


@pytest.mark.parametrize(
    ("value", "classes"), [("-1", ("-1", "3", "5")), ('"none"', ("3", "5", "none"))]
)
def test_a_class_beside_numbers(tmp_path: Path, value: str, classes: tuple[str, ...]) -> None:
    data = load(tmp_path, f"label price; use a; missing impute({value}) price;", GAPS)
    assert data.train.classes == classes
    y = [classes.index("3"), classes.index(value.strip('"')), classes.index("5")]
    assert data.train.y.tolist() == y


# --------------------------------------------------------------------------------- the encoder


@pytest.mark.parametrize(
    "settings",
    [
        "label price number; number mu; drop arm; missing impute(7) price, mu;",
        "label none; number price, mu; use a; missing impute(7) price, mu;",
        'label arm; number price; use a; missing impute(7) price; missing impute("none") arm;',
    ],
)
def test_an_encoder_comes_back(tmp_path: Path, settings: str) -> None:
    data = load(tmp_path, settings, GAPS)
    saved = json.loads(json.dumps(data.encoder.to_json()))
    assert list(faults(saved, SCHEMA["$defs"]["encoder"])) == []
    again = Encoder.from_json(saved)
    assert again == data.encoder
    raw, place = load_rows(tmp_path / "small.csv", again)
    y = again.labels(raw, place)
    np.testing.assert_array_equal(y, data.train.y)
    assert y.dtype == data.train.y.dtype
    numbers = again.point_numbers(raw, place)
    assert list(numbers) == list(data.train.numbers)
    for name, values in numbers.items():
        np.testing.assert_array_equal(values, data.train.numbers[name])


def test_older_files_have_classes(tmp_path: Path) -> None:
    saved = load(tmp_path, "label arm;").encoder.to_json()
    assert saved.keys() == {"features", "kept", "label", "classes", "marks"}
    assert Encoder.from_json(saved).label_kind == "class"


@pytest.mark.parametrize(
    ("field", "value"), [("label_kind", "bird"), ("label_fill", "x"), ("numbers", [{}])]
)
def test_a_damaged_encoder(tmp_path: Path, field: str, value: object) -> None:
    saved = load(tmp_path, "label price number;").encoder.to_json()
    with pytest.raises(TreemipError) as caught:
        Encoder.from_json({**saved, field: value})
    assert caught.value.diagnostics[0].code == "E701"


def test_new_rows_need_neither_label_nor_numbers(tmp_path: Path) -> None:
    encoder = load(tmp_path, "label price number; number mu; use a;").encoder
    assert encoder.encode({"a": np.array([5.0])}).tolist() == [[5.0]]
