"""Columns that stay categorical: numbers of categories, what trees route, values unseen."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_data import load

from treemip.core.instance.categories import (
    Levels,
    categories,
    category_names,
    category_numbers,
    with_categories,
)
from treemip.core.instance.columns import CellColumn, NumberColumn, column_of
from treemip.core.instance.encoder import Encoder
from treemip.core.source.diagnostic import TreemipError


@pytest.mark.parametrize(
    ("cells", "names", "numeric"),
    [
        (["b", "a", "B", "", "a"], ("B", "a", "b"), False),
        (["10", "9", "9.0", "09"], ("9", "10"), True),
        (["1", "-1", "+1"], ("-1", "1"), True),
        (["0.5", "1e-3", "2"], ("0.001", "0.5", "2"), True),
        (["1", "x"], ("1", "x"), False),
        (["9007199254740993", "9007199254740992"], ("9007199254740992", "9007199254740993"), False),
        (["", ""], (), False),
    ],
)
def test_levels_and_their_order(cells: list[str], names: tuple[str, ...], numeric: bool) -> None:
    assert Levels.of(CellColumn.of(cells)) == Levels(names, numeric)


def test_codes_point_at_the_names() -> None:
    texts = Levels(("low", "high"), False)
    assert texts.codes(CellColumn.of(["high", "low", "?", ""])).tolist() == [1, 0, -1, -1]
    assert texts.codes(NumberColumn(np.array([1.0, 2.0]))).tolist() == [-1, -1]
    numbers = Levels(("3", "1", "2"), True)
    assert numbers.codes(CellColumn.of(["1.0", "2", "03", "4", "x", "", "0"])).tolist() == [
        1,
        2,
        0,
        -1,
        -1,
        -1,
        -1,
    ]
    assert numbers.codes(NumberColumn(np.array([3, 1]))).tolist() == [0, 1]
    assert Levels((), True).codes(CellColumn.of(["1"])).tolist() == [-1]


def test_text_levels_of_numbers_in_memory() -> None:
    column = NumberColumn(np.array([2, 10, 2]))
    levels = Levels.of(column, numeric=False)
    assert levels == Levels(("10", "2"), False)
    assert levels.codes(column).tolist() == [1, 0, 1]


def test_the_name_of_what_someone_writes() -> None:
    assert Levels(("1", "2"), True).name_of("1.0") == "1"
    assert Levels(("1", "2"), True).name_of("one") == "one"
    assert Levels(("1", "2"), True).name_of("inf") == "inf"
    assert Levels(("1.0", "b"), False).name_of("1.0") == "1.0"


def test_json_round_trip() -> None:
    levels = Levels(("0.1", "1e+300"), True)
    assert Levels.from_json(json.loads(json.dumps(levels.to_json()))) == levels


CSV = """n,k,t,y
1.5,3,red,no
2,1,blue,yes
4.25,2,red,yes
5,1,blue,no
"""


def raw(t: list[str]) -> dict[str, np.ndarray]:
    return {"n": np.array([1.5, 5.0]), "t": np.array(t)}


def test_numbers_run_through_all_columns() -> None:
    kept = {"t": (np.array([1, 0, -1]), ("a", "b")), "k": (np.array([0, 0, 0]), ("b",))}
    assert category_names((c, names) for c, (_, names) in kept.items()) == ("t=a", "t=b", "k=b")
    assert categories(kept).take(np.array([1, 0])).items.tolist() == [2, 0, 1]
    assert category_numbers(kept, 3).tolist() == [[1, 2], [0, 2], [-1, 2]]
    found = with_categories(np.array([[0.5], [1.5], [2.5]]), kept)
    assert found.tolist() == [[0.5, 0, 1, 1], [1.5, 1, 0, 1], [2.5, 0, 0, 1]]


def test_without_kept_columns_there_is_x_alone() -> None:
    x = np.zeros((2, 3))
    assert with_categories(x, {}) is x
    assert category_numbers({}, 2).shape == (2, 0)
    assert categories({}).items.tolist() == []


def test_kept_columns_alone(tmp_path: Path) -> None:
    data = load(tmp_path, CSV, "label y; use t, k; encode keep t, k;")
    assert data.train.x.shape == (4, 0)
    assert data.train.category_names == ("t=blue", "t=red", "k=1", "k=2", "k=3")
    assert data.train.category_numbers.tolist() == [[1, 4], [0, 2], [1, 3], [0, 2]]
    assert data.train.categories.items.tolist() == [0, 1, 2, 3, 4]
    assert data.train.categories.lengths.tolist() == [2, 3]
    again = data.encoder.inputs({"t": np.array(["red", "blue"] * 2), "k": np.array([3, 1, 2, 1])})
    assert data.train.inputs.tolist() == again.tolist()
    assert data.train.inputs[0].tolist() == [0, 1, 0, 0, 1]


def test_kept_columns_take_unseen_values_where_the_spec_says_so(tmp_path: Path) -> None:
    columns = raw(["red", "green"])
    strict = load(tmp_path, CSV, "label y; use n, t; encode keep t;").encoder
    with pytest.raises(TreemipError) as caught:
        strict.inputs(columns)
    (fault,) = caught.value.diagnostics
    assert fault.code == "E309"
    assert fault.message == (
        "row 2 of the data has 'green' in column 't', "
        "which is not among the values in the training part or in its order"
    )
    assert fault.remedy == (
        "encode keep(unseen = zero)  sends such rows right where the column is tested"
    )
    lenient = load(tmp_path, CSV, "label y; use n, t; encode keep(unseen = zero) t;").encoder
    for one in (lenient, Encoder.from_json(json.loads(json.dumps(lenient.to_json())))):
        assert one == lenient
        assert one.inputs(columns).tolist() == [[1.5, 0, 1], [5, 0, 0]]


@pytest.mark.parametrize("words", ["False True", "FALSE TRUE", "false true"])
def test_truth_values_are_the_levels_that_write_them_as_words(words: str) -> None:
    levels = Levels((*words.split(), "unknown"), False)
    truth = column_of("smoker", np.array([True, False]))
    assert levels.codes(truth).tolist() == [1, 0]
    assert levels.codes(NumberColumn(np.array([1, 0]))).tolist() == [-1, -1]
    one = Levels(("True", "unknown"), False)
    assert one.codes(truth).tolist() == [0, -1]


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ([True, None, False], [1, -1, 0]),
        ([True, np.nan, np.False_], [1, -1, 0]),
        ([True, "unknown", False, None], [1, 2, 0, -1]),
    ],
)
def test_truth_values_among_objects(cells: list[object], codes: list[int]) -> None:
    levels = Levels(("False", "True", "unknown"), False)
    column = column_of("smoker", np.array(cells, object))
    assert levels.codes(column).tolist() == codes
    assert levels.codes(column.take(np.array([0]))).tolist() == codes[:1]
