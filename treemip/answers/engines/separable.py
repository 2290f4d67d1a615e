"""The best univariate tree where its value is a sum over leaves and splits, by sweeps and bounds.

The cuts of a feature at the root give nested sides. A side's optimum, leaf conditions aside, does
not fall when points join it, and falls by at most their greatest cost when they leave: so what
some cuts are worth bounds all others (the similarity bound of Demirovic et al., MurTree 2022; on
thresholds of numbers Brita et al., ConTree 2025). At depth 1 one histogram evaluates all cuts.
"""

from __future__ import annotations

import time
from functools import cached_property
from math import ceil

import numpy as np

from treemip.answers.engines.bins import PER_PAIR, Bins
from treemip.answers.engines.compiled_task import CompiledTask
from treemip.answers.engines.known_sets import KnownSets
from treemip.answers.engines.plans import NONE, Plan, Side
from treemip.answers.engines.problem import Problem
from treemip.answers.engines.sweep import NEIGHBOURS, Sweep
from treemip.answers.engines.two_levels import TwoLevels
from treemip.answers.search.candidate import Label
from treemip.core.compiled.library import kernel
from treemip.core.model.tolerances import EQUAL, NO_COST, ROUNDING, TOLD_APART, UNIT_RATIO
from treemip.core.solving.interrupt import asked_to_stop

VALUES = 60  # of a feature, on average, up to which matrix products pay
LARGE = 1 << 30  # sums that 32 bits hold
WINDOW = 16  # cuts of the root that are evaluated at once, at most
FEW = 32  # cuts in a row that wait for one under way beside them, which may rule them out at once
PATIENCE = 2e10  # steps in the sums of trees of depth 1: some seconds by the kernel
PART = 0.25  # of the best value, which all trees of depth 4 and more are first held against then
PER_BIN = 100.0  # points for each bin, from which on the kernel sums by bins, without an order
KNOWN_SETS = 500 << 20  # bytes of sets of points whose trees are known, about
KNOWN = 1 << 26  # bytes of bounds that a sweep keeps, about
ROUNDED = 1e-4  # of a unit, by which sums of many multiples of it may be none
PRODUCT = 1 << 23  # cells of the indicator matrix, at most


class Separable:
    """costs float64 (M, K) of each point by label, or at the three values of a curve; price
    (branches, B) of a split behind each bin, infinite where none is allowed. `until`:
    time.perf_counter() when it must stop."""

    def __init__(
        self, problem: Problem, costs: np.ndarray, price: np.ndarray, until: float = np.inf
    ) -> None:
        self.problem, self.bins, self.until = problem, problem.bins, until
        self.curve = problem.sums.curve
        least = costs.min(axis=1) if self.curve is None else self.curve.lowest(costs)
        self.constant = float(least.sum())
        self.costs = costs - least[:, None]
        self.most = self._most()
        self.price = np.where(self.bins.last, np.inf, price)
        finite = self.price[np.isfinite(self.price)]
        self.least_price = min(0.0, float(finite.min(initial=0.0)))
        self.feature_price = self.price[:, self.bins.start]
        self.same_price = [
            float(p[0]) if len(p) and (p == p[0]).all() else np.nan
            for p in self.price[:, ~self.bins.last]
        ]
        self.labels = costs.shape[1]
        conditions = problem.conditions
        self.has_conditions = bool(len(conditions.low))
        self.leaf_price = float(problem.by_leaf[0])
        self.plain = not self.has_conditions and self.leaf_price == 0
        differences = (self.costs[:, 1:] - self.costs[:, :1]).T
        extra = [] if self.plain else [*conditions.stats, problem.count]
        self.stats = np.array([*differences, *extra]).reshape(-1, len(costs))
        whole = self.curve is None
        self.step = _step(self.costs, self.price, self.leaf_price) if whole else 0.0
        whole_cost = max(1.0, float(self.most.sum()))
        self.tolerance = TOLD_APART * whole_cost
        if self.step:  # what differs does so by a step at least
            self.tolerance = min(self.tolerance, max(self.step / 4, ROUNDING * whole_cost))
        # A number of NumPy's: short sums times one of Python's would be rounded to 24 bits.
        self.unit, self.units, self.whole = np.float64(1.0), differences, False
        if self.step and np.abs(differences).sum() / self.step < LARGE:
            self.whole, self.unit = True, np.float64(self.step)
            self.units = np.rint(differences / self.step).astype(np.int32)
        self.indicators = _indicators(self.bins, self.units)
        self.evaluated = 0
        self.complete = True
        self.threads, self.window, self.few = problem.threads, WINDOW, FEW
        self.patience, self.part, self.known_bytes = PATIENCE, PART, float(KNOWN_SETS)
        self.per_pair, self.per_bin = PER_PAIR, PER_BIN
        self.kept = max(NEIGHBOURS, KNOWN // (16 * self.bins.count * len(self.bins.start)))
        self.top = problem.depth  # levels of what is being solved
        self.sets: KnownSets | None = None
        self.above_root: float | None = None  # the objective less the root's value, to report it

    @cached_property
    def compiled(self) -> CompiledTask | None:
        """The same by the kernel, where there is one that knows the curve."""
        library, known = kernel(), self.curve is None or bool(self.curve.kernel)
        return CompiledTask(library, self) if library is not None and known else None

    def _most(self) -> np.ndarray:
        """The greatest cost of each point, float64 (M,)."""
        if self.curve is None:
            return np.asarray(self.costs.max(axis=1))
        return self.curve.greatest(self.costs)

    @property
    def unsure(self) -> float:
        """By how much less than what is found a tree may be worth, as values are told apart by the
        tolerance at each branch; 0 where they differ by whole steps."""
        if self.step and self.tolerance <= self.step / 4:
            return 0.0
        return self.tolerance * len(self.problem.topology.branches)

    @property
    def late(self) -> bool:
        self.problem.reports.tick()
        return time.perf_counter() > self.until or (np.isfinite(self.until) and asked_to_stop())

    def below(self, best: float) -> float:
        """A bound from here on shows that nothing better than `best` is to come.

        Values are multiples of `step`. `best` need not be one: a goal from elsewhere may hold
        prices that this task leaves aside.
        """
        if np.isinf(best) or not self.step:
            return best - self.tolerance
        less = ceil((best - self.tolerance) / self.step) - 1  # the next value that is better
        return less * self.step + self.tolerance

    def rank(self, values: np.ndarray) -> np.ndarray:
        """The values as whole numbers of tolerances, so that rounding decides no tie."""
        ranks: np.ndarray = np.rint(values / self.tolerance)
        return ranks

    def report(self, depth: int, best: float, bound: float = -np.inf) -> None:
        """The best value so far of a tree of that depth, infinite without one, and what none is
        below; reported where it is the whole tree."""
        if self.above_root is not None and depth == self.problem.depth:
            self.problem.reports.better(best + self.above_root)
            self.problem.reports.ruled_out(bound + self.above_root)

    # ------------------------------------------------------------------ one split

    def leaf_values(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Leaves' values but for the cost of label 0, relaxed and exact; sums float64 (s, ...)."""
        k = self.labels - 1
        relaxed = self.least(sums[:k]) if k else np.zeros(sums.shape[1:])
        if self.plain:
            return relaxed, relaxed
        count = sums[-1]
        exact = relaxed + self.leaf_price * (count > 0.5)
        if self.has_conditions:
            exact = np.where(self.problem.conditions.hold(sums[k:-1], count), exact, np.inf)
        return relaxed, exact

    def least(self, sums: np.ndarray) -> np.ndarray:
        """The cost of the best label but for that of label 0, float64 (...); sums (K - 1, ...) are
        what the others cost more."""
        if self.curve is None:
            return np.asarray(np.minimum(sums.min(axis=0), 0.0))
        return self.curve.least(np.moveaxis(np.stack([np.zeros_like(sums[0]), *sums]), 0, -1))

    def single(self, node: int, histogram: np.ndarray, total: np.ndarray, base: float) -> Side:
        """The best tree of depth 1 below `node`; base is the cost of label 0 for all points."""
        self.evaluated += 1
        left = self.bins.cumulative(histogram)
        low, low_exact = self.leaf_values(left)
        high, high_exact = self.leaf_values(total[:, None] - left)
        values = low + high + self.price[node]
        relaxed = float(values.min())
        if self.plain:
            at, exact = int(values.argmin()), relaxed
        else:
            values = low_exact + high_exact + self.price[node]
            at = int(values.argmin())
            exact = float(values[at])
        stop, stop_exact = map(float, self.unsplit(total))
        if stop_exact <= exact:
            at, exact = NONE, stop_exact
        return Side(base + min(relaxed, stop), base + exact, at if np.isfinite(exact) else NONE)

    def unsplit(self, total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All points in one leaf and none in the others, where a branch may be without a split;
        total float64 (s, ...)."""
        if self.problem.unsplit is None:
            never = np.full(total.shape[1:], np.inf)
            return never, never
        relaxed, exact = self.leaf_values(total)
        empty = self.leaf_values(np.zeros((len(total), 1)))[1][0]
        return relaxed, exact + (empty if np.isinf(empty) else 0.0)

    # ------------------------------------------------------------------- more levels

    def solve(self, node: int, depth: int, rows: np.ndarray, below: float) -> Side:
        """The best tree of some depth below `node` for the points `rows`, if below `below`."""
        self.top = depth
        if self.compiled is not None and depth > 1 and len(rows):
            return self.compiled.solve(node, depth, rows, below)
        self.sets = KnownSets(self, node, depth) if depth > 3 else None
        return self.subtree(node, depth, rows, below)

    def subtree(
        self,
        node: int,
        depth: int,
        rows: np.ndarray,
        below: float,
        known: np.ndarray | None = None,
    ) -> Side:
        """The same of a part of the tree that is being solved, by numpy.

        known float64 (B,): what trees with each cut at `node` are at least worth.
        """
        if self.sets is None:
            return self._subtree(node, depth, rows, below, known)

        def solve() -> Side:
            return self._subtree(node, depth, rows, below, known)

        return self.sets.solved(node, depth, rows, below, solve)

    def _subtree(
        self, node: int, depth: int, rows: np.ndarray, below: float, known: np.ndarray | None
    ) -> Side:
        base = float(self.costs[rows, 0].sum())
        total = self.stats[:, rows].sum(axis=1)
        if not len(rows):
            return self._empty(node, depth)
        if depth == 0:
            stop, stop_exact = map(float, self.unsplit(total))
            return Side(base + stop, base + stop_exact)
        if depth == 1:
            return self.single(
                self.number(node), self.bins.histogram(self.stats, rows), total, base
            )
        if depth == 2:
            return TwoLevels(self, node, rows, below, known).run()
        return Sweep(self, node, depth, rows, below, known).run()

    def found(self, node: int, depth: int, rows: np.ndarray, side: Side) -> Plan:
        """The plan, for which there is always time: only trees of depth 1 are solved again."""
        complete, until = self.complete, self.until
        self.until = np.inf
        plan = self.plan(node, depth, rows, side)
        self.complete, self.until = complete, until
        return plan

    def plan(self, node: int, depth: int, rows: np.ndarray, side: Side) -> Plan:
        """The tree that `solve` found for these points; side.cut says its first split."""
        if depth == 0 or side.cut == NONE:
            return self.label(rows)
        bins, topology = self.bins, self.problem.topology
        left = bins.goes_left(side.cut, rows)
        below: list[Plan] = []
        children = topology.children(node)
        sides = (None, None) if side.below is None else side.below
        for child, part, known in zip(children, (rows[left], rows[~left]), sides, strict=True):
            if depth == 1:
                below.append(self.label(part))
                continue
            part_side = self.solve(child, depth - 1, part, np.inf) if known is None else known
            below.append(self.plan(child, depth - 1, part, part_side))
        return side.cut, below[0], below[1]

    def label(self, rows: np.ndarray) -> Label:
        best = self.problem.sums.choice.best(self.costs[rows].sum(axis=0)[None])[0]
        return best if best.ndim else best.item()

    def _empty(self, node: int, depth: int) -> Side:
        """No points: any splits, all free where a branch may be without."""
        if self.problem.unsplit is not None or depth == 0:
            exact = float(self.leaf_values(np.zeros((len(self.stats), 1)))[1][0])
            return Side(0.0, exact if np.isinf(exact) else 0.0)
        price, topology = self.price[self.number(node)], self.problem.topology
        cut = int(price.argmin())
        left, right = topology.children(node)
        below = self._empty(left, depth - 1), self._empty(right, depth - 1)
        relaxed, exact = (
            float(price[cut]) + sum(getattr(b, name) for b in below)
            for name in ("relaxed", "exact")
        )
        return Side(relaxed, exact, cut, below=below)

    def number(self, node: int) -> int:
        return int(np.searchsorted(self.problem.topology.branches, node))


def _indicators(bins: Bins, units: np.ndarray) -> np.ndarray | None:
    """Whether points go left of cuts, (M, B) in the shortest type whose sums are exact; None where
    features have so many values that cumulative sums are faster anyway."""
    if bins.count > VALUES * len(bins.start) or bins.points * bins.count > PRODUCT:
        return None
    short = units.dtype == np.int32 and np.abs(units).sum(axis=1).max(initial=0) < 1 << 24
    left = np.empty((bins.points, bins.count), np.float32 if short else np.float64)
    ends = np.append(bins.start[1:], bins.count)
    for rank, start, end in zip(bins.rank, bins.start, ends, strict=True):
        left[:, start:end] = rank[:, None] <= np.arange(end - start)
    return left


def _step(costs: np.ndarray, price: np.ndarray, leaf: float) -> float:
    """A number that all costs and prices are whole multiples of, 0 where none is known."""
    finite = price[np.isfinite(price)]
    return common_unit(np.concatenate([costs.ravel(), np.unique(finite), [leaf]]))


def common_unit(numbers: np.ndarray) -> float:
    """A number that all of them are whole multiples of, 0 where none is known."""
    sizes = np.unique(np.abs(numbers))
    sizes = sizes[sizes > NO_COST]
    if not len(sizes):
        return 0.0
    if sizes[-1] < LARGE and (sizes == np.rint(sizes)).all():
        return float(np.gcd.reduce(sizes.astype(np.int64)))
    ratio = sizes / sizes[0]
    whole = np.abs(ratio - np.round(ratio)).max() < UNIT_RATIO and ratio[-1] < 1e6
    return float(sizes[0]) if whole else 0.0


def unit_of(problem: Problem) -> float:
    """A number that objectives of trees differ by whole multiples of, 0 where none is known."""
    if any(fold.to[:, 0].any() for fold in problem.folds):
        return 0.0
    tables = problem.points, problem.by_split, problem.by_leaf, problem.anywhere
    return common_unit(np.unique(np.concatenate([np.unique(table[..., 0]) for table in tables])))


def better(best: float, unit: float, first: float) -> float:
    """What an objective below `best` is below, where all are whole multiples of a unit more than
    `first`; one of 0 for none."""
    size = max(EQUAL * max(1.0, abs(best)), ROUNDED * unit)
    if unit <= 2 * size:
        return best - size
    return first + (ceil((best - size - first) / unit) - 1) * unit + size
