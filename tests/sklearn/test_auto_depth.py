"""depth="auto": what is chosen, what is kept of it, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from treemip.sklearn import OptimalTreeClassifier, OptimalTreeRegressor
from treemip.study.sklearn import auto_depth
from treemip.study.sweeps import price_path

KEY = np.arange(60)
X = np.column_stack([KEY % 11, (KEY * 7) % 13]).astype(float)
Y = np.where((KEY % 11 > 5) ^ (KEY % 9 == 0), "yes", "no")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setitem(price_path.DEPTHS, "univariate", ("1", "2"))
    monkeypatch.setattr(price_path, "SHARES", (0.001, 0.1))


def test_depth_and_price_are_chosen_inside_a_fit(monkeypatch):
    seen = []
    folds = auto_depth._folds

    def watched(estimator, program):
        seen.append(folds(estimator, program))
        return seen[-1]

    monkeypatch.setattr(auto_depth, "_folds", watched)
    weight = np.where(KEY < 4, 0.0, 1.0)
    groups = KEY % 7
    model = OptimalTreeClassifier(depth="auto", cv=GroupKFold(2), time_limit=300)
    model.fit(X, Y, sample_weight=weight, groups=groups)
    for mask in seen[0][1].values():
        parts = np.frombuffer(mask, np.uint8)
        assert len(parts) == 56  # without those of weight 0
        kept = groups[4:]
        assert not set(kept[parts == 2]) & set(kept[parts == 1])
    assert model.best_depth_ == model.best_params_["depth"] in (1, 2)
    results = model.cv_results_
    assert (
        len(results["params"]) == 4 and results["params"][model.best_index_] == model.best_params_
    )
    mean = (results["split0_test_score"] + results["split1_test_score"]) / 2
    assert np.allclose(results["mean_test_score"], mean)
    assert results["rank_test_score"].min() == 1
    assert (
        model.result_.verdict == "verified" and len(model.result_.compiled.instance.table.y) == 56
    )
    assert model.score(X, Y) > 0.8
    assert clone(model).get_params()["depth"] == "auto"


def test_numbers_are_scored_by_their_error():
    y = X[:, 0] * 2 + (KEY % 5)
    model = OptimalTreeRegressor(depth="auto", cv=2, rule="best", time_limit=300).fit(X, y)
    assert set(model.best_params_) == {"depth", "alpha"} and model.best_score_ < 0
    assert model.best_score_ == model.cv_results_["mean_test_score"].max()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"depth": "deep"}, "depth is 'deep'"),
        ({"depth": "auto", "rule": "2se"}, "the rule is '2se'"),
        ({"depth": "auto", "cv": 70}, "cv: "),
        ({"depth": "auto", "cv": "five"}, "cv: "),
        ({"depth": "auto", "cv": [([0, 1], [2, 300])]}, "cv: "),
    ],
)
def test_what_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier(**parameters).fit(X, Y)


def test_positions_are_not_those_of_fewer_rows():
    weight = np.arange(len(Y)) > 0
    model = OptimalTreeClassifier(depth="auto", cv=[([1, 2, 3], [4, 5])])
    with pytest.raises(ValueError, match="cv has positions of rows, and rows of weight 0 are left"):
        model.fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("cv", [2, TimeSeriesSplit(2), KFold(2)])
def test_groups_are_not_given_to_a_splitter_that_ignores_them(cv):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OptimalTreeClassifier(depth="auto", cv=cv, time_limit=300)
        model.fit(X, Y, groups=KEY % 2)
    assert model.best_depth_ in (1, 2)


def test_a_splitter_of_the_users_own_gets_the_groups():
    class Own:
        def split(self, X, y=None, groups=None):
            assert groups is not None
            yield np.flatnonzero(groups == 0), np.flatnonzero(groups == 1)
            yield np.flatnonzero(groups == 1), np.flatnonzero(groups == 0)

        def get_n_splits(self, X=None, y=None, groups=None):
            return 2

    OptimalTreeClassifier(depth="auto", cv=Own(), time_limit=300).fit(X, Y, groups=KEY % 2)


def test_depth_is_chosen_on_some_rows_of_many_and_the_tree_is_of_all(monkeypatch):
    monkeypatch.setattr(auto_depth, "ROWS", 120)
    seen, planned = [], auto_depth.tuning_plan

    def watched(program, *given, **options):
        seen.append(planned(program, *given, **options))
        return seen[-1]

    monkeypatch.setattr(auto_depth, "tuning_plan", watched)
    key = np.arange(600)
    x, y = np.stack([key % 11, (key * 7) % 13], axis=1), np.where(key % 11 > 5, "yes", "no")
    model = OptimalTreeClassifier(depth="auto", cv=2, rule="best", time_limit=300).fit(x, y)
    for run in seen[0].runs:
        parts = np.frombuffer(run.parts, np.uint8)
        assert len(parts) == run.table.count == np.count_nonzero(parts)
        assert abs(len(parts) - 120) <= 2
    assert model.result_.report.points == 600
    assert model.score(x, y) == 1.0
