"""Columns with a role: weights that nothing depends on, groups that are not named as such."""

from __future__ import annotations

import pytest
from spec_texts import faults, resolved

HEAD = 'data "a.csv" { label class; weight w; scale minmax; }\ntopology complete(depth = 1);\n'


@pytest.mark.parametrize("formulation", ["soct", "octh", "svm1_odt"])
def test_a_paper_s_objective_counts_points(formulation: str) -> None:
    spec = resolved(f"{HEAD}split oblique by {formulation};")
    (warning,) = spec.warnings
    assert warning.code == "W302"
    assert warning.message == "nothing here depends on the weights of 'w': each point counts once"
    assert warning.span is not None and warning.span.text == "w"


def test_a_column_that_is_no_group_yet() -> None:
    text = "split oblique by soct; subject to r {i in points : sex[i] = 1}: correct[i] = 1;"
    (fault,) = faults(HEAD + text)
    assert fault.message == "unknown name 'sex'"
    assert fault.remedy.endswith(
        "when the data block keeps it for constraints: group sex;  or, for numbers,  number sex;"
    )


@pytest.mark.parametrize(
    "text",
    [
        "minimize misclassified;",
        "minimize splits; subject to r: sum {i in points} weight[i] * correct[i] >= 1;",
        "param heaviest = max {i in points} weight[i];",
    ],
)
def test_words_that_use_them(text: str) -> None:
    assert resolved(f"{HEAD}split oblique by soct;\n{text}").warnings == ()
