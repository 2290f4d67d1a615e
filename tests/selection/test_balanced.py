"""LP (9) and (6) with f = g = 1 against all selections of a few points."""

from itertools import product

import numpy as np
import pytest
from hull_reference import is_inside
from suite import one_in

from treemip.methods.selection.balanced import FREE, NO, YES, balance, solve_program


def best_by_enumeration(x: np.ndarray, fixed: np.ndarray) -> float:
    """The greatest sum b - sum a over all choices of a, where b keeps to `fixed`."""
    best = -np.inf
    for chosen in product((False, True), repeat=len(x)):
        a = np.array(chosen)
        held = np.array([not a[j] and is_inside(x[j], x[a], 0.0) for j in range(len(x))])
        if (held | (fixed != YES)).all():
            best = max(best, float((held & (fixed != NO)).sum() - a.sum()))
    return best


def random_points(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = np.unique(rng.integers(0, 4, (7, 2)) * 1.0, axis=0)
    return (x - x.min(axis=0)) / np.ptp(x, axis=0)  # as `balance` has them


@pytest.mark.parametrize("seed", one_in(3, range(8)))
def test_the_program_has_the_optimum_of_all_selections(seed):
    x = random_points(seed)
    free = np.full(len(x), FREE)
    a, b, value = solve_program(x, free, whole=True)
    assert value == pytest.approx(best_by_enumeration(x, free))
    assert ((a + b) <= 1 + 1e-6).all()


@pytest.mark.parametrize("seed", one_in(3, range(8)))
def test_algorithm_2_is_best_among_selections_that_keep_what_the_relaxation_decides(seed):
    x = random_points(seed)
    _, relaxed, bound = solve_program(x, np.full(len(x), FREE), whole=False)
    fixed = np.where(relaxed <= 1e-6, NO, np.where(relaxed >= 1 - 1e-6, YES, FREE))
    found = balance(x)
    value = float(found.inside.sum() - found.selected.sum())
    assert value == pytest.approx(best_by_enumeration(x, fixed))
    assert value <= bound + 1e-6
    for j in np.flatnonzero(found.inside):
        assert is_inside(x[j], x[found.selected], 0.0)


def test_the_corners_of_a_crowd_are_preferred_to_a_wide_ring():
    """Figure 3: few points on a circle, many inside a rectangle."""
    rectangle = np.array([[i, j] for i in range(5) for j in range(5)], float)
    ring = 9.0 * np.array([[np.cos(t), np.sin(t)] for t in np.arange(7)]) + 2.0
    x = np.concatenate([rectangle, ring])
    corners = {0, 4, 20, 24}
    found = balance(x)
    assert found.inside[:25].sum() >= 21
    assert found.inside.sum() - found.selected.sum() >= 17
    assert set(np.flatnonzero(found.selected[:25])) <= corners


def test_nothing_is_selected_where_nothing_is_gained():
    assert not balance(np.eye(3)).selected.any()
