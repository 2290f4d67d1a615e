"""Line searches for the hyperplane of a branch: along a direction, every point changes side at one
step, so sorting these steps and a cumulative sum give the value of every interval.

Where a gap is asked for, points too near to the hyperplane are in its band, and each of them has a
price. `best_step` and `searched` say what is computed; where the value is a sum over rows, the
compiled kernel computes it, without sorting the steps that cannot be the best.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treemip.answers.search.sums import RowValue, Value
from treemip.core.compiled.library import kernel
from treemip.core.compiled.structures import Arrays, called, fields
from treemip.core.model.tolerances import CLEARLY, ROUNDING, SAME_STEP, SAME_WORTH

LEAST_NORM = 1e-3  # of weights, for the width of the band


@dataclass(frozen=True)
class Branch:
    """The points of a branch. change float64 (m, R): what the sums gain when a point goes right;
    all_left (R,): the sums when none does; value: to be minimized. gap: how far apart the points of
    the two sides must be along weights whose 1-norm is 1. price: of each point that is nearer."""

    change: np.ndarray
    all_left: np.ndarray
    value: Value
    gap: float = 0.0
    price: float = 0.0

    def worth(self, position: np.ndarray, weights: np.ndarray) -> float:
        """The value of a split, and the price of the points in its band."""
        value = float(self.value(self.all_left + self.change[position > 0].sum(axis=0)))
        band = np.abs(position) < self.gap / 2 * np.abs(weights).sum()
        return value + self.price * np.count_nonzero(band)


def best_step(
    branch: Branch,
    position: np.ndarray,
    slope: np.ndarray,
    clearance: float = 0.0,
    below: float = np.inf,
) -> tuple[float, float]:
    """The best value along position + step * slope, and the middle of the widest step that has it.

    A point goes right where that is above 0, and is in the band where it is nearer than `clearance`
    to 0. position, slope float64 (m,). below: the value is infinite where none is as low.
    """
    library = kernel()
    if library is not None and isinstance(branch.value, RowValue):
        return _Compiled(library, branch).best_step(position, slope, clearance, below)
    moves = np.abs(slope) > ROUNDING
    band = np.count_nonzero(~moves & (np.abs(position) < clearance))
    start = branch.all_left + branch.change[np.where(moves, slope < 0, position > 0)].sum(axis=0)
    position, slope, change = position[moves], slope[moves], branch.change[moves]
    if not len(position):
        value = float(branch.value(start)) + branch.price * band
        return (value, 0.0) if value <= below + SAME_WORTH else (np.inf, 0.0)
    steps, gains, enters = -position / slope, change * np.sign(slope)[:, None], np.zeros(0)
    if clearance > 0:
        reach, none = clearance / np.abs(slope), np.zeros_like(gains)
        steps = np.concatenate([steps, steps - reach, steps + reach])
        gains = np.concatenate([gains, none, none])
        enters = np.repeat([0.0, 1.0, -1.0], len(reach))
    order = steps.argsort(kind="stable")
    steps = steps[order]
    sums = np.concatenate([start[None], start + np.cumsum(gains[order], axis=0)])
    values = branch.value(sums)
    if clearance > 0:
        values = values + branch.price * (band + np.append(0.0, np.cumsum(enters[order])))
    values[1:-1][steps[1:] <= steps[:-1] + SAME_STEP] = np.inf
    best = float(values.min())
    if not best <= below + SAME_WORTH:
        return np.inf, 0.0
    low, high = np.append(steps[0] - 1, steps), np.append(steps, steps[-1] + 1)
    among = np.flatnonzero(values <= best + SAME_WORTH)
    pick = among[int(np.minimum(high - low, 1.0)[among].argmax())]
    return best, float((low[pick] + high[pick]) / 2)


@dataclass(frozen=True)
class Lines:
    """Line searches in turn. axes int64: features, then the threshold, then `directions`, float64
    (k, p); late: whether the time is used up, asked between them; until: of the clock."""

    axes: np.ndarray
    directions: np.ndarray
    late: Callable[[], bool] = lambda: False
    until: float = np.inf


def searched(
    branch: Branch, columns: np.ndarray, weights: np.ndarray, threshold: float, lines: Lines
) -> tuple[float, np.ndarray, float]:
    """Value, weights and threshold after line searches along each of the axes; a step is taken
    where the value is no worse. columns float64 (p, m): the points, a feature a row."""
    features, weights = len(weights), weights.copy()
    slopes = lines.directions @ columns
    library = kernel()
    if library is not None and isinstance(branch.value, RowValue):
        return _Compiled(library, branch).searched(columns, slopes, weights, threshold, lines)
    position = weights @ columns - threshold
    value = branch.worth(position, weights)
    for axis in lines.axes.tolist():
        if lines.late():
            break
        direction, shift = np.zeros(features), 0.0
        if axis < features:
            direction[axis], slope = 1.0, columns[axis]
        elif axis == features:
            shift, slope = 1.0, -np.ones(len(position))
        else:
            direction, slope = lines.directions[axis - features - 1], slopes[axis - features - 1]
        wide = np.abs(weights).sum()
        for _ in range(2):  # with the band of the new weights, where that is wider
            clearance = branch.gap / 2 * max(wide, LEAST_NORM) * (1.0 + CLEARLY)
            reached, step = best_step(branch, position, slope, clearance, value)
            if reached == np.inf:
                break
            moved, other = position + step * slope, weights + step * direction
            reached = branch.worth(moved, other)
            if reached <= value + SAME_WORTH:
                value, position, weights = reached, moved, other
                threshold += step * shift
                break
            if np.abs(other).sum() <= wide:
                break
            wide = np.abs(other).sum()
    return value, weights, threshold


# --------------------------------------------------------------------------- compiled


class _Branch(ctypes.Structure):
    """As in line_search.h, with the value's fields."""

    _fields_ = [
        ("points", ctypes.c_int64),
        *fields("change all_left", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        *fields("linear low high steep", ctypes.c_void_p),
        *fields("constant price", ctypes.c_double),
    ]


class _Task(ctypes.Structure):
    _fields_ = [
        *fields("features directions lines", ctypes.c_int64),
        *fields("columns slopes direction axis", ctypes.c_void_p),
        *fields("gap clearly seconds", ctypes.c_double),
        *fields("weights threshold", ctypes.c_void_p),
    ]


class _Compiled:
    """The same by the kernel. It lives as long as its arrays."""

    def __init__(self, library: ctypes.CDLL, branch: Branch) -> None:
        self.library, self.branch = library, branch
        self.arrays = Arrays()
        value = branch.value
        assert isinstance(value, RowValue)
        real = self.arrays.real
        own = map(real, (value.linear, value.low, value.high, value.steep))
        points, rows = branch.change.shape
        change, all_left = real(branch.change), real(branch.all_left)
        numbers = value.constant, branch.price
        self.c = _Branch(points, change, all_left, rows, *own, *numbers)

    def best_step(
        self, position: np.ndarray, slope: np.ndarray, clearance: float, below: float
    ) -> tuple[float, float]:
        value, step = ctypes.c_double(), ctypes.c_double()
        along = [np.ascontiguousarray(part, float) for part in (position, slope)]
        limits = float(clearance), float(below)
        called(self.library.treemip_best_step, self.c, *along, *limits, value, step)
        return value.value, step.value

    def searched(
        self,
        columns: np.ndarray,
        slopes: np.ndarray,
        weights: np.ndarray,
        threshold: float,
        lines: Lines,
    ) -> tuple[float, np.ndarray, float]:
        found, at, value = weights.copy(), np.array([threshold]), ctypes.c_double()
        task = _Task(
            *(len(columns), len(slopes), len(lines.axes)),
            *(self.arrays.real(part) for part in (columns, slopes, lines.directions)),
            self.arrays.at(lines.axes, np.int64),
            *(self.branch.gap, CLEARLY, max(0.0, min(1e9, lines.until - time.perf_counter()))),
            *(int(found.ctypes.data), int(at.ctypes.data)),
        )
        called(self.library.treemip_search_lines, self.c, task, value)
        return value.value, found, float(at[0])
