"""Directions along which values on a grid fall together."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.answers.search.splits.grid_directions import grid_steps, random_pairs, rounded


def test_the_steps_of_grids() -> None:
    x = np.array([[0, 0.0, 5, 0.3], [3, 0.25, 5, 0.41], [9, 1.0, 5, 0.77], [6, 0.5, 5, 0.9]])
    assert grid_steps(x).tolist() == [3.0, 0.25, 0.0, 0.0]


def test_fits_are_rounded_to_multiples_of_the_steps() -> None:
    steps = np.array([0.1, 0.05, 0.0])
    directions = [w.tolist() for w in rounded(np.array([0.5, -0.9, 0.2]), steps, 0.01)]
    # Multiples of steps: (1, -1), then (2, -2) which is the same, then (3, -3): 0.05 to 0.045.
    assert directions == [pytest.approx([1 / 3, -2 / 3, 0.0])]
    assert list(rounded(np.array([0.5, -0.9, 0.2]), steps, 0.034)) == []
    assert list(rounded(np.array([0.5, 0.0, 0.2]), steps, 0.01)) == []


@given(
    seed=st.integers(0, 10_000),
    ranges=st.lists(st.integers(1, 60), min_size=2, max_size=4),
    gap=st.sampled_from([0.002, 0.005, 0.02]),
)
def test_points_are_as_far_apart_along_a_direction_as_is_asked_for(seed, ranges, gap) -> None:
    rng = np.random.default_rng(seed)
    x = np.stack([rng.integers(0, top + 1, 40) / top for top in ranges], axis=1)
    steps = grid_steps(x)
    some = [*rounded(rng.standard_normal(len(ranges)), steps, gap), *random_pairs(steps, gap, rng)]
    for weights in some:
        assert np.abs(weights).sum() == pytest.approx(1.0)
        assert np.count_nonzero(weights) > 1
        values = np.sort(x @ weights)
        apart = np.array([high - low for low, high in pairwise(values)])
        assert (apart[apart > 1e-9] >= gap * (1 - 1e-9)).all()
