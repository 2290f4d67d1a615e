"""A split in words.

A split of one feature is said in the feature's own units, or by its categories; a split of
several in the encoded features, and `scaling` says how those are made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treemip.instance.encodings import MinMax, Standard, Thermometer

if TYPE_CHECKING:
    from treemip.instance.encoder import Feature
    from treemip.tree.tree import Tree

ALWAYS, NEVER = "every point", "no point"


def split_text(tree: Tree, node: int) -> str:
    """What sends a point left at a branch: `petal_length <= 2.45`, `colour is red`.

    Of a kept column `colour in {blue, red}`; a value that training did not have goes right.
    """
    weights, threshold = tree.weights[node], float(tree.threshold[node])
    used = np.flatnonzero(weights)
    if len(used) == 0:
        holds = threshold > 0 if tree.strict else threshold >= 0
        return ALWAYS if holds else NEVER
    by_category = tree.by_category(node)
    if by_category is not None:
        return by_category.text
    if len(used) == 1:
        return _single(tree, int(used[0]), float(weights[used[0]]), threshold)
    op = "<" if tree.strict else "<="
    return f"{sum_text(tree, weights, used)} {op} {short(threshold)}"


def sum_text(tree: Tree, weights: np.ndarray, used: np.ndarray) -> str:
    """`2 age - 0.5 income`"""
    text = ""
    for j in used:
        sign = ("-" if not text else " - ") if weights[j] < 0 else ("" if not text else " + ")
        size = short(abs(float(weights[j])))
        text += sign + ("" if size == "1" else f"{size} ") + tree.features[j]
    return text


def _single(tree: Tree, j: int, weight: float, threshold: float) -> str:
    """The split weight * x[j] <= threshold, in the words of the raw column."""
    found = feature_of(tree, j)
    if found is not None:
        feature, position = found
        if feature.levels is not None:
            return _by_levels(tree, feature, position, weight, threshold)
        if isinstance(feature.finish, Thermometer):
            return _by_edge(tree, feature, position, weight, threshold)
    op = ("<" if tree.strict else "<=") if weight > 0 else (">" if tree.strict else ">=")
    value = threshold / weight
    if found is not None:
        if _is_constant(found[0]):
            encoded = float(found[0].finish.apply(np.zeros(1))[0, 0])  # type: ignore[union-attr]
            return ALWAYS if _goes_left(tree, weight, threshold, encoded) else NEVER
        value = unscaled(found[0], value)
    return f"{tree.features[j]} {op} {short(value)}"


def feature_of(tree: Tree, j: int) -> tuple[Feature, int] | None:
    """The raw column that column j of x was made from, and the column's position in it."""
    for feature in tree.encoder.features if tree.encoder else ():
        if j < len(feature.names):
            return feature, j
        j -= len(feature.names)
    return None


def _is_constant(feature: Feature) -> bool:
    finish = feature.finish
    return (isinstance(finish, MinMax) and finish.low == finish.high) or (
        isinstance(finish, Standard) and finish.deviation == 0
    )


def unscaled(feature: Feature, value: float) -> float:
    """The raw number that is scaled to `value`."""
    finish = feature.finish
    if isinstance(finish, MinMax):
        share = (value - finish.lower) / (finish.upper - finish.lower)
        return finish.low + share * (finish.high - finish.low)
    if isinstance(finish, Standard):
        return finish.mean + value * finish.deviation
    return value


def _by_levels(tree: Tree, feature: Feature, position: int, weight: float, threshold: float) -> str:
    """Which categories go left, or which do not where those are fewer."""
    assert feature.levels is not None and feature.finish is not None
    names = feature.levels.names
    encoded = feature.finish.apply(np.arange(len(names), dtype=float))[:, position]
    left = [
        n for n, v in zip(names, encoded, strict=True) if _goes_left(tree, weight, threshold, v)
    ]
    right = [n for n in names if n not in left]
    if not right or not left:
        return ALWAYS if left else NEVER
    if len(left) <= len(right):
        return f"{feature.column} is {' or '.join(left)}"
    return f"{feature.column} is not {' or '.join(right)}"


def _by_edge(tree: Tree, feature: Feature, position: int, weight: float, threshold: float) -> str:
    assert isinstance(feature.finish, Thermometer)
    edge = short(feature.finish.edges[position])
    below, above = (_goes_left(tree, weight, threshold, v) for v in (0.0, 1.0))
    if below == above:
        return ALWAYS if below else NEVER
    return f"{feature.column} {'<' if below else '>='} {edge}"


def _goes_left(tree: Tree, weight: float, threshold: float, value: float) -> bool:
    return weight * value < threshold if tree.strict else weight * value <= threshold


def scaling(tree: Tree, j: int) -> Iterator[str]:
    found = feature_of(tree, j)
    finish = found[0].finish if found else None
    name = tree.features[j]
    if isinstance(finish, MinMax):
        span = f"{short(finish.low)} .. {short(finish.high)}"
        yield f"  {name}: {span} becomes {short(finish.lower)} .. {short(finish.upper)}"
    elif isinstance(finish, Standard):
        mean, deviation = short(finish.mean), short(finish.deviation)
        yield f"  {name}: mean {mean} becomes 0, standard deviation {deviation} becomes 1"


def short(value: float) -> str:
    """Five digits, whole numbers of up to nine digits in full; never -0."""
    if value.is_integer() and abs(value) < 1e9:
        return str(int(value))
    return f"{value:.5g}"
