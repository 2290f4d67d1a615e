"""Univariate trees of a spec as arrays: bins of features, costs of points, prices of splits.

Features are split at the formulation's own thresholds: a bin holds the values between two
neighbouring ones. Everything that a split adds to the objective is a table over branches and
features, whatever concept of the vocabulary it comes from, and limits on splits are rows like all
others. Nested binary columns are one ordered feature (`chains`)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treemip.answers.engines.bins import Bins, are_few, bins_of, column_arrays
from treemip.answers.engines.reports import Reports
from treemip.answers.search.folds import Fold
from treemip.answers.search.sums import Sums
from treemip.core.compiled.library import kernel
from treemip.core.instance.trees import Forest
from treemip.core.model.tolerances import KNOWN_ROW

DEEPEST, COMPILED = 3, 5  # levels by numpy, and by the compiled kernel
SPEED = 1e9  # numbers a second in the sums of trees of depth 1, by numpy
FASTER = 10.0  # times as many by the kernel, in its sums alone
TABLE, JUDGED = 10.0, 100.0  # times as long takes a sum by two features, and a cut by such sums


@dataclass(frozen=True)
class Conditions:
    """What each leaf must keep: low <= sums of stats + jump where it has points <= high.

    stats float64 (q, M); low, high, jump (q,).
    """

    stats: np.ndarray
    low: np.ndarray
    high: np.ndarray
    jump: np.ndarray

    @property
    def tolerance(self) -> np.ndarray:
        """By how much each may be missed, float64 (q,)."""
        low = np.where(np.isfinite(self.low), np.abs(self.low), 0.0)
        return KNOWN_ROW * np.maximum(1.0, np.maximum(low, np.abs(self.jump)))

    def hold(self, sums: np.ndarray, count: np.ndarray) -> np.ndarray:
        """Whether leaves keep them, bool (...,); sums (q, ...) and numbers of points (...,)."""
        holds, sizes = np.ones(count.shape, bool), self.tolerance
        for one, low, high, jump, size in zip(
            sums, self.low, self.high, self.jump, sizes, strict=True
        ):
            value = one + jump * (count > 0.5)
            holds &= (value >= low - size) & (value <= high + size)
        return holds


@dataclass(frozen=True)
class Problem:
    """unsplit: the side that a branch without a split sends its points to, None where each must
    split. points (M, K, R): what a point adds to the rows with a label; by_split (branches, p, R),
    by_leaf (R,) for a leaf that has points, anywhere (p, R); constant, low, high, scale (R,). Row 0
    is the objective, to be minimized; rows from `sums.rows` on are limits on splits.
    allowed bool (branches, p). reports: who is told how the search for its best tree goes.
    threads: the most that it may take.
    by_depth float64 (depth + 1,): what a tree with so many splits in a row costs beside all that,
    at least; None where that is nothing.
    """

    topology: Forest
    x: np.ndarray
    sums: Sums
    bins: Bins
    unsplit: bool | None
    count: np.ndarray
    points: np.ndarray
    by_split: np.ndarray
    by_leaf: np.ndarray
    anywhere: np.ndarray
    constant: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray
    folds: tuple[Fold, ...]
    allowed: np.ndarray
    conditions: Conditions
    reports: Reports = field(default_factory=Reports)
    threads: int = 1
    by_depth: np.ndarray | None = None

    def worth(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The objective, to be minimized, and the violation for rows float64 (..., R)."""
        for fold in self.folds:
            rows = rows + fold.values(rows) @ fold.to
        off = np.maximum(self.low - rows, 0.0) + np.maximum(rows - self.high, 0.0)
        return rows[..., 0], (off / self.scale).sum(axis=-1)

    @property
    def depth(self) -> int:
        return int(self.topology.depth.max())

    @cached_property
    def coupled(self) -> bool:
        """Whether the value is more than a sum over leaves and splits."""
        return len(self.constant) > 1 or bool(self.anywhere.any())


def deepest() -> int:
    """Of the trees that the engine goes through here."""
    return COMPILED if kernel() is not None else DEEPEST


def has_shape(topology: Forest | None) -> bool:
    """Whether it is one complete tree of depth 1 to `deepest()`."""
    if topology is None or topology.families != 1:
        return False
    depth = int(topology.depth.max())
    return 1 <= depth <= deepest() and topology.size == 2 ** (depth + 1) - 1


def work_of(problem: Problem, depth: int, points: int) -> tuple[float, float]:
    """How many trees of depth 1 there are below all cuts of so many levels less one, and the
    seconds that their sums over so many points take."""
    bins, features = problem.bins, len(problem.bins.start)
    sides = 2.0 * float((~bins.last).sum())
    trees = sides ** (depth - 1)
    stats = max(1, problem.points.shape[1] - 1) * len(problem.constant)
    compiled = kernel() is not None and not problem.coupled
    numbers = trees * features * points
    if compiled and depth > 1 and are_few(bins.count, features, points):
        tables = features**2 / 2 if depth == 2 else features**3 / 6 * sides ** (depth - 3)
        numbers = min(numbers, tables * points * TABLE + trees * bins.count * JUDGED)
    return trees, numbers * stats / (SPEED * (FASTER if compiled else 1.0))


def with_splits(problem: Problem, kept: np.ndarray) -> tuple[Problem, np.ndarray]:
    """The problem with some of its splits alone, kept bool (B,); and the number that each of its
    bins has in the problem, int64. Its trees are trees of the problem, its bounds are not."""
    bins = problem.bins
    kept = kept & ~bins.last
    features = [
        np.unique(bins.column[bins.feature == j], return_index=True) for j in range(len(bins.start))
    ]
    columns = [column[np.argsort(first)] for column, first in features]
    thresholds = [bins.threshold[kept & (bins.column == j)] for j in range(problem.x.shape[1])]
    fewer = bins_of(column_arrays(problem.x), thresholds, columns)
    return replace(problem, bins=fewer, reports=Reports()), np.flatnonzero(kept | bins.last)


def widths(problem: Problem) -> np.ndarray:
    """The distance between the nearest values on the two sides of each split, float64 (B,)."""
    bins, apart = problem.bins, np.full(problem.bins.count, np.inf)
    for j, column in enumerate(problem.x.T):
        own = (bins.column == j) & ~bins.last
        values = np.unique(column)
        right = np.searchsorted(values, bins.threshold[own], side="right")
        apart[own] = values[right] - values[right - 1]
    return apart


def at_quantiles(problem: Problem, most: int) -> np.ndarray:
    """At most that many splits of each feature, bool (B,): those nearest to where equal shares of
    the points go left."""
    bins, kept = problem.bins, ~problem.bins.last
    left = bins.cumulative(bins.histogram(problem.count[None], np.arange(len(problem.x))))[0]
    shares = problem.count.sum() * np.arange(1, most + 1) / (most + 1)
    for j, first in enumerate(bins.start.tolist()):
        own = np.flatnonzero((bins.feature == j) & ~bins.last)
        if len(own) > most:
            kept[own] = False
            at = np.searchsorted(left[own], shares).clip(max=len(own) - 1)
            kept[first + np.unique(at)] = True
    return kept
