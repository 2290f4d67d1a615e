"""A tree written as Python predicts what the tree predicts, row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from converted_trees import SCALINGS, answering, as_rows, random_tree, rows_for, tree_asking
from run_programs import module_of

from treemip.core.tree.randomized import RandomizedTree


@pytest.mark.parametrize("kind", ["univariate", "mixed", "oblique", "randomized"])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_python_predicts_as_the_tree_does(kind: str, scaling: str) -> None:
    for seed in range(4):
        tree = random_tree(kind, scaling, seed)
        rows = rows_for(tree, 600, seed)
        module = module_of(tree)
        assert [module["predict"](row) for row in as_rows(rows)] == tree.predict(rows).tolist()
        if isinstance(tree, RandomizedTree):
            chances = [module["probabilities"](row) for row in as_rows(rows)]
            assert np.array_equal(chances, tree.predict_proba(rows))


@pytest.mark.parametrize("kind", ["univariate", "mixed", "oblique"])
@pytest.mark.parametrize("how", ["constants", "linear", "shares"])
def test_python_answers_as_the_tree_does(kind: str, how: str) -> None:
    for seed, scaling in enumerate(SCALINGS):
        tree = answering(random_tree(kind, scaling, seed), how, seed)
        rows = rows_for(tree, 10_000 if seed == 0 else 300, seed)
        module = module_of(tree)
        assert [module["predict"](row) for row in as_rows(rows)] == tree.predict(rows).tolist()
        assert ("CLASSES" in module) is (how == "shares")
        if how == "shares":
            chances = [module["probabilities"](row) for row in as_rows(rows)]
            assert np.array_equal(chances, tree.predict_proba(rows))


def test_python_reads_the_texts_of_a_data_file() -> None:
    tree = random_tree("oblique", "scale standard", 4)
    rows = rows_for(tree, 200, 4)
    predict = module_of(tree)["predict"]
    texts = [
        {name: "" if str(value) == "nan" else f" {value} " for name, value in row.items()}
        for row in as_rows(rows)
    ]
    assert [predict(row) for row in texts] == tree.predict(rows).tolist()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("level", None, "no value in column 'level'"),
        ("level", "-999", "no value in column 'level'"),
        ("level", "1_0", "'1_0' in column 'level', which holds finite numbers"),
        ("level", math.inf, "inf in column 'level', which holds finite numbers"),
        ("the town", "C", "'C' in column 'the town', a value that training did not have"),
    ],
)
def test_what_the_tree_refuses_is_a_value_error(column: str, value: object, message: str) -> None:
    tree = tree_asking("mixed", "level", "the town")
    row = as_rows(rows_for(tree, 1, 0))[-1]
    predict = module_of(tree)["predict"]
    assert predict(row) in tree.classes
    with pytest.raises(ValueError) as error:
        predict(row | {column: value})
    assert str(error.value) == message


@pytest.mark.truth
@pytest.mark.parametrize("kind", ["univariate", "mixed", "oblique", "randomized"])
def test_python_predicts_ten_thousand_rows_of_each_kind(kind: str) -> None:
    for scaling in SCALINGS:
        tree = random_tree(kind, scaling, 11)
        rows = rows_for(tree, 10_000, 11)
        predict = module_of(tree)["predict"]
        assert [predict(row) for row in as_rows(rows)] == tree.predict(rows).tolist()
