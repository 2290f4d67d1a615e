"""A univariate tree of numbers as scikit-learn's classifier."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from converted_trees import SCALINGS, encoder, random_tree, rows_for, split_of, table

from treemip.core.instance.encodings import AS_IS
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.answers import ValueAnswer
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import Limit, raw_tree
from treemip.writers.convert.scikit import numbers_of, single_threshold, to_sklearn

pytest.importorskip("sklearn")

PAGE = Path(__file__).parents[2] / "docs" / "convert.md"


def tree_of_numbers(scaling: str, seed: int, classes: str = "text") -> Tree:
    trees = (random_tree("univariate", scaling, seed + 50 * k, classes) for k in range(200))
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
