"""Trees in pipelines, grids and calibration, with groups and weights routed to fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder
from small_credit import ALONE, credit, fair_tree

from treemip.sklearn import EstimatorError, OptimalTreeClassifier


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def encoded(tree: OptimalTreeClassifier) -> Pipeline:
    bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
    if sklearn.get_config()["enable_metadata_routing"]:
        bins.set_fit_request(sample_weight=False)
    onehot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = ColumnTransformer(
        [("numbers", bins, ["duration", "amount", "age"]), ("texts", onehot, ["housing"])]
    )
    return Pipeline([("columns", columns), ("tree", tree)])


def test_a_grid_over_depth_and_price_with_groups(routing: None) -> None:
    x, y, sex = credit()
    pipeline = encoded(fair_tree().set_fit_request(groups=True))
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    grid = GridSearchCV(
        pipeline,
        [{"tree__depth": [d], "tree__params__price": [p]} for d, p in ((1, 2), (2, 0.3))],
        cv=folds,
        error_score="raise",
    ).fit(x, y, groups=sex)
    tree = grid.best_estimator_[-1]
    assert tree.params == {"price": grid.best_params_["tree__params__price"], "widest": 0.2}
    rates = pd.Series(grid.predict(x) == "good").groupby(sex.to_numpy()).mean()
    assert rates.max() - rates.min() <= 0.2 + 1e-9


def test_weights_are_routed(routing: None) -> None:
    x, y, _ = credit()
    weight = np.where(y == "bad", 3.0, 1.0)
    tree = OptimalTreeClassifier(depth=1).set_fit_request(sample_weight=True)
    pipeline = encoded(tree).fit(x, y, sample_weight=weight)
    assert pipeline[-1].result_.objective == weight[pipeline.predict(x) != y].sum()


def test_calibration_uses_the_probabilities_of_leaves() -> None:
    x, y, _ = credit()
    calibrated = CalibratedClassifierCV(OptimalTreeClassifier(depth=1, **ALONE), cv=2).fit(x, y)
    chances = calibrated.predict_proba(x)
    assert chances.shape == (24, 2)
    assert chances.sum(axis=1) == pytest.approx(np.ones(24))


def test_a_fold_without_a_category_or_a_class_predicts_with_those_it_has() -> None:
    x = pd.DataFrame({"a": list("uuvvw"), "b": [0, 1, 0, 1, 5]})
    y = np.array(["n", "n", "p", "p", "q"])
    tree = OptimalTreeClassifier(depth=1, **ALONE)
    predicted = cross_val_predict(tree, x, y, cv=LeaveOneOut())
    assert set(predicted) <= {"n", "p", "q"}
    tree.fit(x[:4], y[:4])
    assert tree.classes_.tolist() == ["n", "p"]
    assert tree.predict_proba(x[4:]).shape == (1, 2)


@pytest.mark.truth
def test_errors_reach_the_caller_from_worker_processes() -> None:
    x, y, _ = credit()
    tree = OptimalTreeClassifier(constraints="few: splitss <= 1")
    with pytest.raises(EstimatorError, match="did you mean 'splits'"):
        cross_val_score(tree, x, y, cv=2, n_jobs=2, error_score="raise")


def test_several_trees_by_scikit_learn() -> None:
    """No single tree of depth 1 tells an interval from both its sides; boosted ones do."""
    x = np.arange(12.0)[:, None]
    y = ((x[:, 0] > 3) & (x[:, 0] < 8)).astype(int)
    one = OptimalTreeClassifier(depth=1, random_state=0, **ALONE)
    boosted = AdaBoostClassifier(one, n_estimators=4, random_state=0).fit(x, y)
    assert boosted.score(x, y) > one.fit(x, y).score(x, y)
    bagged = BaggingClassifier(one, n_estimators=3, random_state=0).fit(x, y)
    drawn = [tree.predict(x) for tree in bagged.estimators_]
    assert (bagged.predict(x) == (np.mean(drawn, axis=0) > 0.5)).all()
