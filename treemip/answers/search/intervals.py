"""Lower bounds on the objective of all trees where it is a function of sums: by intervals, and for
ratios by the best label of each point.

Each sum is between what its points add at least and at most; a function of sums is between what
interval arithmetic makes of that. A ratio of two sums is least where every point has the label
that the ratio itself asks for (Dinkelbach, 1967).
"""

from __future__ import annotations

import numpy as np

from treemip.answers.search.folds import PRODUCT, Fold
from treemip.answers.search.ratios import of_structure, ratio_of
from treemip.answers.search.sums import Sums
from treemip.core.model.blocks import Function
from treemip.core.model.bounds import elementwise_range
from treemip.core.model.tape import Smooth
from treemip.core.model.tolerances import EQUAL
from treemip.core.tree.tree_map import ZERO_ONE

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
    return max(known, _least_ratio(sums))


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
        own = sums.structure[family.columns]
        if name in ZERO_ONE:
            rows = rows + best(own, 0.0).sum(axis=0)
        else:
            rows[own.any(axis=0)] = best(-np.inf, np.inf)
    return rows


def _least_ratio(sums: Sums) -> float:
    """A lower bound of an objective that is a ratio of two sums over points; else -inf."""
    ratio = ratio_of(sums)
    if ratio is None:
        return -np.inf
    of_top, of_bottom = ratio.fraction.top, ratio.fraction.bottom
    both = np.stack([of_top, of_bottom], axis=1)
    below = ratio.at(of_bottom)
    low, high = (float(end[0]) for end in sum_ranges(below))
    beside = (of_structure(sums) @ both[:-1]).any() or (sums.label @ both[:-1]).any()
    if beside or not low > 0:
        return -np.inf
    (first, second), added = sums.constant @ both[:-1] + both[-1], sums.shared @ both[:-1]
    top, bottom = added[..., 0], added[..., 1]
    points, least = np.arange(len(top)), np.inf
    for _ in range(ROUNDS):
        at = least if np.isfinite(least) else 0.0
        label = (top - at * bottom).argmin(axis=1)
        better = (first + top[points, label].sum()) / (second + bottom[points, label].sum())
        if better >= least:
            break
        least = float(better)
    left = first - least * second + (top - least * bottom).min(axis=1).sum()
    if left < -EQUAL * max(1.0, abs(least) * high):
        return -np.inf
    return least - EQUAL * max(1.0, abs(least))
