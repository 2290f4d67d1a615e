"""Products with a binary as rows, model text in and model text out."""

from __future__ import annotations

import pytest
from reform_models import reformed_text

from treemip.core.source.diagnostic import TreemipError


def test_a_product_is_one_column_for_all_its_uses() -> None:
    text = """
var b binary;
var v >= -1, <= 2;
maximize b * v;
subject to r: v + 3 * b * v <= 1;
"""
    assert (
        reformed_text(text)
        == """\
maximize objective: product(1)
subject to
  r: v + 3 product(1) <= 1
  product_on_upper(1): -2 b + product(1) <= 0
  product_on_lower(1): b + product(1) >= 0
  product_off_upper(1): b - v + product(1) <= 1
  product_off_lower(1): -2 b - v + product(1) >= -2
variables
  binary b
  -1 <= v <= 2
  -1 <= product(1) <= 2
"""
    )


def test_two_binaries_the_square_of_one_and_what_stays_quadratic() -> None:
    text = """
var a binary;
var b binary;
minimize a * b - 2 * a^2;
subject to r: v * v <= 4;
var v >= -1, <= 2;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: -2 a + product(1)
subject to
  r: v^2 <= 4
  product_on_upper(1): -a + product(1) <= 0
  product_on_lower(1): product(1) >= 0
  product_off_upper(1): -b + product(1) <= 0
  product_off_lower(1): -a - b + product(1) >= -1
variables
  binary a
  binary b
  -1 <= v <= 2
  0 <= product(1) <= 1
"""
    )


def test_without_bounds_the_variable_is_named() -> None:
    with pytest.raises(TreemipError, match="'v' has no finite bounds") as caught:
        reformed_text("var b binary; var v >= 0; maximize b * v;")
    assert caught.value.diagnostics[0].code == "E501"


def test_a_product_of_two_continuous_variables_stays() -> None:
    text = "var v >= 0, <= 1; var w >= 0, <= 1; minimize v * w; subject to r: v * w + v >= 1;"
    found = reformed_text(text)
    assert "minimize objective: v * w\n" in found and "r: v + v * w >= 1\n" in found
