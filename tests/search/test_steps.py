"""The search's steps against brute force: line searches, cuts with free labels, widest gaps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import treemip
from treemip.search.gaps import needed_gap, widest_gap
from treemip.search.splits.threshold_cut import Cuts, best_cut, best_labelled_cut, purest_cut
from treemip.search.splits.hyperplane_step import best_step


def total(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0]


@pytest.mark.parametrize("clearance", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("seed", range(5))
def test_no_step_is_better_than_the_best(seed: int, clearance: float) -> None:
    draw = np.random.default_rng(seed)
    position, slope = draw.normal(size=30), draw.normal(size=30)
    slope[:3], position[:3] = 0.0, [0.5, -0.5, 2.0]
    change = draw.integers(-2, 3, (30, 1)).astype(float)
    value, step = best_step(position, slope, change, np.ones(1), total, draw, clearance)
    assert (np.abs(position + step * slope) >= clearance - 1e-12).all()
    grid = np.linspace(-60, 60, 48_001)[:, None]
    moved = position + grid * slope
    worth = 1 + (moved > 0) @ change[:, 0]
    clear = (np.abs(moved) >= clearance).all(axis=1)
    assert value == pytest.approx(1 + change[position + step * slope > 0].sum())
    assert value <= worth[clear].min() + 1e-9


def test_a_point_that_stays_too_near_leaves_no_step() -> None:
    position, slope = np.array([0.01, 1.0]), np.array([0.0, 1.0])
    draw = np.random.default_rng(0)
    value, _ = best_step(position, slope, np.ones((2, 1)), np.zeros(1), total, draw, 0.1)
    assert value == np.inf


@pytest.mark.parametrize("seed", range(4))
def test_cuts_with_free_labels_are_the_best_of_all_pairs(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 5, (25, 3)).astype(float)
    cuts, rows = Cuts(x), np.flatnonzero(draw.random(25) < 0.8)
    left, right = draw.normal(size=(2, len(rows), 3))
    label, extra = draw.normal(size=(2, 3)), draw.normal(size=3)
    cut = best_labelled_cut(cuts, rows, (left, right), (label[0], label[1]), extra)
    best = np.inf
    for a in range(3):
        for b in range(3):
            change = np.zeros((25, 1))
            change[rows, 0] = left[:, a] - right[:, b]
            base = np.array([right[:, b].sum() + label[0, a] + label[1, b]])
            one = best_cut(cuts, rows, change, base, total, np.zeros((3, 1)), extra)
            assert one is not None
            best = min(best, one.value)
    assert cut is not None and cut.labels is not None
    assert cut.value == pytest.approx(best)
    goes = x[rows, cut.feature] <= cut.threshold
    own = left[goes, cut.labels[0]].sum() + right[~goes, cut.labels[1]].sum()
    own += label[0, cut.labels[0]] + label[1, cut.labels[1]] + extra[cut.feature]
    assert cut.value == pytest.approx(own)


def test_a_cut_keeps_the_gap_that_it_is_asked_for() -> None:
    x = np.array([[0.0], [0.1], [0.5], [0.6]])
    counts = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    near, far = (purest_cut(Cuts(x), np.arange(4), counts, gap) for gap in (0.0, 0.2))
    assert near is not None and far is not None
    assert (near.threshold, far.threshold) == (pytest.approx(0.05), pytest.approx(0.3))
    assert purest_cut(Cuts(x), np.arange(4), counts, 0.5) is None


def full_program(left: np.ndarray, right: np.ndarray) -> float:
    """The width of the widest gap with a row for each point."""
    p = left.shape[1]
    ones = np.ones((len(left), 1)), np.ones((len(right), 1))
    rows = np.vstack(
        [
            np.hstack([left, -left, -ones[0], 0 * ones[0]]),
            np.hstack([-right, right, ones[1], ones[1]]),
            np.concatenate([np.ones(2 * p), [0, 0]])[None],
        ]
    )
    top = np.concatenate([np.zeros(len(left) + len(right)), [1.0]])
    bounds = [(0, None)] * (2 * p) + [(-1, 1), (None, None)]
    cost = np.concatenate([np.zeros(2 * p + 1), [-1.0]])
    return float(-linprog(cost, A_ub=rows, b_ub=top, bounds=bounds, method="highs").fun)


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_of_a_few_rows_is_that_of_all(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x, normal = draw.random((900, 5)), draw.normal(size=5)
    value = x @ normal
    middle = float(np.median(value))
    x = x[np.abs(value - middle) > 0.03 * np.abs(normal).sum()]
    right = x @ normal > middle
    found = widest_gap(x[~right], x[right], normal / np.abs(normal).sum(), 20.0)
    assert found is not None
    weights, low, width = found
    assert width == pytest.approx(full_program(x[~right], x[right]), abs=1e-7)
    assert (x[~right] @ weights <= low + 1e-8).all()
    assert (x[right] @ weights >= low + width - 1e-8).all()
    again = widest_gap(x[~right], x[right], normal, 20.0, least=width * 0.999)
    assert again is not None and again[2] == pytest.approx(width)
    assert widest_gap(x[~right], x[right], normal, 20.0, least=width * 1.001) is None


@pytest.mark.parametrize("floor", [0.0, 0.003, 0.6])
@pytest.mark.parametrize(
    ("by", "gap"), [("soct(eps = 0.01)", 0.01), ("octh(mu = 0.02)", 0.02), ("soct", 0.005)]
)
def test_the_gap_is_what_the_formulation_needs_beside_a_floor_that_cuts_break(
    by: str, gap: float, floor: float
) -> None:
    draw = np.random.default_rng(0)
    columns: dict = {name: draw.random(200).tolist() for name in "ab"}
    columns["c"] = [f"k{k}" for k in draw.integers(0, 2, 200)]
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 2); split oblique by ' + by
    )
    text += f"; subject to floor {{k in classes}}: recall[k] >= {floor};"
    compiled = treemip.loads(text, data=columns).compile()
    table = compiled.instance.table
    cuts = Cuts(table.inputs)
    counts = np.eye(2)[table.y]
    width = np.diff(cuts.sorted, axis=1)
    needed = needed_gap(compiled.instance, compiled.stated, cuts, counts)
    assert gap - 1e-9 <= needed <= gap + width[width > 0].min() + 1e-9


@pytest.mark.parametrize("gap", [0.05, 0.2])
def test_cuts_with_free_labels_keep_the_gap(gap: float) -> None:
    draw = np.random.default_rng(1)
    x = draw.random((25, 3))
    cuts, rows = Cuts(x), np.arange(25)
    left, right = draw.normal(size=(2, 25, 3))
    free = (left, right), (np.zeros(3), np.zeros(3)), np.zeros(3)
    best = np.inf
    for feature in range(3):
        order = np.argsort(x[:, feature])
        for at in np.flatnonzero(np.diff(x[order, feature]) >= gap):
            sides = order[: at + 1], order[at + 1 :]
            value = left[sides[0]].sum(axis=0).min() + right[sides[1]].sum(axis=0).min()
            best = min(best, value)
    cut = best_labelled_cut(cuts, rows, *free, gap)
    assert (np.inf if cut is None else cut.value) == pytest.approx(best)
    narrow = best_labelled_cut(cuts, rows, *free)
    assert narrow is not None
    assert narrow.value < best
