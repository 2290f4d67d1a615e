"""Linear support vector machines, with the loss that scikit-learn's SVC or LinearSVC has.

hinge:         min 1/2 |w|^2           + sum_i price_i max(0, 1 - sign_i (w . x_i + b))
squared hinge: min 1/2 |w|^2 + 1/2 b^2 + sum_i price_i max(0, 1 - sign_i (w . x_i + b))^2

The first is a quadratic program for the interior-point method of margin trees; the second has a
derivative, so Newton's method takes a few steps (Keerthi and DeCoste, A modified finite Newton
method for fast solution of large scale linear SVMs, 2005).
"""

from __future__ import annotations

import numpy as np

from treemip.answers.search.margin_trees.branch_programs import Programs, solve_programs
from treemip.core.model.tolerances import SVM_STEP

ITERATIONS, HALVINGS, DOUBLINGS = 40, 30, 20
GOOD = 0.1
"""A step ends where the slope is no more than that share of what it was at its beginning."""


def hinge_svm(x: np.ndarray, positive: np.ndarray, price: np.ndarray) -> np.ndarray:
    """Weights and intercept, float64 (p + 1,): w . x + b is above 0 on the positive side.

    x float64 (m, p), positive bool (m,), price float64 (m,).
    """
    basis, x = _spanned(x)
    z = _signed(x, positive)
    square = np.append(np.ones(x.shape[1]), 0.0)
    programs = Programs(z[None], np.ones(len(z)), price, square[None], np.zeros((1, len(square))))
    return _in_features(basis, solve_programs(programs).z[0])


def squared_hinge_svm(x: np.ndarray, positive: np.ndarray, price: np.ndarray) -> np.ndarray:
    """As `hinge_svm`."""
    basis, x = _spanned(x)
    z = _signed(x, positive)
    theta = np.zeros(z.shape[1])
    for _ in range(ITERATIONS):
        short = np.maximum(1.0 - z @ theta, 0.0)
        missed = np.flatnonzero(short)
        gradient = theta - 2 * z.T @ (price * short)
        hessian = 2 * (z[missed].T * price[missed]) @ z[missed]
        hessian[np.diag_indices(len(theta))] += 1.0
        step = -np.linalg.solve(hessian, gradient)
        if -gradient @ step <= SVM_STEP * (0.5 * theta @ theta + price @ short**2):
            break
        theta += _length(z, price, theta, step) * step
    return _in_features(basis, theta)


def _length(z: np.ndarray, price: np.ndarray, theta: np.ndarray, step: np.ndarray) -> float:
    """How far to go along a step: to where the objective stops falling."""
    margin, along = z @ theta, z @ step
    first, rise = float(step @ theta), float(step @ step)

    def slope(length: float) -> float:
        short = np.maximum(1.0 - margin - length * along, 0.0)
        return first + length * rise - 2 * float(along @ (price * short))

    least = GOOD * abs(slope(0.0))
    low, high = 0.0, 1.0
    for _ in range(DOUBLINGS):
        if slope(high) >= -least:
            break
        low, high = high, 2 * high
    if slope(high) <= least:
        return high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        at = slope(middle)
        if abs(at) <= least:
            return middle
        low, high = (middle, high) if at < 0 else (low, middle)
    return low


def _spanned(x: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """With more features than points, an orthonormal basis (p, m) of what the points span, in which
    the weights are, and the points' coordinates (m, m); else None and the points."""
    if x.shape[1] <= len(x):
        return None, x
    basis, coordinates = np.linalg.qr(x.T)
    return basis, coordinates.T


def _in_features(basis: np.ndarray | None, theta: np.ndarray) -> np.ndarray:
    return theta if basis is None else np.append(basis @ theta[:-1], theta[-1])


def _signed(x: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """The points with a 1 for the intercept, times their sign, float64 (m, p + 1)."""
    z = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    z *= np.where(positive, 1.0, -1.0)[:, None]
    return z
