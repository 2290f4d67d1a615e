"""All ways to part points by a hyperplane, against linear programs and Cover's count."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from reference.oblique_trees import widest
from suite import one_in

from treemip.answers.engines.oblique.enumeration import dichotomies
from treemip.answers.engines.oblique.routing import Late
from treemip.answers.engines.refusal import Refusal


@pytest.mark.parametrize(("features", "count"), [(1, 9), (2, 12), (3, 10), (4, 8)])
def test_points_in_general_position_have_covers_count(features: int, count: int) -> None:
    x = np.random.default_rng(0).random((count, features))
    assert len(dichotomies(x)) == sum(comb(count - 1, k) for k in range(features + 1))


@pytest.mark.parametrize("seed", one_in(4, range(20)))
def test_every_way_of_points_on_a_grid(seed: int) -> None:
    """Many of them on common lines and planes; in some cases all of them on one."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (9, 2 + seed % 3)) / 3.0
    if seed % 5 == 0:
        x[:, -1] = x[:, 0]
    x = np.unique(x, axis=0)
    codes = np.arange(2 ** (len(x) - 1))[:, None] << 1
    every = (codes >> np.arange(len(x)) & 1).astype(bool)
    parted = {tuple(way) for way in every.tolist() if widest(x[~np.array(way)], x[way]) > 1e-7}
    assert {tuple(way) for way in dichotomies(x).tolist()} == parted


@pytest.mark.parametrize("features", [2, 3])
def test_points_that_are_nearly_on_one_plane(features: int) -> None:
    """Each is within ON_PLANE of it, all of them together spread by more: a column beside a copy
    that was rounded to nine digits."""
    x = np.random.default_rng(1).random((30 if features == 2 else 12, features))
    x[:, -1] = x[:, 0].round(9)
    ways = dichotomies(x)
    found = {tuple(way) for way in ways.tolist()}
    for threshold in x[:, 0]:
        way = x[:, 0] > threshold
        assert tuple((way ^ way[0]).tolist()) in found


def test_one_point_has_one_way() -> None:
    assert dichotomies(np.array([[0.5, 0.5]])).tolist() == [[False]]


def test_ends_when_the_time_is_over() -> None:
    with pytest.raises(Late):
        dichotomies(np.random.default_rng(0).random((10, 3)), until=0.0)


def test_refuses_points_where_rounding_decides() -> None:
    x = np.array([[0.0, 0.0], [0.5, 0.5], [0.5 + 1e-7, 0.5], [1.0, 0.0]])
    with pytest.raises(Refusal, match="too close to a common plane"):
        dichotomies(x)
