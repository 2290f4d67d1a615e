"""Thresholds stand in the middle of the gap, unless the spec depends on where they are."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf, nextafter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_trees import X, Y, compiled, solved

import treemip
from treemip.api.result import Result
from treemip.core.tree.placement import (
    depended_on,
    keep_off,
    middle,
    near_split,
    offsets,
    placed,
    unclear,
)
from treemip.core.tree.tree import Tree

SPECS = Path(__file__).parents[2] / "specs"

ENDS = st.tuples(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
).filter(lambda pair: pair[0] < pair[1])


@given(ENDS, st.booleans())
def test_the_middle_parts_its_ends(ends: tuple[float, float], strict: bool) -> None:
    low, high = ends
    found = middle(low, high, strict)
    assert (low < found <= high) if strict else (low <= found < high)
    assert str(found) != "-0.0" or low == 0 or high == 0


@pytest.mark.parametrize("strict", [False, True])
def test_the_middle_of_odd_ends(strict: bool) -> None:
    least = 5e-324
    assert middle(0.1, nextafter(0.1, 1), strict) == (nextafter(0.1, 1) if strict else 0.1)
    assert middle(0.0, least, strict) == (least if strict else 0.0)
    assert middle(-1e308, 1e308, strict) == 0
    assert middle(-1.7e308, 1.6e308, strict) == pytest.approx(-5e306)
    assert str(middle(-1.0, 1.0, strict)) == "0.0"
    assert middle(1.0, inf, strict) == (nextafter(1, 2) if strict else 1)


@given(ENDS, st.floats(-1e9, 1e9), st.floats(0, 10), st.booleans())
def test_a_threshold_kept_off_still_parts_its_ends(
    ends: tuple[float, float], threshold: float, room: float, strict: bool
) -> None:
    low, high = ends
    for pair in (ends, (low, inf), (-inf, high)):
        found = keep_off(*pair, threshold, room, strict)
        assert np.isfinite(found)
        assert (pair[0] < found <= pair[1]) if strict else (pair[0] <= found < pair[1])


def test_a_threshold_moves_no_farther_than_it_must() -> None:
    assert keep_off(0.0, 1.0, 0.3, 0.25, False) == 0.3
    assert keep_off(0.0, 1.0, 0.1, 0.25, False) == 0.25
    assert keep_off(0.0, 1.0, 2.0, 0.25, False) == 0.75
    assert keep_off(0.0, 1.0, 0.1, 9.0, False) == 0.5


# ------------------------------------------------------------------- trees of solutions


def sums(result: Result, node: int = 0) -> tuple[np.ndarray, float]:
    """weights . x of each training point at a node, and the node's threshold."""
    assert result.tree is not None
    x = result.compiled.instance.table.inputs
    return x @ result.tree.weights[node], float(result.tree.threshold[node])


def assert_centred(result: Result) -> None:
    value, threshold = sums(result)
    below, above = threshold - value, value - threshold
    gaps = below[below > 0].min(), above[above > 0].min()
    assert gaps[0] == pytest.approx(gaps[1], rel=1e-6)


@pytest.mark.parametrize(
    ("formulation", "kind"),
    [("soct", "oblique"), ("octh", "oblique"), ("oct", "univariate"), ("binoct", "univariate")],
)
def test_the_threshold_is_in_the_middle(formulation: str, kind: str) -> None:
    result = compiled(formulation, kind).solve("highs", start="none")
    assert result.verified and result.train_errors == 0
    assert_centred(result)


def test_the_solution_itself_stays() -> None:
    """A point lies on the solution's own threshold, as it may in S-OCT."""
    result = solved(bias=0.4)
    value, threshold = sums(result)
    own = float(result.values["bias"][0])
    assert np.abs(value - own).min() < 1e-9 < np.abs(value - threshold).min()


def test_a_bound_on_the_threshold_is_kept() -> None:
    """What the spec says of bias is said of the tree's threshold, wherever that is placed."""
    loose = compiled(rows="subject to low: bias[root] <= 0.125;").solve("highs", start="none")
    assert loose.verified and sums(loose)[1] <= 0.125
    assert_centred(loose)
    own = float(loose.values["bias"][0])
    rows = f"subject to fixed: bias[root] = {own!r};"
    result = compiled(rows=rows).solve("highs", start="none")
    assert result.verified
    _, threshold = sums(result)
    assert threshold == pytest.approx(own, abs=2e-9)
    assert result.tree is not None
    x = result.compiled.instance.table.inputs
    assert not near_split(result.tree.weights[0], threshold, x).any()


def test_what_the_threshold_depends_on() -> None:
    def names(formulation: str, kind: str) -> list[str]:
        result = compiled(formulation, kind).solve("scip", start="none", time_limit=20)
        return list(offsets(result.compiled.instance, result.values))

    assert names("soct", "oblique") == ["bias"]
    assert names("oct", "univariate") == ["bias"]
    assert names("binoct", "univariate") == ["bit"]
    assert names("svm1_odt", "oblique") == ["bias"]
    assert names("margot", "margin") == ["offset"]
    assert names("mm_svm_oct", "margin") == ["offset"]


@pytest.mark.parametrize(
    ("formulation", "kind", "family"),
    [("svm1_odt", "oblique", "bias"), ("margot", "margin", "offset")],
)
def test_a_margin_keeps_its_hyperplane(formulation: str, kind: str, family: str) -> None:
    result = compiled(formulation, kind).solve("scip", start="none", time_limit=30)
    assert result.verified
    _, threshold = sums(result)
    assert abs(threshold) == pytest.approx(abs(float(result.values[family][0])), abs=1e-8)


def test_a_margin_that_is_not_asked_for_does_not() -> None:
    """Without slack in the objective MARGOT's offset has no price."""
    rows = "minimize misclassified;"
    result = compiled("margot", "margin", rows=rows).solve("highs", start="none", time_limit=30)
    assert result.verified and result.train_errors == 0
    assert_centred(result)


ROOM = """
var room >= 0, <= 1;
maximize sum {i in points} correct[i] + 0.1 * room;
subject to near {t in branches}: 2 * room <= 1 - 2 * bias[t];
"""


def test_a_variable_without_a_meaning_depends_on_its_rows() -> None:
    """As in a formulation whose margin is a variable that its own rows bound by the threshold."""
    instance = compiled(rows=ROOM).instance

    def names(without: str = "") -> set[str]:
        said = instance.spec.constraints
        own = tuple(replace(c, module="soct") for c in said if c.name != without)
        return {s.name for s in depended_on(replace(instance.spec, constraints=own))}

    assert {"room", "bias"} <= names()
    assert "room" in names(without="near")
    assert "bias" not in names(without="near")


def test_a_variable_keeps_its_value_where_a_threshold_is_placed() -> None:
    """The spec's own row gives `room` its value, so the threshold must leave it that much."""
    result = compiled(rows=ROOM).solve("highs", start="none")
    assert result.verdict == "verified in part"
    _, threshold = sums(result)
    assert threshold <= 0.5 - float(result.values["room"][0]) + 2e-9


OWN = """
data "t" { label class; scale minmax; }
topology complete(depth = 1);
split oblique;
param eps = 0.01;
var coef  {t in branches, j in features} >= -1, <= 1;
var bias  {t in branches} >= -1, <= 1;
var reach {i in points, l in leaves} binary;
var label {l in leaves, k in classes} binary;
minimize misclassified;
subject to
  one_leaf  {i in points}: sum {l in leaves} reach[i,l] = 1;
  one_label {l in leaves}: sum {k in classes} label[l,k] = 1;
  go_left   {i in points, t in branches}:
    reach[i,left(t)] = 1 ==> dot(coef[t,*], x[i,*]) + eps <= bias[t];
  go_right  {i in points, t in branches}:
    reach[i,right(t)] = 1 ==> dot(coef[t,*], x[i,*]) >= bias[t];
"""
ROUTE = "route left when dot(coef[t,*], x[i,*]) < bias[t];"


def test_a_formulation_of_the_spec_s_own_is_like_any_other() -> None:
    """Its rows mention bias to say which way points go; a wish for bias is another matter."""
    result = treemip.loads(OWN + ROUTE, (X, Y)).compile().solve("highs", start="none")
    assert result.verified and result.train_errors == 0
    assert_centred(result)
    wish = f"fixed: bias[root] = {float(result.values['bias'][0])!r};"
    asked = treemip.loads(OWN + wish + ROUTE, (X, Y)).compile().solve("highs", start="none")
    assert asked.verified
    assert sums(asked)[1] == pytest.approx(float(asked.values["bias"][0]), abs=2e-9)


USED = """
data "t" { label class; scale minmax; }
topology complete(depth = 1);
split univariate;
use univariate_routing;
var label {l in leaves, k in classes} binary;
minimize misclassified;
subject to one_label {l in leaves}: sum {k in classes} label[l,k] = 1;
"""
WRITTEN = """
data "t" { label class; scale minmax; }
topology complete(depth = 1);
split univariate;
param gap {j in features} = least_gap(j);
var coef  {t in branches, j in features} binary;
var bias  {t in branches} >= 0, <= 1;
var stays {t in branches} binary means sum {j in features} coef[t,j];
var reach {i in points, l in leaves} binary;
var label {l in leaves, k in classes} binary;
minimize misclassified + 0.01 * sum {t in branches} stays[t];
subject to
  one_leaf  {i in points}: sum {l in leaves} reach[i,l] = 1;
  one_label {l in leaves}: sum {k in classes} label[l,k] = 1;
  one_used  {t in branches}: sum {j in features} coef[t,j] = stays[t];
  offset    {t in branches}: bias[t] <= stays[t];
  go_left   {i in points, t in branches}:
    reach[i,left(t)] = 1
    ==> dot(coef[t,*], x[i,*]) + dot(coef[t,*], gap[*]) + 0.01 * (1 - stays[t]) <= bias[t];
  go_right  {i in points, t in branches}:
    reach[i,right(t)] = 1 ==> dot(coef[t,*], x[i,*]) >= bias[t];
route left when dot(coef[t,*], x[i,*]) < bias[t];
"""


@pytest.mark.parametrize("text", [USED, WRITTEN], ids=["used", "written"])
def test_rows_that_hold_in_the_middle_do_not_keep_a_threshold(text: str) -> None:
    """`offset` bounds bias by a binary wherever the row comes from: a module or the spec itself."""
    result = treemip.loads(text, (X, Y)).compile().solve("highs", start="none")
    assert result.verdict != "not verified" and result.train_errors == 0
    assert_centred(result)


@pytest.mark.parametrize("name", ["clusters", "walk_policy"])
def test_shipped_formulations_centre_their_thresholds(name: str) -> None:
    result = treemip.load(SPECS / f"own/{name}.tree").compile().solve("highs", time_limit=60)
    assert result.verdict != "not verified"
    assert_centred(result)


def test_a_threshold_is_a_short_number_in_its_own_units() -> None:
    columns = {"a": [1.1, 1.3, 4.9, 7.7], "c": ["x", "x", "y", "y"]}
    for scale in ("", "scale minmax;", "scale standard;"):
        text = (
            f'data "t" {{ label c; {scale} }} topology complete(depth = 1);'
            "split univariate by binoct;"
        )
        result = treemip.loads(text, columns).compile().solve("highs", start="none")
        assert result.tree is not None
        assert "a ≤ 3.1: " in str(result.tree)
        given = result.tree.predict({"a": [3.1, nextafter(3.1, 4), nextafter(3.1, 3)]})
        assert given[0] == given[2] == "x"
        assert scale or given[1] == "y"


@pytest.mark.parametrize("greatest", [160.0, 167, 174, 223, 286])
@pytest.mark.parametrize("formulation", ["oct", "binoct"])
def test_rules_state_the_short_number_too(formulation: str, greatest: float) -> None:
    """Scaled to [0, 1], 127.5 and the double below it are one number where the greatest is 167:
    rules that are right for all doubles would be left with 127.49999999999997."""
    columns = {"a": np.array([0, 127, 128, greatest]), "kind": np.array(list("nnyy"))}
    text = (
        'data "t" { label kind; scale minmax; } topology complete(depth = 1); '
        f"split univariate by {formulation};"
    )
    tree = treemip.loads(text, columns).compile().solve().tree
    assert tree is not None
    (rule,) = set(re.findall(r"a (<=?) ([0-9.]+)", tree.to_text("rules")))
    (drawn,) = re.findall(r"a ([<≤]) ([0-9.]+)", str(tree))
    assert rule == (drawn[0].replace("≤", "<="), drawn[1]) and rule[1] == "127.5"
    (at,) = tree.predict({"a": [127.5]})
    assert at == ("n" if rule[0] == "<=" else "y")


def test_a_test_of_bits_or_categories_stays() -> None:
    columns = {"a": ["u", "v", "v", "w"], "c": ["x", "y", "y", "x"]}
    text = 'data "t" { label c; } topology complete(depth = 2); split univariate by flow_oct;'
    result = treemip.loads(text, columns).compile().solve("highs", start="none")
    assert result.tree is not None and result.train_errors == 0
    assert set(result.tree.threshold[result.tree.topology.branches].tolist()) == {0.5}


# --------------------------------------------------------------- one side, and no room


def hand_made(weights: list[float], threshold: float, x: np.ndarray, y: list[str]) -> Result:
    """A solved S-OCT stump on x, with another split, and that split placed."""
    text = (
        'data "t" { label class; } topology complete(depth = 1);'
        "split oblique by soct; maximize accuracy_count;"
    )
    result = treemip.loads(text, (x, np.array(y))).compile().solve("highs", start="none")
    assert result.tree is not None
    table = result.tree.weights.copy()
    table[0] = weights
    level = result.tree.threshold.copy()
    level[0] = threshold
    tree: Tree = replace(result.tree, weights=table, threshold=level)
    instance = result.compiled.instance
    tree = placed(instance, tree, result.values)
    return replace(result, tree=tree, warnings=unclear(instance, tree))


SQUARE = np.array([[0.0, 0.0], [0.25, 0.5], [0.5, 0.5], [1.0, 1.0]])
CLASSES = ["a", "a", "b", "b"]


def test_a_split_of_one_side_that_is_clear_stays() -> None:
    assert sums(hand_made([1.0, 1.0], 2.5, SQUARE, CLASSES))[1] == 2.5
    assert sums(hand_made([1.0, 1.0], -0.5, SQUARE, CLASSES))[1] == -0.5


def test_a_split_of_one_side_moves_away_from_its_nearest_point() -> None:
    """By half the distance to the next point before it."""
    assert sums(hand_made([1.0, 1.0], 2.0, SQUARE, CLASSES))[1] == 2.5
    right = hand_made([-1.0, -1.0], nextafter(-2.0, -3), SQUARE, CLASSES)
    assert sums(right)[1] == -2.5


def test_points_that_no_threshold_parts_for_certain_are_named() -> None:
    """0.1 + 0.2 is 0.30000000000000004 and 0.3 + 0 is 0.3: no sum that is rounded tells them."""
    x = np.array([[0.0, 0.0], [0.3, 0.0], [0.1, 0.2], [1.0, 1.0]])
    result = hand_made([1.0, 1.0], 0.3, x, CLASSES)
    (note,) = result.warnings
    assert note.code == "W705"
    assert note.message == "the split at node 1 is within rounding of training points: rows 2, 3"
    _, threshold = sums(result)
    assert near_split(result.tree.weights[0], threshold, x).tolist() == [False, True, True, False]


def test_neighbouring_doubles_of_one_feature_are_parted_for_certain() -> None:
    x = np.array([[0.0, 0.0], [0.3, 0.0], [nextafter(0.3, 1), 0.0], [1.0, 1.0]])
    result = hand_made([1.0, 0.0], 0.3, x, CLASSES)
    assert result.warnings == [] and sums(result)[1] == 0.3


def test_a_branch_without_a_split_is_left_alone() -> None:
    result = hand_made([0.0, 0.0], 0.0, SQUARE, CLASSES)
    assert result.warnings == [] and sums(result)[1] == 0.0
