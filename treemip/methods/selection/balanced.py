"""Balanced selection of one cluster: LP (9) and Algorithm 2 of Zhu et al. (2020), appendix B.1.

(6) with f = g = 1 weighs the points selected (a) against those inside the hull of the selected
(b). Its relaxation (9) decides most points; the 0-1 program decides the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treemip.core.model.tolerances import SELECTED
from treemip.core.solvers.highs.model import run, silent_highs
from treemip.methods.selection.hull_program import unsolved

LARGEST = 300
"""Distinct points of a cluster: (9) has a column for each pair."""

FREE, NO, YES = -1, 0, 1


@dataclass(frozen=True)
class Balance:
    """selected, inside bool (n,): a and b of (6). value: of LP (9)."""

    selected: np.ndarray
    inside: np.ndarray
    value: float


def balance(x: np.ndarray) -> Balance:
    """Algorithm 2 on x float64 (n, p), rows distinct. It may select nothing, and then no point is
    inside: no selection would cover more points than it takes."""
    scaled = _scaled(x)
    _, b, value = solve_program(scaled, np.full(len(x), FREE), whole=False)
    fixed = np.where(b <= SELECTED, NO, np.where(b >= 1 - SELECTED, YES, FREE))
    a, b, _ = solve_program(scaled, fixed, whole=True)
    return Balance(a > 0.5, b > 0.5, value)


def solve_program(
    x: np.ndarray, fixed: np.ndarray, whole: bool
) -> tuple[np.ndarray, np.ndarray, float]:
    """a and b float64 (n,) of (6) with f = g = 1 and eps' = 0, or of its relaxation (9), and the
    value of sum b - sum a.

    fixed int64 (n,): b is 0 where NO, 1 where YES. Columns are a, b, lambda by point.
    """
    import highspy

    n = len(x)
    low, high = np.zeros(2 * n), np.ones(2 * n)
    high[n:][fixed == NO] = 0.0
    low[n:][fixed == YES] = 1.0
    open_points = np.flatnonzero(fixed != NO)
    pairs = np.array([(j, i) for j in open_points for i in range(n) if i != j], np.int64)
    pairs = pairs.reshape(-1, 2)
    lp = highspy.HighsLp()
    lp.num_col_ = 2 * n + len(pairs)
    lp.col_cost_ = np.concatenate([np.ones(n), -np.ones(n), np.zeros(len(pairs))])
    lp.col_lower_ = np.concatenate([low, np.zeros(len(pairs))])
    lp.col_upper_ = np.concatenate([high, np.ones(len(pairs))])
    _add_rows(lp, x, open_points, pairs)
    if whole:
        kinds = [highspy.HighsVarType.kInteger] * (2 * n)
        lp.integrality_ = kinds + [highspy.HighsVarType.kContinuous] * len(pairs)
    highs = silent_highs()
    highs.setOptionValue("threads", 1)
    highs.passModel(lp)
    run(highs)
    if highs.getModelStatus().name != "kOptimal":
        raise unsolved("the program of a balanced selection")
    values = np.array(highs.getSolution().col_value)
    return values[:n], values[n : 2 * n], float((values[n : 2 * n] - values[:n]).sum())


def _add_rows(lp: Any, x: np.ndarray, open_points: np.ndarray, pairs: np.ndarray) -> None:
    """The rows of (6): a point of j is b_j x_j = sum lambda x_i and b_j = sum lambda; then
    lambda_ji <= a_i; then a_j + b_j <= 1."""
    from scipy import sparse

    n, p = x.shape
    count, size = len(pairs), p + 1
    lifted = np.append(x, np.ones((n, 1)), axis=1)
    place = np.zeros(n, np.int64)
    place[open_points] = np.arange(len(open_points))
    first = place[pairs[:, 0]] * size
    inner = size * len(open_points)
    of_pair = 2 * n + np.arange(count)
    own = np.arange(n)
    rows = [
        (first[:, None] + np.arange(size)).ravel(),
        (place[open_points][:, None] * size + np.arange(size)).ravel(),
        np.tile(inner + np.arange(count), 2),
        np.tile(inner + count + own, 2),
    ]
    columns = [
        np.repeat(of_pair, size),
        np.repeat(n + open_points, size),
        np.concatenate([of_pair, pairs[:, 1]]),
        np.concatenate([own, n + own]),
    ]
    values = [
        lifted[pairs[:, 1]].ravel(),
        -lifted[open_points].ravel(),
        np.concatenate([np.ones(count), -np.ones(count)]),
        np.ones(2 * n),
    ]
    parts = [np.concatenate(part) for part in (values, rows, columns)]
    height = inner + count + n
    matrix = sparse.csc_matrix((parts[0], (parts[1], parts[2])), (height, lp.num_col_))
    lp.num_row_ = height
    lp.row_lower_ = np.concatenate([np.zeros(inner), np.full(count + n, -np.inf)])
    lp.row_upper_ = np.concatenate([np.zeros(inner), np.zeros(count), np.ones(n)])
    lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
    lp.a_matrix_.value_ = matrix.data


def _scaled(x: np.ndarray) -> np.ndarray:
    """Each feature moved and scaled to 0 .. 1, which changes no convex combination."""
    spread = np.ptp(x, axis=0)
    varied = spread > 0
    scaled: np.ndarray = (x[:, varied] - x[:, varied].min(axis=0)) / spread[varied]
    return scaled
