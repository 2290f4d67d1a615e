"""Trees in the order of a relaxed value, completed one by one until no remaining tree can be better
than the best completed one.

The trees are partitioned as by Lawler (1972): the best tree of a cell is taken out, and the rest of
the cell is split by the first decision that differs. No tree is lost, so the least value over all
cells is always a bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count, pairwise

import numpy as np

from treemip.answers.engines.frontier.lists import Late, Lists, Mask, Parts, TooMany
from treemip.answers.engines.frontier.rows import Rows
from treemip.answers.engines.reports import Reports
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.leaf_answers import LeafAnswers
from treemip.core.model.tolerances import EQUAL

MOST_BYTES = 1 << 28  # of masks in the queue
MOST_OPEN = 50  # trees of which completion does not say all: there is no proof, but better ones
IN_VAIN = 8  # of these in a row, none better than what is known


@dataclass(frozen=True)
class Judged:
    """What became of a tree's completion. objective: of a solution, to be minimized, infinite where
    there is none. closed: whether no other solution has a tree with the same splits, ways of points
    and labels, and a better objective."""

    objective: float = np.inf
    closed: bool = False


Judge = Callable[[Candidate, float], Judged]
"""Of a tree and its relaxed value."""


@dataclass(frozen=True)
class Cell:
    """Trees that a mask allows, the decisions before `free` made. value: a lower bound on these
    trees; with a `tree`, the value of that tree, the best by its sums."""

    mask: Mask
    free: int
    value: float
    tree: Candidate | None = None


@dataclass(frozen=True)
class Found:
    """objective, bound: to be minimized. judged: how many trees were completed, and open: of how
    many of them it is not known what they are worth."""

    objective: float
    bound: float
    judged: int
    open: int = 0

    @property
    def proven(self) -> bool:
        return self.bound >= _limit(self.objective)


def _limit(objective: float) -> float:
    """What a better tree is below."""
    if not np.isfinite(objective):
        return objective
    return objective - _near(objective)


def _near(objective: float) -> float:
    return EQUAL * max(1.0, abs(objective))


def _values(rows: Rows, parts: Parts) -> np.ndarray:
    """The objectives of whole trees, infinite where rows do not hold, float64 (n,)."""
    total = parts.rows + rows.constant
    if len(rows.anywhere):
        bits = (parts.bits[:, None] >> np.arange(len(rows.anywhere))) & 1
        total = total + bits @ rows.anywhere
    value, good = rows.worth(total)
    return np.where(good, value, np.inf)


class Cells:
    """The search of one spec. goal: the objective of a tree that is known. late: whether the time
    is used up."""

    def __init__(
        self,
        rows: Rows,
        answers: LeafAnswers,
        judge: Judge,
        late: Callable[[], bool],
        goal: float = np.inf,
        reports: Reports | None = None,
    ) -> None:
        self.rows, self.answers, self.judge = rows, answers, judge
        self.late, self.best = late, goal
        self.reports = Reports() if reports is None else reports
        self.lists = Lists(rows, late)
        alone = rows.objective_alone()
        self.relaxed = None if alone is None else Lists(alone, late)
        self.everyone = np.ones(rows.points.shape[1], bool)
        self.queue: list[tuple[float, bool, int, Cell]] = []
        self.number = count()
        self.stuck = np.inf  # the least value of a tree of which completion has not said all
        self.judged, self.open, self.in_vain, self.most = 0, 0, 0, 0
        self.branches = len(rows.topology.branches)
        self.decisions = self.branches + len(rows.topology.leaves)

    def run(self) -> Found:
        """The best tree that `judge` completes, by its objective, and a bound for all trees."""
        every = Mask.every(self.rows)
        self.most = MOST_BYTES // (every.options.nbytes + every.labels.nbytes)
        self._push(Cell(every, 0, -np.inf))
        cell = None
        try:
            while self.queue and not self.late() and len(self.queue) < self.most:
                cell = heapq.heappop(self.queue)[-1]
                if cell.value >= _limit(self.best) or self._is_hopeless:
                    break
                self._tell(cell.value)
                self._step(cell)
                cell = None
        except Late:
            pass
        left = [entry[0] for entry in self.queue] + ([] if cell is None else [cell.value])
        bound = min([self.best, self.stuck, *left])
        return Found(self.best, bound, self.judged, self.open)

    @property
    def _is_hopeless(self) -> bool:
        """Whether too many trees are open for a proof, or for a better one to be found soon."""
        return self.open > MOST_OPEN or self.in_vain > IN_VAIN

    def _tell(self, low: float) -> None:
        if min(low, self.stuck) > -np.inf:
            self.reports.ruled_out(min(low, self.stuck))
        self.reports.tick()

    def _push(self, cell: Cell) -> None:
        if cell.value < _limit(self.best):
            heapq.heappush(self.queue, (cell.value, cell.tree is None, next(self.number), cell))

    def _step(self, cell: Cell) -> None:
        if cell.tree is not None:
            self._complete(cell, cell.tree)
            return
        if cell.free == 0:
            self._split(cell)
            return
        try:
            solved = self._solved(cell)
        except TooMany:
            self._split(cell)
            return
        if solved is not None:
            self._push(solved)

    def _complete(self, cell: Cell, tree: Candidate) -> None:
        self.judged += 1
        judged = self.judge(tree, cell.value)
        better = judged.objective < self.best
        self.in_vain = 0 if judged.closed or better else self.in_vain + 1
        if better:
            self.best = judged.objective
            self.reports.better(self.best)
        if not judged.closed:
            self.stuck = min(self.stuck, cell.value)
        self.open += not judged.closed
        for rest in self._without(cell, tree):
            self._push(rest)

    # --------------------------------------------------------------------------- cells

    def _solved(self, cell: Cell) -> Cell | None:
        """The cell with its best tree by the rows, or None where it has none. Raises TooMany."""
        best: tuple[float, int] | None = None
        tree = None
        for parts in self._whole(cell.mask):
            value = _values(self.rows, parts)
            least = float(value.min(initial=np.inf))
            if not np.isfinite(least):
                continue
            near = np.flatnonzero(value <= least + _near(least))
            one = int(near[parts.odd[near].argmin()])
            rank = least, int(parts.odd[one])
            if best is None or rank < best:
                best, tree = rank, self._empty()
                self.lists.plant(tree, 0, self.everyone, cell.mask, parts, one)
        if best is None:
            return None
        return replace(cell, value=max(cell.value, best[0]), tree=tree)

    def _whole(self, mask: Mask) -> Iterator[Parts]:
        """Lists of whole trees, those of one option of the root at a time."""
        topology = self.rows.topology
        if topology.is_leaf[[topology.left[0], topology.right[0]]].all():
            yield self.lists.below(0, self.everyone, mask)
            return
        yield from self.lists.by_option(0, self.everyone, mask)

    def _empty(self) -> Candidate:
        rows = self.rows
        leaves = len(rows.label)
        own = np.zeros(leaves, np.int64) if rows.curve is None else np.zeros(leaves)
        table = self.answers.table_rows if rows.curve is None else None
        width = rows.options.inputs.width
        return Candidate.empty(rows.topology, width, rows.options.unsplit_left, own, table)

    def _split(self, cell: Cell) -> None:
        """Parts a cell by its first free decision. Raises Late where too little memory is left to
        list the trees of one whose splits are all decided."""
        k, mask = cell.free, cell.mask
        if k >= self.branches:
            raise Late
        node = int(self.rows.topology.branches[k])
        points = self._reaching(node, mask)
        alike = self.lists.alike(points)
        for option in self.lists.choices(node, points, mask).tolist():
            part = self._only(mask, k, mask.options[k] & (alike == alike[option]))
            self._push(Cell(part, k + 1, max(cell.value, self._low(part))))

    def _low(self, mask: Mask) -> float:
        """A lower bound on the trees of a root that is decided, by the objective alone."""
        if self.relaxed is None:
            return -np.inf
        root = mask.options[0].argmax()[None]
        lists = self.relaxed.of_options(0, self.everyone, mask, root)
        values = [_values(self.relaxed.rows, parts).min(initial=np.inf) for parts in lists]
        return float(min(values, default=np.inf))

    def _without(self, cell: Cell, tree: Candidate) -> Iterator[Cell]:
        """The rest of a cell without one tree, by the first decision that differs."""
        mask, topology = cell.mask, self.rows.topology
        for k in range(cell.free, self.decisions):
            if k < self.branches:
                node = int(topology.branches[k])
                points = self._reaching(node, mask)
                alike = self.lists.alike(points)
                own = mask.options[k] & (alike == alike[self._option(tree, node)])
                other = mask.options[k] & ~own
                if other.any():
                    yield Cell(self._only(mask, k, other), k, cell.value)
                mask = self._only(mask, k, own)
            elif self.rows.curve is None:
                leaf = k - self.branches
                chosen = np.arange(mask.labels.shape[1]) == tree.labels[leaf]
                rest = mask.labels[leaf] & ~chosen
                if rest.any():
                    yield Cell(self._label(mask, leaf, rest), k, cell.value)
                mask = self._label(mask, leaf, chosen)

    def _option(self, tree: Candidate, node: int) -> int:
        own = self.rows.options
        same = (own.weights == tree.weights[node]).all(axis=1)
        return int(np.flatnonzero(same & (own.threshold == tree.threshold[node]))[0])

    def _reaching(self, node: int, mask: Mask) -> np.ndarray:
        """The points that reach a branch, bool (M,), whose ancestors' options are decided."""
        topology, points = self.rows.topology, self.everyone.copy()
        for below, above in pairwise(topology.upwards(node)):
            options = mask.options[self.rows.branch_number[above]]
            goes = self.rows.options.left[int(options.argmax())]
            points &= goes if below == topology.left[above] else ~goes
        return points

    @staticmethod
    def _only(mask: Mask, k: int, options: np.ndarray) -> Mask:
        every = mask.options.copy()
        every[k] = options
        return replace(mask, options=every)

    @staticmethod
    def _label(mask: Mask, leaf: int, labels: np.ndarray) -> Mask:
        every = mask.labels.copy()
        every[leaf] = labels
        return replace(mask, labels=every)
