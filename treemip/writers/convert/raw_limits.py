"""Where a split of one column turns: a limit among the doubles, by the tree's own arithmetic.

So a comparison with it sends every double the same way as encoding and multiplying does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.core.instance.encodings.doubles import double_at, ordinal
from treemip.core.instance.feature import Feature

NO_VALUE = -2
"""In place of the position of a level: a missing value."""


def encoded(feature: Feature, values: np.ndarray) -> np.ndarray:
    """The inputs that numbers or level positions float64 (M,) of a column become, float64 (M, k).

    NaN and NO_VALUE are missing values. Values too large to be scaled become infinite or NaN.
    """
    if feature.levels is not None:
        values = np.where(values == NO_VALUE, np.nan, values)
    if feature.finish is not None:
        with np.errstate(all="ignore"):
            return feature.finish.apply(values)
    assert feature.levels is not None
    places = np.where(np.isnan(values), len(feature.levels.names), values)
    return (places[:, None] == np.arange(len(feature.categories))).astype(np.float64)


Limited = tuple[str, float]
"""An operator and a number: left when `value operator number` holds."""


def limit_of(
    feature: Feature, goes_left: Callable[[np.ndarray], np.ndarray]
) -> Limited | bool | None:
    """Where the numbers that go left end: between two neighbouring doubles, searched by halving.

    True or false where all go one way, None where they turn more than once.
    """
    turns = _turns(feature)
    sides = goes_left(turns)
    changes = np.flatnonzero(sides[1:] != sides[:-1])
    if len(changes) == 0:
        return bool(sides[0])
    if len(changes) > 1:
        return None
    below, above = ordinal(turns[changes[0]]), ordinal(turns[changes[0] + 1])
    low = bool(sides[0])
    while above - below > 1:
        middle = (below + above) // 2
        if bool(goes_left(np.array([double_at(middle)]))[0]) == low:
            below = middle
        else:
            above = middle
    return _shorter(double_at(below), double_at(above), low)


def _shorter(below: float, above: float, low: bool) -> Limited:
    """Left up to `below` if `low`, else from `above` on; said by the one with fewer digits."""
    if len(repr(below)) <= len(repr(above)):
        return "<=" if low else ">", below
    return "<" if low else ">=", above


def _turns(feature: Feature) -> np.ndarray:
    """Ascending numbers between which what the column becomes never falls and never rises again:
    float64 (k,)."""
    ends = np.finfo(float).max * 2.0 ** -np.arange(2000.0)
    fits = [ends[np.isfinite(encoded(feature, sign * ends)).all(axis=1)][0] for sign in (-1.0, 1.0)]
    inner = feature.finish.turns() if feature.finish else []
    return np.unique([-fits[0], *inner, fits[1]])
