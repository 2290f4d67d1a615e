"""The linear function of a leaf with no addend more than it needs: 0/1 columns of all categories of
a column add up to 1, so what they share goes to the constant, as does a column of one value."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from treemip.core.instance.encodings import OneHot
from treemip.core.tree.raw_units import value_in_raw_units
from treemip.core.tree.tree import Tree


class LinearValue(NamedTuple):
    """terms: names and slopes in raw units, the steepest on the encoded features first. against:
    `column=category` of those that count 0, since what they add is in the constant."""

    constant: float
    terms: tuple[tuple[str, float], ...]
    against: tuple[str, ...]


def linear_value(tree: Tree, leaf: int) -> LinearValue:
    """Raises TypeError where leaves predict classes."""
    constant, slopes = value_in_raw_units(tree, leaf)
    effect = np.abs(tree.value_answer.slopes[leaf])
    against: list[str] = []
    for places in _complete_levels(tree):
        times = Counter(slopes[places].tolist())
        shared = max(times, key=lambda slope: (times[slope], slope == 0))
        if shared:
            against += [tree.features[j] for j in places if slopes[j] == shared]
            constant += shared
            slopes[places] -= shared
            effect[places] = np.abs(slopes[places])
    order = np.argsort(-effect, kind="stable")
    used = [j for j in order.tolist() if slopes[j]]
    terms = tuple((tree.features[j], float(slopes[j])) for j in used)
    return LinearValue(float(constant), terms, tuple(against) if terms else ())


def _complete_levels(tree: Tree) -> list[np.ndarray]:
    """The places of 0/1 columns of which each row has exactly one 1, of each raw column."""
    found, at = [], 0
    for feature in tree.encoder.features if tree.encoder is not None else ():
        size, finish = len(feature.names), feature.finish
        whole = isinstance(finish, OneHot) and feature.levels is not None
        if whole and not feature.takes_unseen and not feature.keeps_missing and size > 1:
            assert feature.levels is not None
            if size == len(feature.levels.names):
                found.append(np.arange(at, at + size))
        at += size
    return found
