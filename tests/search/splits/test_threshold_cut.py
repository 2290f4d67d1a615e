"""The best cut of a feature, by brute force over all cuts."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.answers.search.splits.threshold_cut import (
    Cuts,
    best_cut,
    best_labelled_cut,
    purest_cut,
)


def total(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0]


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
