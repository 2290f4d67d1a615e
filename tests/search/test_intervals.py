"""Bounds of objectives that are functions of sums, against all trees."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import treemip
from treemip.answers.search.agreement import by_sums, random_tree
from treemip.answers.search.start import trivial_bound
from treemip.answers.search.sum_builder import sums_of

COUNTS = 'let tp = confusion["1","1"]; let fp = confusion["0","1"]; let fn = confusion["1","0"];\n'
OBJECTIVES = {
    "maximize 2 * tp / (2 * tp + fp + fn + 1);": True,
    "maximize tp / (tp + fp + 1) - 0.1 * splits;": True,
    "minimize (1 + fp) * (1 + fn);": True,
    "minimize fp * fn - 2 * tp * tp;": True,
    "minimize max(fp, 2 * fn) + abs(fp - fn);": True,
    "maximize min(tp, 3 - fp) + 0.5 * leaves_used;": True,
    "minimize log(1 + fp) - exp(0.2 * tp) + splits;": True,
    "minimize sqrt(1 + fp + fn);": True,
    "minimize fp * fn + bias[root];": False,
}


def sums(objective: str, seed: int):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, (9, 2)) / 2, rng.integers(0, 2, 9)
    x[:2], y[:2] = [[0, 1], [1, 0]], [0, 1]
    table = {"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), "c": [str(k) for k in y]}
    text = 'data "t" { label c; } topology complete(depth = 2); split univariate by oct;\n'
    instance = treemip.loads(text + COUNTS + objective, data=table).instance
    distinct, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    return instance, distinct, sums_of(instance, of_point.ravel())


@pytest.mark.parametrize(("objective", "seed"), list(product(OBJECTIVES, range(1))))
def test_no_tree_is_beyond_the_bound(objective: str, seed: int) -> None:
    instance, x, own = sums(objective, seed)
    bound = trivial_bound(own, 4)
    assert np.isfinite(bound) == OBJECTIVES[objective]
    rng = np.random.default_rng(seed)
    for _ in range(100):
        tree = random_tree(instance, own, x, rng, False)
        assert own.sign * by_sums(instance, own, x, tree)[0] >= bound - 1e-9


def test_a_ratio_is_at_most_that_of_the_best_labels() -> None:
    """Every point apart: F1 of 1 with no other term in the divisor, and no more."""
    instance, _, own = sums("maximize 2 * tp / (2 * tp + fp + fn);", 0)
    of_point = np.arange(len(instance.table.y))
    assert -trivial_bound(sums_of(instance, of_point), 4) == pytest.approx(1.0)
    assert -trivial_bound(own, 4) <= 1.0 + 1e-6
