"""The split of one branch by a hyperplane, all other branches given.

Logistic fits point the way; exact line searches do the rest: along a direction, every point changes
side at one step, so sorting these steps and a cumulative sum give the value of every interval.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Value = Callable[[np.ndarray], np.ndarray]
"""What is to be minimized, (...,), of sums (..., R)."""

RIDGES = (1e-3, 1e-1, 1.0)
ITERATIONS = 12
RELATIVE_GAP = 1e-9  # steps nearer to each other are one


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
    penalty[-1] = 1e-6
    for _ in range(ITERATIONS):
        margin = np.clip(sign * (z @ theta), -30, 30)
        chance = 1 / (1 + np.exp(margin))
        gradient = penalty * theta - z.T @ (weight * sign * chance)
        hessian = (z.T * (weight * chance * (1 - chance) + 1e-9)) @ z
        hessian[np.diag_indices(features + 1)] += penalty
        step = np.linalg.solve(hessian, gradient)
        size = np.sqrt(step @ step)
        theta -= step * min(1.0, 50 / max(size, 1e-300))
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
) -> tuple[float, float]:
    """The best value along position + step * slope, and the middle of a widest step that has it.

    A point goes right where that is above 0. position, slope float64 (m,); change float64 (m, R):
    what the sums gain when a point goes right; all_left (R,): the sums when none does.
    """
    moves = np.abs(slope) > 1e-12
    base = all_left + change[~moves & (position > 0)].sum(axis=0)
    at = -position[moves] / slope[moves]
    rising = slope[moves] > 0
    order = np.argsort(at, kind="stable")
    steps = at[order]
    delta = np.where(rising[:, None], change[moves], -change[moves])[order]
    start = base + change[moves][~rising].sum(axis=0)
    sums = np.concatenate([start[None], start + np.cumsum(delta, axis=0)])
    values = value(sums)
    if not len(steps):
        return float(values[0]), 0.0
    apart = steps[1:] > steps[:-1] + RELATIVE_GAP
    values[1:-1][~apart] = np.inf
    best = values.min()
    among = np.flatnonzero(values <= best + 1e-9)
    low = np.where(among > 0, steps[np.maximum(among - 1, 0)], steps[0] - 1)
    high = np.where(among < len(steps), steps[np.minimum(among, len(steps) - 1)], steps[-1] + 1)
    width = np.minimum(high - low, 1.0) + 1e-3 * rng.random(len(among))
    pick = int(width.argmax())
    return float(best), float((low[pick] + high[pick]) / 2)


class HyperplaneStep:
    """Improves the hyperplane of a branch whose points are x float64 (m, p).

    change (m, R), all_left (R,), value: as in `best_step`.
    """

    def __init__(
        self,
        x: np.ndarray,
        change: np.ndarray,
        all_left: np.ndarray,
        value: Value,
        rng: np.random.Generator,
    ) -> None:
        self.x, self.change, self.all_left = x, change, all_left
        self.value, self.rng = value, rng

    def of(self, weights: np.ndarray, threshold: float) -> float:
        """The value of a split."""
        right = self.x @ weights > threshold
        return float(self.value(self.all_left + self.change[right].sum(axis=0)))

    def improved(
        self, weights: np.ndarray, threshold: float, sweeps: int
    ) -> tuple[float, np.ndarray, float]:
        """Value, weights and threshold of the best split found; no worse than the one given."""
        best = (self.of(weights, threshold), weights, threshold)
        if not self.x.size:
            return min(best, (self.of(weights, -1.0), weights, -1.0), key=lambda split: split[0])
        start = min([best, *self._fits()], key=lambda split: split[0])
        searched = self._searched(*start, sweeps)
        return searched if searched[0] <= best[0] else best

    def _fits(self) -> list[tuple[float, np.ndarray, float]]:
        """Logistic fits of the points by the side that is better for each, thresholds exact."""
        gain = self.gain
        right, weight = gain > 0, np.abs(gain)
        if right.all() or not right.any():
            return []
        weight = weight / weight.max()
        fits = []
        for ridge in RIDGES:
            try:
                weights, _ = logistic_fit(self.x, right, weight, ridge)
            except np.linalg.LinAlgError:
                continue
            size = np.abs(weights).sum()
            if size > 1e-12:
                weights = weights / size
                fits.append(self._thresholded(weights))
        return fits

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
        right, weight = gain > 0, np.abs(gain)
        if right.all() or not right.any():
            return self.rng.permutation(self.x.shape[1])
        try:
            weights, _ = logistic_fit(self.x, right, weight / weight.max(), RIDGES[1])
        except np.linalg.LinAlgError:
            return self.rng.permutation(self.x.shape[1])
        return np.argsort(-np.abs(weights) * (self.x.std(axis=0) + 1e-12), kind="stable")

    def _thresholded(self, weights: np.ndarray) -> tuple[float, np.ndarray, float]:
        position = self.x @ weights
        slope = -np.ones(len(position))
        value, step = best_step(position, slope, self.change, self.all_left, self.value, self.rng)
        return value, weights, step

    def _searched(
        self, value: float, weights: np.ndarray, threshold: float, sweeps: int
    ) -> tuple[float, np.ndarray, float]:
        """Line searches along each coefficient, the threshold and random directions in turn."""
        features = len(weights)
        weights = weights.copy()
        spread = self.x.std(axis=0) + 1e-9
        for _ in range(sweeps):
            improved = False
            position = self.x @ weights - threshold
            axes = [*self.rng.permutation(features + 1), *[-1] * min(features, 6)]
            for axis in axes:
                direction, shift = np.zeros(features), 0.0
                if axis == features:
                    shift, slope = 1.0, -np.ones(len(position))
                elif axis >= 0:
                    direction[axis], slope = 1.0, self.x[:, axis]
                else:
                    direction = self.rng.standard_normal(features) * spread
                    slope = self.x @ direction
                found, step = best_step(
                    position, slope, self.change, self.all_left, self.value, self.rng
                )
                if found <= value + 1e-9:
                    improved |= found < value - 1e-9
                    value = found
                    weights += step * direction
                    threshold += step * shift
                    position = position + step * slope
            if not improved:
                break
        size = np.abs(weights).sum()
        if size > 0:
            weights, threshold = weights / size, threshold / size
        return self.of(weights, threshold), weights, threshold
