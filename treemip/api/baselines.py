"""Trees that a tree is worth comparing with: CART's in the same shape, and those that answer
everyone alike, such as the majority class, the mean, or one treatment for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.starts.cart import cart, of_cart
from treemip.api.other_trees import MOST_ENTRIES
from treemip.core.model.tolerances import VERIFIED
from treemip.core.tree.answers import ClassAnswer, ValueAnswer
from treemip.core.tree.tree import Tree

if TYPE_CHECKING:
    from treemip.core.instance.encoded_table import Table
    from treemip.core.instance.instance import Instance


KAPLAN_MEIER = "Kaplan-Meier of all, no split"
"""Of times: a tree whose one leaf has the curve of all points."""


def baselines(instance: Instance, tree: Tree) -> dict[str, Tree]:
    """By name. instance: of the training points, in which `tree` was learned. CART is left out of
    tables of more than MOST_ENTRIES entries."""
    table = instance.table
    if tree.answer.kind == "value":
        if table.label_kind == "number":
            return {"mean of all": _constant(tree, float(table.y.mean()))}
        timed = tree.outcomes is not None and tree.outcomes.kind == "time"
        return {KAPLAN_MEIER: _constant(tree, 1.0)} if timed else {}
    if not tree.predicts_label:
        names = tree.classes
        return {f"{name} for all": _everyone(tree, k) for k, name in enumerate(names)}
    found = {}
    if table.inputs.size <= MOST_ENTRIES and instance.topology is not None:
        found["CART"] = _cart(instance, tree)
    counts = np.bincount(table.y, minlength=len(tree.classes))
    return found | {"majority class": _everyone(tree, int(counts.argmax()))}


def at_random(tree: Tree, table: Table, worth: Callable[[Tree], float | None]) -> float | None:
    """What it is worth on average to give each choice to as many points as the tree does, drawn at
    random: the mean over choices of one for all, weighted by their shares (the line that Qini and
    TOC curves are compared with; Yadlowsky et al. 2025).

    worth: of a tree on the table. None where leaves do not choose, where the tree gives all points
    the same, and where worth is no sum over points. That shows when the tree's choices are
    exchanged in turn: by a sum, these trees are worth as much together as one choice for all.
    """
    if tree.answer.kind == "value" or tree.predicts_label or not len(table.y):
        return None
    choices = range(len(tree.classes))
    shares = np.bincount(tree.predict_numbers(table.inputs), minlength=len(choices)) / len(table.y)
    if shares.max() == 1:
        return None
    alike, turned = (
        np.array([worth(one(tree, k)) for k in choices], float)  # None is nan, equal to none
        for one in (_everyone, _turned)
    )
    same = np.isclose(alike.sum(), turned.sum(), rtol=VERIFIED, atol=VERIFIED)
    return float(shares @ alike) if same else None


def _turned(tree: Tree, by: int) -> Tree:
    """The tree with each choice exchanged for the one so many places after it."""
    answer = tree.answer
    assert not isinstance(answer, ValueAnswer)
    leaf = np.where(tree.topology.is_leaf, (answer.leaf + by) % len(answer.classes), -1)
    return replace(tree, answer=ClassAnswer(leaf, answer.classes, answer.of))


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
