"""OptimalPolicyTree: from scores of treatments, and from who received what; values by hand."""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from treemip.sklearn import EstimatorError, OptimalPolicyTree, doubly_robust_scores

ALONE = {"depth": 1, "time_limit": 10.0}


def people(size: int = 60, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """To whom the drug is worth 1 where a > 0.5, and -1 elsewhere; a column is called treatment."""
    rng = np.random.default_rng(seed)
    x = pd.DataFrame({"a": rng.integers(0, 5, size) / 4, "treatment": rng.integers(0, 2, size)})
    noise = rng.normal(0, 0.1, size)
    return x, pd.DataFrame({"none": 0.0, "drug": np.where(x["a"] > 0.5, 1, -1) + noise})


@pytest.fixture(scope="module")
def fitted() -> tuple[OptimalPolicyTree, pd.DataFrame, pd.DataFrame]:
    x, gamma = people()
    return OptimalPolicyTree(**ALONE).fit(x, gamma), x, gamma


def test_each_row_has_its_treatment(fitted: Any) -> None:
    tree, x, gamma = fitted
    assert tree.treatments_.tolist() == ["none", "drug"]
    assert tree.predict(x).tolist() == np.where(x["a"] > 0.5, "drug", "none").tolist()
    assert "drug  (27 points)" in tree.to_text()
    assert tree.result_.status == "optimal"
    assert tree.result_.objective == pytest.approx(gamma["drug"][x["a"] > 0.5].sum() / 60)


def test_values_of_policies_by_hand(fitted: Any) -> None:
    tree, x, gamma = fitted
    observed = np.where(np.arange(60) % 3, "drug", "none")
    weight = np.arange(60) % 4
    found = tree.policy_values(x, gamma, observed, weight)
    drug = gamma["drug"].to_numpy()
    assert found == pytest.approx(
        {
            "policy": (weight * drug)[x["a"] > 0.5].sum() / weight.sum(),
            "all none": 0,
            "all drug": (weight * drug).sum() / weight.sum(),
            "observed": (weight * drug)[observed == "drug"].sum() / weight.sum(),
        }
    )
    assert tree.score(x, gamma) == pytest.approx(tree.policy_values(x, gamma)["policy"])
    assert "observed" not in tree.policy_values(x, gamma)


@pytest.mark.parametrize("seed", range(3))
def test_the_tree_is_the_best_of_all(seed: int) -> None:
    """Of three treatments and thresholds of two columns, against every tree of depth 1."""
    rng = np.random.default_rng(seed)
    x, gamma, weight = rng.integers(0, 3, (20, 2)), rng.normal(size=(20, 3)), rng.random(20) + 0.1
    tree = OptimalPolicyTree(bin="thresholds", **ALONE).fit(x, gamma, sample_weight=weight)
    worth = [
        (weight * np.where(x[:, j] < cut, gamma[:, left], gamma[:, right])).sum()
        for j, cut, left, right in product(range(2), range(3), range(3), range(3))
    ]
    assert tree.result_.objective == pytest.approx(max(worth) / weight.sum())
    assert tree.score(x, gamma, weight) == pytest.approx(max(worth) / weight.sum())
    assert set(tree.predict(x)) <= {0, 1, 2}


def test_more_than_ten_treatments_keep_their_numbers() -> None:
    x, gamma = np.arange(24)[:, None] // 12, np.zeros((24, 12))
    gamma[:12, 10], gamma[12:, 2] = 1, 1
    tree = OptimalPolicyTree(bin="thresholds", **ALONE).fit(x, gamma)
    assert tree.predict(x).tolist() == [10] * 12 + [2] * 12


@pytest.mark.parametrize("names", [["1.0", "2"], ["1", "1.0"], ["NA", " b"], [True, 2.5]])
def test_treatments_keep_their_names(names: list[Any]) -> None:
    """Also those that cells would read as others."""
    x, gamma = people()
    gamma.columns = pd.Index(names, dtype=object)
    tree = OptimalPolicyTree(**ALONE).fit(x, gamma)
    assert tree.predict(x).tolist() == tree.treatments_[(x["a"] > 0.5).to_numpy() * 1].tolist()


def test_columns_of_worth_go_by_their_names(fitted: Any) -> None:
    tree, x, gamma = fitted
    other = gamma[["drug", "none"]]
    assert tree.policy_values(x, other) == tree.policy_values(x, gamma)
    assert tree.score(x, other.to_numpy()) < 0 < tree.score(x, other)
    with pytest.raises(EstimatorError, match="the columns of gamma are 0, 1"):
        tree.score(x, pd.DataFrame(gamma.to_numpy()))


def test_a_limit_on_treatments_holds() -> None:
    x, gamma = people()
    few = 'few: sum {i in points} prescribed[i,"drug"] <= 15'
    tree = OptimalPolicyTree(constraints=few, **ALONE).fit(x, gamma)
    assert (tree.predict(x) == "drug").sum() <= 15


# ----------------------------------------------------------------------- doubly robust scores


def test_scores_by_hand_where_models_are_exact() -> None:
    """Outcomes are linear in x, so that nothing is missed and scores are the outcomes' means."""
    rng = np.random.default_rng(0)
    x, drug = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    means = np.column_stack([x[:, 0], 2 + x[:, 1]])
    found = doubly_robust_scores(
        x, drug, means[np.arange(80), drug], outcome_model=LinearRegression()
    )
    assert found == pytest.approx(means, abs=1e-9)


@pytest.mark.parametrize("of_each", [False, True])
def test_what_models_miss_is_divided_by_the_propensity(of_each: bool) -> None:
    """A model that always says 0 leaves inverse propensity weighting."""
    rng = np.random.default_rng(1)
    drug, y = rng.integers(0, 2, 40), rng.normal(size=40)
    chance = np.where(drug == 1, 0.25, 0.75)
    given = np.column_stack([np.full(40, 0.75), np.full(40, 0.25)]) if of_each else chance
    found = doubly_robust_scores(np.ones((40, 1)), drug, y, given, outcome_model=Zero())
    expected = np.zeros((40, 2))
    expected[np.arange(40), drug] = y / chance
    assert found == pytest.approx(expected)


class Zero(LinearRegression):
    def fit(self, X: Any, y: Any) -> Zero:
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.zeros(len(X))


def test_a_tree_of_a_trial() -> None:
    """Who received what by chance, and texts among the columns."""
    rng = np.random.default_rng(2)
    x = pd.DataFrame({"a": rng.random(200), "site": rng.choice(["north", "south"], 200)})
    drug = rng.choice(["drug", "none"], 200)
    y = np.where(x["a"] > 0.5, 2.0, -2.0) * (drug == "drug") + rng.normal(size=200)
    tree = OptimalPolicyTree(**ALONE).fit(x, treatment=drug, outcome=y)
    assert (tree.predict(x) == np.where(x["a"] > 0.5, "drug", "none")).mean() > 0.9
    scores = doubly_robust_scores(x, drug, y)
    assert tree.result_.objective == pytest.approx(tree.score(x, scores))


def test_scores_of_frames_keep_names_and_index() -> None:
    """So that a tree of them knows the treatments that were observed."""
    rng = np.random.default_rng(3)
    x = pd.DataFrame({"a": rng.random(60)}, index=range(100, 160))
    drug = rng.choice(["zinc", "none", "drug"], 60)
    y = rng.normal(size=60) + (drug == "zinc")
    scores = doubly_robust_scores(x, drug, y, outcome_model=LinearRegression())
    assert scores.columns.tolist() == ["drug", "none", "zinc"]
    assert scores.index.tolist() == x.index.tolist()
    tree = OptimalPolicyTree(**ALONE).fit(x, scores)
    assert set(tree.predict(x)) <= {"drug", "none", "zinc"}
    values = tree.policy_values(x, scores, drug)
    assert {"observed", "all zinc"} < set(values)
    plain = doubly_robust_scores(x.to_numpy(), drug, y, outcome_model=LinearRegression())
    assert isinstance(plain, np.ndarray) and (plain == scores.to_numpy()).all()
    named = doubly_robust_scores(x.to_numpy(), pd.Series(drug), y, outcome_model=LinearRegression())
    assert named.columns.tolist() == ["drug", "none", "zinc"]
    nameless = OptimalPolicyTree(**ALONE).fit(x.to_numpy(), plain)
    with pytest.raises(EstimatorError, match="treatments are 0, 1, 2, as gamma of the fit had no"):
        nameless.policy_values(x.to_numpy(), plain, drug)


# ----------------------------------------------------------------------------- conventions


def test_as_a_clone_and_pickled(fitted: Any) -> None:
    tree, x, _ = fitted
    again = pickle.loads(pickle.dumps(tree))
    assert again.predict(x).tolist() == tree.predict(x).tolist()
    assert clone(tree).get_params() == tree.get_params() and "spec" not in tree.get_params()


X, GAMMA = np.arange(12.0)[:, None], np.ones((12, 2))
DRUG, Y = np.arange(12) % 2, np.arange(12.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "fit takes either gamma or treatment"),
        ({"gamma": GAMMA, "treatment": DRUG, "outcome": Y}, "fit takes either gamma or treatment"),
        ({"gamma": GAMMA, "outcome": Y}, "outcome and propensity are given beside gamma"),
        ({"gamma": GAMMA[:, :1]}, "gamma has one column"),
        ({"gamma": GAMMA[:5]}, "inconsistent numbers of samples"),
        ({"gamma": GAMMA * np.nan}, "Input gamma contains NaN"),
        ({"gamma": np.ones((12, 13))}, "there are 13 treatments and fewer rows, 12"),
        ({"treatment": DRUG * 0, "outcome": Y}, "all rows received one treatment"),
        ({"treatment": DRUG}, "outcome has"),
        ({"treatment": DRUG, "outcome": ["a"] * 12}, "outcome has values that are no numbers"),
        ({"treatment": DRUG, "outcome": Y[:3]}, "outcome has 3 rows, and treatment 12"),
        ({"treatment": np.arange(12) // 11, "outcome": Y}, "the treatment '1' has 1 rows"),
        ({"treatment": np.where(DRUG, np.nan, 1), "outcome": Y}, "treatment has missing values"),
        ({"treatment": ["a", "b", None] * 4, "outcome": Y}, "treatment has missing values"),
        ({"treatment": DRUG, "outcome": Y, "propensity": 0.5}, "propensity has the shape"),
        ({"treatment": DRUG, "outcome": Y, "propensity": Y / 12}, "not above 0 and at most 1"),
    ],
)
def test_what_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OptimalPolicyTree(**ALONE).fit(X, **given)


def test_values_of_other_treatments_are_refused(fitted: Any) -> None:
    tree, x, gamma = fitted
    with pytest.raises(EstimatorError, match="'placebo' is not among the treatments of the fit"):
        tree.policy_values(x, gamma, ["placebo", None] * 30)
    with pytest.raises(EstimatorError, match=r"gamma has the shape \(59, 2\)"):
        tree.score(x, gamma[1:])
