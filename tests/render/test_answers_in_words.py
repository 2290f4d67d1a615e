"""What leaves answer, in the mathematics of a spec."""

from __future__ import annotations

import pytest
from answering_specs import ACTIONS, CONSTANT_L1, DRUGS, GAINS, KIND, PRICE, SHARES, TREATMENTS, X

import treemip
from treemip.writers.render.mathematics.document import document

GIVE = "argmax {k in values(drug)} give[l,k]"


@pytest.mark.parametrize(
    ("text", "data", "heading", "words"),
    [
        (CONSTANT_L1, (X, PRICE), "value", "values"),
        (SHARES, (X, KIND), "distribution of classes", "distributions over classes"),
        (TREATMENTS, DRUGS, "drug", "values of group 'drug'"),
        (ACTIONS, GAINS, "acts", "elements of 'acts'"),
        (
            TREATMENTS.replace(f"class {GIVE}", "distribution give[l,*]"),
            DRUGS,
            "distribution of drug",
            "distributions over values of group 'drug'",
        ),
        (
            SHARES.replace("distribution label[l,*]", "class argmax {k in classes} label[l,k]"),
            (X, KIND),
            "class",
            "classes",
        ),
    ],
)
def test_the_rule_of_leaves_has_the_name_of_its_answer(text, data, heading, words) -> None:
    pytest.importorskip("latex2mathml", reason="the package for mathematics is needed")
    spec = treemip.loads(text, data).spec
    assert spec.predict is not None and spec.predict.words == words
    assert spec.other_answers == ("" if words == "classes" else words)
    assert heading in [rule.name for rule in document(spec).rules]
