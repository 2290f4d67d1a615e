"""Margin trees by enumeration: every way to send the points, and a small convex QP for each branch.

Independent of everything in treemip but the papers' definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import linprog, minimize

EPS = 0.001


def svm(
    x: np.ndarray,
    sign: np.ndarray,
    price: float,
    left: np.ndarray | None = None,
    used: np.ndarray | None = None,
) -> float:
    """min w.w / 2 + price * hinge losses; inf where no hyperplane parts the points so.

    x (n, p), sign (n,) of 1 and -1. left, bool (n,): w.x + b <= -EPS there and >= 0 elsewhere.
    used, bool (p,): the features that w may have.
    """
    if used is not None:
        x = x[:, used]
    n, p = x.shape
    if n == 0:
        return 0.0
    line = np.hstack([x, np.ones((n, 1))])
    rows = [np.hstack([sign[:, None] * line, np.eye(n)])]
    sides = [np.ones(n)]
    if left is not None:
        way = np.where(left, -1.0, 1.0)
        rows.append(np.hstack([way[:, None] * line, np.zeros((n, n))]))
        sides.append(np.where(left, EPS, 0.0))
    a, b = np.vstack(rows), np.concatenate(sides)
    bounds = [(None, None)] * (p + 1) + [(0, None)] * n
    first = linprog(np.r_[np.zeros(p + 1), np.ones(n)], A_ub=-a, b_ub=-b, bounds=bounds)
    if first.status == 2:
        return np.inf
    assert first.status == 0
    square = np.r_[np.ones(p), np.zeros(n + 1)]
    cost = np.r_[np.zeros(p + 1), np.full(n, price)]
    found = minimize(
        lambda z: z @ (square * z) / 2 + cost @ z,
        first.x,
        jac=lambda z: square * z + cost,
        method="SLSQP",
        bounds=bounds,
        constraints={"type": "ineq", "fun": lambda z: a @ z - b, "jac": lambda z: a},
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert found.status in (0, 8), found.message  # 8: no descent left, which is how it often ends
    return float(found.fun)


def margot(
    x: np.ndarray,
    sign: np.ndarray,
    prices: tuple[float, ...],
    used: np.ndarray | None = None,
) -> float:
    """The least value of (7) to (10) on a complete tree, a level for each of `prices`.

    Where points end, the side they take is not restricted; at the other branches it is.
    """

    @cache
    def least(points: tuple[int, ...], level: int) -> float:
        here = list(points)
        if level == len(prices) - 1:
            return svm(x[here], sign[here], prices[level], None, used)
        best = np.inf
        for left in sides(len(here)):
            below = [tuple(np.array(points, int)[rows]) for rows in (left, ~left)]
            rest = sum(least(part, level + 1) for part in below)
            if rest < best:
                best = min(best, rest + svm(x[here], sign[here], prices[level], left, used))
        return best

    return least(tuple(range(len(x))), 0)


def mm_svm_stump(x: np.ndarray, sign: np.ndarray, c1: float, c3: float) -> float:
    """The least value of MM-SVM-OCT at depth 1: with a split, or with all points on one side."""
    split = min(svm(x, sign, c1, left) for left in sides(len(x)))
    none = min(svm(x[:, :0], sign, c1, np.full(len(x), side)) for side in (False, True))
    return min(split + c3, none)


def sides(points: int) -> Iterator[np.ndarray]:
    """All ways to send points left or right, bool (points,)."""
    return (np.array(way, bool) for way in product((False, True), repeat=points))
