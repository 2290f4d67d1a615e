"""Weights that look like numbers of rows beside what counts each point once: a warning (W302)."""

from __future__ import annotations

import pytest

import treemip

COLUMNS = {"x": [0, 1, 1, 0], "n": [3, 1, 2, 4], "c": ["a", "b", "a", "b"]}

SPEC = """data "t" {{ label c positive "b"; weight n; }}
topology complete(depth = 1);
split univariate by oct;
minimize {objective};
{rows}
"""


def warnings(objective: str, rows: str = "", columns: dict = COLUMNS) -> list[str]:
    text = SPEC.format(objective=objective, rows=rows)
    found = treemip.loads(text, data=columns).compile().warnings
    return [one.message for one in found if "whole numbers" in one.message]


@pytest.mark.parametrize(
    ("objective", "rows"),
    [
        ("misclassified", ""),
        ("misclassified + 2 * splits", "subject to few: splits <= 1;"),
        ("misclassified", "subject to right: accuracy >= 0.1;"),
        (
            "misclassified",
            "subject to big {l in leaves}: sum {i in points} weight[i] * reach[i,l] >= 1;",
        ),
        (
            "misclassified",
            "subject to rate: misclassified <= 0.9 * sum {i in points} weight[i];",
        ),
    ],
)
def test_what_counts_weights_is_not_told(objective: str, rows: str) -> None:
    assert warnings(objective, rows) == []


@pytest.mark.parametrize(
    ("objective", "rows", "who"),
    [
        ("misclassified + sum {i in points} (1 - correct[i])", "", "the objective counts"),
        ('misclassified / class_count["a"]', "", "the objective counts"),
        ("misclassified", "subject to big {l in leaves}: points_in[l] >= 1;", "'big' counts"),
        ("misclassified", 'subject to found: recall["b"] >= 0.1;', "'found' counts"),
        ("misclassified", "subject to rate: misclassified <= card(points);", "'rate' counts"),
        (
            "misclassified",
            "subject to a: points_in[root] >= 1; b: points_in[root] >= 2;",
            "'a', 'b' count",
        ),
    ],
)
def test_what_counts_points_is(objective: str, rows: str, who: str) -> None:
    said = warnings(objective, rows)
    assert said == [f"the weights of 'n' are whole numbers, and {who} each point once"]


@pytest.mark.parametrize("weights", [[0.5, 1, 2, 1], [1, 1, 1, 1]])
def test_other_weights_count_no_rows(weights: list) -> None:
    rows = "subject to big {l in leaves}: points_in[l] >= 1;"
    assert warnings("misclassified", rows, {**COLUMNS, "n": weights}) == []
