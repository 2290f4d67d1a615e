"""Functions of splits as prices: each tree is worth the same."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from treemip.answers.engines.split_prices import as_feature_prices, as_prices
from treemip.answers.search.folds import Fold
from treemip.core.model.blocks import Function
from treemip.core.model.tape import Smooth

BRANCHES, FEATURES, ROWS = 3, 2, 10
OF_POINTS, OF_ALL = 8, 9


def fold(function: Function | Smooth, groups: list[list[int]], to: np.ndarray) -> Fold:
    sizes = [len(group) for group in groups]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Fold(function, np.concatenate(groups), offsets, to)


def random_rows(rng: np.random.Generator) -> tuple[tuple[Fold, ...], np.ndarray, np.ndarray]:
    """Folds, what splits add (branches, p, R) and the constants (R,). Rows 1 to 3 are of a branch
    each, 4 to 6 of feature 0 at a branch each, all alike; 7 has a result of these alone."""
    split = np.zeros((BRANCHES, FEATURES, ROWS))
    split[..., OF_ALL] = rng.random((BRANCHES, FEATURES))
    constant = rng.normal(size=ROWS)
    constant[4:7] = rng.random()
    for t in range(BRANCHES):
        split[t, :, 1 + t] = rng.choice([-2, -1, 1, 2], FEATURES)
        split[t, 0, 4 + t] = 1.5
    to = rng.random((10, ROWS)) * np.isin(np.arange(ROWS), [0, OF_ALL])
    into = 1.0 * (np.arange(ROWS) == 7)
    folds = (
        fold(Function.MAX, [[4, 5, 6]], into[None]),
        fold(Function.ABS, [[1], [2], [3], [4]], to[:4]),
        fold(Function.NORMINF, [[1, 2], [4, 5, 6], [4, OF_POINTS]], to[4:7]),
        fold(Smooth.EXP, [[1], [7], [OF_POINTS]], to[7:]),
        fold(Function.MIN, [[OF_ALL, 7]], 1.0 * (np.arange(ROWS) == 0)[None]),
    )
    return folds, split, constant


def worth(
    folds: tuple[Fold, ...],
    split: np.ndarray,
    anywhere: np.ndarray,
    constant: np.ndarray,
    beside: np.ndarray,
) -> np.ndarray:
    """The objectives of all trees, those without some splits included."""
    values = []
    for tree in product([None, *range(FEATURES)], repeat=BRANCHES):
        used = [j for j in range(FEATURES) if j in tree]
        rows = constant + beside + anywhere[used].sum(axis=0)
        rows = rows + sum(split[t, j] for t, j in enumerate(tree) if j is not None)
        for one in folds:
            rows = rows + one.values(rows) @ one.to
        values.append(rows[0])
    return np.array(values)


@pytest.mark.parametrize("seed", range(8))
def test_each_tree_is_worth_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    folds, split, constant = random_rows(rng)
    anywhere = np.zeros((FEATURES, ROWS))
    beside, elsewhere = np.zeros(ROWS), np.arange(ROWS) == OF_POINTS
    beside[OF_POINTS] = rng.normal()
    expected = worth(folds, split, anywhere, constant, beside)
    kept, priced, known = as_prices(folds, split, constant, elsewhere)
    assert worth(kept, priced, anywhere, known, beside) == pytest.approx(expected)
    left, used, known = as_feature_prices(kept, priced, anywhere, known, elsewhere)
    assert worth(left, priced, used, known, beside) == pytest.approx(expected)
    count = [sum(len(one.to) for one in each) for each in (folds, kept, left)]
    assert count == [12, 7, 4]


def test_functions_over_many_branches_stay() -> None:
    """There are 2^31 sets of the branches of a tree of depth 5."""
    split = np.zeros((31, 1, 3))
    split[:, 0, 1] = 1.0
    one = fold(Function.ABS, [[1]], 1.0 * (np.arange(3) == 0)[None])
    left, _, _ = as_feature_prices([one], split, np.zeros((1, 3)), np.zeros(3), np.zeros(3, bool))
    assert left == (one,)
