"""Functions of functions: which of them need binaries, model text in and model text out."""

from __future__ import annotations

import pytest
from reform_models import reformed_text


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
