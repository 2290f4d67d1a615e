"""Branch and bound over which way points go and which features branches use.

At a node some points are known to pass a branch, and some features are settled. Each branch has a
bound from the multipliers of its own program over these, and the bounds add up: rows of points that
may still go elsewhere are left out. If no other point breaks what the side of its branch asks of
it, the hyperplanes make a tree. The compiled kernel does the same (margin_trees.h).
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from treemip.answers.engines.compiled_margin import run_compiled
from treemip.answers.engines.margin.features import IN, OPEN, OUT
from treemip.answers.engines.margin.problem import BOTH, LEFT, RIGHT, MarginProblem
from treemip.answers.engines.margin.programs import Plane, best_plane
from treemip.answers.engines.reports import Reports
from treemip.core.compiled.library import kernel
from treemip.core.model.tolerances import MARGIN_PROVEN, MISSED
from treemip.core.solving.interrupt import asked_to_stop

TRIED = 4
"""Points of which both sides are tried at a node."""

COMPLETED = 10
"""Nodes between two trees."""


@dataclass(frozen=True)
class Tree:
    """place int64 (N,): the node that each point is known to reach; a branch where it makes no
    difference what is below it. uses bool (nodes, p): the features that branches may have. share
    float64 (nodes,): of the greatest norm."""

    place: np.ndarray
    uses: np.ndarray
    share: np.ndarray


@dataclass
class Task:
    """goal: a value, to be minimized, that trees must be below to be looked for; tolerance: by how
    much, relative. until: when to stop, a time of `perf_counter`. nodes: how many were split."""

    problem: MarginProblem
    goal: float
    until: float
    reports: Reports = field(default_factory=Reports)
    tolerance: float = MARGIN_PROVEN
    nodes: int = 0

    def late(self) -> bool:
        return time.perf_counter() > self.until or asked_to_stop()

    def tell(self, best: float, low: float) -> None:
        self.reports.better(best)
        self.reports.ruled_out(low)
        self.reports.tick()


def prove(task: Task) -> tuple[Tree | None, float]:
    """The best tree that is found below the goal, None where there is none, and what no tree is
    below, to be minimized: no more than the tolerance below the best of goal and tree, where there
    was time."""
    library = kernel()
    if library is not None:
        place, uses, share, low = run_compiled(library, task)
        return Tree(place.astype(np.int64), uses, share) if len(place) else None, low
    return _Sides(task).run()


@dataclass(frozen=True)
class _Node:
    """state int8 (nodes, p): OPEN, IN or OUT. planes: by branch."""

    bound: float
    place: np.ndarray
    state: np.ndarray
    planes: dict[int, Plane]


class _Sides:
    def __init__(self, task: Task) -> None:
        self.task, self.problem = task, task.problem
        self.topology, self.x = task.problem.topology, task.problem.x
        self.best = task.goal
        self.tree: Tree | None = None
        self.closed, self.low = np.inf, -np.inf
        self.heap: list[tuple[float, int, _Node]] = []
        self.number = count()
        self.ends = self._ends()
        self.marginal = self.problem.marginal
        prices = [
            r.price[np.isfinite(r.price)].max(initial=0.0) for r in task.problem.rows.values()
        ]
        self.most = max(prices)
        """The greatest price of a row, in place of that of rows that must hold."""

    def run(self) -> tuple[Tree | None, float]:
        nodes, features = self.topology.size, self.x.shape[1]
        place = np.zeros(len(self.x), np.int64)
        root = _Node(-np.inf, place, np.zeros((nodes, features), np.int8), {})
        self._keep(self._solved(root, self.topology.branches.tolist()))
        while self.heap and not self.task.late():
            _, _, node = heapq.heappop(self.heap)
            if node.bound >= self._enough:
                self.heap.clear()
                break
            self.task.nodes += 1
            self._part(node)
            self._tell()
        self._tell()
        return self.tree, self.low

    @property
    def _enough(self) -> float:
        if not np.isfinite(self.best):
            return np.inf
        return self.best - self.task.tolerance * max(1.0, abs(self.best))

    def _tell(self) -> None:
        open_ = self.heap[0][0] if self.heap else np.inf
        self.low = max(self.low, min(self.closed, self._enough, open_))
        self.task.tell(self.best, self.low)

    def _ends(self) -> np.ndarray:
        """Whether it makes no difference where a point goes from a node, bool (nodes,)."""
        ends, leaf = self.topology.is_leaf.copy(), self.topology.is_leaf
        for node in self.topology.last_branches.tolist():
            both = leaf[self.topology.left[node]] and leaf[self.topology.right[node]]
            ends[node] = both and not self.problem.rows[node].sided
        return ends

    # -------------------------------------------------------------------------- bounds

    def _keep(self, node: _Node) -> None:
        if node.bound < self._enough:
            heapq.heappush(self.heap, (node.bound, next(self.number), node))

    def _solved(self, node: _Node, branches: list[int]) -> _Node:
        """With new hyperplanes at these branches, and the bound that follows."""
        planes = dict(node.planes)
        for branch in branches:
            planes[branch] = self._plane(node, branch)
        value = self.problem.constant + sum(plane.value for plane in planes.values())
        return _Node(max(node.bound, value), node.place, node.state, planes)

    def _plane(self, node: _Node, branch: int, weight: np.ndarray | None = None) -> Plane:
        """The best hyperplane for what is known; with the features by `weight` where it is given,
        bool (p,)."""
        here = self.problem.known_rows(branch, node.place)
        goal = self.best - self.problem.constant
        return best_plane(self.problem, branch, here, node.state[branch], goal, weight)

    # ------------------------------------------------------------------------- parting

    def _part(self, node: _Node) -> None:
        gains, free = self._asked(node)
        branch = self._apart(node)
        if branch is not None and (free or self.task.nodes % 2):
            return self._by_feature(node, branch)
        if not free:
            return self._by_point(node, np.argsort(-gains, kind="stable")[:TRIED])
        self._complete(node)
        if self.best <= node.bound + (self.best - self._enough):
            self.closed = min(self.closed, node.bound)
            return None
        undecided = np.flatnonzero(~self.ends[node.place])
        if len(undecided):
            return self._by_point(node, undecided[:1])
        self.closed = min(self.closed, node.bound)
        return None

    def _asked(self, node: _Node) -> tuple[np.ndarray, bool]:
        """How much each point asks for whichever side it takes, float64 (N,), and whether none
        asks for more than nothing."""
        miss = np.stack([self._missed(node, side) for side in (LEFT, RIGHT)])
        least = np.where(self.ends[node.place], 0.0, miss.min(axis=0))
        room = self.best - node.bound if np.isfinite(self.best) else np.inf
        gains = np.where(least > MISSED, np.minimum(miss, room).prod(axis=0), 0.0)
        return gains, bool((least <= MISSED).all())

    def _missed(self, node: _Node, side: int) -> np.ndarray:
        """By how much points miss rows that taking a side brings, in prices, float64 (N,)."""
        child = np.where(side == LEFT, self.topology.left, self.topology.right)[node.place]
        missed = np.zeros(len(self.x))
        for branch in self.topology.branches.tolist():
            rows, plane = self.problem.rows[branch], node.planes[branch]
            short = rows.least - rows.sign * (self.x @ plane.w + plane.b)[rows.point]
            own = (node.place[rows.point] == branch) & (rows.side == side)
            below = (child[rows.point] == branch) & (rows.side == BOTH)
            here = (own | below) & (short > MISSED)
            price = np.where(np.isfinite(rows.price), rows.price, self.most)
            missed += np.bincount(rows.point[here], (price * short)[here], len(self.x))
        return missed

    def _by_point(self, node: _Node, points: np.ndarray) -> None:
        """By the side of the point that lifts both bounds most."""
        most, best = -1.0, list[_Node]()
        for point in points.tolist():
            both = [self._with_side(node, point, side) for side in (LEFT, RIGHT)]
            lifts = [max(child.bound - node.bound, MISSED) for child in both]
            if lifts[0] * lifts[1] > most:
                most, best = lifts[0] * lifts[1], both
            if max(child.bound for child in both) >= self._enough:
                best = both
                break
        for child in best:
            self._keep(child)
        if self.task.nodes % COMPLETED == 1:
            self._complete(min(best, key=lambda child: child.bound))

    def _with_side(self, node: _Node, point: int, side: int) -> _Node:
        branch, place = int(node.place[point]), node.place.copy()
        place[point] = (self.topology.left, self.topology.right)[side][branch]
        again = [t for t in (branch, int(place[point])) if not self.topology.is_leaf[t]]
        return self._solved(_Node(node.bound, place, node.state, node.planes), again)

    def _apart(self, node: _Node) -> int | None:
        """The branch whose bound is farthest from what features in or out of use cost, if any."""
        gaps: dict[int, float] = {}
        for branch in self.topology.branches.tolist():
            if not self.marginal[branch].any() or not (node.state[branch] == OPEN).any():
                continue
            whole = self._plane(node, branch, self._rounded(node, branch)).reached
            gap = whole - node.planes[branch].value
            if gap > MARGIN_PROVEN / 4 * max(1.0, abs(self.best)):
                gaps[branch] = gap
        return max(gaps, key=gaps.__getitem__) if gaps else None

    def _rounded(self, node: _Node, branch: int) -> np.ndarray:
        """Features in use: those that are settled, and the greatest of the others as far as they
        are worth their price; bool (p,)."""
        state, w = node.state[branch], node.planes[branch].w
        used = state == IN
        for feature in np.argsort(-np.abs(w), kind="stable"):
            price = self.marginal[branch, min(int(used.sum()), len(w) - 1)]
            if state[feature] == OPEN and w[feature] and not 0 < price >= w[feature] ** 2 / 2:
                used[feature] = True
        return used

    def _by_feature(self, node: _Node, branch: int) -> None:
        plane, state = node.planes[branch], node.state[branch]
        half = np.minimum(plane.weight, 1 - plane.weight) + MISSED
        feature = int(np.argmax(np.where(state == OPEN, half * np.abs(plane.w), -1.0)))
        for settled in (IN, OUT):
            states = node.state.copy()
            states[branch, feature] = settled
            self._keep(self._solved(_Node(node.bound, node.place, states, node.planes), [branch]))

    # ----------------------------------------------------------------------- completing

    def _complete(self, node: _Node) -> None:
        """The tree that a node's hyperplanes make, where that is better than the best one."""
        uses = np.ones((self.topology.size, self.x.shape[1]), bool)
        planes = dict(node.planes)
        for branch in self.topology.branches.tolist():
            if self.marginal[branch].any():
                uses[branch] = self._rounded(node, branch)
                planes[branch] = self._plane(node, branch, uses[branch])
        now = _Node(node.bound, node.place.copy(), node.state, planes)
        while (moving := ~self.ends[now.place]).any():
            miss = [self._missed(now, side) for side in (LEFT, RIGHT)]
            below = np.where(
                miss[0] <= miss[1], self.topology.left[now.place], self.topology.right[now.place]
            )
            now.place[moving] = below[moving]
        total = self.problem.constant
        for branch in self.topology.branches.tolist():
            given = uses[branch] if self.marginal[branch].any() else None
            total += self._plane(now, branch, given).reached
            if not total < self.best:
                return
        self.best, self.tree = total, Tree(now.place, uses, np.ones(len(uses)))
