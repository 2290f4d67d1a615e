"""Sums over the raw columns instead of their scaled values: hyperplanes, and values of leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treemip.core.instance.missing_columns import scale_of

if TYPE_CHECKING:
    from treemip.core.instance.feature import Feature
    from treemip.core.tree.tree import Tree


class Hyperplane(NamedTuple):
    """weights . v <= threshold over raw values v.

    weights float64 (p,); a column that is no line over a number (a category, a bin, a rank) counts
    as it is encoded. effect float64 (p,): |weight| on the scaled column, by which features compare.
    """

    weights: np.ndarray
    threshold: float
    effect: np.ndarray


def in_raw_units(tree: Tree, node: int) -> Hyperplane:
    """The split of a branch in raw units: with x = slope v + offset, w . x <= b is
    (w slope) . v <= b - w . offset."""
    weights = tree.weights[node].copy()
    threshold = float(tree.threshold[node])
    effect = np.abs(weights)
    for j in np.flatnonzero(weights):
        slope, offset = _scaling(tree, int(j))
        threshold -= float(weights[j]) * offset
        weights[j] *= slope
        if slope == 0:
            effect[j] = 0.0
    return Hyperplane(weights, threshold, effect)


def value_in_raw_units(tree: Tree, leaf: int) -> tuple[float, np.ndarray]:
    """Constant and slopes float64 (inputs,) of a leaf's value over raw columns.

    With x = slope v + offset, base + s . x is (base + s . offset) + (s slope) . v. Raises TypeError
    where leaves predict classes.
    """
    answer = tree.value_answer
    slopes, constant = answer.slopes[leaf].copy(), float(answer.base[leaf])
    for j in np.flatnonzero(slopes):
        slope, offset = _scaling(tree, int(j))
        constant += float(slopes[j]) * offset
        slopes[j] *= slope
    return constant, slopes


def feature_of(tree: Tree, j: int) -> tuple[Feature, int] | None:
    """The raw column that column j of x was made from, and the column's position in it."""
    for feature in tree.encoder.features if tree.encoder else ():
        if j < len(feature.names):
            return feature, j
        j -= len(feature.names)
    return None


def _scaling(tree: Tree, j: int) -> tuple[float, float]:
    """Slope and offset of column j of x in its raw column; slope 0 for a constant feature, and 1
    for a column that is no line over a raw one."""
    origin = feature_of(tree, j)
    scale = scale_of(origin[0].finish, origin[1]) if origin and origin[0].levels is None else None
    if scale is not None and scale.constant is not None:
        return 0.0, scale.constant
    line = None if scale is None else scale.line
    return (1.0, 0.0) if line is None else (line.slope, line.offset)
