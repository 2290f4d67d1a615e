"""max, min and norminf as rows, model text in and model text out."""

from __future__ import annotations

import numpy as np
import pytest
from reform_models import reformed_text

from treemip.api.program import loads
from treemip.source.diagnostic import TreemipError


def test_max_pressed_down() -> None:
    text = """
var v >= -1, <= 1;
var w >= 0, <= 4;
minimize max(v, w - 1);
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: max
subject to
  max_bound(1): -v + max >= 0
  max_bound(2): -w + max >= -1
variables
  -1 <= v <= 1
  0 <= w <= 4
  -1 <= max <= 3
"""
    )


def test_max_pushed_up_must_be_attained() -> None:
    text = """
var v >= -1, <= 1;
var w >= 0, <= 4;
maximize max(v, w - 1);
"""
    assert (
        reformed_text(text)
        == """\
maximize objective: max
subject to
  max_bound(1): -v + max >= 0
  max_bound(2): -w + max >= -1
  max_attained(1): -v + max + 4 max_pick(1) <= 4
  max_attained(2): -w + max + 4 max_pick(2) <= 3
  max_one: max_pick(1) + max_pick(2) = 1
variables
  -1 <= v <= 1
  0 <= w <= 4
  -1 <= max <= 3
  binary max_pick(1)
  binary max_pick(2)
"""
    )


def test_min_pushed_up() -> None:
    text = """
var v >= -1, <= 1;
var w >= 0, <= 4;
maximize min(v, w - 1);
"""
    assert (
        reformed_text(text)
        == """\
maximize objective: min
subject to
  min_bound(1): v - min >= 0
  min_bound(2): w - min >= 1
variables
  -1 <= v <= 1
  0 <= w <= 4
  -1 <= min <= 1
"""
    )


def test_min_pressed_down_must_be_attained() -> None:
    text = """
var v >= -1, <= 1;
var w >= 0, <= 4;
minimize min(v, w - 1);
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: min
subject to
  min_bound(1): v - min >= 0
  min_bound(2): w - min >= 1
  min_attained(1): v - min + 2 min_pick(1) <= 2
  min_attained(2): w - min + 4 min_pick(2) <= 5
  min_one: min_pick(1) + min_pick(2) = 1
variables
  -1 <= v <= 1
  0 <= w <= 4
  -1 <= min <= 1
  binary min_pick(1)
  binary min_pick(2)
"""
    )


def test_norminf_pressed_down() -> None:
    text = """
var u {k in 1..2} >= -2, <= 3;
minimize norminf(u[*]);
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: norminf
subject to
  norminf_bound(1): -u(1) + norminf >= 0
  norminf_bound(2): u(1) + norminf >= 0
  norminf_bound(3): -u(2) + norminf >= 0
  norminf_bound(4): u(2) + norminf >= 0
variables
  -2 <= u(1) <= 3
  -2 <= u(2) <= 3
  0 <= norminf <= 3
"""
    )


def test_norminf_pushed_up_must_be_attained() -> None:
    text = """
var u {k in 1..2} >= -2, <= 3;
maximize norminf(u[*]);
"""
    assert (
        reformed_text(text)
        == """\
maximize objective: norminf
subject to
  norminf_bound(1): -u(1) + norminf >= 0
  norminf_bound(2): u(1) + norminf >= 0
  norminf_bound(3): -u(2) + norminf >= 0
  norminf_bound(4): u(2) + norminf >= 0
  norminf_attained(1): -u(1) + norminf + 5 norminf_pick(1) <= 5
  norminf_attained(2): u(1) + norminf + 6 norminf_pick(2) <= 6
  norminf_attained(3): -u(2) + norminf + 5 norminf_pick(3) <= 5
  norminf_attained(4): u(2) + norminf + 6 norminf_pick(4) <= 6
  norminf_one: norminf_pick(1) + norminf_pick(2) + norminf_pick(3) + norminf_pick(4) = 1
variables
  -2 <= u(1) <= 3
  -2 <= u(2) <= 3
  0 <= norminf <= 3
  binary norminf_pick(1)
  binary norminf_pick(2)
  binary norminf_pick(3)
  binary norminf_pick(4)
"""
    )


def test_without_bounds_the_variable_is_named() -> None:
    with pytest.raises(TreemipError, match="'w' has no finite bounds") as caught:
        reformed_text("var v >= 0, <= 1; var w >= -1; maximize max(v, w);")
    assert caught.value.diagnostics[0].code == "E501"


def test_nothing_to_take_the_greatest_of() -> None:
    with pytest.raises(TreemipError, match="'max' over an empty set") as caught:
        reformed_text("var v >= 0, <= 1; minimize max {k in 1..2} max {h in 1..k - 1} (v + h);")
    assert caught.value.diagnostics[0].code == "E404"


def test_norminf_of_nothing_is_zero() -> None:
    text = (
        "set none = 1..0; var w {k in none}; var v; minimize v; subject to r: norminf(w[*]) >= v;"
    )
    reformed = loads(text).compile().reformed
    assert reformed.invert(np.full(reformed.model.column_count, -0.5)).tolist() == [-0.5, 0.0]


def test_invert_takes_extremes_group_by_group() -> None:
    text = "var u {k in 1..3} >= -9, <= 9; minimize sum {k in 1..3} %s {h in 1..k} u[h];"
    for word, found in (("max", [4.0, 4.0, 5.0]), ("min", [4.0, -6.0, -6.0])):
        reformed = loads(text % word).compile().reformed
        values = np.zeros(reformed.model.column_count)
        values[:3] = 4.0, -6.0, 5.0
        assert reformed.invert(values)[3:].tolist() == found
