"""Extreme points of a cluster against one linear program for each point."""

import numpy as np
import pytest
from hull_reference import inside_by_program
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.methods.selection.hull import Cover, cover


def shares(found: Cover, size: int) -> np.ndarray:
    table = np.zeros((size, size))
    table[found.point, found.of] = found.share
    return table


def require_solution_of_6(x: np.ndarray, found: Cover, eps: float = 0.0) -> None:
    """lambda rests on kept points only, sums to b, and comes within eps of each point inside."""
    table = shares(found, len(x))
    assert (table >= 0).all()
    assert not table[found.kept].any()
    assert not table[:, found.inside].any()
    np.testing.assert_allclose(table.sum(axis=1), found.inside, atol=1e-9)
    off = np.abs(table @ x - x)[found.inside]
    assert off.max(initial=0.0) <= eps + 1e-6 * max(1.0, np.abs(x).max())


GRIDS = st.tuples(
    st.integers(1, 25), st.integers(1, 4), st.integers(1, 5), st.integers(0, 10**6)
).map(lambda a: np.unique(np.random.default_rng(a[3]).integers(0, a[2] + 1, a[:2]), axis=0) * 1.0)


@settings(deadline=None, max_examples=20)
@given(GRIDS)
def test_the_extreme_points_of_grids_are_those_of_one_program_a_point(x):
    found = cover(x)
    np.testing.assert_array_equal(found.inside, inside_by_program(x))
    require_solution_of_6(x, found)


@pytest.mark.parametrize(("count", "features"), [(60, 2), (60, 3), (40, 6), (12, 11)])
def test_the_extreme_points_of_a_cloud(count, features):
    x = np.random.default_rng(count + features).normal(size=(count, features))
    found = cover(x)
    np.testing.assert_array_equal(found.inside, inside_by_program(x))
    require_solution_of_6(x, found)


def test_points_in_a_plane_of_a_larger_space():
    """A constant feature, and one that is the sum of two others."""
    flat = np.random.default_rng(3).normal(size=(50, 2))
    x = np.column_stack([flat, flat.sum(axis=1), np.full(50, 7.0)])
    found = cover(x)
    np.testing.assert_array_equal(found.inside, inside_by_program(flat))
    require_solution_of_6(x, found)


def test_one_point_is_kept():
    found = cover(np.array([[1.0, 2.0]]))
    assert found.kept.tolist() == [True]


def test_of_a_line_the_ends_are_kept():
    found = cover(np.arange(7.0)[:, None] @ np.array([[1.0, -2.0]]))
    assert np.flatnonzero(found.kept).tolist() == [0, 6]


def test_features_of_very_different_ranges():
    x = np.random.default_rng(5).normal(size=(50, 3)) * [1e-6, 1.0, 1e6]
    found = cover(x)
    np.testing.assert_array_equal(found.inside, inside_by_program(x / x.std(axis=0)))


@pytest.mark.parametrize("eps", [0.05, 0.3])
def test_with_eps_every_point_left_out_is_near_the_hull_of_the_kept(eps):
    x = np.random.default_rng(8).normal(size=(80, 3))
    found = cover(x, eps)
    require_solution_of_6(x, found, eps)
    assert found.kept.sum() <= cover(x).kept.sum()
    assert not (found.kept & inside_by_program(x)).any()


def test_two_near_points_are_not_both_left_out():
    """LP (7) calls both inside by each other, which (6) does not allow."""
    x = np.array([[0.0, 0.0], [0.001, 0.0], [5.0, 0.0], [0.0, 5.0]])
    found = cover(x, 0.01)
    assert inside_by_program(x, 0.01)[:2].all()
    assert found.kept[:2].sum() == 1
    require_solution_of_6(x, found, 0.01)


def test_points_that_are_decided_are_counted():
    counts: list[int] = []
    cover(np.random.default_rng(2).normal(size=(400, 2)), tell=counts.append)
    assert counts == sorted(counts)
    assert counts[-1] == 400
