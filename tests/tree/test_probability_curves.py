"""Curves of probabilities are those of scikit-learn, weights and ties included."""

from __future__ import annotations

import json

import numpy as np
import pytest

from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.probability_curves import ClassCurves, class_curves

metrics = pytest.importorskip("sklearn.metrics")
POINTS = 10_000


def points(levels: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities, of `levels` values if not 0; what is positive; weights, some of them 0."""
    rng = np.random.default_rng(seed)
    chances = rng.random(POINTS)
    chances = np.round(chances * levels) / levels if levels else chances
    weight = rng.random(POINTS) * 3
    weight[rng.random(POINTS) < 0.1] = 0
    return chances, rng.random(POINTS) < chances * 0.8 + 0.1, weight


@pytest.mark.parametrize("levels", [0, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_roc_is_that_of_scikit_learn(levels: int, weighted: bool) -> None:
    chances, positive, weight = points(levels)
    own = weight if weighted else None
    found = class_curves("yes", chances, positive, own)
    rates = metrics.roc_curve(positive, chances, sample_weight=own, drop_intermediate=False)
    assert found.auc == pytest.approx(metrics.roc_auc_score(positive, chances, sample_weight=own))
    roc = found.roc
    for ours, theirs in zip(
        (roc.false_positive_rate, roc.true_positive_rate, roc.threshold), rates, strict=True
    ):
        assert np.allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("levels", [0, 7])
@pytest.mark.parametrize("bins", [1, 4, 10])
def test_calibration_is_that_of_scikit_learn(levels: int, bins: int) -> None:
    from sklearn.calibration import calibration_curve

    chances, positive, _ = points(levels)
    found = class_curves("yes", chances, positive, bins=bins).calibration
    observed, predicted = calibration_curve(positive, chances, n_bins=bins, strategy="quantile")
    assert np.allclose(found.observed, observed) and np.allclose(found.predicted, predicted)
    assert found.points.sum() == POINTS


def test_whole_weights_are_repeated_points() -> None:
    chances, positive, _ = points(7)
    weight = np.random.default_rng(2).integers(0, 4, POINTS)
    one = class_curves("yes", chances, positive, weight)
    other = class_curves("yes", chances.repeat(weight), positive.repeat(weight))
    assert one.points == POINTS and other.points == weight.sum()
    for name in ("roc", "calibration", "gains"):
        a, b = one.to_json()[name], other.to_json()[name]
        for key in set(a) - {"points"}:
            assert (
                np.allclose(np.array(a[key], float)[1:], np.array(b[key], float)[1:])
                if isinstance(a[key], list)
                else a[key] == pytest.approx(b[key])
            )


def test_gains_take_the_most_probable_points_first() -> None:
    chances = np.array([0.9, 0.9, 0.5, 0.5, 0.1, 0.1, 0.1, 0.1])
    positive = np.array([1, 1, 1, 0, 1, 0, 0, 0], bool)
    gains = class_curves("yes", chances, positive, bins=4).gains
    assert gains.bins.points.tolist() == [2, 2, 4]
    assert gains.taken.tolist() == [0.25, 0.5, 1.0] and gains.found.tolist() == [0.5, 0.75, 1.0]
    assert gains.lift.tolist() == [2.0, 1.0, 0.5] and gains.lift_so_far.tolist() == [2.0, 1.5, 1.0]
    assert gains.bins.least.tolist() == [0.9, 0.5, 0.1] == gains.bins.most.tolist()
    assert gains.bins.predicted == pytest.approx([0.9, 0.5, 0.1])


@pytest.mark.parametrize("kind", [False, True])
def test_points_of_one_kind_have_no_roc(kind: bool) -> None:
    found: ClassCurves = class_curves("yes", np.array([0.2, 0.4]), np.array([kind, kind]))
    assert found.auc is None and len(found.roc.threshold) == 0
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["share"] == float(kind)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([0, 0], "all points have the weight 0, so no measure of them is defined"),
        ([1, -1], "a weight is below 0 or no number"),
        ([1, np.nan], "a weight is below 0 or no number"),
        ([1], "1 weights are given for 2 points"),
    ],
)
def test_faulty_weights(weight: list[float], message: str) -> None:
    with pytest.raises(TreemipError) as caught:
        class_curves("yes", np.array([0.2, 0.4]), np.array([True, False]), np.array(weight))
    assert caught.value.diagnostics[0].message == message


def test_no_points_and_no_bins() -> None:
    with pytest.raises(TreemipError, match="there are no points"):
        class_curves("yes", np.zeros(0), np.zeros(0, bool))
    with pytest.raises(TreemipError, match="0 bins are none"):
        class_curves("yes", np.zeros(1), np.zeros(1, bool), bins=0)
