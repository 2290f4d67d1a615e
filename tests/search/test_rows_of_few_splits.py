"""Limits on features that no tree of so few splits can break are no rows of the search's sums."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.search.sum_builder import sums_of


def counted(rows: str, depth: int = 2, by: str = "univariate by oct") -> set[str]:
    draw = np.random.default_rng(0)
    table = {name: draw.integers(0, 4, 30) for name in "abc"}
    table["t"] = draw.choice(["x", "y", "z"], 30)
    table["c"] = draw.choice(["n", "p"], 30)
    text = f"""data "t" {{ label c; use a, b, t; scale minmax; }}
topology complete(depth = {depth});
split {by};
param price = 1;
minimize misclassified;
subject to
  {rows}
"""
    instance = treemip.loads(text, data=table).compile().instance
    sums = sums_of(instance, instance.table.distinct[1])
    return {*sums.constraints, *sums.limiting} - {""}


@pytest.mark.parametrize(
    ("rows", "depth", "kept"),
    [
        ("few: at_most_features(3);", 2, False),
        ("few: at_most_features(2);", 2, True),
        ("few: at_most_features(3);", 3, False),  # of three columns
        ("few: at_most_features(1);", 1, False),
        ("few: sum {j in features} 2 * uses_anywhere[j] <= 6;", 2, False),
        ("few: sum {j in features} 2 * uses_anywhere[j] <= 5;", 2, True),
        ("few: sum {j in features} uses_anywhere[j] >= 1;", 2, True),
        ("few: sum {j in features} -uses_anywhere[j] >= -3;", 2, False),
    ],
)
def test_what_no_tree_can_break_is_not_counted(rows: str, depth: int, kept: bool) -> None:
    if depth == 3:
        assert counted(rows, depth) == set()
        return
    assert counted(rows, depth) == ({"few"} if kept else set())


def test_hyperplanes_use_more_features_than_there_are_splits() -> None:
    rows = "few: sum {j in features} uses_anywhere[j] <= 3;"
    assert counted(rows, 2, "oblique by octh") == {"few"}
