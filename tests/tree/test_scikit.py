"""A univariate tree of numbers as scikit-learn's classifier."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from converted_trees import SCALINGS, counted, encoder, random_tree, rows_for, split_of, table

from treemip.core.instance.encodings import AS_IS
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.answers import ClassAnswer, ValueAnswer
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import Limit, raw_tree
from treemip.writers.convert.scikit import numbers_of, single_threshold, to_sklearn

DecisionTreeClassifier = pytest.importorskip("sklearn.tree").DecisionTreeClassifier

PAGE = Path(__file__).parents[2] / "docs" / "convert.md"


def tree_of_numbers(scaling: str, seed: int, classes: str = "text") -> Tree:
    seeds = range(seed, seed + 10_000, 50)
    return only_numbers(random_tree("univariate", scaling, k, classes) for k in seeds)


def counted_tree(scaling: str, seed: int, weighted: bool = False) -> Tree:
    """One of numbers with points in its leaves, whose branches between the same answers stay."""
    seeds = range(seed, seed + 10_000, 50)
    return only_numbers(counted(random_tree("univariate", scaling, k), k, weighted) for k in seeds)


def only_numbers(trees: Iterator[Tree]) -> Tree:
    used = ((t, raw_tree(t).features) for t in trees)
    return next(t for t, features in used if features and all(f.levels is None for f in features))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("scaling", SCALINGS)
def test_the_classifier_agrees_with_the_tree(scaling: str) -> None:
    for seed in range(5):
        tree = tree_of_numbers(scaling, seed, "numbers" if seed == 1 else "text")
        rows = rows_for(tree, 0, seed)
        classifier = to_sklearn(raw_tree(tree), rows)
        found = classifier.predict(numbers_of(raw_tree(tree), rows))
        assert found.tolist() == tree.predict(rows).tolist()
        assert classifier.classes_.tolist() == tree.class_values.tolist()
        columns = ["age", "income (k€)", "level", "height", "constant"]
        assert classifier.feature_names_in_.tolist() == columns


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("scaling", SCALINGS)
def test_the_regressor_has_the_values_of_the_tree(scaling: str) -> None:
    several = False
    for seed in range(8):
        tree = tree_of_numbers(scaling, seed)
        base = np.where(tree.topology.is_leaf, 1 / 3 + tree.leaf_class, 0.0)
        slopes = np.zeros((len(base), len(tree.features)))
        tree = replace(tree, answer=ValueAnswer(base, slopes, len(tree.features)))
        rows = rows_for(tree, 0, seed)
        regressor = to_sklearn(raw_tree(tree), rows)
        drawn = np.random.default_rng(seed).choice(60, 10_000)
        many = {name: values[drawn] for name, values in rows.items()}
        found = regressor.predict(numbers_of(raw_tree(tree), many))
        assert found.tolist() == tree.predict(many).tolist()
        several |= len(set(found)) > 1
    assert several


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("number", [0.7, 0.1, 2.45, 3.0, 16777217.0, 1 / 3, 1e-9 / 7])
def test_decimals_at_a_threshold_go_their_way_in_single_precision(
    operator: str, number: float
) -> None:
    feature = encoder("scale none").features[0]
    assert feature.finish == AS_IS
    limit = Limit(feature, operator, number)
    near = np.float64(number) * np.array([1.0, 1 + 1e-6, 1 - 1e-6])
    expected = {"<": near < number, "<=": near <= number, ">": near > number, ">=": near >= number}
    below = np.float32(near) <= single_threshold(limit)
    exact = len(repr(number)) <= 12
    left = below if "<" in operator else ~below
    assert left[1:].tolist() == expected[operator][1:].tolist()
    assert not exact or left[0] == expected[operator][0]


def test_other_trees_are_refused() -> None:
    with pytest.raises(TreemipError) as error:
        to_sklearn(raw_tree(random_tree("oblique", "scale none", 0)))
    assert [d.code for d in error.value.diagnostics] == ["E902"]
    assert "scikit-learn's trees cannot split by" in error.value.diagnostics[0].message


def test_rows_that_single_precision_moves_are_named() -> None:
    tree = split_of({"income (k€)": 1.0}, 10 / 3)
    rows = {name: values[:3] for name, values in table().items() if name != "class"}
    rows["income (k€)"] = np.array([1.0, 10 / 3, np.nextafter(10 / 3, 4)], object)
    assert tree.predict_numbers(tree.encode(rows)).tolist() == [0, 0, 1]
    with pytest.raises(TreemipError) as error:
        to_sklearn(raw_tree(tree), rows)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E703"
    assert diagnostic.message == (
        "in single precision row 3 is on the other side of a threshold (1 such row)"
    )


@pytest.mark.parametrize("scaling", SCALINGS)
def test_nodes_have_counts_and_branches_the_mean_of_their_leaves(scaling: str) -> None:
    for seed in range(5):
        tree = tree_of_numbers(scaling, seed)
        rows = rows_for(tree, 0, seed)
        raw = raw_tree(tree)
        single = np.asarray(numbers_of(raw, rows), np.float32)
        for classifier in (to_sklearn(raw, rows), to_sklearn(raw_tree(replace(tree, counts=None)))):
            nodes = classifier.tree_
            inner = np.flatnonzero(nodes.children_left >= 0)
            below = nodes.children_left[inner], nodes.children_right[inner]
            weight, value = nodes.weighted_n_node_samples, nodes.value[:, 0]
            assert (weight > 0).all()
            np.testing.assert_allclose(weight[inner], weight[below[0]] + weight[below[1]])
            sums = [weight[side][:, None] * value[side] for side in below]
            np.testing.assert_allclose(weight[inner][:, None] * value[inner], sums[0] + sums[1])
        nodes = to_sklearn(raw, rows).tree_
        passed = nodes.decision_path(single).sum(axis=0)
        assert nodes.n_node_samples.tolist() == np.asarray(passed).ravel().tolist()


def test_counts_kept_in_the_tree_are_those_of_the_training_points() -> None:
    tree = tree_of_numbers("scale minmax", 0)
    rows = rows_for(tree, 0, 0)
    x = tree.encode(rows)
    kept = replace(tree, counts=tree.counts_of(x, np.zeros(len(x), np.int64)))
    of_rows, of_tree = to_sklearn(raw_tree(tree), rows).tree_, to_sklearn(raw_tree(kept)).tree_
    assert of_tree.n_node_samples.tolist() == of_rows.n_node_samples.tolist()
    assert of_tree.n_node_samples[0] == len(x)
    np.testing.assert_array_equal(of_tree.value, of_rows.value)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(
    ("scaling", "smoothing"), [*((s, None) for s in SCALINGS), ("scale minmax", "m=5")]
)
def test_probabilities_are_those_of_the_tree(scaling: str, smoothing: str | None) -> None:
    kinds = set()
    for seed in range(3):
        tree = counted_tree(scaling, seed, weighted=seed % 2 == 1).smoothed(smoothing)
        rows = rows_for(tree, 0, seed)
        x = numbers_of(raw_tree(tree), rows)
        for made in (tree.to_sklearn(), tree.to_sklearn(rows)):
            classifier = pickle.loads(pickle.dumps(made))
            np.testing.assert_array_equal(classifier.predict_proba(x), tree.predict_proba(rows))
            assert classifier.predict(x).tolist() == tree.predict(rows).tolist()
            kinds.add(type(classifier).__name__)
    assert "AnsweringTree" in kinds


def test_leaves_that_answer_their_likeliest_class_need_no_class_of_ours() -> None:
    tree = counted_tree("scale none", 0)
    likeliest = np.where(tree.topology.is_leaf, tree.shares.argmax(axis=1), -1)
    plain = replace(tree, answer=ClassAnswer(likeliest, tree.classes))
    classifier = plain.to_sklearn()
    assert type(classifier) is DecisionTreeClassifier


def test_a_classifier_with_answers_of_its_own_can_be_fitted_again() -> None:
    trees = (counted_tree("scale none", seed) for seed in range(9))
    classifier = next(c for c in (t.to_sklearn() for t in trees) if hasattr(c, "leaf_answers_"))
    x, y = np.arange(20.0)[:, None], np.arange(20) // 10
    again = classifier.fit(x, y)
    assert again.predict(x).tolist() == y.tolist()


def test_nodes_have_the_weight_and_the_impurity_of_their_training_points() -> None:
    tree, rng = tree_of_numbers("scale minmax", 1), np.random.default_rng(1)
    rows = rows_for(tree, 0, 1)
    x = tree.encode(rows)
    y, weight = rng.integers(len(tree.classes), size=len(x)), rng.random(len(x))
    found = np.zeros((tree.topology.size, len(tree.classes)))
    np.add.at(found, (tree.route(x), y), weight)
    nodes = replace(tree, counts=tree.counts_of(x, y), leaf_weights=found).to_sklearn().tree_
    passes = nodes.decision_path(np.asarray(numbers_of(raw_tree(tree), rows), np.float32)).T
    shares = np.stack([passes @ (weight * (y == k)) for k in range(len(tree.classes))], axis=1)
    assert nodes.n_node_samples.tolist() == np.asarray(passes.sum(axis=1)).ravel().tolist()
    np.testing.assert_allclose(nodes.weighted_n_node_samples, passes @ weight, atol=1e-6)
    used = passes @ weight > 0
    shares = shares[used] / shares[used].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(nodes.value[used, 0], shares, atol=1e-6)
    np.testing.assert_allclose(nodes.impurity[used], 1 - (shares**2).sum(axis=1), atol=1e-6)
    assert nodes.compute_feature_importances().sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore")
def test_shap_values_add_up_to_the_probabilities() -> None:
    shap = pytest.importorskip("shap", reason="shap is not installed")
    for seed in range(3):
        tree = counted_tree("scale minmax", seed, weighted=True)
        rows = rows_for(tree, 0, seed)
        x = numbers_of(raw_tree(tree), rows)
        explainer = shap.TreeExplainer(tree.to_sklearn())
        sums = explainer.shap_values(x, check_additivity=False).sum(axis=1)
        shares = tree.predict_proba(rows)
        np.testing.assert_allclose(explainer.expected_value + sums, shares, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_dtreeviz_draws_the_splits_by_the_recipe_of_the_page() -> None:
    pytest.importorskip("dtreeviz", reason="dtreeviz is not installed")
    (recipe,) = re.findall(r"^```python\n(import dtreeviz.*?)^```$", PAGE.read_text(), re.M | re.S)
    tree = tree_of_numbers("scale minmax", 0)
    frame = pd.DataFrame(table()).dropna()
    names = {"tree": tree, "frame": frame}
    exec(recipe, names)
    model = names["model"]
    shadow = model.shadow_tree  # type: ignore[attr-defined]
    classifier = tree.to_sklearn()
    assert shadow.get_thresholds().tolist() == classifier.tree_.threshold.tolist()
    assert sum(leaf.nsamples() for leaf in shadow.leaves) == len(frame)
