"""The hyperplane with the widest gap between two sets of points, its weights' 1-norm at most 1.

max w  s.t.  a.x <= l for points on the left,  a.x >= l + w for points on the right,  |a|_1 <= 1,
with a = u - v, u, v >= 0. Only the points nearest to the gap bind, so rows are added as they are
violated.
"""

from __future__ import annotations

import time

import numpy as np

from treemip.model.answer import Limits
from treemip.model.blocks import Index, Kind, Rows, SparseRows, Variables
from treemip.model.model import Model, Objective
from treemip.solving.solve import solve

FIRST, MORE, ROUNDS = 60, 60, 30
SLACK = 1e-9


def widest_gap(
    left: np.ndarray,
    right: np.ndarray,
    weights: np.ndarray,
    seconds: float,
    least: float = 0.0,
) -> tuple[np.ndarray, float, float] | None:
    """Weights (p,), the left edge and the width of the widest gap; None where there is none.

    left, right float64 (n, p): the points of either side; weights (p,): a hyperplane that parts
    them nearly, which says where to begin. seconds: for all linear programs together. least: None
    as soon as the gap is proven to be narrower than that.
    """
    began = time.perf_counter()
    features = left.shape[1]
    nearest = np.argsort(-(left @ weights))[:FIRST], np.argsort(right @ weights)[:FIRST]
    chosen = [left[nearest[0]], right[nearest[1]]]
    for _ in range(ROUNDS):
        rest = seconds - (time.perf_counter() - began)
        if rest <= 0:
            return None
        answer = solve(_program(*chosen), _solver(), Limits(time=rest))
        if answer.values is None:
            return None
        values = answer.values
        weights = values[:features] - values[features : 2 * features]
        low, width = float(values[-2]), float(values[-1])
        if width <= SLACK or width < least - SLACK:
            return None  # the gap of some of the points is no narrower than that of all
        over = left @ weights - low
        under = low + width - right @ weights
        missed = np.flatnonzero(over > SLACK), np.flatnonzero(under > SLACK)
        if not len(missed[0]) and not len(missed[1]):
            return weights, low, width
        worst = (
            missed[0][np.argsort(-over[missed[0]])[:MORE]],
            missed[1][np.argsort(-under[missed[1]])[:MORE]],
        )
        chosen = [
            np.concatenate([chosen[0], left[worst[0]]]),
            np.concatenate([chosen[1], right[worst[1]]]),
        ]
    return None


def _solver() -> str:
    from treemip.solving.optional import is_installed

    return "highs" if is_installed("highspy") else "scip"


def _program(left: np.ndarray, right: np.ndarray) -> Model:
    features = left.shape[1]
    columns = 2 * features + 2
    lower = np.concatenate([np.zeros(2 * features), [-1.0, -np.inf]])
    upper = np.concatenate([np.ones(2 * features), [1.0, np.inf]])
    one = np.ones((len(left), 1))
    of_left = np.hstack([left, -left, -one, 0 * one])
    one = np.ones((len(right), 1))
    of_right = np.hstack([-right, right, one, one])
    norm = np.concatenate([np.ones(2 * features), [0, 0]])[None]
    dense = np.concatenate([of_left, of_right, norm])
    top = np.concatenate([np.zeros(len(left) + len(right)), [1.0]])
    row, column = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(dense)))])
    matrix = SparseRows(indptr, column.astype(np.int32), dense[row, column])
    rows = Rows("gap", _index(len(dense)), matrix, np.full(len(dense), -np.inf), top)
    block = Variables("a", _index(columns), 0, lower, upper, Kind.CONTINUOUS)
    objective = Objective("maximize", "width", linear=np.eye(1, columns, columns - 1)[0])
    return Model("gap", (block,), (rows,), objective=objective)


def _index(length: int) -> Index:
    return Index(("k",), ("number",), (np.arange(1, length + 1),), length)
