"""Iterative training: each round's selection, and when errors never rise."""

from __future__ import annotations

import json

import numpy as np
import pytest
from suite import one_in

import treemip

SPEC = """data "memory.csv" {{ label class; }}
topology complete(depth = 1);
split univariate by binoct;
minimize {objective};
strategy {{ select iterative rounds {rounds}; time_limit 60; }}
"""
TOGETHER = SPEC.replace("rounds {rounds};", "rounds {rounds} together;")


def points(seed: int, count: int = 60):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 12, (count, 2)) * 1.0
    y = (x.sum(axis=1) + 3 * rng.normal(size=count) > 11).astype(int)
    return {"a": x[:, 0], "b": x[:, 1], "class": y.astype(str)}


def corners(seed: int, count: int = 60):
    """Two classes in opposite corners, where CART's tree of depth 2 is poor."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 12, (count, 2)) * 1.0
    y = (x[:, 0] > 5) ^ (x[:, 1] > 6) ^ (rng.random(count) < 0.1)
    return {"a": x[:, 0], "b": x[:, 1], "class": y.astype(int).astype(str)}


DEEPER = SPEC.replace("depth = 1", "depth = 2")


def solved(seed: int, objective: str = "misclassified", rounds: int = 4, spec: str = SPEC):
    text = spec.format(objective=objective, rounds=rounds)
    return treemip.loads(text, data=points(seed)).compile().solve()


def deep(seed: int, formulation: str, count: int):
    """Rounds at depth 2 on two noisy corners, with leaves that points share."""
    text = TOGETHER.format(objective="misclassified", rounds=4).replace("depth = 1", "depth = 2")
    text = text.replace("by binoct", f"by {formulation}").replace("class;", "class; scale minmax;")
    return treemip.loads(text, data=corners(seed, count)).compile().solve()


@pytest.mark.parametrize(
    ("seed", "formulation", "count"), one_in(3, range(4), ["binoct", "oct"], [24])
)
def test_errors_never_rise_where_hulls_share_a_leaf(seed, formulation, count):
    result = deep(seed, formulation, count)
    assert result.verified and result.optimality.proven
    errors = [one.errors for one in result.rounds]
    assert errors == sorted(errors, reverse=True)
    assert all(one.promised for one in result.rounds[1:])
    assert [w for w in result.warnings if w.code == "W606"] == []


def test_rows_that_share_a_leaf_are_saved():
    result = deep(1, "binoct", 30)
    saved = result.to_json()["selection"]
    groups = saved["leaves_shared"]
    assert saved["how"].endswith(" together")
    assert groups and all(len(group) > 1 for group in groups)
    assert {row for group in groups for row in group} <= set(saved["heavy_rows"])
    rows = result.selected.whole.row_numbers
    leaf = result.tree.leaf_numbers(result.selected.whole.inputs)
    assert all(len({*leaf[np.isin(rows, group)].tolist()}) == 1 for group in groups)


@pytest.mark.parametrize("seed", one_in(3, range(5)))
def test_proven_rounds_that_count_errors_never_make_more(seed):
    result = solved(seed, spec=TOGETHER)
    assert result.verified
    assert result.optimality.proven
    start, *rounds = result.rounds
    assert [one.number for one in result.rounds] == list(range(len(result.rounds)))
    assert all(one.promised for one in rounds) and not start.promised
    assert all(one.errors <= one.before for one in rounds)
    assert [w for w in result.warnings if w.code == "W606"] == []
    assert [one.before for one in rounds] == [one.errors for one in result.rounds[:-1]]
    assert [one.returned for one in result.rounds] == [False] * len(rounds) + [True]
    assert [one.objective for one in result.rounds] == [one.errors for one in result.rounds]
    assert result.whole_score.errors == result.rounds[-1].errors


def test_rounds_are_saved_with_the_selection_of_the_last():
    result = solved(1)
    saved = result.to_json()["selection"]
    assert [one["errors_of_all"] for one in saved["rounds"]][-1] == saved["score_of_all"]["errors"]
    assert saved["heavy_rows"]
    assert saved["added_weight"] == saved["errors_of_that_tree"]


def test_another_objective_is_promised_nothing():
    """All of the weight on one side: the tree gives every point one class."""
    one_class = 'sum {l in leaves} label[l,"1"] + 0.001 * misclassified'
    result = solved(2, one_class, rounds=1, spec=TOGETHER)
    (warning,) = (w for w in result.warnings if w.code == "W606")
    assert warning.message.endswith(
        "it does not follow that errors never rise, since the objective is more than the weight of"
        " errors, or the tree before is no solution"
    )
    assert result.rounds[-1].errors > result.rounds[-1].before


def cheap_start(seed: int) -> treemip.Result:
    """Rounds of which none may solve: what comes back is what it was begun with, or better."""
    text = SPEC.format(objective="misclassified", rounds=2).replace("time_limit 60", "time_limit 0")
    return treemip.loads(text, data=points(seed)).compile().solve("highs", start="none")


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_the_tree_that_comes_back_is_the_best_of_cart_and_all_rounds(seed):
    result = cheap_start(seed)
    assert result.verified
    assert result.rounds[0].number == 0
    assert result.whole_score.errors == min(one.errors for one in result.rounds)
    (returned,) = (one for one in result.rounds if one.returned)
    assert result.whole_score.errors == returned.errors <= result.rounds[0].errors
    assert result.optimality is None or not result.optimality.proven


def test_the_objective_decides_which_tree_comes_back():
    """The round's tree gives one class to all selected points, which the objective asks for: by the
    objective on all points it is better than CART's, though it makes more errors."""
    one_class = 'sum {l in leaves} label[l,"1"] + 0.001 * misclassified'
    result = solved(2, one_class, rounds=1)
    objectives = [one.objective for one in result.rounds]
    assert [one.returned for one in result.rounds] == [False, True]
    assert objectives[1] < objectives[0]


def test_a_selection_that_is_worse_than_cart_on_all_points_says_so():
    text = SPEC.format(objective="misclassified", rounds=1)
    text = text.replace("select iterative rounds 1", "select hyperplane beta2 0.05")
    result = treemip.loads(text, data=points(3)).compile().solve()
    warnings = [w for w in result.warnings if w.code == "W605"]
    errors, cart = result.whole_score.errors, result.selected.errors
    assert errors > cart
    assert warnings[-1].message == (
        f"on all 60 points the objective of the tree is {errors}, and that of CART's tree {cart}"
    )
    assert warnings[-1].remedy == (
        "leave out select, or select more points: select hull;  keeps all extreme ones; select "
        "iterative;  returns CART's tree where no round is better"
    )


def test_an_optimum_that_is_not_proven_promises_nothing():
    text = TOGETHER.format(objective="misclassified", rounds=1)
    result = (
        treemip.loads(text, data=points(3)).compile().solve("highs", start="cart", time_limit=0.0)
    )
    if result.tree is not None and not result.rounds[-1].promised and len(result.rounds) > 1:
        (warning,) = (w for w in result.warnings if w.code == "W606")
        assert warning.message.endswith("since its optimum is not proven")


def test_however_long_the_rest_takes_half_of_the_limit_is_for_the_rounds(tmp_path):
    text = DEEPER.format(objective="misclassified", rounds=3)
    compiled = treemip.loads(text, data=corners(1)).compile()
    result = compiled.solve(time_limit=30, spent=100.0, log_json=tmp_path / "log")
    assert len(result.rounds) > 2
    assert result.rounds[-1].errors < result.rounds[0].errors
    assert result.optimality.proven
    lines = (tmp_path / "log").read_text().splitlines()
    seconds = [json.loads(line)["seconds"] for line in lines]
    assert seconds == sorted(seconds)


def test_what_a_round_begins_with_is_not_mentioned():
    text = DEEPER.format(objective="misclassified + 0.5 * splits", rounds=3)
    result = treemip.loads(text, data=corners(1)).compile().solve()
    assert result.rounds[-1].returned and result.rounds[-1].number > 1
    assert [w.message for w in result.warnings if w.code == "W601"] == []


def test_one_warning_for_the_rounds_of_one_cause():
    errors = "sum {i in points} (1 - correct[i])"
    text = DEEPER.replace("rounds {rounds};", "rounds {rounds} together;")
    text = text.format(objective=f"2 * {errors} + 0.5 * splits", rounds=3)
    result = treemip.loads(text, data=corners(1)).compile().solve()
    rounds = "; ".join(
        f"round {one.number}: {one.errors} errors on all points, {one.before} before"
        for one in result.rounds[1:]
        if not one.promised
    )
    assert rounds.count("before") > 1
    (warning,) = [w for w in result.warnings if w.code == "W606"]
    assert warning.message == (
        f"{rounds}; it does not follow that errors never rise, since nothing here depends on the "
        "weights of points"
    )
