"""OptimalSurvivalTree by scikit-survival's convention."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treemip.core.source.diagnostic import TreemipError
from treemip.sklearn import EstimatorError, OptimalSurvivalTree

ALONE = {"depth": 1, "time_limit": 10, "formulation": "ost_grid", "params": {"steps": 5}}

OWN = """data "patients.csv" { label none; number time, event; scale minmax; }
topology complete(depth = 1);
split univariate by ost_grid(steps = 5);
"""


def outcomes(event: Any, time: Any) -> np.ndarray:
    found = np.empty(len(time), [("event", bool), ("time", float)])
    found["event"], found["time"] = event, time
    return found


def patients(size: int = 60, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Of whom the old have the event early."""
    rng = np.random.default_rng(seed)
    x = pd.DataFrame({"age": rng.integers(20, 90, size), "time": rng.integers(0, 5, size)})
    dies = rng.exponential(np.where(x["age"] > 60, 1, 20))
    leaves = rng.exponential(6, size)
    return x, outcomes(dies <= leaves, np.round(np.minimum(dies, leaves), 1) + 0.1)


@pytest.fixture(scope="module")
def fitted() -> tuple[OptimalSurvivalTree, pd.DataFrame, np.ndarray]:
    """A column of X is called time, as the formulation calls something else."""
    x, y = patients()
    return OptimalSurvivalTree(**ALONE).fit(x, y), x, y


def test_risks_and_curves_are_those_of_the_leaves(fitted: Any) -> None:
    tree, x, y = fitted
    leaf, risk = tree.apply(x), tree.predict(x)
    assert len(np.unique(leaf)) == 2 and risk[x["age"] > 70].min() > risk[x["age"] < 50].max()
    assert tree.unique_times_.tolist() == np.unique(y["time"]).tolist()
    survival = tree.predict_survival_function(x, return_array=True)
    hazard = tree.predict_cumulative_hazard_function(x, return_array=True)
    assert survival.shape == hazard.shape == (60, len(tree.unique_times_))
    nonparametric = pytest.importorskip("sksurv.nonparametric")
    for node in np.unique(leaf):
        own = y[leaf == node]
        for estimate, found, start in (
            (nonparametric.kaplan_meier_estimator, survival, 1.0),
            (nonparametric.nelson_aalen_estimator, hazard, 0.0),
        ):
            times, values = estimate(own["event"], own["time"])
            at = np.searchsorted(times, tree.unique_times_, side="right")
            expected = np.append(start, values)[at]
            assert found[leaf == node][0] == pytest.approx(expected, abs=1e-12)


def test_step_functions_are_scikit_survivals(fitted: Any) -> None:
    functions = pytest.importorskip("sksurv.functions")
    tree, x, _ = fitted
    for predict in (tree.predict_survival_function, tree.predict_cumulative_hazard_function):
        steps, array = predict(x), predict(x, return_array=True)
        assert steps.shape == (60,) and isinstance(steps[0], functions.StepFunction)
        assert np.array([step(tree.unique_times_) for step in steps]).tolist() == array.tolist()


def test_the_score_is_harrells_c(fitted: Any) -> None:
    metrics = pytest.importorskip("sksurv.metrics")
    tree, _, _ = fitted
    x, y = patients(500, 1)
    expected = metrics.concordance_index_censored(y["event"], y["time"], tree.predict(x))[0]
    assert tree.score(x, y) == pytest.approx(expected, rel=1e-12) and expected > 0.6


def test_scores_and_grids_of_scikit_survival(fitted: Any) -> None:
    metrics = pytest.importorskip("sksurv.metrics")
    _, x, y = fitted
    scored = metrics.as_concordance_index_ipcw_scorer(OptimalSurvivalTree(**ALONE))
    assert 0.5 < scored.fit(x, y).score(x, y) < 1
    grid = GridSearchCV(OptimalSurvivalTree(**ALONE), {"params__min_leaf": [1, 40]}, cv=2)
    assert grid.fit(x, y).best_params_ == {"params__min_leaf": 1}


def test_in_a_pipeline_as_a_clone_and_pickled(fitted: Any) -> None:
    tree, x, y = fitted
    pipeline = make_pipeline(StandardScaler(), clone(tree)).fit(x, y)
    assert pipeline.score(x, y) == pytest.approx(tree.score(x, y))
    again = pickle.loads(pickle.dumps(tree))
    assert again.predict(x).tolist() == tree.predict(x).tolist()
    functions = (t.predict_survival_function(x, return_array=True) for t in (tree, again))
    assert np.array_equal(*functions)


def test_weights_count_points_in_objective_and_curves() -> None:
    x, y = patients(40)
    weight = np.arange(40) % 3
    weighted = OptimalSurvivalTree(**ALONE).fit(x, y, sample_weight=weight)
    repeated = OptimalSurvivalTree(**ALONE).fit(x.loc[x.index.repeat(weight)], y.repeat(weight))
    assert weighted.result_.objective == pytest.approx(repeated.result_.objective)
    functions = (t.predict_survival_function(x, return_array=True) for t in (weighted, repeated))
    assert np.allclose(*functions)


def test_a_leaf_without_training_points_has_the_curve_of_all() -> None:
    x, y = patients(30)
    tree = OptimalSurvivalTree(**ALONE).fit(x, y)
    tree.curves_ = {}
    found = tree.predict_survival_function(x[:1], return_array=True)
    assert found[0].tolist() == tree._all_points.survival.tolist()


def test_a_whole_spec() -> None:
    x, y = patients(40)
    tree = OptimalSurvivalTree(OWN, time_limit=10).fit(x[["age"]], y)
    stated = OptimalSurvivalTree(**ALONE).fit(x[["age"]], y)
    assert tree.result_.objective == pytest.approx(stated.result_.objective)


def test_only_step_functions_need_scikit_survival(
    fitted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, x, y = fitted
    monkeypatch.setitem(sys.modules, "sksurv.functions", None)
    assert tree.score(x, y) > 0.5
    with pytest.raises(TreemipError, match=r"E602.*sksurv"):
        tree.predict_survival_function(x)


Y = patients(6)[1]
RENAMED = OWN.replace("time, event", "months, died") + (
    "param time {i in points} = months[i]; param event {i in points} = died[i];"
)
TREATED = OWN.replace("number time, event", "group treatment; number outcome, propensity").replace(
    "ost_grid(steps = 5)", "prescriptive_ipw"
)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        (Y["time"], "y must be a structured array with the first field being a binary class event"),
        (Y.astype([("event", float), ("time", float)]), "'event', is not of type bool"),
        (outcomes(False, np.ones(6)), "all points are censored"),
        (outcomes(True, -np.ones(6)), "y has a negative time"),
        (outcomes(True, np.full(6, np.nan)), "Input y contains NaN"),
        (Y[:5], "inconsistent numbers of samples"),
    ],
)
def test_other_outcomes_are_refused(y: Any, message: str) -> None:
    x, _ = patients(6)
    with pytest.raises(ValueError, match=message):
        OptimalSurvivalTree(**ALONE).fit(x, y)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (RENAMED, "no number called 'time'"),
        (OWN.replace("label none", "label class"), "the spec names a label"),
        (TREATED, "leaves do not answer hazards"),
    ],
)
def test_other_specs_are_refused(spec: str, message: str) -> None:
    x, y = patients(10)
    with pytest.raises(EstimatorError, match=message):
        OptimalSurvivalTree(spec).fit(x[["age"]], y)


def test_a_depth_is_not_chosen() -> None:
    with pytest.raises(EstimatorError, match='depth is "auto", which OptimalSurvivalTree does not'):
        OptimalSurvivalTree(depth="auto").fit(*patients(10))


def test_a_score_of_points_that_cannot_be_compared(fitted: Any) -> None:
    tree, x, _ = fitted
    with pytest.raises(EstimatorError, match="no two points can be compared"):
        tree.score(x[:2], outcomes([False, False], [1.0, 2.0]))
