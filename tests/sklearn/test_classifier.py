"""The estimator: what it fits, predicts and keeps, in the units and classes of its user."""

from __future__ import annotations

import pickle
import threading
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from small_credit import ALONE, credit, fair_tree

from treemip import Tree
from treemip.sklearn import EstimatorError, OptimalTreeClassifier


def fewest_errors(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """Of all trees of depth 1, by trying every threshold and every pair of labels."""
    best = min(weight[y != k].sum() for k in set(y))
    for j, k, m in product(range(x.shape[1]), set(y), set(y)):
        for cut in np.unique(x[:, j])[1:]:
            given_class = np.where(x[:, j] < cut, k, m)
            best = min(best, weight[given_class != y].sum())
    return float(best)


@given(seed=st.integers(0, 10_000))
def test_a_tree_of_depth_1_makes_as_few_errors_by_weight_as_any(seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.integers(-3, 3, (12, 2)) * 10.0, random.integers(0, 3, 12)
    weight = random.integers(0, 4, 12).astype(float)
    if len(set(y[weight > 0])) < 2:
        return
    tree = OptimalTreeClassifier(depth=1, **ALONE).fit(x, y, sample_weight=weight)
    wrong = weight[tree.predict(x) != y].sum()
    assert wrong == fewest_errors(x[weight > 0], y[weight > 0], weight[weight > 0])
    assert wrong == pytest.approx(tree.result_.objective)


def test_the_tree_and_its_text_are_in_raw_units() -> None:
    x, y = load_iris(return_X_y=True)
    tree = OptimalTreeClassifier().fit(x, y)
    assert tree.to_text() == (
        "150 points\n"
        "├─ x3 < 2.45: class = 0  (50 points: 50 of 0)\n"
        "└─ x3 ≥ 2.45\n"
        "   ├─ x4 < 1.65: class = 1  (52 points: 48 of 1, 4 of 2)\n"
        "   └─ x4 ≥ 1.65: class = 2  (48 points: 46 of 2, 2 of 1)"
    )
    assert isinstance(tree.tree_, Tree)
    assert (tree.tree_.predict(x) == tree.predict(x)).all()
    assert tree.result_.verified and tree.result_.optimality.proven
    assert tree.program_.spec.formulation == "oct"


def test_probabilities_are_the_weighted_shares_of_leaves() -> None:
    x, y = load_iris(return_X_y=True)
    weight = np.where(y == 2, 2.0, 1.0)
    tree = OptimalTreeClassifier(depth=1).fit(x, y, sample_weight=weight)
    chances, leaf = tree.predict_proba(x), tree.apply(x)
    for one in set(leaf):
        here = leaf == one
        shares = [weight[here & (y == k)].sum() / weight[here].sum() for k in range(3)]
        assert chances[here] == pytest.approx(np.tile(shares, (here.sum(), 1)))
    with np.errstate(divide="ignore"):
        assert np.array_equal(tree.predict_log_proba(x), np.log(chances))


def test_a_leaf_without_points_has_the_shares_of_the_nearest_node_above_with_some() -> None:
    x, y = [[0], [1], [2], [3]], np.array([0, 0, 1, 1])
    tree = OptimalTreeClassifier(formulation="binoct").fit(x, y).tree_
    passed, parent = tree.path(tree.encode(x)), tree.topology.parent
    unused = [leaf for leaf in tree.topology.leaves.tolist() if not passed[:, leaf].any()]
    assert unused
    for leaf in unused:
        above = parent[leaf]
        while not passed[:, above].any():
            above = parent[above]
        here = y[passed[:, above].astype(bool)]
        assert tree.shares[leaf].tolist() == [(here == 0).mean(), (here == 1).mean()]


def test_paths_run_from_the_root_to_the_leaf() -> None:
    x, y = load_iris(return_X_y=True)
    tree = OptimalTreeClassifier().fit(x, y)
    path = tree.decision_path(x).toarray()
    assert np.array_equal(path, tree.tree_.path(tree.tree_.encode(x)).astype(int))
    assert (path[np.arange(len(x)), tree.apply(x)] == 1).all()


@pytest.mark.parametrize(
    "classes",
    [["no", "yes"], [False, True], [-1, 1], [0.0, 2.0], ["10", "9"], ["b c", " x"], ['"', "\\"]],
    ids=str,
)
def test_classes_come_back_as_they_were_given(classes: list[object]) -> None:
    y = np.array(classes)[[0, 0, 1, 1, 0]]
    tree = OptimalTreeClassifier(depth=1, **ALONE).fit([[0], [1], [5], [6], [2]], y)
    assert np.array_equal(tree.classes_, np.unique(y))
    assert tree.predict([[0], [9]]).tolist() == [classes[0], classes[1]]
    assert tree.predict_proba([[9]])[0, tree.classes_.tolist().index(classes[1])] == 1
    assert tree.predict([[0]]).dtype == tree.classes_.dtype


def test_classes_that_differ_by_writing_alone_are_refused() -> None:
    with pytest.raises(ValueError, match=r"reads the classes '1' and '1\.0' as one"):
        OptimalTreeClassifier().fit([[0], [1], [2]], np.array(["1", "1.0", "2"]))


def test_one_class_is_refused_also_where_weights_leave_no_other() -> None:
    for weight in (None, [1, 0]):
        y = [1, 1] if weight is None else [1, 2]
        with pytest.raises(ValueError, match="y has one class"):
            OptimalTreeClassifier().fit([[0], [1]], y, sample_weight=weight)


def test_the_label_of_a_leaf_need_not_be_its_most_frequent_class() -> None:
    x, y = [[0]] * 5 + [[1]] * 5, ["a"] * 5 + ["b"] * 2 + ["a"] * 3
    tree = OptimalTreeClassifier(depth=1, constraints='found: recall["b"] >= 1').fit(x, y)
    assert tree.predict([[0], [1]]).tolist() == ["a", "b"]
    assert tree.predict_proba([[1]]).tolist() == [[0.6, 0.4]]


# ---------------------------------------------------------------------- groups and constraints


def test_groups_given_to_fit_and_a_column_of_x_are_the_same_constraint() -> None:
    x, y, sex = credit()
    free = OptimalTreeClassifier(objective="misclassified + 0.3 * splits").fit(x, y)
    routed = fair_tree().fit(x, y, groups=sex)
    named = fair_tree("sex").fit(x, y, groups=sex.to_frame())
    column = fair_tree("sex", group="sex").fit(x.assign(sex=sex), y)
    shares = pd.Series(routed.predict(x) == "good").groupby(sex).mean()
    assert shares.max() - shares.min() <= 0.2 + 1e-9
    assert free.result_.objective < routed.result_.objective
    assert routed.to_text() == named.to_text() == column.to_text()
    assert "sex" not in column.tree_.features
    assert (column.predict(x.assign(sex="unknown")) == routed.predict(x)).all()


def test_groups_of_points_without_weight_are_left_out() -> None:
    x, y, sex = credit()
    weight = np.arange(24) % 3
    here = weight > 0
    fair = fair_tree(depth=1)
    part = clone(fair).fit(x[here], y[here], sample_weight=weight[here], groups=sex[here])
    for groups in (sex, sex.tolist(), pl.Series(sex.tolist()), {"group": sex.to_numpy()}):
        whole = clone(fair).fit(x, y, sample_weight=weight, groups=groups)
        assert whole.to_text() == part.to_text()


def test_an_infeasible_constraint_is_a_value_error() -> None:
    x, y, _ = credit()
    with pytest.raises(EstimatorError) as caught:
        OptimalTreeClassifier(constraints="all: leaves_used >= 9").fit(x, y)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value) == (
        "error[E605]: no tree of this shape satisfies all constraints\n"
        "  = help: relax a constraint, or take a deeper tree"
    )


def test_a_solve_without_a_proof_warns() -> None:
    x, y = load_iris(return_X_y=True)
    tree = OptimalTreeClassifier(depth=4, solver="mip", time_limit=1.0)
    with pytest.warns(ConvergenceWarning, match="the time limit of 1 s ended the solve: opt"):
        tree.fit(x, y)


# ------------------------------------------------------------------------ frames and categories


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_keep_their_names_and_categories(library: str) -> None:
    x, y, _ = credit()
    frame = x if library == "pandas" else pl.DataFrame({k: x[k].tolist() for k in x})
    tree = OptimalTreeClassifier(constraints='one {t in branches}: uses[t,"housing=own"] = 0')
    tree.fit(frame, y.to_numpy())
    assert tree.feature_names_in_.tolist() == ["duration", "amount", "age", "housing"]
    assert tree.n_features_in_ == 4
    assert (tree.predict(frame) == tree.predict(x.to_numpy())).all()
    with pytest.raises(ValueError, match="feature names"):
        tree.predict(frame[["amount", "duration", "age", "housing"]])


def test_an_unseen_category_is_none_of_those_seen() -> None:
    x = pd.DataFrame({"colour": ["red", "red", "blue", "blue"]})
    tree = OptimalTreeClassifier(depth=1).fit(x, [0, 0, 1, 1])
    (branch,) = tree.tree_.topology.branches
    none = tree.tree_.goes_left(branch, np.zeros((1, 2)))[0]
    leaf = (tree.tree_.topology.left if none else tree.tree_.topology.right)[branch]
    assert tree.apply(pd.DataFrame({"colour": ["green"]})).tolist() == [leaf]
    strict = clone(tree).set_params(encode="onehot").fit(x, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="'green' in column 'colour', which is not among"):
        strict.predict(pd.DataFrame({"colour": ["green"]}))


# -------------------------------------------------------------------------- parameters, copies


def test_entries_of_params_are_parameters() -> None:
    tree = OptimalTreeClassifier(params={"price": 1})
    assert tree.get_params()["params__price"] == 1
    assert "params__price" not in tree.get_params(deep=False)
    shared = tree.params
    tree.set_params(params__price=2, params__most=3, depth=1)
    assert tree.params == {"price": 2, "most": 3} and tree.depth == 1
    assert shared == {"price": 1}
    assert clone(tree).params == tree.params
    with pytest.raises(ValueError, match="Invalid parameter 'dept'"):
        tree.set_params(dept=3)


def test_a_fitted_tree_is_copied_with_all_it_has() -> None:
    x, y, sex = credit()
    tree = fair_tree(depth=1).fit(x, y, groups=sex)
    copy = pickle.loads(pickle.dumps(tree))
    assert np.array_equal(copy.predict_proba(x), tree.predict_proba(x))
    assert copy.result_.verdict == "verified" and copy.to_text() == tree.to_text()
    del copy.result_, copy.program_
    small = pickle.dumps(copy)
    assert len(small) < 10_000
    assert np.array_equal(pickle.loads(small).predict_proba(x), tree.predict_proba(x))


def test_nothing_is_predicted_before_a_fit() -> None:
    for method in ("predict", "predict_proba", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(OptimalTreeClassifier(), method)([[0]])
    with pytest.raises(NotFittedError):
        OptimalTreeClassifier().to_text()


def test_fits_in_a_thread() -> None:
    fitted = []
    work = threading.Thread(
        target=lambda: fitted.append(OptimalTreeClassifier(depth=1).fit([[0], [1]], [0, 1]))
    )
    work.start()
    work.join()
    assert fitted[0].predict([[0], [1]]).tolist() == [0, 1]


# ------------------------------------------------------------------------- other formulations


@pytest.mark.parametrize(
    ("params", "classes"),
    [
        ({"formulation": "binoct"}, 3),
        ({"formulation": "flow_oct", "bin": "quantile(3)"}, 3),
        ({"formulation": "soct", "depth": 1}, 2),
        ({"formulation": "margot", "depth": 1, "positive": 1}, 2),
    ],
    ids=lambda p: p["formulation"] if isinstance(p, dict) else "",
)
def test_formulations_fit_by_name(params: dict[str, object], classes: int) -> None:
    x, y = load_iris(return_X_y=True)
    x, y = x[y < classes][::5], y[y < classes][::5]
    tree = OptimalTreeClassifier(time_limit=1, **params).fit(x, y)
    assert tree.result_.verified
    assert tree.score(x, y) > 0.9


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_randomized_tree_gives_its_own_probabilities() -> None:
    pytest.importorskip("casadi")
    x, y = load_iris(return_X_y=True)
    x, y = x[::6], np.array(["a", "b", "c"])[y[::6]]
    tree = OptimalTreeClassifier(formulation="mrct", time_limit=0.5, random_state=0).fit(x, y)
    chances = tree.predict_proba(x)
    assert np.array_equal(chances, tree.tree_.predict_proba(x))
    assert np.array_equal(tree.predict(x), tree.classes_[chances.argmax(axis=1)])
    assert tree.decision_path(x).sum() == 3 * len(x)
