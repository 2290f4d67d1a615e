"""`drop … when`: rows of a formulation that give way to what a spec asks for."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, resolved

OCT = HEAD + "split univariate by oct;\n"

ASKS = {
    "a row over a concept of labels": "subject to r {i in points}: correct[i] <= 1;",
    "a row over a concept of the vocabulary's": "subject to r {k in classes}: recall[k] >= 0.1;",
    "an objective that counts errors": "minimize misclassified;",
    "a guard": "subject to r {l in leaves, k in classes}: label[l,k] = 1 ==> bias[root] <= 1;",
    "a let of its own": """let mine {l in leaves} = sum {k in classes} label[l,k];
      subject to r {l in leaves}: mine[l] <= 1;""",
}

KEEPS = {
    "nothing": "",
    "the formulation's own objective": "minimize cost + splits;",
    "rows about splits and sizes": """subject to
      a: splits <= 2;
      b {l in leaves}: points_in[l] <= 5;""",
    "a let that nothing uses": "let mine {l in leaves, k in classes} = label[l,k];",
}


def families(text: str) -> list[str]:
    return [c.name for c in resolved(OCT + text).constraints]


@pytest.mark.parametrize("text", ASKS.values(), ids=list(ASKS))
def test_it_is_dropped_where_the_spec_speaks_of_labels(text: str) -> None:
    assert "loss_high" not in families(text)
    assert [c.name for c in resolved(OCT + text).left_out] == ["loss_high"]
    assert "loss_low" in families(text)


@pytest.mark.parametrize("text", KEEPS.values(), ids=list(KEEPS))
def test_it_stays_where_it_does_not(text: str) -> None:
    assert "loss_high" in families(text)


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("", False),
        ("minimize cost + splits;", False),
        ("minimize misclassified + total_slack;", False),
        ("minimize misclassified;", True),
        ("minimize misclassified; subject to r: total_slack <= 1;", False),
    ],
)
def test_slack_that_nothing_prices_is_none(text: str, there: bool) -> None:
    spec = resolved(HEAD + "split oblique by svm1_odt;\n" + text)
    assert ("hard" in [c.name for c in spec.constraints]) is there
