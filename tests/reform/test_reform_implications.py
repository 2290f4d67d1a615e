"""Implications as big-M rows, model text in and model text out."""

from __future__ import annotations

import pytest
from reform_models import reformed_text

from treemip.source.diagnostic import TreemipError


def test_each_row_has_the_tightest_big_m() -> None:
    text = """
var b binary;
var u {k in 1..2} >= -2, <= 3;
minimize u[1];
subject to r {k in 1..2}: b = 1 ==> u[k] <= k - 1;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: u(1)
subject to
  r(1): 3 b + u(1) <= 3
  r(2): 2 b + u(2) <= 3
variables
  binary b
  -2 <= u(1) <= 3
  -2 <= u(2) <= 3
"""
    )


def test_a_guard_of_zero() -> None:
    text = """
var b binary;
var u {k in 1..2} >= -2, <= 3;
minimize u[1];
subject to r {k in 1..2}: b = 0 ==> u[k] >= k;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: u(1)
subject to
  r(1): 3 b + u(1) >= 1
  r(2): 4 b + u(2) >= 2
variables
  binary b
  -2 <= u(1) <= 3
  -2 <= u(2) <= 3
"""
    )


def test_an_equation_is_two_rows() -> None:
    text = """
var b binary;
var v >= -2, <= 3;
minimize v;
subject to r: 1 - b = 1 ==> v = 1;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: v
subject to
  r_upper: -2 b + v <= 1
  r_lower: 3 b + v >= 1
variables
  binary b
  -2 <= v <= 3
"""
    )


def test_a_given_big_m_needs_no_bounds() -> None:
    text = """
var b binary;
var v;
minimize v;
subject to r: b = 1 ==> v >= 1 by big_m(7);
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: v
subject to
  r: -7 b + v >= -6
variables
  binary b
  v free
"""
    )


def test_without_bounds_the_variable_is_named() -> None:
    with pytest.raises(TreemipError, match="'v' has no finite bounds") as caught:
        reformed_text("var b binary; var v >= 0; minimize v; subject to r: b = 1 ==> v <= 2;")
    assert caught.value.diagnostics[0].code == "E501"


def test_a_side_that_the_bounds_always_keep_has_big_m_zero() -> None:
    text = "var b binary; var v >= 0, <= 2; minimize v; subject to r: b = 1 ==> v <= 5;"
    assert "  r: v <= 5\n" in reformed_text(text)


def test_a_quadratic_body_has_no_exact_big_m() -> None:
    text = "var b binary; var v >= 0, <= 2; minimize v; subject to r: b = 1 ==> v * v <= 2;"
    with pytest.raises(TreemipError, match="must be linear") as caught:
        reformed_text(text)
    assert caught.value.diagnostics[0].code == "E502"


def test_an_indicator_without_bounds_needs_a_target_that_has_them() -> None:
    text = "var b binary; var v; minimize v; subject to r: b = 1 ==> v <= 2 by indicator;"
    with pytest.raises(TreemipError) as caught:
        reformed_text(text)
    assert caught.value.diagnostics[0].code == "E501"
    assert "compile --for scip" in caught.value.diagnostics[0].remedy
