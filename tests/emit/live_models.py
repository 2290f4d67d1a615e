"""What the tests of live models share: random models, and their optimum by HiGHS or SCIP."""

from __future__ import annotations

import numpy as np
from small_models import products, rows, small

from treemip.emit.solve import solve
from treemip.model.model import Model


def linear(seed: int, kinds: str = "cccc", sense: str = "minimize") -> Model:
    """Bounded, with an equation, one-sided rows and a row of two limits."""
    random = np.random.default_rng(seed)
    count = len(kinds)
    matrix = np.round(random.normal(size=(4, count)), 3)
    inside = np.array([1.0 if k == "b" else 0.0 for k in kinds])
    at = matrix @ inside
    lower = np.array([at[0] - 1, -np.inf, at[2], -np.inf])
    upper = np.array([at[0] + 1, at[1] + 1, at[2], np.inf])
    lower[3] = at[3] - 1
    low = np.where(np.array(list(kinds)) == "b", 0, -3)
    high = np.where(np.array(list(kinds)) == "b", 1, 3)
    costs = np.round(random.normal(size=count), 3)
    return small(kinds, costs, (rows(matrix, lower, upper),), low, high, sense, 2.5)


def convex(seed: int, sense: str = "minimize") -> Model:
    """A strictly convex objective with mixed products, and a ball as a quadratic row."""
    sign = 1.0 if sense == "minimize" else -1.0
    form = products((0, 0, 0, sign * 2), (0, 0, 1, sign * 1), (0, 1, 1, sign * 1), (0, 2, 2, sign))
    ball = products(*((0, j, j, 1.0) for j in range(3)))
    costs = np.random.default_rng(seed).normal(size=3)
    row = rows(np.array([[0.5, 0.0, -0.5]]), [-np.inf], [0.8], quadratic=ball)
    return small("ccc", costs, (row,), -2, 2, sense, quadratic=form)


def optimum(model: Model) -> float:
    # SCIP uses up its tolerance of 1e-6 where it can; only it takes products in rows.
    answer = solve(model, "highs" if model.is_linear else "scip")
    assert answer.objective is not None
    return answer.objective
