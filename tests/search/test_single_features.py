"""Searches for hyperplanes are no worse than trees of single features with the gap they need."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import treemip
from treemip.answers.search.tree_search import TreeSearch
from treemip.api.compiled import Compiled

VALUES = 7
FLOOR = 0.7
FORMS = ("octh(mu = 0.1)", "soct(eps = 0.1)")


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three features of seven values each, and classes of which the second is rare and noisy."""
    draw = np.random.default_rng(seed)
    x = draw.integers(0, VALUES, (80, 3)).astype(float)
    x[:2] = [[0.0] * 3, [VALUES - 1.0] * 3]
    rare = (x[:, 0] > 2) & (x[:, 1] + x[:, 2] > 5)
    y = np.where(draw.random(80) < 0.2, draw.random(80) < 0.3, rare).astype(int)
    return x, y


def compiled(form: str, seed: int, floor: float = FLOOR, budget: int = 2) -> Compiled:
    x, y = table(seed)
    columns: dict = {f"f{j}": x[:, j].tolist() for j in range(3)}
    columns["c"] = [f"k{k}" for k in y]
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 2); '
        f"split oblique by {form}; subject to short {{t in branches}}: "
        f"sum {{j in features}} uses[t,j] <= {budget}; "
        f"found {{k in classes}}: recall[k] >= {floor};"
    )
    return treemip.loads(text, data=columns).compile()


def best_of_single_features(x: np.ndarray, y: np.ndarray, floor: float) -> float:
    """The fewest errors of a tree of depth 2 whose splits are single features, by enumeration."""
    cuts = [x[:, j] <= v for j in range(3) for v in range(VALUES - 1)]
    cuts.append(np.ones(len(y), bool))
    size = np.bincount(y, minlength=2)

    def right(side: np.ndarray) -> np.ndarray:
        """How many points of each class below one side are right, for every cut and labels."""
        ways = []
        for cut, labels in itertools.product(cuts, itertools.product((0, 1), repeat=2)):
            told = np.where(cut, *labels)
            ways.append(np.bincount(y[side & (told == y)], minlength=2))
        return np.unique(np.array(ways), axis=0)

    best = np.inf
    for root in cuts:
        hits = right(root)[:, None] + right(~root)[None]
        kept = (hits >= floor * size - 1e-9).all(axis=2)
        if kept.any():
            best = min(best, len(y) - int(hits.sum(axis=2)[kept].max()))
    return best


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("form", FORMS)
def test_floors_and_budgets_leave_no_search_behind_single_features(form: str, seed: int) -> None:
    """Hyperplanes of several features hardly ever have gaps as wide as these."""
    program = compiled(form, seed)
    search = TreeSearch(program.instance, program.stated, 60.0, seed)
    x, y = table(seed)
    best = best_of_single_features(x, y, FLOOR)
    assert np.isfinite(best)
    right, sizes = len(y) - best, np.bincount(y)
    goal = best / sizes.max() if form.startswith("octh") else -right
    assert search.run(goal, patient=False).met_bound


def test_without_a_solution_a_search_goes_on() -> None:
    """The first trees miss the floor, which some tree keeps."""
    assert np.isfinite(best_of_single_features(*table(0), 0.8))
    program = compiled(FORMS[0], 0, floor=0.8)
    short = TreeSearch(program.instance, program.stated, 0.0, 0).run()
    assert short.best is None
    longer = TreeSearch(program.instance, program.stated, 0.0, 0).run(1e9, longest=60.0)
    assert longer.best is not None


def test_a_wider_gap_begins_single_features_anew() -> None:
    program = compiled(FORMS[1], 1)
    search = TreeSearch(program.instance, program.stated, 60.0, 0)
    axis = search.axis
    assert axis is not None
    for _ in range(3):
        value, tree = axis.next(-np.inf, search.unit, 0.0)
        axis.keep(value, (0.0, value), tree, search.search.shape(tree))
    assert (axis.trees, axis.best_at > 0) == (3, True)
    axis.next(-np.inf, search.unit, 0.1)
    assert (axis.trees, axis.best_at, len(axis.pool)) == (1, 0, 0)
