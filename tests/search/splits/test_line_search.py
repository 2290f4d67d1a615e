"""Line searches: the best step along a direction, by numpy and by the compiled kernel."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.answers.search.splits import line_search
from treemip.answers.search.splits.line_search import Branch, Lines, best_step, searched
from treemip.answers.search.sums import RowValue
from treemip.core.compiled.library import kernel

HARD = 1e6
PLAIN = RowValue(np.ones(1), np.full(1, -np.inf), np.full(1, np.inf), np.zeros(1))


@pytest.fixture(params=["numpy", "compiled"])
def by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "numpy":
        monkeypatch.setattr(line_search, "kernel", lambda: None)
    elif kernel() is None:
        pytest.skip("the kernel is not built")


@pytest.mark.parametrize("clearance", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("seed", range(5))
def test_no_step_is_better_than_the_best(seed: int, clearance: float, by: None) -> None:
    draw = np.random.default_rng(seed)
    position, slope = draw.normal(size=30), draw.normal(size=30)
    slope[:3], position[:3] = 0.0, [0.5, -0.5, 2.0]
    change = draw.integers(-2, 3, (30, 1)).astype(float)
    branch = Branch(change, np.ones(1), PLAIN, price=HARD)
    value, step = best_step(branch, position, slope, clearance)
    assert (np.abs(position + step * slope) >= clearance - 1e-12).all()
    grid = np.linspace(-60, 60, 48_001)[:, None]
    moved = position + grid * slope
    worth = 1 + (moved > 0) @ change[:, 0]
    clear = (np.abs(moved) >= clearance).all(axis=1)
    assert value == pytest.approx(1 + change[position + step * slope > 0].sum())
    assert value <= worth[clear].min() + 1e-9


def test_points_in_the_band_have_their_price(by: None) -> None:
    position, slope = np.array([0.01, 0.05, 1.0]), np.array([0.0, 1.0, 1.0])
    branch = Branch(np.ones((3, 1)), np.zeros(1), PLAIN, price=10.0)
    value, step = best_step(branch, position, slope, 0.1)
    assert value == 11.0  # the first stays, on the right and in the band; the others go left
    assert step < -1.1


def test_no_step_is_told_that_is_worse_than_what_is_known(by: None) -> None:
    branch = Branch(np.array([[1.0], [-1.0]]), np.zeros(1), PLAIN)
    position, slope = np.array([0.0, 1.0]), np.array([-1.0, -1.0])
    assert best_step(branch, position, slope, below=-1.0)[0] == -1.0
    assert best_step(branch, position, slope, below=-1.5)[0] == np.inf


def random_case(seed: int) -> tuple[Branch, np.ndarray, np.ndarray, float, Lines]:
    """Values on a grid or not, rows with bounds, gaps, prices soft and hard."""
    draw = np.random.default_rng(seed)
    points, rows, features = (int(draw.integers(1, top)) for top in (200, 4, 5))
    grid = draw.integers(0, 6, (features, points)).astype(float)
    columns = grid if seed % 2 else draw.normal(size=(features, points))
    low = np.where(draw.random(rows) < 0.5, -np.inf, 5 * draw.normal(size=rows))
    high = np.where(draw.random(rows) < 0.5, np.inf, np.where(np.isfinite(low), low, 0) + 3)
    value = RowValue(np.eye(rows)[0], low, high, 3 * draw.random(rows), 0.3)
    change, all_left = draw.integers(-2, 3, (points, rows)), draw.normal(size=rows)
    gap, price = draw.choice([0.0, 0.01, 0.1]), draw.choice([0.1, 1.0, HARD])
    branch = Branch(change.astype(float), all_left, value, float(gap), float(price))
    lines = Lines(draw.permutation(features + 4), draw.normal(size=(3, features)))
    return branch, columns, draw.normal(size=features), float(draw.normal()), lines


@pytest.mark.skipif(kernel() is None, reason="the kernel is not built")
def test_the_kernel_finds_what_numpy_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    close = 0
    for seed in range(300):
        branch, columns, weights, threshold, lines = random_case(seed)
        found = []
        for computed_by in (kernel(), None):
            monkeypatch.setattr(line_search, "kernel", lambda one=computed_by: one)
            step = best_step(branch, weights @ columns - threshold, columns[0], branch.gap)
            found.append((step, searched(branch, columns, weights, threshold, lines)))
        (step, split), (by_numpy, other) = found
        assert step == pytest.approx(by_numpy, rel=1e-7, abs=1e-9)
        assert split[0] == pytest.approx(other[0], rel=1e-9, abs=1e-9)
        close += np.allclose(split[1], other[1], atol=1e-6)
    assert close >= 295  # of equally good steps, rounding may choose


@pytest.mark.parametrize("gap", [0.0, 0.05])
def test_a_step_that_is_taken_is_no_worse(gap: float, by: None) -> None:
    for seed in range(20):
        branch, columns, weights, threshold, lines = random_case(seed)
        before = branch.worth(weights @ columns - threshold, weights)
        value, weights, threshold = searched(branch, columns, weights, threshold, lines)
        assert value <= before + 1e-8
        assert value == pytest.approx(
            branch.worth(weights @ columns - threshold, weights), abs=1e-6
        )
