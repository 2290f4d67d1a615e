"""Rows that come in where a spec presses a variable away from what it means."""

from __future__ import annotations

import pytest

import treemip
from treemip.core.source.diagnostic import TreemipError

TABLE = {
    "a": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
    "b": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    "class": ["n", "n", "y", "y", "n", "y"],
}
HEAD = 'data "t" { label class positive "y"; }\ntopology complete(depth = 1);\n'

USED = {"uses_least", "uses_split", "active_least"}
"""A feature that must be used is that of a branch which applies a split."""

SOCT = {
    "nothing is asked": ("", set()),
    "a limit from above": (
        "subject to r {t in branches}: sum {j in features} uses[t,j] <= 1;",
        set(),
    ),
    "none at all": ("subject to r {t in branches, j in features}: uses[t,j] = 0;", set()),
    "a price": ("minimize misclassified + 0.1 * features_used;", set()),
    "no price": ("minimize misclassified - 0 * features_used;", set()),
    "a row that bounds see to": (
        "subject to r {t in branches, j in features}: uses[t,j] >= 0;",
        set(),
    ),
    "errors are dear": ("minimize misclassified;", set()),
    "a feature must be used": (
        "subject to r {t in branches}: sum {j in features} uses[t,j] >= 1;",
        USED,
    ),
    "one wants the other": (
        "subject to r {t in branches, j in features, k in features}: uses[t,j] = uses[t,k];",
        USED,
    ),
    "a reward": ("minimize misclassified - 0.1 * features_used;", USED),
    "maximized": ("maximize features_used;", USED),
    "through another concept": ("subject to r: distinct_features >= 2;", {*USED, "uses_some"}),
    "through a function": ("minimize misclassified + abs(features_used - 2);", USED),
    "a function that only prices": ("minimize misclassified + max(0, features_used - 2);", set()),
    "through a function of products": (
        "minimize misclassified + abs(features_used * splits - 2);",
        {*USED, "active_least"},
    ),
    "a row of products": ("subject to r: features_used * splits >= 1;", {*USED, "active_least"}),
    "a guard to be left": (
        "subject to r {t in branches, j in features}: uses[t,j] = 0 ==> bias[t] <= 0;",
        USED,
    ),
    "a guard to be kept away from": (
        "subject to r {t in branches, j in features}: uses[t,j] = 1 ==> bias[t] <= 0;",
        set(),
    ),
    "errors wanted": ("subject to r: correct[point(1)] = 0;", {"hit_least", "hit_none"}),
    "splits wanted": ("subject to r: splits >= 1;", {"active_least"}),
}


def called_back(text: str, formulation: str = "oblique by soct", **parameters: object) -> set[str]:
    program = treemip.loads(f"{HEAD}split {formulation};\n{text}", data=TABLE, **parameters)
    return set(program.compile(target="portable").program.spec.called_back)


@pytest.mark.parametrize(("text", "rows"), SOCT.values(), ids=list(SOCT))
def test_rows_come_in_where_something_asks_for_them(text: str, rows: set[str]) -> None:
    assert called_back(text) == rows


def test_what_counts_are_the_numbers() -> None:
    text = "param price = 0.1; minimize misclassified + price * features_used;"
    assert called_back(text) == set()
    assert called_back(text, price=-0.1) == USED


def test_a_formulation_s_own_rows_and_objective_ask_for_nothing() -> None:
    """OCT-H says that a split uses a feature, and that is no wish of the spec's."""
    assert called_back("", "oblique by octh") == set()
    assert called_back("subject to r: splits >= 1;", "oblique by octh") == {"active_least"}


def test_explain_shows_the_rows_and_the_weight_can_be_said() -> None:
    text = """param least_weight = 0.25;
      subject to r {j in features_of("b")}: uses_anywhere[j] = 1;"""
    compiled = treemip.loads(f"{HEAD}split oblique by soct;\n{text}", data=TABLE).compile()
    assert "abs(coef[t,j]) >= least_weight * uses[t,j]" in compiled.explain()
    result = compiled.solve()
    assert result.verified
    assert 0.25 - 1e-6 <= abs(result.values["coef"].reshape(-1, 2)[0, 1]) <= 1


def test_a_spec_may_leave_the_rows_out() -> None:
    text = "subject to r: correct[point(1)] = 0;\ndrop hit_least, hit_none;"
    assert called_back(text) == set()


def test_weights_without_a_bound_are_asked_for_one() -> None:
    with pytest.raises(TreemipError) as caught:
        called_back("subject to r: features_used >= 1;", "oblique by svm1_odt")
    (found,) = caught.value.diagnostics
    assert found.code == "E501"
    assert "-10 <= coef[t,j] <= 10" in found.remedy
