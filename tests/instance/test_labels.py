"""Labels that are classes, numbers or nothing; known numbers; values for missing ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import small_data
from json_schema import SCHEMA, faults

from treemip.core.instance.encoded_table import Data
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.table import load_rows
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


# ------------------------------------------------------------------------------- what is refused


# ---------------------------------------------------------------------- values for missing cells


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
