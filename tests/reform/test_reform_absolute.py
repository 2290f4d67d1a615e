"""abs(a) as rows, model text in and model text out."""

from __future__ import annotations

import numpy as np
import pytest
from reform_models import reformed_text

from treemip.api.program import loads
from treemip.source.diagnostic import TreemipError


def test_pressed_down_by_the_objective() -> None:
    text = """
var v >= -1, <= 1;
minimize abs(v - 0.5);
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: abs
subject to
  abs_above: -v + abs >= -0.5
  abs_below: v + abs >= 0.5
variables
  -1 <= v <= 1
  0 <= abs <= 1.5
"""
    )


def test_pushed_up_by_the_objective_a_binary_tells_the_sign() -> None:
    text = """
var v >= -1, <= 2;
maximize abs(v - 0.5);
"""
    assert (
        reformed_text(text)
        == """\
maximize objective: abs
subject to
  abs_above: -v + abs >= -0.5
  abs_below: v + abs >= 0.5
  abs_positive: -v + abs + 3 abs_sign <= 2.5
  abs_negative: v + abs - 3 abs_sign <= 0.5
variables
  -1 <= v <= 2
  0 <= abs <= 1.5
  binary abs_sign
"""
    )


def test_one_use_in_the_objective_and_one_in_rows() -> None:
    text = """
var v >= -1, <= 1;
minimize 2 * abs(v) + 3;
subject to r {k in 1..2}: abs(v) <= k;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: 2 abs_2 + 3
subject to
  r(1): abs <= 1
  r(2): abs <= 2
  abs_2_above: -v + abs_2 >= 0
  abs_2_below: v + abs_2 >= 0
  abs_above: -v + abs >= 0
  abs_below: v + abs >= 0
variables
  -1 <= v <= 1
  0 <= abs <= 1
  0 <= abs_2 <= 1
"""
    )


def test_without_bounds_the_variable_is_named() -> None:
    with pytest.raises(TreemipError, match="'v' has no finite bounds") as caught:
        reformed_text("var v >= -1; maximize abs(v);")
    assert caught.value.diagnostics[0].code == "E501"
    assert caught.value.diagnostics[0].span.text == "abs(v)"


def test_where_it_may_fall_no_bounds_are_needed() -> None:
    assert "sign" not in reformed_text("var v; minimize abs(v); subject to r: abs(v - 1) <= 3;")


def test_invert_gives_the_value_itself_where_the_solver_s_is_beyond_it() -> None:
    """A row may leave the result above |v| when nothing presses it down."""
    reformed = (
        loads("var v >= -2, <= 2; minimize v; subject to r: abs(v + 1) <= 9;").compile().reformed
    )
    assert reformed.invert(np.array([-2.0, 7.5])).tolist() == [-2.0, 1.0]
