"""Trees that ask for sets of categories (Günlük et al.): as good as the best of all there are."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError

Columns = dict[str, np.ndarray]


def compiled(columns: Columns, shape: str, parameters: str = "", rest: str = "") -> Compiled:
    text = (
        'data "t.csv" { label c; encode keep h, k; }\n'
        f'topology shape "{shape}";\nsplit univariate by categorical_odt({parameters});\n{rest}'
    )
    return treemip.loads(text.replace("odt()", "odt"), data=columns).compile()


def proven(made: Compiled, solver: str = "highs", start: str = "none") -> Result:
    result = made.solve(solver, start=start, threads=1)
    assert result.status == "optimal"
    assert result.verdict == "verified", result.report
    return result


MIDDLE = {
    "h": ["a", "b", "c", "c", "b", "a", "b", "c"],
    "c": ["x", "y", "x", "x", "y", "x", "x", "y"],
}
"""Asked for b, a tree of depth 1 gets two of eight wrong."""


@pytest.mark.parametrize(
    ("rest", "errors", "splits"),
    [
        ("", 2, 1),
        ("minimize misclassified + 0.9 * splits;", 2, 1),
        ("minimize misclassified + 1.1 * splits;", 3, 0),
        ("minimize misclassified + 1.1 * distinct_features;", 3, 0),
        ("maximize misclassified;", 6, 1),
        ("subject to size {l in leaves}: points_in[l] >= 3;", 2, 1),
        ('subject to one: tested_anywhere["h"] = 0;', 3, 0),
        ('minimize misclassified; subject to two: tested[root,"h"] = 1;', 2, 1),
    ],
)
def test_with_objectives_and_constraints_of_ones_own(rest: str, errors: int, splits: int) -> None:
    text = (
        'data "t.csv" { label c; encode keep h; } topology complete(depth = 1);'
        f"split univariate by categorical_odt; {rest}"
    )
    result = proven(treemip.loads(text, data=MIDDLE).compile())
    assert result.train_errors == errors
    assert result.values["tested"].sum() == splits


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"n": [0.0, 2.0], "c": ["x", "y"]},
            "the features of x must be 0 or 1 here: add `bin quantile(5);` or `bin thresholds;` "
            "for numbers, `encode keep NAME;` for categories (it fails for point 2, feature 'n')",
        ),
        (
            {"n": [0.0, 1.0, 1.0], "c": ["x", "y", "z"]},
            "the topology fixes labels of two classes only: leave out `fixed_labels`",
        ),
    ],
)
def test_what_it_needs_is_said_with_a_remedy(columns: dict, message: str) -> None:
    text = (
        'data "t" { label c; } topology complete(depth = 1);'
        "split univariate by categorical_odt(fixed_labels = 1);"
    )
    with pytest.raises(TreemipError) as caught:
        treemip.loads(text, data=columns).compile()
    assert caught.value.diagnostics[0].message == message
