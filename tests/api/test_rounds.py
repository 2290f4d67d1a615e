"""Iterative training: each round's selection, and what Proposition 2 promises of it."""

from __future__ import annotations

import numpy as np
import pytest

import treemip

SPEC = """data "memory.csv" {{ label class; }}
topology complete(depth = 1);
split univariate by binoct;
minimize {objective};
strategy {{ select iterative rounds {rounds}; time_limit 60; }}
"""


def points(seed: int, count: int = 60):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 12, (count, 2)) * 1.0
    y = (x.sum(axis=1) + 3 * rng.normal(size=count) > 11).astype(int)
    return {"a": x[:, 0], "b": x[:, 1], "class": y.astype(str)}


def solved(seed: int, objective: str = "misclassified", rounds: int = 4):
    text = SPEC.format(objective=objective, rounds=rounds)
    return treemip.loads(text, data=points(seed)).compile().solve()


@pytest.mark.parametrize("seed", range(5))
def test_proven_rounds_that_count_errors_never_make_more(seed):
    result = solved(seed)
    assert result.verified
    assert result.optimality.proven
    assert [one.number for one in result.rounds] == list(range(1, len(result.rounds) + 1))
    assert all(one.promised for one in result.rounds)
    assert all(one.errors <= one.before for one in result.rounds)
    assert [w for w in result.warnings if w.code == "W606"] == []
    befores = [one.before for one in result.rounds[1:]]
    assert befores == [one.errors for one in result.rounds[:-1]]
    assert result.whole_score.errors == result.rounds[-1].errors


def test_rounds_are_saved_with_the_selection_of_the_last():
    result = solved(1)
    saved = result.to_json()["selection"]
    assert [one["errors_of_all"] for one in saved["rounds"]][-1] == saved["errors_of_all"]
    assert saved["heavy_rows"]
    assert saved["added_weight"] == saved["errors_of_that_tree"]


def test_another_objective_is_promised_nothing():
    """All of the weight on one side: the tree gives every point one class."""
    one_class = 'sum {l in leaves} label[l,"1"] + 0.001 * misclassified'
    result = solved(2, one_class, rounds=1)
    (warning,) = (w for w in result.warnings if w.code == "W606")
    assert warning.message.endswith(
        "Proposition 2 promises nothing, since the objective is more than the weight of errors, or"
        " the tree before is no solution"
    )
    assert result.rounds[0].errors > result.rounds[0].before


def test_an_optimum_that_is_not_proven_promises_nothing():
    text = SPEC.format(objective="misclassified", rounds=1)
    result = (
        treemip.loads(text, data=points(3)).compile().solve("highs", start="cart", time_limit=0.0)
    )
    if result.tree is not None and not result.rounds[0].promised:
        (warning,) = (w for w in result.warnings if w.code == "W606")
        assert warning.message.endswith("since its optimum is not proven")
