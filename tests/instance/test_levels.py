import json

import numpy as np
import pytest

from treemip.instance.categories import Levels
from treemip.instance.columns import CellColumn, NumberColumn


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
