"""Univariate formulations against the enumeration of all trees."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import compiled, errors_of, random_table, table
from reference.leaf_sums import errors, least_cost, least_errors, thresholds
from suite import one_in


def case(seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """A random table with at least one feature that varies, and a depth."""
    rng = np.random.default_rng(seed)
    while True:
        points, features, classes = rng.integers([3, 1, 2], [9, 3, 4])
        x, y = random_table(rng, points, features, classes)
        if (x.min(axis=0) < x.max(axis=0)).any() and len(np.unique(y)) > 1:
            return x, y, int(rng.integers(1, 3))


def check(formulation: str, seed: int) -> None:
    x, y, depth = case(seed)
    made = compiled(formulation, table(x, y), depth)
    result = made.solve("scip", start="none", threads=1)
    expected = least_errors(thresholds(x), y, depth)
    assert result.status == "optimal"
    assert result.objective is not None
    assert errors_of(made, result.objective) == pytest.approx(expected, abs=1e-6)
    assert result.verified, (seed, result.report)
    assert result.train_errors == expected


@pytest.mark.parametrize("formulation", ["binoct", "oct", "flow_oct"])
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_that_of_full_enumeration(formulation: str, seed: int) -> None:
    check(formulation, seed)


@pytest.mark.truth
@pytest.mark.parametrize("formulation", ["binoct", "oct", "flow_oct"])
def test_the_optimum_is_that_of_full_enumeration_on_208_tables(formulation: str) -> None:
    for seed in range(4, 212):
        check(formulation, seed)


@pytest.mark.parametrize("formulation", ["binoct", "oct"])
def test_a_feature_without_two_values_is_no_hindrance(formulation: str) -> None:
    x = np.array([[2.0, 0.0], [2.0, 1.0], [2.0, 2.0], [2.0, 3.0]])
    y = np.array([0, 1, 1, 0])
    result = compiled(formulation, table(x, y), 2).solve("scip", start="none")
    assert result.status == "optimal"
    assert result.train_errors == 0
    assert result.tree is not None
    assert not result.tree.weights[:, 0].any()
    assert result.verified


@pytest.mark.parametrize("seed", one_in(2, range(12)))
def test_oct_weighs_errors_splits_and_the_size_of_leaves_as_its_objective_says(seed: int) -> None:
    """(24): errors over those of the best tree without a split, plus alpha for each split."""
    x, y, depth = case(seed)
    rng = np.random.default_rng(seed)
    alpha, size = float(rng.choice([0.05, 0.15, 0.3, 0.6])), int(rng.integers(1, 4))
    parameters = {"alpha": alpha, "min_leaf": size}
    result = compiled("oct", table(x, y), depth, parameters=parameters).solve(
        "scip", start="none", threads=1
    )
    majority = int(np.bincount(y).max())
    expected = least_cost(x, depth, alpha, size, errors(y, 1 / majority))
    assert result.status == "optimal"
    assert result.objective == pytest.approx(expected, abs=1e-6)
    assert result.verified, (seed, result.report)
