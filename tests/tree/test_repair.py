"""Splits that a tolerance left wrong are mended when they can be, and left alone when not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_trees import solved, stump

from treemip.core.tree.repair import between, repair, separate, strayed_by

LEFT, RIGHT = 1, 2


def test_a_right_tree_is_not_touched() -> None:
    x = np.array([[0.0], [1.0]])
    tree = stump([1.0], 0.5)
    mended, changed = repair(tree, x, np.array([LEFT, RIGHT]))
    assert changed == [] and mended.threshold.tolist() == tree.threshold.tolist()


@pytest.mark.parametrize("strict", [False, True])
def test_a_nudged_threshold_moves_no_farther_than_it_must(strict: bool) -> None:
    x = np.array([[0.0], [0.25], [0.75], [1.0]])
    tree = stump([1.0], 0.25 - 1e-6, strict)
    mended, changed = repair(tree, x, np.array([LEFT, LEFT, RIGHT, RIGHT]))
    assert changed == [1] and 0.25 < mended.threshold[0] < 0.25 + 2e-9
    assert mended.route(x).tolist() == [LEFT, LEFT, RIGHT, RIGHT]


def test_weights_are_turned_when_no_threshold_will_do() -> None:
    x = np.array([[0.0, 1.0], [1.0, 0.0], [0.6, 0.6], [1.0, 1.0]])
    leaf = np.array([LEFT, LEFT, RIGHT, RIGHT])
    tree = stump([1.0, 0.1], 0.7)
    mended, changed = repair(tree, x, leaf)
    assert changed == [1] and mended.route(x).tolist() == leaf.tolist()
    assert (mended.weights[0] > 0).all()


def test_features_that_are_not_used_stay_out() -> None:
    """Only the second feature would separate; the split does not have it."""
    x = np.array([[0.0, 0.0], [0.6, 0.0], [0.5, 1.0], [1.0, 1.0]])
    leaf = np.array([LEFT, LEFT, RIGHT, RIGHT])
    mended, changed = repair(stump([1.0, 0.0], 0.4), x, leaf)
    assert changed == [] and mended.weights[0].tolist() == [1.0, 0.0]
    mended, changed = repair(stump([1.0, 1e-3], 0.4), x, leaf)
    assert changed == [1] and mended.route(x).tolist() == leaf.tolist()


def test_equal_points_on_two_sides_cannot_be_separated() -> None:
    x = np.array([[0.5], [0.5]])
    tree = stump([1.0], 0.25)
    mended, changed = repair(tree, x, np.array([LEFT, RIGHT]))
    assert changed == [] and mended.threshold[0] == 0.25


def test_what_cannot_be_mended_fails_the_verification() -> None:
    from small_trees import check, values

    found = values()
    reach = found["reach"].reshape(6, 3)
    reach[0], reach[5] = reach[5].copy(), reach[0].copy()  # no line parts 0 and the others so
    report = check(solved().compiled, found)
    assert not report.verified and len(report.misrouted) == 2
    assert any("routes 2 points differently" in p for p in report.problems)


def test_how_far_points_stray() -> None:
    x = np.array([[0.1], [0.5], [0.6], [0.9]])
    tree = stump([2.0], 1.0)
    assert strayed_by(tree, x, np.array([LEFT, LEFT, RIGHT, RIGHT])) == 0
    assert strayed_by(tree, x, np.array([LEFT, RIGHT, LEFT, RIGHT])) == pytest.approx(0.2)
    assert strayed_by(tree, x, np.array([RIGHT, LEFT, RIGHT, RIGHT])) == pytest.approx(0.8)


SIDES = st.lists(st.integers(-8, 8), max_size=6)


@given(SIDES, SIDES, st.integers(-9, 9), st.booleans(), st.sampled_from([1.0, -2.0, 0.5]))
def test_one_feature(
    left: list[int], right: list[int], threshold: int, strict: bool, weight: float
) -> None:
    """A threshold exists exactly when the sides do not overlap, and then it is found."""
    a, b = np.array(left, float) / 8, np.array(right, float) / 8
    moved = between(a * weight, b * weight, float(threshold), strict)
    apart = not left or not right or (a * weight).max() < (b * weight).min()
    assert (moved is not None) == apart
    if moved is not None:
        tree = stump([weight], moved, strict)
        assert tree.goes_left(0, a[:, None]).all() and not tree.goes_left(0, b[:, None]).any()


@given(st.integers(0, 10**6), st.booleans())
def test_two_features_that_a_line_parts(seed: int, strict: bool) -> None:
    """A nudged split of positive weights is always mended: such a line exists."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 16, (8, 2)) / 16  # exact, so that ties are ties
    weights = rng.integers(1, 5, 2).astype(float)
    value = x @ weights
    cut = rng.choice(value)
    found = separate(weights * [1, 1.0001], cut, x[value <= cut], x[value > cut], strict)
    assert found is not None
    tree = stump(found[0].tolist(), found[1], strict)
    assert (tree.goes_left(0, x) == (value <= cut)).all()
