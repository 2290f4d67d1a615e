"""Splits that a solver's tolerance left on the wrong side of a point, separated again.

A solver may put a <= b as a <= b + 1e-6. Where the decoded tree then routes a training point
otherwise than the solution, the split is moved so that it separates the points the solution
sends left from those it sends right: by the nearest threshold when one will do, else by other
weights on the same features with the same signs. Margins that the tree is learned for move by no
more than the solver's tolerance.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.core.model.tolerances import APART, NO_MARGIN
from treemip.core.tree.placement import keep_off
from treemip.core.tree.routing import rounding, weighted_sum
from treemip.core.tree.tree import Tree


def astray(tree: Tree, x: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Which points do not pass the node they should, bool (N,).

    x float64 (N, p), end int64 (N,).
    """
    return ~tree.path(x)[np.arange(len(x)), end]


def repair(tree: Tree, x: np.ndarray, end: np.ndarray) -> tuple[Tree, list[int]]:
    """The tree with its wrong splits repaired, and the heap numbers of those that were wrong.

    A split that points are on the wrong side of by rounding only is repaired, but does not count as
    wrong. x float64 (N, p), end int64 (N,): the node each point should pass, a leaf or a branch
    that it may leave on either side. Splits that cannot be repaired stay as they are.
    """
    weights, threshold = tree.weights.copy(), tree.threshold.copy()
    under = _under(tree)
    changed = []
    for node in tree.topology.branches:
        left = under[tree.topology.left[node]][end]
        right = under[tree.topology.right[node]][end]
        goes = tree.goes_left(int(node), x)
        if goes[left].all() and not goes[right].any():
            continue
        separated = separate(weights[node], threshold[node], x[left], x[right], tree.strict)
        if separated is None:
            continue
        wrong = x[(left & ~goes) | (right & goes)]
        over = np.abs(weighted_sum(wrong, weights[node]) - threshold[node])
        if (over > rounding(wrong, weights[node])).any():
            changed.append(int(tree.topology.heap[node]))
        weights[node], threshold[node] = separated
    return replace(tree, weights=weights, threshold=threshold), changed


def strayed_by(tree: Tree, x: np.ndarray, end: np.ndarray) -> float:
    """The farthest that a point lies on the wrong side of a split, in the units of its weights.

    x float64 (N, p), end int64 (N,), as for `repair`. 0 where all points pass the node they should.
    """
    under, farthest = _under(tree), 0.0
    for node in tree.topology.branches:
        over = weighted_sum(x, tree.weights[node]) - tree.threshold[node]
        goes = tree.goes_left(int(node), x)
        left = under[tree.topology.left[node]][end] & ~goes
        right = under[tree.topology.right[node]][end] & goes
        farthest = max(farthest, float(np.abs(over[left | right]).max(initial=0.0)))
    return farthest


def _under(tree: Tree) -> np.ndarray:
    """under[a, b]: whether node b is at or below node a, bool (nodes, nodes)."""
    size = tree.topology.size
    table = np.eye(size, dtype=bool)
    for node in range(size):
        table[tree.topology.ancestors.take(np.array([node])).items, node] = True
    return table


def separate(
    weights: np.ndarray, threshold: float, left: np.ndarray, right: np.ndarray, strict: bool
) -> tuple[np.ndarray, float] | None:
    """Weights and threshold with all of `left` left and all of `right` right, or None."""
    sums = weighted_sum(left, weights), weighted_sum(right, weights)
    moved = between(*sums, threshold, strict)
    if moved is not None:
        return weights, moved
    widest = hard_margin(weights, left, right)
    if widest is None:
        return None
    a, b = weighted_sum(left, widest), weighted_sum(right, widest)
    middle = (a.max() + b.min()) / 2 if len(a) and len(b) else threshold
    moved = between(a, b, middle, strict)
    return None if moved is None else (widest, moved)


def between(left: np.ndarray, right: np.ndarray, threshold: float, strict: bool) -> float | None:
    """The threshold nearest to the given one that has `left` left and `right` right, or None.

    It keeps off both sides by APART of their size, or by half their distance where that is less.
    """
    low, high = float(left.max(initial=-np.inf)), float(right.min(initial=np.inf))
    if low >= high:
        return None
    size = max([1.0, *(abs(v) for v in (low, high) if np.isfinite(v))])
    return keep_off(low, high, threshold, APART * size, strict)


def hard_margin(weights: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    """Weights of the widest margin on the features used, with the signs they have, or None."""
    from scipy.optimize import linprog

    used = np.flatnonzero(weights)
    if not len(used):
        return None
    size = np.abs(weights).max()
    p = len(used)
    # columns: weights, threshold, margin;  w.x - b + m <= 0 left,  -w.x + b + m <= 0 right
    rows = np.vstack(
        [
            np.hstack([left[:, used], -np.ones((len(left), 1)), np.ones((len(left), 1))]),
            np.hstack([-right[:, used], np.ones((len(right), 1)), np.ones((len(right), 1))]),
        ]
    )
    bounds = [(0, size) if weights[j] > 0 else (-size, 0) for j in used]
    optimum = linprog(
        np.r_[np.zeros(p + 1), -1.0],
        A_ub=rows,
        b_ub=np.zeros(len(rows)),
        bounds=[*bounds, (None, None), (0, size)],
    )
    if optimum.status != 0 or optimum.x[-1] <= NO_MARGIN:
        return None
    separating = np.zeros_like(weights)
    separating[used] = optimum.x[:p]
    return separating
