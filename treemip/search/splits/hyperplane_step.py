"""The split of one branch by a hyperplane, all other branches given.

Logistic fits point the way; exact line searches do the rest: along a direction, every point changes
side at one step, so sorting these steps and a cumulative sum give the value of every interval.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.model.tolerances import (
    CLEARLY,
    INTERCEPT_RIDGE,
    LEAST_DIVISOR,
    RIDGE_FLOOR,
    ROUNDING,
    SAME_STEP,
    SAME_WORTH,
)
from treemip.search.splits.grid_directions import random_pairs, rounded
from treemip.search.sums import Value

RIDGES = (1e-3, 1e-1, 1.0)
ITERATIONS = 12
SAMPLE = 6000  # points of the first line searches at a branch with more
FITTED = 12_000  # points of a logistic fit, at most
MANY = 50_000  # numbers that are fitted with one ridge at a visit instead of all
FEW = (2, 4, 8)  # features of fits that shall have a gap


def logistic_fit(
    x: np.ndarray, right: np.ndarray, weight: np.ndarray, ridge: float
) -> tuple[np.ndarray, float]:
    """Weights and threshold of a ridge-logistic fit of right-going points, by Newton's method.

    x float64 (m, p), right bool (m,), weight float64 (m,). Points with weights . x above the
    threshold are fitted to go right. Raises LinAlgError where the Hessian is singular.
    """
    points, features = x.shape
    z = np.concatenate([x, np.ones((points, 1))], axis=1)
    theta, sign = np.zeros(features + 1), np.where(right, 1.0, -1.0)
    penalty = np.full(features + 1, ridge)
    penalty[-1] = INTERCEPT_RIDGE
    for _ in range(ITERATIONS):
        margin = np.clip(sign * (z @ theta), -30, 30)
        chance = 1 / (1 + np.exp(margin))
        gradient = penalty * theta - z.T @ (weight * sign * chance)
        hessian = (z.T * (weight * chance * (1 - chance) + RIDGE_FLOOR)) @ z
        hessian[np.diag_indices(features + 1)] += penalty
        step = np.linalg.solve(hessian, gradient)
        size = np.sqrt(step @ step)
        theta -= step * min(1.0, 50 / max(size, LEAST_DIVISOR))
        if size < 1e-3:
            break
    return theta[:-1], -float(theta[-1])


def best_step(
    position: np.ndarray,
    slope: np.ndarray,
    change: np.ndarray,
    all_left: np.ndarray,
    value: Value,
    rng: np.random.Generator,
    clearance: float = 0.0,
) -> tuple[float, float]:
    """The best value along position + step * slope, and the middle of a widest step that has it.

    A point goes right where that is above 0. position, slope float64 (m,); change float64 (m, R):
    what the sums gain when a point goes right; all_left (R,): the sums when none does.
    clearance: how far from 0 every point has to stay; the value is infinite where none can.
    """
    moves = np.abs(slope) > ROUNDING
    still = position if not moves.any() else position[~moves]
    if clearance > 0 and len(still) and np.abs(still).min() < clearance:
        return np.inf, 0.0
    if not moves.all():
        all_left = all_left + change[~moves & (position > 0)].sum(axis=0)
        position, slope, change = position[moves], slope[moves], change[moves]
    at = -position / slope
    order = at.argsort()
    steps, slope = at.take(order), slope.take(order)
    change = change.take(order, axis=0)
    sign = np.sign(slope)
    change *= sign[:, None]
    sums = np.empty((len(steps) + 1, change.shape[1]))
    sums[0] = 0.0
    change.cumsum(axis=0, out=sums[1:])
    # Each point that is right at the beginning leaves: those are the falling ones.
    sums += all_left - change[sign < 0].sum(axis=0)
    values = value(sums)
    if not len(steps):
        return float(values[0]), 0.0
    low, high = steps, steps
    if clearance > 0:
        reach = clearance / np.abs(slope)
        low = np.maximum.accumulate(steps + reach)
        high = np.minimum.accumulate((steps - reach)[::-1])[::-1]
        values[1:-1][high[1:] <= low[:-1]] = np.inf
    else:
        values[1:-1][steps[1:] <= steps[:-1] + SAME_STEP] = np.inf
    best = values.min()
    among = np.flatnonzero(values <= best + SAME_WORTH)
    low = np.where(among > 0, low[np.maximum(among - 1, 0)], high[0] - 1)
    high = np.where(among < len(steps), high[np.minimum(among, len(steps) - 1)], low + 1)
    width = np.minimum(high - low, 1.0) + 1e-3 * rng.random(len(among))
    pick = int(width.argmax())
    return float(best), float((low[pick] + high[pick]) / 2)


class HyperplaneStep:
    """Improves the hyperplane of a branch whose points are x float64 (m, p).

    change (m, R), all_left (R,), value: as in `best_step`. gap: how far apart the points of the two
    sides must be along weights whose 1-norm is 1; with one, x has every point of the branch.
    late: whether the time is used up, asked between line searches. steps: of the grids that the
    columns of x are on, float64 (p,), as `grid_steps` gives them; None for none.
    """

    def __init__(
        self,
        x: np.ndarray,
        change: np.ndarray,
        all_left: np.ndarray,
        value: Value,
        rng: np.random.Generator,
        gap: float = 0.0,
        late: Callable[[], bool] = lambda: False,
        steps: np.ndarray | None = None,
    ) -> None:
        self.x, self.change, self.all_left = x, change, all_left
        self.steps = np.zeros(x.shape[1]) if steps is None else steps
        self.value, self.rng, self.gap, self.late = value, rng, gap, late

    def of(self, weights: np.ndarray, threshold: float) -> float:
        """The value of a split; infinite where its gap is too narrow."""
        position = self.x @ weights - threshold
        if not self._is_clear(position, weights):
            return np.inf
        return float(self.value(self.all_left + self.change[position > 0].sum(axis=0)))

    def _is_clear(self, position: np.ndarray, weights: np.ndarray) -> bool:
        if self.gap <= 0:
            return True
        right = position > 0
        if right.all() or not right.any():
            return True
        width = position[right].min() - position[~right].max()
        return bool(width >= self.gap * np.abs(weights).sum())

    def improved(
        self, weights: np.ndarray, threshold: float, sweeps: int
    ) -> tuple[float, np.ndarray, float]:
        """Value, weights and threshold of the best split found; no worse than the one given."""
        best = (self.of(weights, threshold), weights, threshold)
        none = self._one_way(weights)
        if not self.x.size:
            return min(best, none, key=lambda split: split[0])
        fits = self._fits()
        start = min([best, *fits, *self._on_grid(fits)], key=lambda split: split[0])
        if start[0] == np.inf:
            start = none
        if len(self.x) > SAMPLE:
            start = min(start, self._sampled(*start[1:], sweeps), key=lambda split: split[0])
            sweeps = 1
        searched = self._searched(*start, sweeps)
        return searched if searched[0] <= best[0] else best

    def _one_way(self, weights: np.ndarray) -> tuple[float, np.ndarray, float]:
        """No split: all points to the better side."""
        none = np.zeros_like(weights)
        splits = [(self.of(none, threshold), none, threshold) for threshold in (1.0, -1.0)]
        return min(splits, key=lambda split: split[0])

    def _sampled(
        self, weights: np.ndarray, threshold: float, sweeps: int
    ) -> tuple[float, np.ndarray, float]:
        """The split after line searches on a sample of the points, its threshold exact again."""
        some = self.rng.choice(len(self.x), SAMPLE, replace=False)
        some.sort()
        change = self.change[some] * (len(self.x) / SAMPLE)
        step = HyperplaneStep(
            self.x[some], change, self.all_left, self.value, self.rng, self.gap, self.late
        )
        searched = step._searched(step.of(weights, threshold), weights, threshold, sweeps)
        return self._thresholded(searched[1])

    def _fits(self) -> list[tuple[float, np.ndarray, float]]:
        """Logistic fits of the points by the side that is better for each, thresholds exact.

        Where a gap is asked for, fits on the few largest features of one as well: the fewer the
        features, the wider the gaps.
        """
        gain = self.gain
        right, weight = gain > 0, np.abs(gain)
        if right.all() or not right.any():
            return []
        matter = np.flatnonzero(weight)
        if len(matter) > FITTED:
            matter = np.sort(self.rng.choice(matter, FITTED, replace=False))
        x, right, weight = self.x[matter], right[matter], weight[matter]
        if right.all() or not right.any():
            return []
        weight = weight / weight.max()
        ridges = [*RIDGES]
        if x.size > MANY:
            ridges = [ridges[int(self.rng.integers(len(ridges)))]]
        supports = [np.arange(x.shape[1])] * len(ridges)
        fits = []
        while supports and not self.late():
            used, ridge = supports.pop(0), ridges.pop(0)
            try:
                fitted, _ = logistic_fit(x[:, used], right, weight, ridge)
            except np.linalg.LinAlgError:
                continue
            size = np.abs(fitted).sum()
            if size <= ROUNDING:
                continue
            weights = np.zeros(x.shape[1])
            weights[used] = fitted / size
            fits.append(self._thresholded(weights))
            if self.gap > 0 and len(used) == x.shape[1]:
                order = np.argsort(-np.abs(weights) * x.std(axis=0), kind="stable")
                fewer = [order[:number] for number in FEW if number < x.shape[1]]
                supports += fewer
                ridges += [ridge] * len(fewer)
        return fits

    def _on_grid(
        self, fits: list[tuple[float, np.ndarray, float]]
    ) -> list[tuple[float, np.ndarray, float]]:
        """Where a gap is asked for, the fits rounded to directions that have it, and a few pairs of
        features, thresholds exact."""
        if self.gap <= 0 or not (self.steps >= self.gap).any():
            return []
        directions = [w for _, fitted, _ in fits for w in rounded(fitted, self.steps, self.gap)]
        directions += random_pairs(self.steps, self.gap, self.rng)
        unlike = {direction.tobytes(): direction for direction in directions}
        return [self._thresholded(one) for one in unlike.values() if not self.late()]

    @property
    def gain(self) -> np.ndarray:
        """How much better each point's right side is, to first order at the middle, (m,)."""
        middle = self.all_left + self.change.sum(axis=0) / 2
        if len(middle) == 1:
            return self.value(middle[None])[0] - self.value(middle + self.change)
        return self.value(middle - self.change / 2) - self.value(middle + self.change / 2)

    def ranking(self) -> np.ndarray:
        """Features by how much a logistic fit makes of them, the greatest first, int64 (p,)."""
        gain = self.gain
        some = np.arange(len(gain))
        if len(some) > FITTED:
            some = np.sort(self.rng.choice(some, FITTED, replace=False))
        gain = gain[some]
        right, weight = gain > 0, np.abs(gain)
        if right.all() or not right.any():
            return self.rng.permutation(self.x.shape[1])
        try:
            weights, _ = logistic_fit(self.x[some], right, weight / weight.max(), RIDGES[1])
        except np.linalg.LinAlgError:
            return self.rng.permutation(self.x.shape[1])
        return np.argsort(-np.abs(weights) * (self.x.std(axis=0) + ROUNDING), kind="stable")

    def _thresholded(self, weights: np.ndarray) -> tuple[float, np.ndarray, float]:
        position = self.x @ weights
        slope = -np.ones(len(position))
        clearance = self.gap / 2 * np.abs(weights).sum() * (1.0 + CLEARLY)
        value, step = best_step(
            position, slope, self.change, self.all_left, self.value, self.rng, clearance
        )
        return value, weights, step

    def _searched(
        self, value: float, weights: np.ndarray, threshold: float, sweeps: int
    ) -> tuple[float, np.ndarray, float]:
        """Line searches along each coefficient, the threshold and random directions in turn."""
        features = len(weights)
        weights = weights.copy()
        columns = np.ascontiguousarray(self.x.T)
        spread = self.x.std(axis=0) + RIDGE_FLOOR
        for _ in range(sweeps):
            improved = False
            position = self.x @ weights - threshold
            axes = [*self.rng.permutation(features + 1), *[-1] * min(features, 6)]
            for axis in axes:
                if self.late():
                    break
                direction, shift = np.zeros(features), 0.0
                if axis == features:
                    shift, slope = 1.0, -np.ones(len(position))
                elif axis >= 0:
                    direction[axis], slope = 1.0, columns[axis]
                else:
                    direction = self.rng.standard_normal(features) * spread
                    slope = self.x @ direction
                clearance = self.gap / 2 * max(np.abs(weights).sum(), 1e-3) * (1.0 + CLEARLY)
                reached, step = best_step(
                    position, slope, self.change, self.all_left, self.value, self.rng, clearance
                )
                if not reached <= value + SAME_WORTH:
                    continue
                moved = position + step * slope
                if not self._is_clear(moved, weights + step * direction):
                    continue
                improved |= reached < value - SAME_WORTH
                value, position = reached, moved
                weights += step * direction
                threshold += step * shift
            if not improved:
                break
        size = np.abs(weights).sum()
        if size > 0:
            weights, threshold = weights / size, threshold / size
        return self.of(weights, threshold), weights, threshold
