"""What no tree can be worth, where its value is a function of sums: by intervals, and for ratios by
the best label of each point.

Each sum is between what its points add at least and at most; a function of sums is between what
interval arithmetic makes of that. A ratio of two sums is least where every point has the label
that the ratio itself asks for (Dinkelbach, 1967).
"""

from __future__ import annotations

import numpy as np

from treemip.model.blocks import Function
from treemip.model.bounds import elementwise_range
from treemip.model.tape import Smooth
from treemip.model.tolerances import EQUAL
from treemip.search.folds import PRODUCT, Fold
from treemip.search.sums import Sums

COUNTED = ("uses", "active", "uses_anywhere", "occupied", "tested", "tested_anywhere")
ROUNDS = 30

Range = tuple[np.ndarray, np.ndarray]


def least_value(sums: Sums) -> float:
    """A number that no tree's objective, to be minimized, is below; -inf where none is known.

    Call it where leaves have labels, one each.
    """
    if not {*sums.opaque} <= sums.families.keys():  # products of numbers are in no row
        return -np.inf
    low, high = sum_ranges(sums)
    for fold in sums.folds:
        least, most = fold_range(fold, low[fold.rows], high[fold.rows])
        up, down = np.maximum(fold.to, 0), np.minimum(fold.to, 0)
        with np.errstate(invalid="ignore"):
            low = low + _sums_of(least, up) + _sums_of(most, down)
            high = high + _sums_of(most, up) + _sums_of(least, down)
    least_of = sums.sign * (low if sums.sign > 0 else high)[0]
    known = -np.inf if np.isnan(least_of) else float(least_of)
    return max(known, _least_ratio(sums, low, high))


def sum_ranges(sums: Sums) -> Range:
    """Least and greatest of each row without results of functions, each by itself, (R,)."""
    return _end(sums, np.minimum), _end(sums, np.maximum)


def fold_range(fold: Fold, low: np.ndarray, high: np.ndarray) -> Range:
    """Least and greatest results of a function for ranges of its arguments, (results,) each."""
    start = fold.offsets[:-1]
    if isinstance(fold.function, Smooth):
        return elementwise_range(fold.function, fold.exponent, low, high)
    if fold.function == PRODUCT:
        return _product_range(fold, low, high)
    if fold.function is Function.MAX:
        return np.maximum.reduceat(low, start), np.maximum.reduceat(high, start)
    if fold.function is Function.MIN:
        return np.minimum.reduceat(low, start), np.minimum.reduceat(high, start)
    most = np.maximum.reduceat(np.maximum(np.abs(low), np.abs(high)), start)
    return np.zeros(len(most)), most


def _product_range(fold: Fold, low: np.ndarray, high: np.ndarray) -> Range:
    least, most = np.ones(len(fold.to)), np.ones(len(fold.to))
    for group in range(len(fold.to)):
        for k in range(fold.offsets[group], fold.offsets[group + 1]):
            with np.errstate(invalid="ignore"):  # 0 times infinity is 0 here
                ends = [a * b for a in (least[group], most[group]) for b in (low[k], high[k])]
            finite = np.where(np.isnan(ends), 0.0, ends)
            least[group], most[group] = finite.min(), finite.max()
    return least, most


def _sums_of(results: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Results (results,) times what each adds (results, R); what does not count may be infinite."""
    with np.errstate(invalid="ignore"):
        each = np.where(to == 0, 0.0, results[:, None] * to)
    total: np.ndarray = each.sum(axis=0)
    return total


def _end(sums: Sums, best: np.ufunc) -> np.ndarray:
    """The rows at one end, each by itself, float64 (R,)."""
    rows: np.ndarray = sums.constant + best.reduce(sums.shared, axis=1).sum(axis=0)
    rows = rows + best.reduce(sums.label, axis=1).sum(axis=0)
    if len(sums.local_rows):
        rows[sums.local_rows] += best.reduce(sums.local, axis=(1, 2)).sum(axis=0)
    for name, family in sums.families.items():
        own = sums.structure[family.start : family.start + family.length]
        if name in COUNTED:
            rows = rows + best(own, 0.0).sum(axis=0)
        else:
            rows[own.any(axis=0)] = best(-np.inf, np.inf)
    return rows


def _least_ratio(sums: Sums, low: np.ndarray, high: np.ndarray) -> float:
    """A lower bound of an objective that is one ratio of two sums over points; else -inf.

    low, high (R,): what the rows are between.
    """
    rows = _ratio(sums)
    if rows is None:
        return -np.inf
    above, below, factor = rows
    if not low[below] > 0 or not np.isfinite([low[above], high[above]]).all():
        return -np.inf
    top, bottom = factor * sums.shared[:, :, above], sums.shared[:, :, below]
    first, second = factor * sums.constant[above], sums.constant[below]
    points, ratio = np.arange(len(top)), np.inf
    for _ in range(ROUNDS):
        at = ratio if np.isfinite(ratio) else 0.0
        label = (top - at * bottom).argmin(axis=1)
        better = (first + top[points, label].sum()) / (second + bottom[points, label].sum())
        if better >= ratio:
            break
        ratio = float(better)
    left = first - ratio * second + (top - ratio * bottom).min(axis=1).sum()
    if left < -EQUAL * max(1.0, abs(ratio) * high[below]):
        return -np.inf
    base = sums.sign * float(sums.constant[0])
    return base + ratio - EQUAL * max(1.0, abs(ratio))


def _ratio(sums: Sums) -> tuple[int, int, float] | None:
    """Rows a and b and a factor, where the objective to be minimized is factor * a / b, but for a
    constant; None where it is anything else."""
    if len(sums.folds) != 2:
        return None
    power, product = sums.folds
    one = power.function is Smooth.POWER and power.exponent == -1 and len(power.rows) == 1
    if not one or product.function != PRODUCT or len(product.to) != 1 or len(product.rows) != 2:
        return None
    below = int(power.rows[0])
    inverse = np.flatnonzero(power.to[0])
    if len(inverse) != 1 or inverse[0] not in product.rows:
        return None
    (above,) = (int(row) for row in product.rows if row != inverse[0])
    alone = sums.constant[inverse[0]] == 0 and not sums.shared[:, :, inverse[0]].any()
    only = np.flatnonzero(product.to[0])
    used = np.array([0, above, below, inverse[0]])
    families = [sums.structure[f.start : f.start + f.length, used] for f in sums.families.values()]
    other = [*families, sums.label[..., used], sums.shared[:, :, 0]]
    local = bool(np.isin(sums.local_rows, used).any())
    if not alone or only.tolist() != [0] or local or any(part.any() for part in other):
        return None
    return above, below, float(sums.sign * product.to[0, 0] * power.to[0, inverse[0]])
