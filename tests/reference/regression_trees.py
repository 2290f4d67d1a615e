"""What one leaf of a regression tree costs, constant or linear, and tiny data."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy.optimize import linprog, minimize

LeafCost = Callable[[np.ndarray, np.ndarray], float]
"""Of the points of one leaf, x (n, p) and y (n,): their least loss, with prices of coefficients."""


def tiny(seed: int, points: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Features with ties, scaled to [0, 1], and labels; some points are there twice, some of these
    with another label. x (points, features), y (points,)."""
    rng = np.random.default_rng(seed)
    while True:
        x = rng.integers(0, 4, (points, features)).astype(float)
        x[-1] = x[0]
        if (np.ptp(x, axis=0) > 0).all():
            break
    y = np.round(x @ rng.integers(-2, 3, features) + rng.normal(0, 2, points), 1)
    if rng.random() < 0.5:
        y[-1] = y[0]
    return (x - x.min(axis=0)) / np.ptp(x, axis=0), y


def absolute(y: np.ndarray) -> float:
    return float(np.abs(y - np.median(y)).sum())


def squared(y: np.ndarray) -> float:
    return float(((y - y.mean()) ** 2).sum())


def linear_cost(
    is_squared: bool, scale: float, steepest: float, lam: float, lasso: float
) -> LeafCost:
    """The cost of a linear leaf: its loss / scale, lam for each coefficient that is there, lasso
    for its size. Each set of coefficients is tried; within one the fit is convex."""
    fit = _squared_fit if is_squared else _absolute_fit

    def cost(x: np.ndarray, y: np.ndarray) -> float:
        p = x.shape[1]
        sets = [c for size in range(p + 1) for c in combinations(range(p), size)]
        return min(fit(x[:, list(c)], y, scale, steepest, lasso) + lam * len(c) for c in sets)

    return cost


def _absolute_fit(
    x: np.ndarray, y: np.ndarray, scale: float, steepest: float, lasso: float
) -> float:
    """A linear program: constant, positive and negative parts of the coefficients, distances."""
    n, p = x.shape
    cost = np.r_[0.0, np.full(2 * p, lasso), np.full(n, 1 / scale)]
    value = np.hstack([np.ones((n, 1)), x, -x])
    rows = np.vstack([np.hstack([value, -np.eye(n)]), np.hstack([-value, -np.eye(n)])])
    bounds = [(None, None)] + [(0, steepest)] * (2 * p) + [(0, None)] * n
    return float(linprog(cost, rows, np.r_[y, -y], bounds=bounds).fun)


def _squared_fit(
    x: np.ndarray, y: np.ndarray, scale: float, steepest: float, lasso: float
) -> float:
    """The same parts; the constant is the one that makes the mean of the errors 0."""
    p = x.shape[1]
    if p == 0:
        return squared(y) / scale
    z, target = np.hstack([x, -x]) - np.hstack([x, -x]).mean(axis=0), y - y.mean()

    def value(b: np.ndarray) -> float:
        return float(((z @ b - target) ** 2).sum()) / scale + lasso * float(b.sum())

    def slope(b: np.ndarray) -> np.ndarray:
        return np.asarray(2 * z.T @ (z @ b - target) / scale + lasso)

    options = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 5000}
    bounds = [(0, steepest)] * (2 * p)
    found = minimize(
        value, np.zeros(2 * p), jac=slope, bounds=bounds, method="L-BFGS-B", options=options
    )
    return float(found.fun)
