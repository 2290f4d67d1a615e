"""Trees that a tree is worth comparing with: CART's in the same shape, and those that answer
everyone alike, such as the majority class, the mean, or one treatment for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.starts.cart import cart, of_cart
from treemip.api.other_trees import MOST_ENTRIES
from treemip.core.tree.answers import ClassAnswer, ValueAnswer
from treemip.core.tree.tree import Tree

if TYPE_CHECKING:
    from treemip.core.instance.instance import Instance


def baselines(instance: Instance, tree: Tree) -> dict[str, Tree]:
    """By name. instance: of the training points, in which `tree` was learned. CART is left out of
    tables of more than MOST_ENTRIES entries."""
    table = instance.table
    if tree.answer.kind == "value":
        if table.label_kind == "number":
            return {"mean of all": _constant(tree, float(table.y.mean()))}
        timed = tree.outcomes is not None and tree.outcomes.kind == "time"
        return {"no split": _constant(tree, 1.0)} if timed else {}
    if not tree.predicts_label:
        names = tree.classes
        return {f"{name} for all": _everyone(tree, k) for k, name in enumerate(names)}
    found = {}
    if table.inputs.size <= MOST_ENTRIES and instance.topology is not None:
        found["CART"] = _cart(instance, tree)
    counts = np.bincount(table.y, minlength=len(tree.classes))
    return found | {"majority class": _everyone(tree, int(counts.argmax()))}


def _cart(instance: Instance, tree: Tree) -> Tree:
    one = of_cart(instance, cart(instance))
    threshold = one.threshold.copy()
    for t in one.topology.branches.tolist():
        if not one.weights[t].any():
            threshold[t] = 1.0 if one.unsplit(t) else -1.0
    answer = ClassAnswer(one.leaf_class, tree.classes)
    return Tree(
        one.topology, one.weights, threshold, False, answer, tree.features, tree.encoder, "CART"
    )


def _everyone(tree: Tree, k: int) -> Tree:
    """All leaves answer class k."""
    answer = tree.answer
    assert not isinstance(answer, ValueAnswer)
    leaf = np.where(tree.topology.is_leaf, k, -1)
    return _unsplit(tree, ClassAnswer(leaf, answer.classes, answer.of))


def _constant(tree: Tree, value: float) -> Tree:
    own = tree.value_answer
    base = np.where(tree.topology.is_leaf, value, 0.0)
    return _unsplit(tree, ValueAnswer(base, np.zeros_like(own.slopes), own.features))


def _unsplit(tree: Tree, answer: ClassAnswer | ValueAnswer) -> Tree:
    """The tree without a split, whose points all end in its leftmost leaf."""
    weights, threshold = np.zeros_like(tree.weights), np.zeros_like(tree.threshold)
    return Tree(tree.topology, weights, threshold, False, answer, tree.features, tree.encoder)
