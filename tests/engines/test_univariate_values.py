"""The exact engine where leaves have values, against all trees: losses that are squares, and those
that are linear between values of the label."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in
from valued_trees import OBJECTIVES, leaf_worth, least, table

import treemip
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.separable import Separable
from treemip.answers.engines.univariate import best_tree, fits
from treemip.answers.search import sum_builder

SQUARED = OBJECTIVES["squared"]
HEAD = """
data "t" { label price number; scale minmax; }
topology complete(depth = 2);
split univariate by ort;
"""


def instance_of(data: dict[str, object], objective: str = SQUARED, head: str = HEAD):
    return treemip.loads(head + objective, data).compile().instance


def check(kind: str, seed: int, depth: int = 2, min_leaf: int = 1) -> None:
    data = table(kind, seed)
    head = HEAD.replace("depth = 2", f"depth = {depth}")
    head = head.replace("by ort", f"by ort(min_leaf = {min_leaf})")
    instance = instance_of(data, OBJECTIVES[kind], head)
    spec = summed(instance)
    assert fits(instance, spec) is None
    result = best_tree(instance, spec, 30)
    worth = leaf_worth(kind, data)
    optimum = least(data, lambda rows: np.inf if 0 < rows.sum() < min_leaf else worth(rows), depth)
    assert result.proven and result.value == pytest.approx(optimum, abs=1e-6)
    assert result.bound == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize(("seed", "kind"), one_in(4, range(8), OBJECTIVES))
def test_losses_are_those_of_the_best_tree(seed: int, kind: str) -> None:
    check(kind, seed, 1 + (seed + 1) % 3, 1 + seed % 2)


@pytest.mark.truth
@pytest.mark.parametrize("kind", OBJECTIVES)
@pytest.mark.parametrize("seed", range(8, 60))
def test_losses_are_those_of_the_best_tree_truth(seed: int, kind: str) -> None:
    check(kind, seed)
    check(kind, seed, 1 + seed % 3, 1 + seed % 2)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"(predicted[i] - y[i])^2": "max(abs(predicted[i] - y[i]), 0.5)"},
            "the best value of a leaf need not be one of the label's, and does not follow from "
            "sums over its points",
        ),
        (
            {"(predicted[i] - y[i])^2": "(predicted[i] - 2 * y[i])^2"},
            "some points have their best value beyond those of the label",
        ),
        ({"weight[i] *": "-weight[i] *"}, "some points have no best value"),
    ],
)
def test_losses_that_it_does_not_take(change: dict[str, str], why: str) -> None:
    objective = SQUARED
    for old, new in change.items():
        objective = objective.replace(old, new)
    instance = instance_of(table("squared", 0), objective)
    assert fits(instance, summed(instance)) == why


def test_absolute_errors_of_too_many_values_are_left_to_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = instance_of(table("absolute", 0), OBJECTIVES["absolute"])
    assert summed(instance).sums.answers.complete
    cells = len(instance.table.y) * 4 * (2 * len(np.unique(instance.table.y)) - 1)
    monkeypatch.setattr(sum_builder, "MOST_PROVABLE", cells - 1)
    spec = summed(instance)
    assert not spec.sums.answers.complete
    assert "values of the label, too many to try" in (fits(instance, spec) or "")


@pytest.mark.parametrize("step", [16, 20, 40])
def test_values_of_the_label_that_are_tried_in_turn(
    step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sums are the same, however many values there are at a time."""
    rng = np.random.default_rng(step)
    data = {"a": rng.integers(4, size=30), "b": rng.integers(4, size=30), "price": rng.random(30)}
    rows = "\nsubject to\n  few {l in leaves}: points_in[l] <= 20;"
    instance = instance_of(data, OBJECTIVES["absolute"] + rows)
    whole = summed(instance).sums
    monkeypatch.setattr(sum_builder, "AT_ONCE", step * 30 * 4)
    parts = summed(instance).sums
    assert parts.answers.complete and parts.answers.count == 30 and parts.rows == whole.rows
    assert (parts.answers.values == whole.answers.values).all()
    for name in ("shared", "local", "label", "scale", "constant", "low", "high"):
        assert (getattr(parts, name) == getattr(whole, name)).all()


@pytest.mark.parametrize(("kind", "seed", "depth"), one_in(17, OBJECTIVES, range(12), (1, 2, 3)))
def test_a_bound_of_a_run_that_is_cut_short(
    kind: str, seed: int, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the time runs out, no tree is better than the bound, nor worse than said."""
    data = table(kind, seed)
    instance = instance_of(data, OBJECTIVES[kind], HEAD.replace("depth = 2", f"depth = {depth}"))
    spec = summed(instance)
    optimum = least(data, leaf_worth(kind, data), depth)
    for looks in (0, 1, 2, 4, 8, 16):
        left = iter(range(looks))
        monkeypatch.setattr(Separable, "late", property(lambda _, left=left: next(left, -1) < 0))
        result = best_tree(instance, spec, 30)
        assert result.bound <= optimum + 1e-7
        assert result.tree is None or result.value >= optimum - 1e-7
        assert result.value == pytest.approx(optimum) or not result.proven


@pytest.mark.parametrize("kind", OBJECTIVES)
@pytest.mark.parametrize(
    "more",
    [
        "subject to few: sum {l in leaves} leaf_value[l] <= 4;",
        "subject to near {i in points}: predicted[i] <= y[i] + 3;",
        "subject to size: max {l in leaves} points_in[l] <= 3;",
    ],
)
def test_side_constraints_that_couple_values_are_refused(kind: str, more: str) -> None:
    instance = instance_of(table("squared", 0), OBJECTIVES[kind] + more)
    spec = summed(instance)
    assert fits(instance, spec) is not None


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_a_solve_is_proven_by_the_engine(kind: str) -> None:
    data = table(kind, 3)
    result = treemip.loads(HEAD + OBJECTIVES[kind], data).compile().solve(time_limit=30)
    assert (result.status, result.verdict) == ("optimal", "verified")
    assert result.answer.solver == "engine"
    assert result.objective == pytest.approx(least(data, leaf_worth(kind, data)), abs=1e-6)
