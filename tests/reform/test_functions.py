"""Functions of functions: which of them need binaries, model text in and model text out."""

from __future__ import annotations

import numpy as np
import pytest
from reform_models import reformed_text

from treemip.api.program import loads
from treemip.core.source.diagnostic import TreemipError


def test_an_inner_function_follows_the_outer_ones_use() -> None:
    text = """
var v >= -1, <= 1;
var w >= 0, <= 4;
minimize max(abs(v), w);
subject to r: abs(w - 2) >= 1;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: max
subject to
  r: abs >= 1
  max_bound(1): -abs_2 + max >= 0
  max_bound(2): -w + max >= 0
  abs_2_above: -v + abs_2 >= 0
  abs_2_below: v + abs_2 >= 0
  abs_above: -w + abs >= -2
  abs_below: w + abs >= 2
  abs_positive: -w + abs + 4 abs_sign <= 2
  abs_negative: w + abs - 4 abs_sign <= 2
variables
  -1 <= v <= 1
  0 <= w <= 4
  0 <= abs <= 2
  0 <= abs_2 <= 1
  0 <= max <= 4
  binary abs_sign
"""
    )


def test_an_argument_with_a_minus_sign_turns_the_direction() -> None:
    """max(-|v|, 0) pressed down pushes |v| up, so that the inner one needs its binary."""
    found = reformed_text("var v >= -1, <= 1; minimize max(-abs(v), -2);")
    assert "binary abs_sign" in found and "pick" not in found


@pytest.mark.parametrize(
    ("use", "binaries"),
    [
        ("minimize abs(v); subject to r: abs(v) <= 1;", 0),
        ("maximize -abs(v);", 0),
        ("minimize v; subject to r: 2 >= abs(v) + v;", 0),
        ("minimize v; subject to r: abs(v) + v >= 0;", 1),
        ("minimize v; subject to r: abs(v) = 1;", 1),
        ("minimize abs(v) ^ 1 - 2 * abs(v - 1);", 1),
        ("minimize v; subject to r: b = 1 ==> abs(v) <= 1;", 0),
        ("minimize v; subject to r: b = 1 ==> abs(v) >= 1;", 1),
    ],
)
def test_a_binary_only_where_the_result_may_not_fall(use: str, binaries: int) -> None:
    text = reformed_text("var b binary; var v >= -1, <= 1; " + use)
    assert text.count("binary abs") == binaries


def test_a_block_is_one_sided_only_when_all_its_results_are() -> None:
    text = "var u {k in 1..2} >= -1, <= 1; minimize sum {k in 1..2} (3 - 2 * k) * abs(u[k]);"
    assert reformed_text(text).count("binary abs_sign") == 2


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


def test_without_bounds_the_variable_is_named_reform_extremes() -> None:
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
