"""LP (7) of Zhu et al. (2020) by SciPy, one program for each point."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog


def inside_by_program(x: np.ndarray, eps: float = 0.0) -> np.ndarray:
    """b of LP (7), one program of SciPy for each point."""
    return np.array([is_inside(x[j], np.delete(x, j, axis=0), eps) for j in range(len(x))])


def is_inside(point: np.ndarray, others: np.ndarray, eps: float) -> bool:
    if not len(others):
        return False
    stacked = np.vstack([others.T, -others.T])
    found = linprog(
        np.zeros(len(others)),
        A_ub=stacked,
        b_ub=np.concatenate([point + eps, -point + eps]) + 1e-9,
        A_eq=np.ones((1, len(others))),
        b_eq=[1.0],
    )
    return bool(found.status == 0)
