"""Linear lower bounds of an objective with side constraints, and the best of them.

For multipliers of the rows, the value of any tree that keeps the constraints is at least a linear
function of its rows: Lagrangian relaxation, where max is at least any weighted mean of its
arguments, abs at least any share of its argument. The best multipliers are the dual solution of a
linear program over trees, to which the tree that a multiplier asks for is added in turn (column
generation, Gilmore and Gomory 1961).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.answers.engines.problem import Problem
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.separable import Separable
from treemip.answers.search.folds import Fold
from treemip.answers.search.intervals import fold_range
from treemip.core.model.blocks import Function
from treemip.core.solving.optional import needed


@dataclass(frozen=True)
class Multipliers:
    """rows float64 (R,): the linear function; the value of a tree is at least rows @ its rows +
    constant."""

    rows: np.ndarray
    constant: float


def directions(problem: Problem) -> np.ndarray:
    """Which way each row is wanted: 1 less, -1 more, 0 where both matter; int64 (R,).

    Raises Refusal where a function is wanted the way that has no linear bound.
    """
    up, down = np.isfinite(problem.high), np.isfinite(problem.low)
    way = up.astype(int) - down
    way[0] = 1
    free = ~up & ~down
    for fold in reversed(problem.folds):
        wanted = np.sign(fold.to) * way
        known = (fold.to == 0) | (wanted != 0)
        result = np.where(known.all(axis=1), wanted.max(axis=1) + wanted.min(axis=1), 0)
        least = fold.function is Function.MIN
        if ((result <= 0) if not least else (result >= 0)).any():
            raise Refusal("it asks for more of a maximum or absolute value, or less of a minimum")
        if fold.function in (Function.MIN, Function.MAX):
            way[fold.rows] = -1 if least else 1
        free[fold.rows] = False
    return way


def ceiling(problem: Problem) -> float:
    """A number that no tree's objective is above, by intervals."""
    low, high = _reach(problem, np.minimum), _reach(problem, np.maximum)
    for fold in problem.folds:
        least, most = fold_range(fold, low[fold.rows], high[fold.rows])
        low += least @ np.maximum(fold.to, 0) + most @ np.minimum(fold.to, 0)
        high += most @ np.maximum(fold.to, 0) + least @ np.minimum(fold.to, 0)
    return float(high[0])


def _reach(problem: Problem, best: np.ufunc) -> np.ndarray:
    """The rows at their least or greatest, each by itself, float64 (R,)."""
    rows: np.ndarray = problem.constant + best.reduce(problem.points, axis=1).sum(axis=0)
    rows += len(problem.by_split) * best(best.reduce(problem.by_split, axis=(0, 1)), 0.0)
    rows += best(problem.anywhere, 0.0).sum(axis=0)
    rows += len(problem.topology.leaves) * best(problem.by_leaf, 0.0)
    return rows


def multipliers(problem: Problem, wanted: np.ndarray) -> Multipliers:
    """The bound nearest to the rows' wanted multipliers float64 (R,)."""
    up, down = np.isfinite(problem.high), np.isfinite(problem.low)
    rows = wanted.copy()
    rows[~up] = np.minimum(rows[~up], 0.0)
    rows[~down] = np.maximum(rows[~down], 0.0)
    rows[0] = 1.0
    limit = np.where(rows > 0, np.where(up, problem.high, 0.0), np.where(down, problem.low, 0.0))
    constant = -float((rows[1:] * limit[1:]).sum())
    for fold in reversed(problem.folds):
        rows[fold.rows] = _weights(fold, fold.to @ rows, wanted[fold.rows])
    return Multipliers(rows, constant)


def _weights(fold: Fold, total: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Multipliers of a fold's arguments for those of its results, near to those wanted."""
    weights = np.zeros(len(wanted))
    for group, whole in enumerate(total):
        at = slice(fold.offsets[group], fold.offsets[group + 1])
        if fold.function in (Function.MIN, Function.MAX):
            share = np.maximum(np.sign(whole) * wanted[at], 0.0)
            share = share if share.sum() > 0 else np.ones(len(share))
            weights[at] = whole * share / share.sum()
        else:
            size = np.abs(wanted[at]).sum()
            weights[at] = wanted[at] * min(1.0, abs(whole) / size) if size > 0 else 0.0
    return weights


class Relaxed(Separable):
    """The separable bound of a coupled problem for some multipliers."""

    def __init__(self, problem: Problem, by: Multipliers, until: float) -> None:
        self.by, branches = by, len(problem.by_split)
        anywhere = problem.anywhere @ by.rows
        split = problem.by_split @ by.rows + np.where(anywhere > 0, anywhere / branches, anywhere)
        self.feature_price = np.where(problem.allowed, split, np.inf)
        leaf = float(problem.by_leaf @ by.rows)
        costs = problem.points @ by.rows
        super().__init__(problem, costs, self.feature_price[:, problem.bins.feature], until)
        self.step, self.leaf_price = 0.0, 0.0
        self.plain = not self.has_conditions
        self.offset = self.constant + by.constant + float(problem.constant @ by.rows)
        self.offset += min(leaf, 0.0) * len(problem.topology.leaves)
        self.leaf_stats = np.array([*problem.conditions.stats, problem.count])

    def leaf_holds(self, sums: np.ndarray) -> np.ndarray:
        """Whether leaves keep their conditions; sums float64 (q + 1, ...) of `leaf_stats`."""
        return self.problem.conditions.hold(sums[:-1], sums[-1])

    def in_one_leaf(self, rows: np.ndarray) -> bool:
        """Whether these points in one leaf and none in others keep the leaves' conditions."""
        leaf = self.leaf_stats[:, rows].sum(axis=1)[:, None]
        return bool(self.leaf_holds(leaf)[0] and self.leaf_holds(leaf * 0)[0])


def best_multipliers(problem: Problem, trees: np.ndarray, penalty: float) -> np.ndarray:
    """Multipliers wanted by the rows of some trees, float64 (trees, R): those of the linear program
    over their mixtures, in which a unit of violation costs `penalty`."""
    count, width = trees.shape
    results = sum(len(f.to) for f in problem.folds)
    over = 2 * width  # slack of high and of low
    size = count + width + results + over
    row_at, fold_at, slack_at = count, count + width, count + width + results
    cost = np.zeros(size)
    cost[row_at] = 1.0
    cost[slack_at:] = np.tile(penalty / problem.scale, 2)
    equal = np.zeros((width + 1, size))
    equal[:width, :count] = trees.T
    equal[:width, row_at:fold_at] = -np.eye(width)
    equal[width, :count] = 1.0
    final = np.zeros((width, size))
    final[:, row_at:fold_at] = np.eye(width)
    less: list[np.ndarray] = []
    right: list[float] = []
    start = fold_at
    for fold in problem.folds:
        columns = np.arange(start, start + len(fold.to))
        _fold_rows(fold, final, columns, less, right)
        final[:, columns] += fold.to.T
        start += len(fold.to)
    cost[fold_at:slack_at] = final[0, fold_at:slack_at]
    _limit_rows(problem, final, slack_at, less, right)
    bounds = [(0, None)] * count + [(None, None)] * (width + results) + [(0, None)] * over
    answer = needed("scipy.optimize", "all").linprog(
        cost,
        A_ub=np.array(less) if less else None,
        b_ub=np.array(right) if less else None,
        A_eq=equal,
        b_eq=np.append(np.zeros(width), 1.0),
        bounds=bounds,
    )
    if answer.status != 0:
        return np.eye(width)[0]
    # of `trees' mixture - row = 0`: what the objective gains where a row grows, by the sign of row
    wanted: np.ndarray = -np.asarray(answer.eqlin.marginals[:width])
    return -wanted if wanted[0] < 0 else wanted


def _limit_rows(
    problem: Problem, final: np.ndarray, slack_at: int, less: list[np.ndarray], right: list[float]
) -> None:
    """Each row within its limits, up to its slack: of `high` from `slack_at` on, then of `low`."""
    width = len(final)
    for r in range(1, width):
        for limit, way, slack in (
            (problem.high, 1.0, slack_at),
            (problem.low, -1.0, slack_at + width),
        ):
            if np.isfinite(limit[r]):
                row = way * final[r]
                row[slack + r] -= 1.0
                less.append(row)
                right.append(way * limit[r])


def _fold_rows(
    fold: Fold, final: np.ndarray, columns: np.ndarray, less: list[np.ndarray], right: list[float]
) -> None:
    """argument <= result, and for abs and norms -argument <= result; >= for a minimum."""
    for group, column in enumerate(columns):
        for argument in fold.rows[fold.offsets[group] : fold.offsets[group + 1]]:
            ways = (1.0,) if fold.function is Function.MAX else (1.0, -1.0)
            if fold.function is Function.MIN:
                row = -final[argument]
                row[column] += 1.0
                less.append(row)
                right.append(0.0)
                continue
            for way in ways:
                row = way * final[argument]
                row[column] -= 1.0
                less.append(row)
                right.append(0.0)
