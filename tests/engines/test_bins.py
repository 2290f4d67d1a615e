"""Bins of points: how many thresholds each value is above, by numpy and by the kernel alike."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.answers.engines import bins
from treemip.answers.engines.bins import bins_of
from treemip.core.compiled.library import kernel


@pytest.mark.skipif(kernel() is None, reason="the kernel is not built")
@pytest.mark.parametrize("many", [2, 3, 7, 8, 9, 500])
def test_ranks_are_those_of_numpy(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values on thresholds, next to them, and beyond all of them."""
    draw = np.random.default_rng(many)
    cuts = np.unique(draw.integers(-500, 500, 4 * many))[:many] / 7
    near = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)])
    values = np.concatenate([near, [-1e300, 1e300, -0.0], draw.normal(0, 30, 50)])[None]
    made = bins_of(values, [cuts], [np.array([0])])
    monkeypatch.setattr(bins, "kernel", lambda: None)
    plain = bins_of(values, [cuts], [np.array([0])])
    assert (made.rank == plain.rank).all() and (made.order == plain.order).all()
    assert (made.rank[0] == [(cuts < value).sum() for value in values[0]]).all()


def test_where_points_go_and_what_bins_add_up_to() -> None:
    columns = np.array([[1.0, 3.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0]])
    made = bins_of(columns, [np.array([1.5, 2.5]), np.array([0.5])], [np.array([0]), np.array([1])])
    assert made.of_points().tolist() == [[0, 2, 1, 2], [3, 3, 4, 4]]
    assert made.goes_left(1).tolist() == [True, False, True, False]
    assert made.goes_left(3, np.array([3, 0])).tolist() == [False, True]
    stats = np.array([[1.0, 2.0, 4.0, 8.0]])
    assert made.histogram(stats, np.array([0, 1, 3])).tolist() == [[1.0, 0.0, 10.0, 3.0, 8.0]]
