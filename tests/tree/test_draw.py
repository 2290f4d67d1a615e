"""Whole drawings, and splits in words that say what the split does to raw rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drawn_trees import ENCODER, FEATURES, NAMES, stump, tree
from hypothesis import given
from hypothesis import strategies as st

import treemip
from treemip.core.tree.answers import ClassAnswer, DistributionAnswer, are_numbers
from treemip.writers.convert.phrases import class_names, split_text
from treemip.writers.convert.python_source import python_source
from treemip.writers.convert.raw_splits import raw_tree
from treemip.writers.convert.words import short
from treemip.writers.picture.drawing import drawing as draw


def test_whole_drawing_has_counts_and_scalings():
    drawn = tree(
        {1: ({"length": 0.5, "width": -1.0}, 0.25), 3: ({"length": 1.0}, 0.5)},
        {2: 0, 6: 1, 7: 0},
    )
    x = np.zeros((4, len(NAMES)))
    x[:, 0] = [0.0, 0.6, 0.6, 1.0]
    x[1, 1] = 1.0
    counts = drawn.counts_of(x, np.array([0, 1, 0, 0]))
    assert draw(drawn, counts) == (
        "sum = 0.5 length - width\n"
        "├─ sum ≤ 0.25: no  (2 points: 1 no, 1 yes)\n"
        "└─ sum > 0.25\n"
        "   ├─ length ≤ 3.5: yes  (no point)\n"
        "   └─ length > 3.5: no  (2 points: 2 no)\n"
        "\n"
        "scaled in splits of several features:\n"
        "  length: 1 .. 6 becomes 0 .. 1\n"
        "  width: mean 2 becomes 0, standard deviation 0.5 becomes 1"
    )
    assert str(drawn) == draw(drawn)


def test_a_name_of_several_lines_stays_on_its_line():
    split = stump({"length": 1.0}, 0.5)
    drawn = draw(replace(split, answer=replace(split.answer, classes=("no\nno", "yes"))))
    assert drawn.splitlines()[1:] == ["├─ length ≤ 3.5: no\\nno", "└─ length > 3.5: yes"]


def test_leaves_of_one_class_are_drawn_as_one():
    drawn = tree(
        {1: ({"width": 1.0}, 0.0), 2: ({"length": 1.0, "width": 1.0}, 0.5), 5: ({}, 0.0)},
        {3: 1, 4: 0, 10: 0, 11: 1},
    )
    assert draw(drawn) == "every point\n├─ width ≤ 2: no  (2 leaves)\n└─ width > 2: yes"
    x = np.zeros((3, len(NAMES)))
    x[:, 0], x[:, 1] = [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    counts = drawn.counts_of(x, np.array([0, 1, 1]))
    assert draw(drawn, counts) == (
        "3 points\n"
        "├─ width ≤ 2: no  (2 points: 1 no, 1 yes; 2 leaves)\n"
        "└─ width > 2: yes  (1 point: 1 yes)"
    )
    one = tree({1: ({"width": 1.0}, 0.0)}, {2: 1, 3: 1})
    assert draw(one) == "yes  (2 leaves)"


@pytest.mark.parametrize(("threshold", "left", "right"), [(0.5, "every", "no"), (0, "no", "every")])
def test_a_column_of_one_value_sends_all_to_one_side(threshold, left, right) -> None:
    one = stump({"same": 1.0}, threshold)
    assert draw(one) == f"every point\n├─ {left} point: no\n└─ {right} point: yes"
    assert f">{left} point<" in one.to_svg() and f">{right} point<" in one.to_svg()


def test_a_tree_without_an_encoder_is_drawn_in_its_own_numbers():
    bare = replace(stump({"length": 2.0}, 1.0), encoder=None)
    assert draw(bare) == "every point\n├─ length ≤ 0.5: no\n└─ length > 0.5: yes"


@pytest.mark.parametrize(
    ("weights", "threshold", "strict", "text"),
    [
        ({"length": 2.0}, 1.0, False, "length <= 3.5"),
        ({"length": -1.0}, -0.5, False, "length >= 3.5"),
        ({"length": -1.0}, -0.5, True, "length > 3.5"),
        ({"width": 1.0}, 2.0, True, "width < 3"),
        ({"age>=40": 1.0}, 0.5, False, "age < 40"),
        ({"age>=40": -1.0}, -0.5, False, "age >= 40"),
        ({"age>=40": 1.0}, 1.0, False, "every point"),
        ({"age>=40": 1.0}, 1.0, True, "age < 40"),
        ({"colour=red": 1.0}, 0.5, False, "colour is not red"),
        ({"colour=red": -1.0}, -0.5, False, "colour is red"),
        ({"colour=red": 1.0}, -0.5, False, "no point"),
        ({"grade": 1.0}, 1.5, False, "grade is not high"),
        ({"grade": 1.0}, 1.0, True, "grade is low"),
        ({"same": 1.0}, 0.5, False, "every point"),
        ({"same": 1.0}, 0.5, True, "no point"),
        ({}, 0.0, False, "every point"),
        ({}, 0.0, True, "no point"),
        ({}, -1.0, False, "no point"),
        ({"length": -1.0, "width": 0.25}, 0.0, False, "-length + 0.25 width <= 0"),
    ],
)
def test_words_of_a_split(weights, threshold, strict, text):
    assert split_text(stump(weights, threshold, strict), 0) == text


number = st.floats(-8, 8).map(lambda v: round(v, 3))


@given(
    weight=number.filter(bool),
    threshold=number,
    strict=st.booleans(),
    column=st.sampled_from(["length", "width"]),
)
def test_a_threshold_in_raw_units_parts_raw_rows_alike(weight, threshold, strict, column):
    drawn = stump({column: weight}, threshold, strict)
    name, op, edge = split_text(drawn, 0).split()
    assert name == column
    raw = np.arange(-60, 60, 0.37)
    rows = {
        c.column: raw if c.levels is None else np.array(["red", "low"])[[0] * len(raw)]
        for c in FEATURES
    }
    rows["grade"] = np.array(["low"] * len(raw))
    left = drawn.goes_left(0, ENCODER.encode(rows))
    value = float(edge)
    said = {"<": raw < value, "<=": raw <= value, ">": raw > value, ">=": raw >= value}[op]
    clear = np.abs(raw - value) > 1e-4 * max(1.0, abs(value))  # the text has five digits
    assert (left == said)[clear].all()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.0, "0"),
        (3.0, "3"),
        (0.123456, "0.12346"),
        (1e-7, "1e-07"),
        (9999.5, "9999.5"),
        (12345.5, "12345.5"),
        (202306.5, "202306.5"),
        (-1000016.0, "-1000016"),
        (1700070200.25, "1700070200.2"),
        (1e12, "1000000000000"),
        (2.5e17, "2.5e+17"),
    ],
)
def test_short_numbers(value, text):
    assert short(value) == text


def test_classes_that_are_numbers_have_the_label_s_name() -> None:
    """In the text, in pictures and in rules; names that are no numbers stay alone."""
    words = stump({"width": 1.0}, 0.0)
    numbers = replace(
        words,
        answer=ClassAnswer(words.leaf_class, ("0", "1")),
        counts=np.array([[0, 0], [5, 1], [0, 2]]),
    )
    assert draw(numbers).splitlines()[1:] == [
        "├─ width ≤ 2: class = 0  (6 points: 5 of 0, 1 of 1)",
        "└─ width > 2: class = 1  (2 points: 2 of 1)",
    ]
    shares = np.array([[0, 0], [0.75, 0.25], [0, 1.0]])
    chances = replace(numbers, answer=DistributionAnswer(shares, words.leaf_class, ("0", "1")))
    assert "width ≤ 2: class = 0: 0.75, class = 1: 0.25  (" in draw(chances)
    assert "class = 0; 6 points: 5 of 0, 1 of 1" in numbers.to_svg()
    assert class_names(words) == ("no", "yes")
    assert not are_numbers(("1", "2", "many")) and are_numbers(("-1", "2.5"))


SIDES = {
    "a": np.array([1.0, np.nan, 3.0, 7.0]),
    "b": np.array([1.0, np.nan, 3.0, 7.0]),
    "c": np.array(["red", "", "blue", "green"], object),
    "d": np.array([2.0, np.nan, 2.0, 4.0]),
    "s": np.array(["low", "", "mid", "high"], object),
}
LABELLED = SIDES | {"y": np.array(["no", "yes", "no", "yes"], object)}


@pytest.mark.parametrize(
    ("column", "weight", "threshold", "text"),
    [
        ("a (missing lowest)", 1, 5 / 9, "a <= 3 or missing"),
        ("a (missing lowest)", 1, 0.1, "a is missing"),
        ("a (missing lowest)", -1, -0.1, "a is not missing"),
        ("a (missing lowest)", -1, -5 / 9, "a >= 3 and not missing"),
        ("a (missing lowest)", 1, -0.1, "no point"),
        ("a (missing lowest)", -1, 0.1, "every point"),
        ("a (missing highest)", 1, 2 / 9, "a <= 3 and not missing"),
        ("a (missing highest)", 1, 0.9, "a is not missing"),
        ("a (missing highest)", -1, -0.9, "a is missing"),
        ("a (missing highest)", -1, -2 / 9, "a >= 3 or missing"),
        ("b>=2", 1, 0.5, "b < 2 or missing"),
        ("b>=2", -1, -0.5, "b >= 2 and not missing"),
        ("b>=2 or missing", 1, 0.5, "b < 2 and not missing"),
        ("b=missing", 1, 0.5, "b is not missing"),
        ("c=red", -1, -0.5, "c is red"),
        ("c=red", 1, 0.5, "c is not red"),
        ("c=missing", -1, -0.5, "c is missing"),
        ("d", 1, 0.5, "d <= 3 or missing"),
        ("d=missing", -1, -0.5, "d is missing"),
        ("s (missing lowest)", 1, 1 / 3, "s is low or missing"),
        ("s (missing highest)", 1, 0.5, "s is low or mid"),
    ],
)
def test_where_missing_values_go(column: str, weight: float, threshold: float, text: str) -> None:
    """The text says it, and the split over raw columns and the tree agree."""
    spec = (
        'data "m" { label y; missing side; bin thresholds(2, 5) b; scale minmax a, s;'
        'missing indicator(2) d; scale minmax d; encode ordinal s("low", "mid", "high"); }'
        "topology complete(depth = 1); split oblique by soct;"
    )
    data = treemip.loads(spec, data=LABELLED).data
    assert data is not None
    encoder = data.encoder
    bare = stump({"length": 1.0}, threshold)
    weights = np.zeros((bare.topology.size, len(encoder.names)))
    weights[0, encoder.names.index(column)] = weight
    drawn = replace(bare, encoder=encoder, features=encoder.names, weights=weights)
    assert split_text(drawn, 0) == text
    names: dict[str, Any] = {}
    exec(python_source(raw_tree(drawn)), names)
    rows = [dict(zip(SIDES, row, strict=True)) for row in zip(*SIDES.values(), strict=True)]
    assert [names["predict"](row) for row in rows] == drawn.predict(SIDES).tolist()


def test_scales_name_the_place_of_missing_values() -> None:
    spec = (
        'data "m" {{ label y; use a; missing side; {} }} '
        "topology complete(depth = 1); split oblique by soct;"
    )
    for scale, first, second in (
        (
            "scale minmax;",
            "  a (missing lowest): 1 .. 7 becomes 0.33333 .. 1, missing becomes 0",
            "  a (missing highest): 1 .. 7 becomes 0 .. 0.66667, missing becomes 1",
        ),
        (
            "",
            "  a (missing lowest): missing becomes -2",
            "  a (missing highest): missing becomes 10",
        ),
    ):
        data = treemip.loads(spec.format(scale), data=LABELLED).data
        assert data is not None
        bare = stump({"length": 1.0}, 0.5)
        weights = np.ones((bare.topology.size, 2))
        names = data.encoder.names
        drawn = replace(bare, encoder=data.encoder, features=names, weights=weights)
        assert draw(drawn).splitlines()[-2:] == [first, second]


def test_a_category_that_training_did_not_have_goes_where_the_text_says():
    columns = {"k": ["yes", "yes", "no", "no"], "c": list("aabb")}
    for unseen, said in (("", "k is yes: a"), ("(unseen = zero)", "k is not no: a")):
        text = f'data "t.csv" {{ label c; encode onehot{unseen} k; }} topology complete(depth = 1);'
        found = treemip.loads(f"{text} split oblique by svm1_odt;", data=columns).compile().solve()
        assert found.tree is not None
        drawn = str(found.tree).splitlines()
        assert said in drawn[1]
    assert found.tree.predict({"k": ["yes", "maybe", "no"]}).tolist() == ["a", "a", "b"]
