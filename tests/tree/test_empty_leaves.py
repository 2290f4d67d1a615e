"""Leaves that no point reaches: the mean of the points above, where nothing depends on them."""

import numpy as np
import pytest
from answering_specs import CONSTANT_L1, PRICE, X

import treemip
from treemip.core.instance.instance import Instance
from treemip.core.tree.from_values import settled_values, tree_from_values
from treemip.core.tree.tree import Tree

ALL_LEFT = {"coef": np.array([1.0, 0.0]), "bias": np.array([10.0])}


def read(text: str, **values: list[float]) -> tuple[Instance, Tree, dict[str, np.ndarray]]:
    instance = treemip.loads(text, (X, PRICE)).instance
    known = {**ALL_LEFT, **{name: np.array(each) for name, each in values.items()}}
    return instance, tree_from_values(instance, known, None).tree, known


def test_an_empty_leaf_gets_the_mean_of_the_points_above() -> None:
    instance, tree, values = read(CONSTANT_L1, leaf_value=[3.0, 17.0])
    assert tree.value_answer.base.tolist() == [0.0, 3.0, 3.0]
    settled = settled_values(instance, tree, values, frozenset(["leaf_value"]))
    assert settled["leaf_value"].tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "more",
    [
        "subject to higher: leaf_value[right(root)] >= leaf_value[left(root)] + 5;",
        "subject to all_high: sum {l in leaves} leaf_value[l] >= 20;",
    ],
)
def test_a_leaf_that_a_constraint_needs_keeps_its_value(more: str) -> None:
    _, tree, _ = read(CONSTANT_L1 + more, leaf_value=[3.0, 17.0])
    assert tree.value_answer.base.tolist() == [0.0, 3.0, 17.0]


def test_a_leaf_that_the_objective_needs_keeps_its_value() -> None:
    text = CONSTANT_L1.replace("minimize ", "minimize abs(leaf_value[right(root)] - 17) + ")
    _, tree, _ = read(text, leaf_value=[3.0, 17.0])
    assert tree.value_answer.base.tolist() == [0.0, 3.0, 17.0]


def test_values_read_from_what_has_no_meaning_are_kept() -> None:
    text = CONSTANT_L1.replace("var leaf_value", "var beta").replace("means given_value[l]", "")
    text = text.replace("predict value leaf_value[l]", "predict value beta[l]")
    _, tree, _ = read(text + "let leaf_value {l in leaves} = 2 * beta[l];", beta=[3.0, 17.0])
    assert tree.value_answer.base.tolist() == [0.0, 3.0, 17.0]


def test_a_variable_by_another_name_has_the_meaning_of_its_concept() -> None:
    text = CONSTANT_L1.replace("var leaf_value", "var beta").replace("means given_value[l]", "")
    text = text.replace("predict value leaf_value[l]", "predict value beta[l]")
    _, tree, _ = read(text + "let leaf_value {l in leaves} = beta[l];", beta=[3.0, 17.0])
    assert tree.value_answer.base.tolist() == [0.0, 3.0, 3.0]


def test_without_a_point_the_nearest_node_that_has_some_counts() -> None:
    text = CONSTANT_L1.replace("complete(depth = 1)", 'shape "(. ((. .) .))"')
    text = text.replace("if l = left(root) then go[i] else 1 - go[i]", "0")
    instance = treemip.loads(text, (X, PRICE)).instance
    values = {
        "coef": np.array([1.0, 0, 1.0, 0, 1.0, 0]),
        "bias": np.array([2.5, 0.5, 0.2]),
        "leaf_value": np.array([1.0, 5.0, 6.0, 7.0]),
    }
    tree = tree_from_values(instance, values, None).tree
    empty = ~tree.path(instance.table.inputs).any(axis=0)
    assert empty[tree.topology.leaves].sum() == 2
    assert tree.topology.heap[tree.topology.leaves].tolist() == [2, 7, 12, 13]
    assert tree.value_answer.base[tree.topology.leaves].tolist() == [1.0, 5.0, 5.0, 5.0]
