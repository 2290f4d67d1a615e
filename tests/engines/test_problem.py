"""Nested binary columns are one feature to the engine, and its trees are those of the columns."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.engines.bins import chains
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.univariate import best_tree, separable
from treemip.answers.search.agreement import by_meaning
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.sums import Sums
from treemip.core.instance.instance import Instance

HALF = np.array([0.5])


def table(*columns: str) -> np.ndarray:
    return np.array([[float(mark) for mark in column] for column in columns]).T


def joined(x: np.ndarray, price: list[float] | None = None) -> list[list[int]]:
    width = x.shape[1]
    own = np.zeros((1, width)) if price is None else np.array([price])
    return [c.tolist() for c in chains(x.T, [HALF] * width, own)]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("0111", "0011", "0001"), [[0, 1, 2]]),
        (("0001", "0011", "0111"), [[2, 1, 0]]),
        (("0111", "0011", "1010"), [[0, 1], [2]]),
        (("0111", "0001", "0011"), [[0, 1], [2]]),
        (("0011", "0011", "0001"), [[0, 1, 2]]),
        (("0101", "0011"), [[0], [1]]),
    ],
)
def test_neighbours_that_imply_each_other_the_same_way(
    columns: tuple[str, ...], expected: list[list[int]]
) -> None:
    assert joined(table(*columns)) == expected


def test_columns_of_different_prices_stay_apart() -> None:
    assert joined(table("0111", "0011", "0001"), [1.0, 2.0, 2.0]) == [[0], [1, 2]]


def test_a_column_of_several_thresholds_is_a_feature_of_its_own() -> None:
    x = np.column_stack([table("0111", "0011"), [0.0, 1.0, 2.0, 3.0]])
    cuts = [HALF, HALF, np.array([0.5, 1.5, 2.5])]
    assert [c.tolist() for c in chains(x.T, cuts, np.zeros((1, 3)))] == [[0, 1], [2]]


def binned(seed: int, depth: int, split: str, objective: str) -> tuple[Instance, Sums, np.ndarray]:
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 5, (40, 3))
    y = (x[:, 0] + x[:, 1] * x[:, 2] + draw.integers(0, 6, 40)) % 7 > 3
    columns = {f"a{j}": column.tolist() for j, column in enumerate(x.T)}
    text = (
        'data "t.csv" { label c; bin thresholds; } '
        f"topology complete(depth = {depth}); split univariate by {split}; minimize {objective};"
    )
    data = columns | {"c": np.where(y, "p", "n").tolist()}
    instance = treemip.loads(text, data=data).instance
    points, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    return instance, sums_of(instance, of_point.ravel()), points


@pytest.mark.parametrize(
    ("seed", "of", "depth"),
    one_in(
        3,
        range(3),
        [
            ("flow_oct", "misclassified"),
            ("flow_oct", "misclassified + 0.7 * splits"),
            ("binoct", "misclassified"),
            ("oct", "misclassified + 0.7 * splits"),
        ],
        [2, 3],
    ),
)
def test_the_optimum_is_that_of_the_columns(seed: int, of: tuple[str, str], depth: int) -> None:
    split, objective = of
    instance, sums, x = binned(seed, depth, split, objective)
    apart = problem_of(instance, sums, joined=False)
    together = problem_of(instance, sums)
    assert len(together.bins.start) == 3 < len(apart.bins.start)
    task = separable(apart, np.inf)
    value = task.solve(0, depth, np.arange(len(x)), np.inf).exact
    result = best_tree(instance, summed(instance), 60.0)
    assert result.proven
    assert result.value == pytest.approx(value + task.constant + float(apart.constant[0]))
    assert result.tree is not None
    assert by_meaning(instance, result.tree)[0] == pytest.approx(result.value)


def test_features_that_have_a_price_of_their_own_stay_apart() -> None:
    instance, sums, x = binned(0, 2, "flow_oct", "misclassified + distinct_features")
    problem = problem_of(instance, sums)
    assert len(problem.bins.start) == x.shape[1]
