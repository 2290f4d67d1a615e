"""The split of one branch by a hyperplane, all other branches given.

Logistic fits propose hyperplanes; exact line searches improve them (`line_search`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemip.answers.search.splits.grid_directions import random_pairs, rounded
from treemip.answers.search.splits.line_search import Branch, Lines, best_step, searched
from treemip.core.model.tolerances import (
    CLEARLY,
    INTERCEPT_RIDGE,
    LEAST_DIVISOR,
    RIDGE_FLOOR,
    ROUNDING,
    SAME_WORTH,
)

RIDGES = (1e-3, 1e-1, 1.0)
ITERATIONS = 12
FITTED = 12_000  # points of a logistic fit, at most
MANY = 50_000  # numbers that are fitted with one ridge at a visit instead of all
RANDOM = 6  # random directions of a sweep, at most
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


class HyperplaneStep:
    """Improves the hyperplane of a branch whose points are x float64 (m, p).

    branch: what they are worth, as of `line_search`; with a gap, x has every point of the branch.
    late: whether the time is used up, asked between line searches; until: of the clock. steps: of
    the grids that the columns of x are on, float64 (p,), as `grid_steps` gives them; None for none.
    """

    def __init__(
        self,
        x: np.ndarray,
        branch: Branch,
        rng: np.random.Generator,
        late: Callable[[], bool] = lambda: False,
        until: float = np.inf,
        steps: np.ndarray | None = None,
    ) -> None:
        self.x, self.branch, self.gap = x, branch, branch.gap
        self.steps = np.zeros(x.shape[1]) if steps is None else steps
        self.rng, self.late, self.until = rng, late, until

    def of(self, weights: np.ndarray, threshold: float) -> float:
        """The value of a split; points in its band have their price where it parts any."""
        position = self.x @ weights - threshold
        right = position > 0
        if right.all() or not right.any():
            return float(self.branch.value(self.branch.all_left + self.branch.change[right].sum(0)))
        return self.branch.worth(position, weights)

    def improved(
        self, weights: np.ndarray, threshold: float, sweeps: int, fits: bool = True
    ) -> tuple[float, np.ndarray, float]:
        """Value, weights and threshold of the best split found; no worse than the one given. fits:
        whether logistic fits are tried as well."""
        best = (self.of(weights, threshold), weights, threshold)
        none = self._one_way(weights)
        if not self.x.size:
            return min(best, none, key=lambda split: split[0])
        tried = self._fits() if fits else []
        if fits:
            tried += self._on_grid(tried)
        if self.gap > 0 and weights.any():
            tried.append(self.thresholded(weights))
        start = min([best, none, *tried], key=lambda split: split[0])
        found = self._searched(*start[1:], sweeps)
        return found if found[0] <= best[0] else best

    def _one_way(self, weights: np.ndarray) -> tuple[float, np.ndarray, float]:
        """No split: all points to the better side."""
        none = np.zeros_like(weights)
        splits = [(self.of(none, threshold), none, threshold) for threshold in (1.0, -1.0)]
        return min(splits, key=lambda split: split[0])

    def _fits(self) -> list[tuple[float, np.ndarray, float]]:
        """Logistic fits of the points by the side that is better for each, thresholds exact.

        Where a gap is asked for, there are also fits on the few largest features of a first one:
        the fewer the features, the wider the gaps.
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
            fits.append(self.thresholded(weights))
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
        return [self.thresholded(one) for one in unlike.values() if not self.late()]

    @property
    def gain(self) -> np.ndarray:
        """How much better each point's right side is, to first order at the middle, (m,)."""
        value, change = self.branch.value, self.branch.change
        middle = self.branch.all_left + change.sum(axis=0) / 2
        if len(middle) == 1:
            return value(middle[None])[0] - value(middle + change)
        return value(middle - change / 2) - value(middle + change / 2)

    def ranking(self) -> np.ndarray:
        """Features by their weight in a logistic fit, the greatest first, int64 (p,)."""
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

    def thresholded(self, weights: np.ndarray) -> tuple[float, np.ndarray, float]:
        """The best split along these weights: its value, they, and the threshold."""
        position = self.x @ weights
        clearance = self.gap / 2 * np.abs(weights).sum() * (1.0 + CLEARLY)
        value, step = best_step(self.branch, position, -np.ones(len(position)), clearance)
        return value, weights, step

    def _searched(
        self, weights: np.ndarray, threshold: float, sweeps: int
    ) -> tuple[float, np.ndarray, float]:
        """Line searches along each coefficient, the threshold and random directions in turn."""
        features = len(weights)
        columns = np.ascontiguousarray(self.x.T)
        spread = self.x.std(axis=0) + RIDGE_FLOOR
        value = self.branch.worth(weights @ columns - threshold, weights)
        for _ in range(sweeps):
            random = min(features, RANDOM)
            axes = np.concatenate(
                [self.rng.permutation(features + 1), features + 1 + np.arange(random)]
            )
            directions = self.rng.standard_normal((random, features)) * spread
            lines = Lines(axes, directions, self.late, self.until)
            before = value
            value, weights, threshold = searched(self.branch, columns, weights, threshold, lines)
            if value >= before - SAME_WORTH or self.late():
                break
        size = np.abs(weights).sum()
        if size > 0:
            weights, threshold = weights / size, threshold / size
        return self.of(weights, threshold), weights, threshold
