"""What verification catches: each part of a right answer made wrong in turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from small_trees import check, compiled, solved, values

from treemip.core.tree.verify import verify


def test_a_right_answer_passes() -> None:
    report = check(solved().compiled, values())
    assert report.verified and report.problems == () and report.errors == 0
    assert report.objective == report.tree_objective == 6
    assert [(t.text, t.solution, t.tree) for t in report.terms] == [
        ("sum {i in points} correct[i]", 6, 6)
    ]


def test_a_point_in_the_other_leaf() -> None:
    found = values()
    found["reach"].reshape(6, 3)[2, 1:] = found["reach"].reshape(6, 3)[2, :0:-1].copy()
    report = check(solved().compiled, found)
    assert report.misrouted == (3,)
    assert any(
        "routes 1 points differently from the solution: rows 3" in p for p in report.problems
    )
    assert any("'hit_reach'" in v.text() for v in report.violations)


def test_a_tree_with_other_labels() -> None:
    result = solved()
    assert result.tree is not None
    swapped = replace(
        result.tree, answer=replace(result.tree.answer, leaf=result.tree.leaf_class[[0, 2, 1]])
    )
    instance = result.compiled.instance
    report = verify(instance, None, values(), swapped, result.tree.route(instance.table.x))
    assert report.errors == 6 and report.tree_objective == 0
    assert report.problems == ("the solution's objective is 6, but the tree's own is 0",)


def test_a_row_that_does_not_hold() -> None:
    found = values()
    found["active"][:] = 0
    report = check(solved().compiled, found)
    assert {v.name for v in report.violations} == {"no_split"}
    assert any(p.startswith("the solution violates 'no_split' for i = ") for p in report.problems)
    assert report.misrouted  # without its splits the tree sends every point left


def test_a_value_outside_its_bounds() -> None:
    found = values()
    found["coef"][0], found["bias"][0] = 1.5, -1.5
    names = {v.name for v in check(solved().compiled, found).violations}
    assert {"coef", "bias"} <= names


def test_a_value_that_is_no_number() -> None:
    found = values()
    found["hit"][:] = np.nan
    assert not check(solved().compiled, found).verified


def test_an_upper_bound_met_by_counting_too_few() -> None:
    """Without the rows that come in here, S-OCT's hit may be less than the truth: the model holds,
    the tree does not.
    """
    rows = "drop hit_least, hit_none; subject to cap: sum {i in points} correct[i] <= 5;"
    capped = compiled(rows=rows)
    found = values()
    found["hit"].reshape(6, 2)[0] = 0
    report = check(capped, found)
    assert report.violations == ()
    (side,) = report.side_violations
    assert side.name == "cap"
    assert report.problems == (f"the tree violates {side.text()}",)


def test_an_implication_is_checked_by_its_meaning() -> None:
    rows = "subject to few: active[root] = 1 ==> sum {i in points} correct[i] <= 5 by big_m(6);"
    found = values()
    found["hit"].reshape(6, 2)[0] = 0
    report = check(compiled(rows=rows), found)
    assert [v.name for v in report.side_violations] == ["few"]
    other = rows.replace("= 1 ==>", "= 0 ==>")
    assert check(compiled(rows=other), values()).verified


def test_the_worst_row_of_a_side_constraint_is_named() -> None:
    rows = "subject to each {k in classes}: sum {i in points} predicts[i,k] <= 2 + ord(k) / 2;"
    report = check(compiled(rows=rows), values())
    assert report.side_violations[0].text().startswith("'each' for class 'no' by ")


def test_rows_of_inner_nodes_count_too() -> None:
    capped = compiled(rows="subject to cap {t in nodes}: sum {i in points} reach[i,t] <= 2;")
    assert [v.name for v in check(capped, values()).side_violations] == ["cap"]
