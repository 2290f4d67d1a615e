"""What users of scikit-learn's trees look for: weights of classes, importances, depth, leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn

from treemip.sklearn import (
    EstimatorError,
    OptimalSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)

ALONE = {"time_limit": 10.0}


def table(size: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    """`rare` where a is 0.5 or more and the kind is u; `b` says nothing."""
    rng = np.random.default_rng(0)
    x = pd.DataFrame({"a": rng.integers(0, 10, size) / 10, "b": rng.random(size)})
    x["kind"] = rng.choice(["u", "v"], size)
    y = np.where((x["a"] > 0.4) & (x["kind"] == "u"), "rare", "usual")
    return x, y


@pytest.fixture(scope="module")
def fitted() -> tuple[OptimalTreeClassifier, pd.DataFrame, np.ndarray]:
    x, y = table()
    tree = OptimalTreeClassifier(depth=2, objective="misclassified + 0.1 * splits", **ALONE)
    return tree.fit(x, y), x, y


# --------------------------------------------------------------------- weights of classes


@pytest.mark.parametrize("given", [None, "some"])
@pytest.mark.parametrize("weights", ["balanced", {"rare": 3}])
def test_weights_of_classes_are_weights_of_points(weights: Any, given: Any) -> None:
    x, y = table(30)
    own = None if given is None else 1.0 + np.arange(30) % 2
    rare, usual = (y == "rare").sum(), (y == "usual").sum()
    of_class = {"rare": 15 / rare, "usual": 15 / usual} if weights == "balanced" else {"rare": 3}
    by_point = np.array([of_class.get(name, 1.0) for name in y]) * (1 if own is None else own)
    weighted = OptimalTreeClassifier(depth=1, class_weight=weights, **ALONE)
    weighted.fit(x[["b"]], y, sample_weight=own)
    same = OptimalTreeClassifier(depth=1, **ALONE).fit(x[["b"]], y, sample_weight=by_point)
    plain = OptimalTreeClassifier(depth=1, **ALONE).fit(x[["b"]], y, sample_weight=own)
    assert weighted.result_.objective == pytest.approx(same.result_.objective)
    assert weighted.predict_proba(x[["b"]]).tolist() == same.predict_proba(x[["b"]]).tolist()
    assert weighted.result_.objective != pytest.approx(plain.result_.objective)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("even", "class_weight is 'even', neither a dictionary nor 'balanced'"),
        ({"rare": -1}, "class_weight gives the class 'rare' the weight -1"),
        ({"rare": "much"}, "gives the class 'rare' the weight 'much'"),
        ({"seldom": 2}, "class_weight names 'seldom', and y has no class that it names"),
        ({"rare": 2, "seldom": 2}, "class_weight names 'seldom', which is no class of y"),
        ({"rare": 0}, "y has one class, 'usual'"),
    ],
)
def test_other_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(EstimatorError, match=message):
        OptimalTreeClassifier(class_weight=weights).fit(*table(30))


def test_weights_that_nothing_depends_on_are_refused() -> None:
    x, y = table(30)
    tree = OptimalTreeClassifier(formulation="soct", depth=1, class_weight="balanced")
    with pytest.raises(EstimatorError, match="class_weight is given, and neither objective nor"):
        tree.fit(x[["a"]], y)


# ---------------------------------------------------------------------------- importances


def test_importances_are_what_splits_save(fitted: Any) -> None:
    """Without `a`, the share of u that is rare decides at random; without `kind` likewise."""
    tree, x, y = fitted
    assert tree.score(x, y) == 1
    u, high = x["kind"] == "u", x["a"] > 0.4
    text = tree.to_text()
    first_is_kind = text.splitlines()[1].startswith("├─ kind")
    share_high = (high & u).sum() / u.sum() if first_is_kind else high.mean()
    share_u = u.mean() if first_is_kind else (high & u).sum() / high.sum()
    lost_a = (u & high).sum() * (1 - share_high) + (u & ~high).sum() * share_high
    lost_kind = (u & high).sum() * (1 - share_u) + (~u & high).sum() * share_u
    expected = np.array([lost_a, 0, lost_kind]) / (lost_a + lost_kind)
    assert tree.feature_importances_ == pytest.approx(expected)
    assert tree.feature_importances_.sum() == pytest.approx(1)


def test_importances_of_a_regressor() -> None:
    x, _ = table(60)
    y = np.where(x["a"] > 0.4, 10.0, 0.0) + (x["kind"] == "u")
    tree = OptimalTreeRegressor(depth=2, **ALONE).fit(x, y, sample_weight=1.0 + np.arange(60) % 3)
    a, b, kind = tree.feature_importances_
    assert a > 0.9 and b == 0 and 0 < kind < 0.1 and a + kind == pytest.approx(1)


def test_without_a_split_nothing_is_important() -> None:
    x, y = table(30)
    tree = OptimalTreeClassifier(constraints="none_at_all: splits <= 0", **ALONE).fit(x, y)
    assert tree.feature_importances_.tolist() == [0, 0, 0]
    assert (tree.get_depth(), tree.get_n_leaves()) == (0, 1)


# ----------------------------------------------------------------------- depth and leaves


def test_depth_and_leaves_count_splits(fitted: Any) -> None:
    tree, _, _ = fitted
    assert (tree.get_depth(), tree.get_n_leaves()) == (2, 3)


def test_branches_without_a_split_do_not_count() -> None:
    x, y = table(40)
    tree = OptimalTreeClassifier(depth=2, constraints="one: splits <= 1", **ALONE).fit(x, y)
    assert (tree.get_depth(), tree.get_n_leaves()) == (1, 2)


def test_a_plot_is_drawn_into_axes(fitted: Any) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, ax = pyplot.subplots()
    assert fitted[0].plot(ax=ax, title="Loans") is ax
    assert "Loans" in {child.get_text() for child in ax.findobj(pyplot.Text)}
    pyplot.close(figure)


@pytest.mark.parametrize("kind", [OptimalTreeClassifier, OptimalTreeRegressor, OptimalSurvivalTree])
def test_groups_and_weights_can_be_routed(kind: Any) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        request = kind().set_fit_request(groups=True, sample_weight=False)
    assert request.get_metadata_routing().fit.requests == {"groups": True, "sample_weight": False}
