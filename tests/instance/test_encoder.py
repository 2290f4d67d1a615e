import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_data import load, spec_of

from treemip.core.instance.categories import Levels
from treemip.core.instance.columns import CellColumn
from treemip.core.instance.encoded_table import Data
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.encodings import AsIs, MinMax, OneHot, Standard, Thermometer
from treemip.core.instance.encodings.rank import Rank
from treemip.core.instance.feature import Feature
from treemip.core.instance.row_location import RowLocation
from treemip.core.instance.table import from_frame
from treemip.core.source.diagnostic import Diagnostic, TreemipError

COLOURS = Levels(("blue", "red"), False)
NUMBER = Feature("a", None, None, AsIs())
COLOUR = Feature("a", COLOURS, None, OneHot((0, 1)))
EVERY_SORT = [
    NUMBER,
    Feature("a", None, 0.1, MinMax(0.0, 3.0, 0.1, 0.7)),
    Feature("a", None, None, Standard(1.5, 1 / 3)),
    Feature("a", None, None, Rank((-1.0, 1 / 3, 1e300))),
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
        MINMAX | {"upper": 0.0},
        MINMAX | {"lower": 2.0},
        {"kind": "standard", "mean": [1.0], "deviation": 1.0},
        {"kind": "rank", "values": [2.0, 1.0]},
        {"kind": "rank", "values": []},
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
        ("a (rank)",),
        ("a>=0.1", "a>=2"),
        ("a=blue", "a=red"),
        ("a=red",),
        ("a",),
        (),
    ]


def test_reading() -> None:
    assert NUMBER.read(CellColumn.of(["1", "2.5"]), RowLocation()).tolist() == [1, 2.5]
    assert COLOUR.read(CellColumn.of(["red", "blue"]), RowLocation()).tolist() == [1, 0]
    filled = Feature("a", None, 7.0, AsIs())
    assert filled.read(CellColumn.of(["1", ""]), RowLocation()).tolist() == [1, 7]
    filled = Feature("a", COLOURS, 1.0, OneHot((0, 1)))
    assert filled.encode(CellColumn.of(["blue", ""]), RowLocation()).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("feature", "cell", "code", "message"),
    [
        (NUMBER, "", "E303", "row 9 of new.csv has no value in column 'a'"),
        (NUMBER, "x", "E304", "row 9 of new.csv has 'x' in column 'a', which holds finite numbers"),
        (COLOUR, "", "E303", "row 9 of new.csv has no value in column 'a'"),
        (COLOUR, "green", "E309", "row 9 of new.csv has 'green' in column 'a', which is not among"),
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
        feature.encode(CellColumn.of([good, cell]), RowLocation("new.csv", np.array([4, 9])))
    (fault,) = caught.value.diagnostics
    assert fault.code == code
    assert fault.message.startswith(message)


@pytest.mark.parametrize(
    ("cells", "remedy"),
    [
        (["1,5", "2"], "save the table with decimal points: 1.5"),
        (["1,5", "x"], 'if it stands for a missing value, write  missing … marks "1,5";'),
    ],
)
def test_the_remedy_for_decimal_commas(cells: list[str], remedy: str) -> None:
    with pytest.raises(TreemipError) as caught:
        NUMBER.encode(CellColumn.of(cells), RowLocation("new.csv"))
    assert caught.value.diagnostics[0].remedy == remedy


def test_only_one_hot_columns_can_take_the_unseen() -> None:
    tolerant = Feature("a", COLOURS, None, OneHot((0, 1), unseen_zero=True))
    assert tolerant.encode(CellColumn.of(["green", "red"]), RowLocation()).tolist() == [
        [0, 0],
        [0, 1],
    ]
    for feature, remedy in ((COLOUR, True), (Feature("a", COLOURS, None, AsIs()), False)):
        with pytest.raises(TreemipError) as caught:
            feature.encode(CellColumn.of(["green"]), RowLocation())
        assert ("unseen = zero" in caught.value.diagnostics[0].remedy) is remedy


CSV = """n,k,t,size,note,y
1.5,3,red,low,-,no
2,1,blue,high,-,yes
4.25,2,red,,-,yes
5,1,blue,low,-,no
"""
SETTINGS = (
    "label y; drop note; scale minmax; encode onehot k; "
    'encode ordinal size("low", "high"); encode keep t; missing impute(mode) size;'
)


@pytest.fixture
def encoder(tmp_path: Path) -> Encoder:
    return load(tmp_path, CSV, SETTINGS).encoder


def raw(**changes: Any) -> dict[str, np.ndarray]:
    columns: dict[str, Any] = {
        "n": ["1.5", "5"],
        "k": ["1", "3"],
        "t": ["red", "blue"],
        "size": ["high", ""],
        "y": ["yes", "no"],
    }
    columns |= changes
    return {name: np.array(values) for name, values in columns.items() if values is not None}


def refused(encoder: Encoder, columns: dict[str, Any]) -> Diagnostic:
    with pytest.raises(TreemipError) as caught:
        encoder.encode(columns, RowLocation("new.csv"))
    (fault,) = caught.value.diagnostics
    return fault


def test_names_and_origins(encoder: Encoder) -> None:
    assert encoder.names == ("n", "k=1", "k=2", "k=3", "size")
    assert encoder.origin == ("n", "k", "k", "k", "size")


def test_new_rows(encoder: Encoder) -> None:
    expected = [[0, 1, 0, 0, 1], [1, 0, 0, 1, 0]]
    x = encoder.encode(raw())
    assert x.tolist() == expected
    assert x.dtype == np.float64 and x.flags.c_contiguous
    assert encoder.encode(raw(n=[1.5, 5.0], k=[1, 3])).tolist() == expected
    assert encoder.encode(raw(k=np.array([1.0, 3.0]), size=["high", None])).tolist() == expected
    assert encoder.labels(raw()).tolist() == [1, 0]
    codes, levels = encoder.encode_kept(raw())["t"]
    assert (codes.tolist(), levels) == ([1, 0], ("blue", "red"))


def test_what_trees_route_has_a_column_for_each_category(encoder: Encoder) -> None:
    assert encoder.input_names == (*encoder.names, "t=blue", "t=red")
    found = encoder.inputs(raw())
    assert found[:, :-2].tolist() == encoder.encode(raw()).tolist()
    assert found[:, -2:].tolist() == [[0, 1], [1, 0]]
    assert found.dtype == np.float64 and found.flags.c_contiguous


def test_no_rows(encoder: Encoder) -> None:
    empty = {name: np.zeros(0) for name in ("n", "k", "t", "size")}
    assert encoder.encode(empty).shape == (0, 5)


def test_label_and_other_columns_do_not_matter(encoder: Encoder) -> None:
    expected = encoder.encode(raw()).tolist()
    assert encoder.encode(raw(y=None)).tolist() == expected
    assert encoder.encode(raw(extra=["?", "?"], y=["maybe", ""])).tolist() == expected


@pytest.mark.parametrize(
    ("columns", "code", "message"),
    [
        ({"n": None}, "E302", "new.csv lacks the column 'n'"),
        ({"n": None, "k": None}, "E302", "new.csv lacks the columns 'n', 'k'"),
        ({"n": ["1", ""]}, "E303", "row 2 of new.csv has no value in column 'n'"),
        ({"n": ["1", "x"]}, "E304", "row 2 of new.csv has 'x' in column 'n'"),
        ({"n": [1, np.inf]}, "E304", "row 2 of new.csv has 'inf' in column 'n'"),
        ({"k": ["1", "4"]}, "E309", "row 2 of new.csv has '4' in column 'k'"),
        ({"size": ["mid", "low"]}, "E309", "row 1 of new.csv has 'mid' in column 'size'"),
        ({"n": np.zeros((2, 1))}, "E304", "column 'n' has 2 dimensions"),
        ({"n": ["1", "2", "3"]}, "E301", "the columns of new.csv have different lengths"),
    ],
)
def test_rows_that_cannot_be_encoded(
    encoder: Encoder, columns: dict[str, Any], code: str, message: str
) -> None:
    fault = refused(encoder, raw(**columns))
    assert fault.code == code
    assert fault.message.startswith(message)


def test_a_near_miss_is_suggested(encoder: Encoder) -> None:
    fault = refused(encoder, raw(size=None, sise=["low", "low"]))
    assert fault.caret == "did you mean 'sise'?"


def test_unknown_classes_and_categories(encoder: Encoder) -> None:
    with pytest.raises(TreemipError, match=r"row 2 of the data has 'maybe' in column 'y'"):
        encoder.labels(raw(y=["yes", "maybe"]))
    with pytest.raises(TreemipError, match="lacks the column 'y'"):
        encoder.labels(raw(y=None))
    with pytest.raises(TreemipError, match=r"row 1 of the data has 'green' in column 't'"):
        encoder.encode_kept(raw(t=["green", "red"]))


def test_categories_that_look_like_numbers(tmp_path: Path) -> None:
    """A text feature stays one where all of a new file's values happen to be numbers."""
    data = load(tmp_path, "doors,y\n2,0\n3,1\n5more,1\n", "label y; encode onehot doors;")
    assert data.encoder.names == ("doors=2", "doors=3", "doors=5more")
    for doors in (["3", "2"], [3, 2], [3.0, 2.0]):
        assert data.encoder.encode({"doors": np.array(doors)}).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_marks_are_kept(tmp_path: Path) -> None:
    settings = 'label y; missing impute(mean) marks "-1";'
    data = load(tmp_path, "a,y\n1,0\n3,1\n-1,1\n", settings)
    assert data.encoder.encode({"a": np.array(["-1", "", "5"])}).tolist() == [[2], [2], [5]]
    assert data.encoder.encode({"a": np.array([-1.0, np.nan, 5])}).tolist() == [[2], [2], [5]]


def test_json_round_trip_encode(encoder: Encoder) -> None:
    again = Encoder.from_json(json.loads(json.dumps(encoder.to_json())))
    assert again == encoder
    np.testing.assert_array_equal(again.encode(raw()), encoder.encode(raw()))


@pytest.mark.parametrize(
    "change",
    [
        {"features": None},
        {"features": [{"column": "a"}]},
        {"classes": {}},
        {"classes": {"names": ["x", 1], "numeric": False}},
        {"classes": {"names": ["x"], "numeric": True}},
        {"features": [{"column": "a", "levels": None, "fill": None, "finish": None}]},
        {"kept": [{"column": "a", "levels": None, "fill": None, "finish": None}]},
        {"features": [{"column": "a", "levels": None, "fill": None, "finish": {"kind": "cubic"}}]},
        {"features": [{"column": "a", "levels": None, "fill": "x", "finish": None}]},
        {
            "features": [
                {
                    "column": "a",
                    "levels": None,
                    "fill": None,
                    "finish": {"kind": "minmax", "low": 1},
                }
            ]
        },
    ],
)
def test_json_of_something_else(encoder: Encoder, change: dict[str, Any]) -> None:
    with pytest.raises(TreemipError) as caught:
        Encoder.from_json(encoder.to_json() | change)
    assert caught.value.diagnostics[0].code == "E701"


# ------------------------------------------------------------------- any data, any settings

VALUES = {
    "number": st.floats(-1e6, 1e6) | st.integers(-5, 5).map(float),
    "text": st.sampled_from(["a", "b", "c", "d e", "1", "ü%"]),
}
MISSING = ["", "missing impute(mode);", "missing side;", "missing indicator(mode);"]
METHODS = {
    "number": ["", "scale minmax {};", "scale standard {};", "scale rank {};",
               "bin quantile(3) {};", "bin thresholds {};", "encode onehot {};"],
    "text": ["", "encode onehot {};", "encode onehot(drop = if_binary) {};", "encode ordinal {};",
             "encode keep {};"],
}  # fmt: skip


@st.composite
def problems(draw: st.DrawFn) -> tuple[dict[str, np.ndarray], str]:
    size = draw(st.integers(4, 12))
    said = ["label y;", draw(st.sampled_from(MISSING))]
    columns: dict[str, Any] = {}
    for j in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["number", "text"]))
        cells = draw(st.lists(VALUES[kind], min_size=size, max_size=size))
        if said[1] and draw(st.booleans()):
            cells[draw(st.integers(0, size - 1))] = ""
        columns[f"f{j}"] = np.array([repr(c) if isinstance(c, float) else c for c in cells])
        said.append(draw(st.sampled_from(METHODS[kind])).format(f"f{j}"))
    columns["y"] = np.array([f"class {k % 2}" for k in range(size)])
    return columns, " ".join(said)


def fitted(columns: dict[str, np.ndarray], said: str) -> Data | None:
    """None where the drawn settings do not fit the drawn data, which is a Diagnostic."""
    try:
        return from_frame(spec_of(said), columns)
    except TreemipError as error:
        assert {fault.code for fault in error.diagnostics} <= {"E303", "E304", "E306"}
        return None


@given(problems())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_encoding_the_training_rows_again_gives_x(
    problem: tuple[dict[str, np.ndarray], str],
) -> None:
    columns, said = problem
    data = fitted(columns, said)
    if data is None:
        return
    again = Encoder.from_json(json.loads(json.dumps(data.encoder.to_json())))
    assert again == data.encoder
    for encoder in (data.encoder, again):
        np.testing.assert_array_equal(encoder.encode(columns), data.train.x)
        np.testing.assert_array_equal(encoder.labels(columns), data.train.y)
        for name, (codes, levels) in encoder.encode_kept(columns).items():
            np.testing.assert_array_equal(codes, data.train.categorical[name][0])
            assert levels == data.train.categorical[name][1]
    assert len(data.train.features) == data.train.x.shape[1] == len(data.encoder.origin)
    assert np.isfinite(data.train.x).all()


@given(problems(), st.randoms(use_true_random=False))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_rows_are_encoded_one_by_one(
    problem: tuple[dict[str, np.ndarray], str], random: Any
) -> None:
    columns, said = problem
    data = fitted(columns, said)
    if data is None:
        return
    rows = np.array(random.choices(range(len(columns["y"])), k=5))
    taken = {name: values[rows] for name, values in columns.items()}
    np.testing.assert_array_equal(data.encoder.encode(taken), data.train.x[rows])
