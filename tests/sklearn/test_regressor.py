"""The regressor: what it fits and predicts, by weight, in grids, by its own spec, and refusals."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treemip.sklearn import EstimatorError, OptimalTreeRegressor

pytest.importorskip("pyscipopt", reason="a solver is needed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

X = np.array([[0.0, 3], [1, 1], [2, 4], [3, 1], [4, 5], [5, 9], [6, 2], [7, 6]])
Y = np.array([1.0, 1, 2, 1, 8, 9, 7, 8])


def regressor(**params: object) -> OptimalTreeRegressor:
    return OptimalTreeRegressor(**{"depth": 1, "time_limit": 10.0, **params})


def least_squares(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """The squared error of the best tree of depth 1, by trying every threshold."""

    def error(here: np.ndarray) -> float:
        if not here.any():
            return 0.0
        off = y[here] - np.average(y[here], weights=weight[here])
        return float(weight[here] @ off**2)

    cuts = [(j, cut) for j in range(x.shape[1]) for cut in [-np.inf, *np.unique(x[:, j])]]
    return min(error(x[:, j] <= cut) + error(x[:, j] > cut) for j, cut in cuts)


@pytest.mark.parametrize("seed", range(4))
def test_a_tree_of_depth_1_has_the_least_squared_error_by_weight(seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.integers(-3, 3, (9, 2)) * 10.0, random.integers(0, 50, 9) / 4
    weight = random.integers(0, 4, 9).astype(float)
    tree = regressor().fit(x, y, sample_weight=weight)
    here = weight > 0
    loss = weight @ (tree.predict(x) - y) ** 2
    assert loss == pytest.approx(least_squares(x[here], y[here], weight[here]), rel=1e-5, abs=1e-5)
    assert tree.result_.verified


def test_the_score_is_r2_and_the_objective_its_complement() -> None:
    tree = regressor().fit(X, Y)
    assert tree.score(X, Y) == pytest.approx(r2_score(Y, tree.predict(X)))
    assert 1 - tree.score(X, Y) == pytest.approx(tree.result_.objective, abs=1e-6)
    assert tree.to_text() == ("8 points\n├─ x1 < 3.5: 1.25  (4 points)\n└─ x1 ≥ 3.5: 8  (4 points)")
    assert tree.predict(X).dtype == np.float64
    assert tree.apply(X).tolist() == [1] * 4 + [2] * 4
    assert tree.decision_path(X).sum() == 16


def test_absolute_errors_and_constraints_are_parameters() -> None:
    median = regressor(params={"squared": 0}).fit(X, np.where(Y == 9, 100.0, Y))
    assert median.predict(X) == pytest.approx(np.where(Y == 9, 100.0, 2.0))
    large = regressor(constraints="large {l in leaves}: points_in[l] >= 3").fit(X[:6], Y[:6])
    assert np.unique(large.apply(X[:6]), return_counts=True)[1].tolist() == [3, 3]


def test_linear_leaves() -> None:
    y = np.where(X[:, 0] < 3.5, 2 * X[:, 0], 20 - X[:, 1])
    tree = regressor(formulation="ort_linear").fit(X, y)
    assert not tree.tree_.value_answer.is_constant
    assert tree.score(X, y) > regressor().fit(X, y).score(X, y)


def test_it_is_at_home_in_grids_pipelines_and_pickles() -> None:
    grid = GridSearchCV(
        regressor(time_limit=2.0), {"params__alpha": [0.0, 0.9], "depth": [1]}, cv=2
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grid.set_params(estimator__params={"alpha": 0.0}).fit(X, Y)
    assert grid.best_params_ == {"params__alpha": 0.0, "depth": 1}
    scores = cross_val_score(make_pipeline(StandardScaler(), regressor(time_limit=2.0)), X, Y, cv=2)
    assert scores.shape == (2,) and np.isfinite(scores).all()
    tree = grid.best_estimator_
    again = pickle.loads(pickle.dumps(tree))
    assert (again.predict(X) == tree.predict(X)).all()
    with pytest.raises(NotFittedError):
        clone(tree).predict(X)


def test_frames_have_texts_and_names() -> None:
    frame = pd.DataFrame({"town": list("aabbaabb"), "size": X[:, 0]})
    price = pd.Series([1, 2, 9, 9, 1, 2, 9, 9], name="price")
    tree = regressor().fit(frame, price)
    assert tree.feature_names_in_.tolist() == ["town", "size"]
    assert tree.score(frame, price) < 1 and tree.result_.verified


SPEC = """data "houses.csv" { label price number; scale minmax; }
topology complete(depth = 1);
split univariate by ort(squared = s);
param s = 1;
"""


def test_a_spec_of_ones_own() -> None:
    tree = regressor(spec=SPEC, depth=None).fit(X, Y)
    assert tree.predict(X) == pytest.approx([1.25] * 4 + [8.0] * 4)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"formulation": "oct"}, "'oct' needs a label of classes"),
        ({"spec": SPEC.replace(" number", "")}, "the label 'price' is read as classes"),
        ({"spec": SPEC.replace("label price number", "label none")}, "needs a label"),
        ({"params": {"alpah": 1}}, "alpah"),
    ],
    ids=["classes", "label", "none", "misspelt"],
)
def test_what_is_no_regression_is_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(EstimatorError, match=message):
        OptimalTreeRegressor(**params).fit(X, Y)


def test_texts_are_no_numbers() -> None:
    with pytest.raises(EstimatorError, match="y has values that are no numbers"):
        regressor().fit(pd.DataFrame(X, columns=["a", "b"]), list("aabbaabb"))
