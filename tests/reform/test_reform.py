"""Passes run in the order that a model needs, model text in and model text out."""

from __future__ import annotations

import numpy as np
import pytest
from reform_models import reformed_text

from treemip.api.program import loads
from treemip.model.model import Model
from treemip.reform.editing import Note
from treemip.reform.reform import BEFORE_IMPLICATIONS, Construct, Pass, apply
from treemip.reform.target import Target
from treemip.source.diagnostic import TreemipError


def test_products_inside_a_function_come_before_it() -> None:
    text = """
var a binary;
var v >= -1, <= 2;
var w >= 0, <= 1;
minimize w;
subject to r: abs(a * v - w) <= 1;
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: w
subject to
  r: abs <= 1
  product_on_upper(1): -2 a + product(1) <= 0
  product_on_lower(1): a + product(1) >= 0
  product_off_upper(1): a - v + product(1) <= 1
  product_off_lower(1): -2 a - v + product(1) >= -2
  abs_above: w + abs - product(1) >= 0
  abs_below: -w + abs + product(1) >= 0
variables
  binary a
  -1 <= v <= 2
  0 <= w <= 1
  0 <= abs <= 2
  -1 <= product(1) <= 2
"""
    )


def test_a_product_of_three_is_two_products() -> None:
    text = """
var a binary;
var b binary;
var v >= 0, <= 3;
maximize a * b * v;
subject to r: v + 2 * a * b * v + 1 <= 6;
"""
    assert (
        reformed_text(text)
        == """\
maximize objective: product_2(1)
subject to
  r: v + 2 product_2(1) <= 5
  product_on_upper(1): -3 b + product(1) <= 0
  product_on_lower(1): product(1) >= 0
  product_off_upper(1): -v + product(1) <= 0
  product_off_lower(1): -3 b - v + product(1) >= -3
  product_2_on_upper(1): -3 a + product_2(1) <= 0
  product_2_on_lower(1): product_2(1) >= 0
  product_2_off_upper(1): -product(1) + product_2(1) <= 0
  product_2_off_lower(1): -3 a - product(1) + product_2(1) >= -3
variables
  binary a
  binary b
  0 <= v <= 3
  0 <= product(1) <= 3
  0 <= product_2(1) <= 3
"""
    )


def test_arguments_that_stay_curved_are_in_inequalities() -> None:
    text = """
var v >= 0, <= 1;
var w >= 0, <= 1;
minimize max(v * w, 1 - exp(v), w);
"""
    assert (
        reformed_text(text)
        == """\
minimize objective: max
subject to
  max_bound(1): max - v * w >= 0
  max_bound(2): max + s2 >= 1
  max_bound(3): -w + max >= 0
tape
  s1 = v
  s2 = exp(s1)
variables
  0 <= v <= 1
  0 <= w <= 1
  0 <= max <= 1
"""
    )


def test_the_largest_absolute_value_of_curved_arguments_has_both_signs() -> None:
    text = """
var v >= 0, <= 1;
var w {k in 1..2} >= -1, <= 1;
let bent {k in 1..2} = v * w[k] + k;
let steep {k in 1..2} = exp(w[k]) - k;
minimize norminf(bent[*]) + norminf(steep[*]);
"""
    rows = [line for line in reformed_text(text).splitlines() if "_bound" in line]
    assert rows == [
        "  norminf_2_bound(1): norminf_2 - s5 >= 0",
        "  norminf_2_bound(2): norminf_2 + s5 >= 0",
        "  norminf_2_bound(3): norminf_2 - s6 >= 0",
        "  norminf_2_bound(4): norminf_2 + s6 >= 0",
        "  norminf_bound(1): norminf - v * w(1) >= 1",
        "  norminf_bound(2): norminf + v * w(1) >= -1",
        "  norminf_bound(3): norminf - v * w(2) >= 2",
        "  norminf_bound(4): norminf + v * w(2) >= -2",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("maximize abs(v * w);", "'abs' of a product of continuous variables"),
        ("minimize v; subject to r: max(exp(v), w) >= 2;", "'max' of a nonlinear expression"),
        ("minimize max(v, -abs(v * w));", "'abs' of a product of continuous variables"),
        ("minimize abs(max(exp(v), w) - 2);", "'max' of a nonlinear expression"),
        ("minimize exp(-max(exp(v), w));", "'max' inside a nonlinear expression"),
    ],
)
def test_curved_arguments_have_no_other_statement(text: str, message: str) -> None:
    with pytest.raises(TreemipError, match=message) as caught:
        reformed_text("var v >= -1, <= 1; var w >= -1, <= 1; " + text)
    assert caught.value.diagnostics[0].code == "E502"


@pytest.mark.parametrize(
    "text",
    [
        "minimize max(w, exp(max(exp(v), w)));",
        "minimize max(w, max(exp(abs(v)), w) - 1);",
        "minimize exp(max(w, exp(abs(v))));",
    ],
)
def test_functions_and_the_tape_in_turn_pass_the_direction_on(text: str) -> None:
    found = reformed_text("var v >= -1, <= 1; var w >= -1, <= 1; " + text)
    assert "functions" not in found and "binary" not in found


NEEDS = """
var a binary; var b binary; var v >= -1, <= 2;
"""


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("minimize abs(v) + a * v;", ["abs", "product"]),
        ("minimize abs(a * v) + a * b;", ["product", "abs"]),
        ("minimize max(abs(a * v), b) + a * abs(v);", ["product", "abs_2", "max", "abs"]),
        ("minimize v; subject to r: a = 1 ==> abs(b * v) <= 1;", ["product", "abs", "r"]),
        ("minimize a * b * v;", ["product", "product_2"]),
    ],
)
def test_notes_tell_the_order(text: str, order: list[str]) -> None:
    assert [n.source for n in loads(NEEDS + text).compile().reformed.notes] == order


def test_results_are_recomputed_from_products_and_smooth_arguments() -> None:
    text = "minimize max(a * v, abs(exp(w) - v)); var w >= 0, <= 1;"
    reformed = loads(NEEDS + text).compile().reformed
    names = [block.name for block in reformed.original.variables]
    values = np.zeros(reformed.model.column_count)
    values[[names.index(name) for name in ("a", "v", "w")]] = 1.0, 1.5, 0.0
    values[[names.index(name) for name in ("max", "abs")]] = 7.0, 9.0  # too high, as solvers may
    found = dict(zip(names, reformed.invert(values).tolist(), strict=True))
    assert found == {"a": 1.0, "b": 0.0, "v": 1.5, "w": 0.0, "abs": 0.5, "max": 1.5}


# ------------------------------------------------------------------------------ the end


def test_passes_produce_only_what_stands_behind_what_they_consume() -> None:
    """So that the constructs that are left, as a binary number, fall with each run."""
    rank = list(Construct).index
    for one in BEFORE_IMPLICATIONS:
        assert min(map(rank, one.consumes)) < min(map(rank, one.produces), default=len(Construct))
        assert not {*one.consumes} & {*one.after}


def test_a_pass_takes_out_all_it_consumes_and_leaves_no_other_than_it_says() -> None:
    texts = ["minimize abs(a * v) + a * b + abs(v);", "minimize abs(v) + a * b * v;"]
    for text in texts:
        seen: list[set[Construct]] = []
        apply(
            loads(NEEDS + text).compile().reformed.original,
            [watched(p, seen) for p in BEFORE_IMPLICATIONS],
        )
        assert len(seen) == 2


def watched(one: Pass, seen: list[set[Construct]]) -> Pass:
    def rewrite(model: Model, target: Target) -> tuple[Model, list[Note]]:
        before = left(model)
        made, notes = one.rewrite(model, target)
        assert left(made) <= before - {*one.consumes} | {*one.produces}
        seen.append(before)
        return made, notes

    return Pass(one.consumes, one.produces, one.after, rewrite)


def left(model: Model) -> set[Construct]:
    return {construct for construct in Construct if construct.is_in(model)}
