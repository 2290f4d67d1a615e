import json

import numpy as np
import pytest

from treemip.instance.categories import Levels
from treemip.instance.columns import CellColumn
from treemip.instance.encoder import Feature
from treemip.instance.encodings import AsIs, MinMax, OneHot, Standard, Thermometer
from treemip.instance.row_location import Place
from treemip.source.diagnostic import TreemipError

COLOURS = Levels(("blue", "red"), False)
NUMBER = Feature("a", None, None, AsIs())
COLOUR = Feature("a", COLOURS, None, OneHot((0, 1)))
EVERY_SORT = [
    NUMBER,
    Feature("a", None, 0.1, MinMax(0.0, 3.0, 0.1, 0.7)),
    Feature("a", None, None, Standard(1.5, 1 / 3)),
    Feature("a", None, 1e300, Thermometer((0.1, 2.0))),
    COLOUR,
    Feature("a", COLOURS, 1.0, OneHot((1,), unseen_zero=True)),
    Feature("a", Levels(("2", "1"), True), None, AsIs()),
    Feature("a", COLOURS, None, None),
]


@pytest.mark.parametrize("feature", EVERY_SORT)
def test_json_round_trip(feature: Feature) -> None:
    assert Feature.from_json(json.loads(json.dumps(feature.to_json()))) == feature


MINMAX = {"kind": "minmax", "low": 0.0, "high": 3.0, "lower": 0.0, "upper": 1.0}


@pytest.mark.parametrize(
    "finish",
    [
        MINMAX | {"low": "0"},
        MINMAX | {"high": None},
        MINMAX | {"high": float("nan")},
        MINMAX | {"low": 4.0},
        MINMAX | {"upper": [1.0]},
        {"kind": "thermometer", "edges": [0.5, "1"]},
        {"kind": "onehot", "kept": [0.5]},
        {"kind": "onehot", "kept": [-1]},
        {"kind": "onehot", "kept": [0], "unseen_zero": "no"},
    ],
)
def test_a_finish_that_was_tampered_with(finish: dict[str, object]) -> None:
    said = {"column": "a", "levels": COLOURS.to_json(), "fill": None, "finish": finish}
    with pytest.raises((TypeError, ValueError)):
        Feature.from_json(said)


def test_a_whole_number_does_for_a_float() -> None:
    said = {"column": "a", "levels": None, "fill": None, "finish": MINMAX | {"high": 3}}
    assert Feature.from_json(said) == Feature("a", None, None, MinMax(0.0, 3.0, 0.0, 1.0))


def test_names() -> None:
    assert [feature.names for feature in EVERY_SORT] == [
        ("a",),
        ("a",),
        ("a",),
        ("a>=0.1", "a>=2"),
        ("a=blue", "a=red"),
        ("a=red",),
        ("a",),
        (),
    ]


def test_reading() -> None:
    assert NUMBER.read(CellColumn.of(["1", "2.5"]), Place()).tolist() == [1, 2.5]
    assert COLOUR.read(CellColumn.of(["red", "blue"]), Place()).tolist() == [1, 0]
    filled = Feature("a", None, 7.0, AsIs())
    assert filled.read(CellColumn.of(["1", ""]), Place()).tolist() == [1, 7]
    filled = Feature("a", COLOURS, 1.0, OneHot((0, 1)))
    assert filled.encode(CellColumn.of(["blue", ""]), Place()).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("feature", "cell", "code", "message"),
    [
        (NUMBER, "", "E303", "row 9 of new.csv has no value in column 'a'"),
        (NUMBER, "x", "E304", "row 9 of new.csv has 'x' in column 'a', which holds finite numbers"),
        (COLOUR, "", "E303", "row 9 of new.csv has no value in column 'a'"),
        (COLOUR, "green", "E309", "row 9 of new.csv has 'green' in column 'a', which is none"),
        (
            Feature("a", None, None, Standard(0.0, 1e-300)),
            "1e200",
            "E304",
            "row 9 of new.csv has 1e200 in 'a', too large to be scaled",
        ),
        (
            Feature("a", None, None, MinMax(0.0, 1e-300, 0.0, 1.0)),
            "-1e200",
            "E304",
            "row 9 of new.csv has -1e200 in 'a', too large to be scaled",
        ),
    ],
)
def test_cells_that_cannot_be_encoded(feature: Feature, cell: str, code: str, message: str) -> None:
    good = "0.5" if feature.levels is None else "red"
    with pytest.raises(TreemipError) as caught:
        feature.encode(CellColumn.of([good, cell]), Place("new.csv", np.array([4, 9])))
    (fault,) = caught.value.diagnostics
    assert fault.code == code
    assert fault.message.startswith(message)


def test_only_one_hot_columns_can_take_the_unseen() -> None:
    tolerant = Feature("a", COLOURS, None, OneHot((0, 1), unseen_zero=True))
    assert tolerant.encode(CellColumn.of(["green", "red"]), Place()).tolist() == [[0, 0], [0, 1]]
    for feature, remedy in ((COLOUR, True), (Feature("a", COLOURS, None, AsIs()), False)):
        with pytest.raises(TreemipError) as caught:
            feature.encode(CellColumn.of(["green"]), Place())
        assert ("unseen = zero" in caught.value.diagnostics[0].remedy) is remedy
