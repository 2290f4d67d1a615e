"""Words of a split say what the split does to raw rows."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_trees import ENCODER, FEATURES, stump
from hypothesis import given
from hypothesis import strategies as st

from treemip.tree.split_words import short, split_text


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
    [(-0.0, "0"), (3.0, "3"), (123456789.0, "123456789"), (1e12, "1e+12"), (0.123456, "0.12346")],
)
def test_short_numbers(value, text):
    assert short(value) == text
