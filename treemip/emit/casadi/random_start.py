"""Random points that a local solver begins from.

A logistic function is flat but for arguments of a few units, and where it is flat nothing pulls at
what it is taken of. With the parameters of Amaldi, Consolo and Manno (2023), gamma = 512 and
coefficients from -1 to 1, points drawn from the whole box have arguments of some hundreds: most
runs end where they began, with a tree that hardly splits (docs/decisions/019).
"""

from __future__ import annotations

import numpy as np

from treemip.model.model import Model
from treemip.model.tape import Affine, Smooth, Tape

STEEP = 2.0
"""Root mean square, at a random point, of the arguments that logistic functions have."""


def random_point(model: Model, seed: int, number: int = 0) -> np.ndarray:
    """Point `number` of a seed's sequence, float64 (columns,).

    Drawn uniformly within the bounds; a column without a bound gets a value within 1 of 0, or
    within 2 of its only bound. Columns in the arguments of logistic functions are then drawn
    together, as near to 0 as it takes for their root mean square to be at most STEEP. Point k is
    the same however many points are drawn.
    """
    lower, upper = model.lower, model.upper
    low = np.where(np.isfinite(lower), lower, np.minimum(-1.0, upper - 2.0))
    high = np.where(np.isfinite(upper), upper, np.maximum(1.0, low + 2.0))
    low = np.where(np.isfinite(low), low, high - 2.0)
    point = np.random.default_rng([seed, number]).uniform(low, high)
    center = np.clip(0.0, lower, upper)
    shrunk: np.ndarray = center + _factors(model.tape, point) * (point - center)
    return shrunk


def _factors(tape: Tape, point: np.ndarray) -> np.ndarray:
    """Of each column, by the steepest of the steps it stands in."""
    found = np.ones(len(point))
    for k in tape.arguments_of(Smooth.LOGISTIC):
        step = tape.steps[k]
        if isinstance(step, Affine) and step.columns.nonzeros:
            rows = step.columns
            sums = np.bincount(rows.row_of, rows.data * point[rows.indices], rows.count)
            size = float(np.sqrt(np.mean(sums**2)))
            if size > STEEP:
                found[rows.indices] = np.minimum(found[rows.indices], STEEP / size)
    return found
