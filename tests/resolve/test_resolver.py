"""Names that indices may have, and where conditions are tested."""

from __future__ import annotations

import pytest
from spec_texts import resolved, said


@pytest.mark.parametrize("name", ["i", "j", "k", "l", "t"])
def test_a_spec_may_declare_what_is_an_index_in_the_library(name) -> None:
    spec = resolved(f"param {name} = 3;\nminimize misclassified + {name} * splits;")
    assert [p.module for p in spec.parameters if p.name == name] == ["spec"]
    assert len(spec.constraints) == len(resolved("").constraints)
    assert said(f"param {name} = 3;\nsubject to a {{{name} in branches}}: splits <= 1;") == [
        ("E202", name)
    ]


def test_conditions_stand_at_the_first_name_that_settles_them() -> None:
    text = (
        "subject to a {t in branches, i in points : t != root and weight[i] > 0 and eps > 0 "
        'and (y[i] = "a" or t = root)}: reach[i,t] <= 1;'
    )
    (a,) = (c for c in resolved(text).constraints if c.name == "a")
    first, second = a.domain.binders
    assert [c.span.text for c in a.domain.guard] == ["eps > 0"]
    assert [c.span.text for c in first.conditions] == ["t != root"]
    assert [c.span.text for c in second.conditions] == [
        "weight[i] > 0",
        'y[i] = "a" or t = root',
    ]
