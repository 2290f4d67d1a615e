"""A spec's own names beside those that a formulation has for itself."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, resolved

OCT = HEAD + "split univariate by oct;\n"


def names(text: str) -> dict[str, str]:
    spec = resolved(text)
    return {s.name: s.module for s in (*spec.variables, *spec.lets)}


@pytest.mark.parametrize(
    "declared",
    [
        "var loss {l in leaves} binary;",
        "let loss = 3 * splits;",
        "param loss = 3;",
        "set loss = branches;",
        "tree loss {f in features} = bisect(thresholds(f));",
        "term loss(k = 1) = k * splits;",
    ],
)
def test_a_private_name_is_the_specs(declared):
    spec = resolved(OCT + declared)
    assert "oct_loss" in [s.name for s in spec.variables]
    (low,) = (c for c in spec.constraints if c.name == "loss_low")
    assert low.relation.left.symbol.name == "oct_loss"


def test_names_of_what_the_formulation_uses_are_private_too():
    known = names(OCT + "let total = 2 * splits; minimize misclassified + total;")
    assert (known["total"], known["oct_total"]) == ("spec", "oct")


def test_the_objective_of_a_formulation_leaves_its_name():
    spec = resolved(OCT + "minimize cost: splits;")
    assert spec.objective.name == "cost"
    margin = HEAD + "split margin by margot;\n"
    assert resolved(margin + "minimize svm: splits;").objective.name == "svm"


def test_a_group_may_have_a_private_name():
    text = HEAD.replace("label class;", "label class; group size;") + "split oblique by octh;\n"
    row = 'subject to least: sum {i in points : size[i] = "1"} reach[i,root] >= 1;'
    spec = resolved(text + row)
    assert "octh_size" in [s.name for s in spec.variables]


def test_a_known_number_may_have_a_private_name():
    text = HEAD.replace("label class;", "label class; number cost, loss;")
    text += (
        "split univariate by oct;\nminimize misclassified + sum {i in points} cost[i] * correct[i];"
    )
    assert "oct_loss" in [s.name for s in resolved(text).variables]


def test_a_new_name_is_a_free_one():
    known = names(OCT + "let loss = 1; let oct_loss = 2;")
    assert known["oct_loss_"] == "oct"


def test_a_strategy_and_a_drop_follow():
    bits = HEAD + "split univariate by binoct;\nlet bit = 1;"
    priorities = resolved(bits).strategy.priority
    assert priorities[:2] == ("coef", "binoct_bit")
    hits = HEAD + "split oblique by soct;\nlet hit = 1;"
    spec = resolved(hits)
    assert ("soct_hit", "falls") in spec.watched
