"""Budgets and prices of features at depth 3 against a plain enumeration over sets of features.

The enumeration shares nothing with treemip: for each set of features the best tree whose splits use
them, by trying every cut at every branch.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from test_constrained_trees import Table, engine, table_of

DEPTH = 3
SPLIT, FEATURE = 3.0, 2.0


def best_on(
    table: Table, rows: np.ndarray, features: tuple[int, ...], depth: int, split: float, least: int
) -> float:
    """Errors and prices of splits of the best tree for the points `rows`."""
    if 0 < len(rows) < least:
        return np.inf
    positives = int(table.positive[rows].sum())
    best = float(min(positives, len(rows) - positives))
    if depth == 0 or best <= split:
        return best
    for j in features:
        column = table.x[rows, j]
        for value in np.unique(column)[:-1]:
            left = column <= value
            low = best_on(table, rows[left], features, depth - 1, split, least)
            if split + low < best:
                high = best_on(table, rows[~left], features, depth - 1, split, least)
                best = min(best, split + low + high)
    return best


def sets(table: Table, sizes: range) -> list[tuple[int, ...]]:
    return [one for k in sizes for one in combinations(range(table.x.shape[1]), k)]


@pytest.mark.truth
@pytest.mark.parametrize("least", [1, 10])
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("name", ["monks-1", "monks-2", "monks-3"])
def test_budgets_of_features_at_depth_3(name: str, most: int, least: int) -> None:
    table = table_of(name)
    every = np.arange(len(table.x))
    expected = min(
        best_on(table, every, one, DEPTH, 0.0, least) for one in sets(table, range(most, most + 1))
    )
    size = "size {l in leaves}: points_in[l] >= 10 * occupied[l];" if least > 1 else ""
    rest = f"minimize misclassified; subject to few: distinct_features <= {most}; {size}"
    assert engine(name, rest, DEPTH) == expected


@pytest.mark.truth
@pytest.mark.parametrize("name", ["monks-1", "monks-2", "monks-3"])
def test_prices_of_splits_and_features_at_depth_3(name: str) -> None:
    table = table_of(name)
    every = np.arange(len(table.x))
    expected = min(
        best_on(table, every, one, DEPTH, SPLIT, 1) + FEATURE * len(one)
        for one in sets(table, range(table.x.shape[1] + 1))
    )
    rest = f"minimize misclassified + {SPLIT:g} * splits + {FEATURE:g} * distinct_features;"
    assert engine(name, rest, DEPTH) == expected
