"""The exact engine where leaves have values: squared errors, against all trees."""

from __future__ import annotations

import numpy as np
import pytest
from valued_trees import OBJECTIVES, leaf_worth, least, table

import treemip
from treemip.engines.univariate import best_tree, fits
from treemip.search.sum_builder import sums_of

SQUARED = OBJECTIVES["squared"]
HEAD = """
data "t" { label price number; scale minmax; }
topology complete(depth = 2);
split univariate by ort;
"""


def instance_of(data: dict[str, object], objective: str = SQUARED):
    return treemip.loads(HEAD + objective, data).compile().instance


def summed(instance):
    x, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    return sums_of(instance, of_point.ravel()), x


def check(seed: int) -> None:
    data = table("squared", seed)
    instance = instance_of(data)
    sums, x = summed(instance)
    assert fits(instance, sums) is None
    result = best_tree(instance, sums, x, 10)
    optimum = least(data, leaf_worth("squared", data))
    assert result.proven and result.value == pytest.approx(optimum, abs=1e-6)
    assert result.bound == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_squared_errors_are_those_of_the_best_tree(seed: int) -> None:
    check(seed)


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(8, 60))
def test_squared_errors_are_those_of_the_best_tree_truth(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {SQUARED: OBJECTIVES["absolute"]},
            "the best values of leaves do not follow from sums over their points",
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
    assert fits(instance, summed(instance)[0]) == why


def test_side_constraints_that_couple_values_are_refused() -> None:
    more = "subject to few: sum {l in leaves} leaf_value[l] <= 4;"
    instance = instance_of(table("squared", 0), SQUARED + more)
    sums, _ = summed(instance)
    assert fits(instance, sums) is not None


def test_a_solve_is_proven_by_the_engine() -> None:
    data = table("squared", 3)
    result = treemip.loads(HEAD + SQUARED, data).compile().solve(time_limit=30)
    assert (result.status, result.verdict, result.answer.solver) == (
        "optimal",
        "verified",
        "engine",
    )
    optimum = least(data, leaf_worth("squared", data))
    assert result.objective == pytest.approx(optimum, abs=1e-6)
