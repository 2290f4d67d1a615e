"""Squares of affine expressions, told from a quadratic form that has them multiplied out.

`(u + v - 6)^2` is stated as products of two columns, each of which may be anything within its
bounds. The square may not: it is 0 at least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.model.blocks import Quadratic
from treemip.core.model.tolerances import ROUNDING


@dataclass(frozen=True)
class Squares:
    """What is left of an objective, to be minimized, beside squares of sums of several columns.

    costs float64 (columns,) and form: without the squares. least: what all of the squares and the
    constants that complete them are worth at least.
    """

    costs: np.ndarray
    form: Quadratic
    least: float


def without_squares(
    form: Quadratic, costs: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> Squares:
    """The squares in one row of products and linear costs float64 (columns,), both minimized.

    Columns that are multiplied with each other, in a chain, are one square where their products are
    those of a single vector: x' a a' x + c a' x = (a' x + c / 2)^2 - c^2 / 4, for any number c.
    Each product is in `form` once. lower, upper: bounds of the columns, float64 (columns,).
    """
    own, among = _among_squares(form, len(costs))
    root = _components(own, len(costs))
    vector = _vector(own, root, len(costs))
    whole = _is_square(own, root, vector)
    members = np.flatnonzero(whole[root])
    order = members[np.argsort(root[members], kind="stable")]
    costs, least = costs.copy(), 0.0
    for part in np.split(order, np.flatnonzero(np.diff(root[order])) + 1) if len(order) else []:
        rates = vector[part]
        c = float(np.median(costs[part] / rates))
        rest = costs[part] - c * rates
        costs[part] = np.where(np.abs(rest) > ROUNDING * np.abs(costs[part]), rest, 0.0)
        with np.errstate(invalid="ignore"):
            low = np.where(rates > 0, rates * lower[part], rates * upper[part]).sum() + c / 2
            high = np.where(rates > 0, rates * upper[part], rates * lower[part]).sum() + c / 2
        nearest = max(low, -high, 0.0)
        least += nearest * nearest - c * c / 4
    rest = ~(among & whole[root[form.first]])
    return Squares(costs, form.take(rest), least)


def _among_squares(form: Quadratic, columns: int) -> tuple[Quadratic, np.ndarray]:
    """The products of columns that are squared too, and which products these are, bool."""
    squared = np.zeros(columns, bool)
    squared[form.first[(form.first == form.second) & (form.coef > 0)]] = True
    among = squared[form.first] & squared[form.second]
    return form.take(among), among


def _components(form: Quadratic, columns: int) -> np.ndarray:
    """The least column that each is multiplied with by way of others, int64 (columns,)."""
    root = np.arange(columns)
    while True:
        before = root.copy()
        np.minimum.at(root, form.first, before[form.second])
        np.minimum.at(root, form.second, before[form.first])
        root = root[root]
        if (root == before).all():
            return root


def _vector(form: Quadratic, root: np.ndarray, columns: int) -> np.ndarray:
    """The vector a whose products they are if they are a square, float64 (columns,)."""
    size, sign = np.zeros(columns), np.ones(columns)
    own = form.first == form.second
    size[form.first[own]] = np.sqrt(np.maximum(form.coef[own], 0.0))
    with_root = (form.first == root[form.first]) & ~own
    sign[form.second[with_root]] = np.sign(form.coef[with_root])
    return size * sign


def _is_square(form: Quadratic, root: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Whether the component of each root is the square of a sum of two columns or more, bool."""
    columns = len(root)
    own = form.first == form.second
    product = vector[form.first] * vector[form.second] * np.where(own, 1.0, 2.0)
    wrong = np.abs(form.coef - product) > ROUNDING * np.abs(form.coef)
    count = np.bincount(root, minlength=columns)
    of_root = root[form.first]
    whole = (count > 1) & (np.bincount(of_root, minlength=columns) == count * (count + 1) // 2)
    whole[of_root[wrong]] = False
    return whole
