"""Answers and splits of a tree in words.

A split of one feature is in the feature's own units, or by its categories; a split of several is
in the encoded features. Numbers are rounded to five digits; `Tree.to_json` has them exactly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.core.instance.encodings import Thermometer
from treemip.core.instance.missing_columns import MISSING, finishes_of
from treemip.core.model.tolerances import SCALED_BACK
from treemip.core.tree.answers import ClassAnswer, DistributionAnswer, are_numbers
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.raw_units import feature_of, value_in_raw_units
from treemip.core.tree.tree import Tree
from treemip.writers.convert.raw_splits import (
    UNSEEN,
    Limit,
    Missing,
    Split,
    Values,
    levels_left,
    named_levels,
    positions,
    split_of,
)
from treemip.writers.convert.words import plus, short, sum_of


def leaves_as_one(tree: Tree, node: int) -> list[int]:
    """The leaves below a node, where all that rows can reach answer the same; else none.

    A randomized tree has each leaf by itself.
    """
    if isinstance(tree, RandomizedTree):
        return [node] if tree.topology.is_leaf[node] else []
    leaves = _reachable_leaves(tree, node)
    return leaves if tree.answer.is_same(np.array(leaves)) else []


def _reachable_leaves(tree: Tree, node: int) -> list[int]:
    """The leaves below a node that rows can reach, from left to right."""
    node = tree.applied(node)
    if tree.topology.is_leaf[node]:
        return [node]
    left, right = int(tree.topology.left[node]), int(tree.topology.right[node])
    return _reachable_leaves(tree, left) + _reachable_leaves(tree, right)


# ----------------------------------------------------------- answers in words


def answer_text(tree: Tree, node: int, number: Callable[[float], str] = short) -> str:
    """What a leaf answers: `setosa`; `outcome = 1`; `setosa 0.9, virginica 0.1`; `12.5`;
    `3 age - 12.5`, in raw units."""
    answer = tree.answer
    if isinstance(answer, ClassAnswer):
        return class_names(tree)[answer.leaf[node]]
    if isinstance(answer, DistributionAnswer):
        return shares_text(tree, answer.shares[node])
    constant, slopes = value_in_raw_units(tree, node)
    if not slopes.any():
        return number(constant)
    total = weighted(tree, slopes, number)
    return f"{total} {plus(constant, number)}" if constant else total


def class_names(tree: Tree) -> tuple[str, ...]:
    """What leaves answer, as a reader sees it: the classes or, where all of them are numbers,
    `outcome = 1` with the name of the label, group or set."""
    of = tree.answer.of or (tree.encoder.label if tree.encoder is not None else "")
    if not of or not are_numbers(tree.classes):
        return tree.classes
    return tuple(f"{of} = {name}" for name in tree.classes)


def shares_text(tree: Tree, shares: np.ndarray, always: bool = False) -> str:
    """`setosa`, or `setosa 0.9, virginica 0.1`, or `outcome = 1: 0.9, outcome = 0: 0.1`; what is
    below 0.0005 is left out. always: whether a class that is sure has its number too."""
    classes, colon = class_names(tree), ":" * are_numbers(tree.classes)
    order = [k for k in np.argsort(-shares, kind="stable") if shares[k] >= 5e-4]
    sure = len(order) == 1 and not always
    return ", ".join(classes[k] if sure else f"{classes[k]}{colon} {shares[k]:.3g}" for k in order)


# ------------------------------------------------------------ splits in words

ALWAYS, NEVER = "every point", "no point"


def split_text(tree: Tree, node: int) -> str:
    """What sends a point left at a branch: `petal_length <= 2.45`, `colour is red`.

    Of a kept column `colour in {blue, red}`; a value that training did not have goes right.
    """
    weights, threshold = tree.weights[node], float(tree.threshold[node])

    def goes_left(total: float) -> bool:
        return total < threshold if tree.strict else total <= threshold

    used = np.flatnonzero(weights)
    if not len(used):
        return ALWAYS if goes_left(0.0) else NEVER
    by_category = tree.by_category(node)
    if by_category is not None:
        return by_category.text
    if len(used) > 1:
        return f"{weighted(tree, weights)} {'<' if tree.strict else '<='} {short(threshold)}"
    if feature_of(tree, int(used[0])) is not None:
        return _of_one_column(split_of(tree, node), tree.strict)
    name, weight = tree.features[used[0]], float(weights[used[0]])
    number = threshold / weight
    sign, text = compared(weight > 0, number, tree.strict, lambda v: goes_left(weight * v))
    return f"{name} {sign} {text}"


def _of_one_column(split: Split | bool, strict: bool) -> str:
    if isinstance(split, bool):
        return ALWAYS if split else NEVER
    if isinstance(split, Limit):
        return _limit_text(split, strict)
    assert isinstance(split, Missing | Values)
    if split.feature.levels is not None:
        return _levels_text(split)
    return f"{split.feature.column} is {'' if split.left else 'not '}{MISSING}"


def _levels_text(split: Missing | Values) -> str:
    """Which categories go left, or which do not where those are fewer, or where a category that
    training did not have goes left as well."""
    left, known = levels_left(split), set(positions(split.feature)) - {UNSEEN}
    if not known - left or not known & left:
        return NEVER if known - left else ALWAYS
    inside, names = named_levels(split)
    return f"{split.feature.column} is {'' if inside else 'not '}{' or '.join(names)}"


def _limit_text(split: Limit, strict: bool) -> str:
    sign, number = limit_of_values(split, strict)
    text = f"{split.feature.column} {sign} {number}"
    if split.missing is None:
        return text
    return f"{text} or {MISSING}" if split.missing else f"{text} and not {MISSING}"


def limit_of_values(
    split: Limit, strict: bool, number: Callable[[float], str] = short
) -> tuple[str, str]:
    """The sign and the number by which present values of a column go left, as text."""
    below = "<" in split.operator
    if any(isinstance(finish, Thermometer) for finish in finishes_of(split.feature.finish)):
        return "<" if below else ">=", number(split.number)
    return compared(below, split.number, strict, split.holds, number)


def compared(
    below: bool,
    value: float,
    strict: bool,
    holds: Callable[[float], bool],
    number: Callable[[float], str] = short,
) -> tuple[str, str]:
    """A sign and a rounded number, which is said to be on the side where it is, unless rounding has
    moved it by more than scaling does."""
    shown = number(value)
    if abs(float(shown) - value) <= SCALED_BACK * abs(value):
        strict = not holds(float(shown))
    return f"{'<' if below else '>'}{'' if strict else '='}", shown


def chance_text(
    tree: RandomizedTree,
    node: int,
    left: str = "left with probability",
    number: Callable[[float], str] = short,
) -> str:
    """`left with probability logistic(85.333 petal_width - 512)`."""
    weights, threshold = tree.weights[node], float(tree.threshold[node])
    if not weights.any():
        return f"{left} {number(float(tree.chance_left(node, weights[None])[0]))}"
    constant = f" {plus(-threshold, number)}" if threshold else ""
    return f"{left} logistic({weighted(tree, weights, number)}{constant})"


def weighted(tree: Tree, weights: np.ndarray, number: Callable[[float], str] = short) -> str:
    """The features whose weights float64 (p,) are not 0: `2 age - 0.5 income`."""
    addends = ((float(weights[j]), tree.features[j]) for j in np.flatnonzero(weights))
    return sum_of(addends, number)
