"""The rows of each formulation are those its paper prints; indices are heap numbers of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import compiled, table
from row_text import texts

from treemip.core.model.model import Model

X = np.array([[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]])
Y = np.array([0, 1, 1])


def toy(formulation: str) -> Model:
    return compiled(formulation, table(X, Y), 1).model


def test_binoct_example_2() -> None:
    """Verwer and Zhang (2019), Examples 1 and 2: one feature 0..8, four thresholds, one node.

    The paper's example leaves out M f, which is M here; its row r is point r + 1, its leaves 1 and
    2 are nodes 2 and 3, its bits 1 and 2 have depth 0 and 1. Its six rows, in its own order:
    l51 + l61 + 2 t1 <= 2, l32 + l42 + l52 - 3 t1 <= 0, l31 + l41 + 2 t1 + 2 t2 <= 4,
    l32 + l42 - 2 t2 <= 0, l61 + t2 <= 1, l62 - t1 - t2 <= 0.
    """
    model = compiled(
        "binoct",
        table(np.arange(9.0)[:, None], np.array(list("+++--+-++"))),
        1,
        "set cut_points {f in features} = class_thresholds(f);",
    ).model
    left, right = texts(model, "bar_left"), texts(model, "bar_right")
    assert [row for pair in zip(left, right, strict=True) for row in pair] == [
        "2 coef[1,1] + 2 bit[1,0] + reach[6,2] + reach[7,2] <= 4",
        "3 coef[1,1] - 3 bit[1,0] + reach[4,3] + reach[5,3] + reach[6,3] <= 3",
        "2 coef[1,1] + 2 bit[1,0] + 2 bit[1,1] + reach[4,2] + reach[5,2] <= 6",
        "2 coef[1,1] - 2 bit[1,1] + reach[4,3] + reach[5,3] <= 2",
        "coef[1,1] + bit[1,1] + reach[7,2] <= 2",
        "coef[1,1] - bit[1,0] - bit[1,1] + reach[7,3] <= 1",
    ]
    # "the last two rows cannot end up in the left leaf", the first three not in the right one
    assert texts(model, "extremes") == [
        "5 coef[1,1] + reach[1,3] + reach[2,3] + reach[3,3] + reach[8,2] + reach[9,2] <= 5"
    ]
    assert texts(model, "leaf_error")[1] == (
        "reach[4,2] + reach[5,2] + reach[7,2] - 3 label[2,2] - error[2,2] <= 0"
    )


@pytest.mark.parametrize("thresholds", [1, 2, 3, 4, 5, 8, 13])
@pytest.mark.parametrize("depth", [1, 2])
def test_binoct_has_one_pair_of_rows_for_each_inner_node_of_a_code(
    thresholds: int, depth: int
) -> None:
    x = np.arange(thresholds + 1.0)[:, None]
    model = compiled("binoct", table(x, np.arange(thresholds + 1) % 2), depth).model
    rows = {r.name: r.length for r in model.rows}
    columns = {b.name: b.length for b in model.variables}
    branches, leaves = 2**depth - 1, 2**depth
    assert rows.get("bar_left", 0) == rows.get("bar_right", 0) == branches * (thresholds - 1)
    assert rows["extremes"] == branches
    assert columns["bit"] == branches * int(np.ceil(np.log2(thresholds)))
    assert columns["reach"] == leaves * len(x)


def test_soct() -> None:
    """Boutilier, Michini and Zhou (2023), (1) with (5)-(7): M_i = max_j x_ij + 1."""
    model = toy("soct")
    assert texts(model, "flow")[0] == "reach[1,1] - reach[1,2] - reach[1,3] = 0"
    assert texts(model, "hit_label")[2] == "-label[2,2] + hit[2,2] <= 0"
    assert texts(model, "no_split")[0] == "-active[1] + reach[1,3] <= 0"
    assert texts(model, "budget") == ["active[1] <= 1"]
    assert texts(model, "go_left") == [
        "2 reach[1,2] + coef[1,2] - bias[1] <= 2",
        "1.5 reach[2,2] + 0.5 coef[1,1] + 0.25 coef[1,2] - bias[1] <= 1.5",
        "2 reach[3,2] + coef[1,1] - bias[1] <= 2",
    ]
    assert texts(model, "go_right") == [
        "-2.005 reach[1,3] + coef[1,2] - bias[1] >= -2",
        "-1.505 reach[2,3] + 0.5 coef[1,1] + 0.25 coef[1,2] - bias[1] >= -1.5",
        "-2.005 reach[3,3] + coef[1,1] - bias[1] >= -2",
    ]


def test_oct() -> None:
    """Bertsimas and Dunn (2017): (11), (13), (20), (21); epsilon = (0.5, 0.25)."""
    model = toy("oct")
    assert texts(model, "loss_low")[:2] == [
        "-reach[2,2] - reach[3,2] - 3 label[2,1] + loss[2] >= -3",
        "-reach[1,2] - 3 label[2,2] + loss[2] >= -3",
    ]
    assert texts(model, "loss_high")[0] == "-reach[2,2] - reach[3,2] - 3 label[2,1] + loss[2] <= 0"
    assert texts(model, "one_used") == ["coef[1,1] + coef[1,2] - active[1] = 0"]
    assert (
        texts(model, "go_right")[1] == "0.5 coef[1,1] + 0.25 coef[1,2] - bias[1] - reach[2,3] >= -1"
    )
    assert texts(model, "go_left")[1] == (
        "0.75 coef[1,1] + 0.25 coef[1,2] - bias[1] + 1.5 reach[2,2] <= 1.25"
    )


def test_octh() -> None:
    """Bertsimas and Dunn (2017), section 3: mu = 0.005, big-M 2 + mu and 2."""
    model = toy("octh")
    assert texts(model, "unit_norm") == ["size[1,1] + size[1,2] - active[1] <= 0"]
    assert texts(model, "some_used") == ["uses[1,1] + uses[1,2] - active[1] >= 0"]
    assert texts(model, "go_left")[1] == (
        "0.5 coef[1,1] + 0.25 coef[1,2] - bias[1] + 2.005 reach[2,2] <= 2"
    )
    assert texts(model, "go_right")[1] == (
        "0.5 coef[1,1] + 0.25 coef[1,2] - bias[1] - 2 reach[2,3] >= -2"
    )


def test_svm1_odt() -> None:
    """Zhu et al. (2020), (1b)-(1k), Y = 2, M = 1, eps = 0.01."""
    model = toy("svm1_odt")
    assert texts(model, "error_low")[:2] == ["-wrong[1] + given[1] <= 1", "given[2] <= 2"]
    assert texts(model, "error_high")[:2] == ["-given[1] <= -1", "-wrong[2] - given[2] <= -2"]
    assert texts(model, "mccormick_2")[0] == "reach[1,2] + leaf_class[2] - leaf_given[1,2] >= 1"
    assert texts(model, "mccormick_3")[0] == "2 reach[1,2] + leaf_class[2] - leaf_given[1,2] <= 2"
    assert texts(model, "distance")[1] == (
        "-0.5 coef[1,1] - 0.25 coef[1,2] + bias[1] - above[2,1] + below[2,1] = 0"
    )
    assert texts(model, "right_side")[0] == "reach[1,3] + above[1,1] <= 1"
    assert texts(model, "right_gap")[0] == "-0.01 reach[1,3] + below[1,1] + slack[1,1] >= 0"
    assert texts(model, "left_side")[0] == "reach[1,2] + below[1,1] <= 1"
    assert texts(model, "left_gap")[0] == "-0.01 reach[1,2] + above[1,1] + slack[1,1] >= 0"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_big_m_rows_are_as_many_as_the_papers_say(depth: int) -> None:
    """S-OCT has 2 N (2^D - 1) of them, OCT-H and OCT N D 2^D (Boutilier et al. 2023, section 3)."""
    rng = np.random.default_rng(depth)
    x, y = rng.random((7, 2)), np.arange(7) % 2

    def big_m_rows(formulation: str) -> int:
        model = compiled(formulation, table(x, y), depth).model
        return sum(r.length for r in model.rows if r.made_by == "big_m")

    assert big_m_rows("soct") == 2 * 7 * (2**depth - 1)
    assert big_m_rows("octh") == big_m_rows("oct") == 7 * depth * 2**depth


@pytest.mark.parametrize("points", [30, 45])
def test_sizes_are_those_of_independent_implementations(points: int) -> None:
    """Depth 2, 4 features, 3 classes: 372 columns and 662 rows for S-OCT with 30 points, 601 and
    1170 for SVM1-ODT, whose 1-norm is there the sum of two nonnegative parts of each of the 12
    weights; here it is 12 columns and two rows each.
    """
    rng = np.random.default_rng(points)
    columns = table(rng.random((points, 4)), np.arange(points) % 3)
    soct = compiled("soct", columns, 2).model
    assert (soct.column_count, soct.row_count) == (11 * points + 42, 21 * points + 32)
    svm1 = compiled("svm1_odt", columns, 2).model
    assert (svm1.column_count, svm1.row_count) == (19 * points + 31, 39 * points + 24)
    if points == 30:
        assert (soct.column_count, soct.row_count) == (372, 662)
        assert (svm1.column_count, svm1.row_count - 24) == (601, 1170)
