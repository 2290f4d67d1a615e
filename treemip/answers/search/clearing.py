"""Hyperplanes moved a little until no point is nearer to them than a formulation allows.

A cut by one feature among thousands of points has no gap, and neither has what a search makes of it
without asking for one. Few of the points are too near all the same, and with several features a
hyperplane has room to avoid them: linear programs move it by small steps, each with the points near
it on the side where they are. Those that stay too near change sides from step to step: elastic
programs for infeasible inequalities, as in Chinneck, Feasibility and Infeasibility in Optimization
(2008), sect. 5.5.
"""

from __future__ import annotations

import time

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate, weighted
from treemip.answers.search.gaps import solved_program
from treemip.answers.search.splits.hyperplane_step import HyperplaneStep
from treemip.answers.search.splits.line_search import Branch
from treemip.core.model.tolerances import CLEARLY, GAP_SLACK, SAME_WORTH
from treemip.core.tree.inputs import Inputs

STEP = 0.05  # of a coefficient and the threshold, at most, while the 1-norm is 1
NEAR = 400  # points of one linear program, the nearest ones
STEPS = 60  # linear programs of one branch, at most
PATIENCE = 8  # linear programs without fewer points too near
RESTS = 3  # steps for which a point keeps the side that it was put on
MOVED = 1e-3  # what a unit of movement costs beside points that are too near by a gap
LEAST = 0.1  # seconds of a linear program, where the search has no time left
FAR = 0.5  # of a step: how far inside a step may carry a point that is no part of its program


def cleared(search: Alternation, tree: Candidate, gap: float) -> Candidate | None:
    """The tree with no point nearer to a hyperplane than half of `gap` along weights whose 1-norm
    is 1, and its best labels; None where some branch has no such place near its own, and where the
    time of the search is used up.

    From the root down, since points that change sides come to other branches.
    """
    tree = tree.copy()
    for node in tree.topology.branches.tolist():
        rows = search.members(tree, node)
        by_set = search.inputs.is_by_set(tree.weights[node])
        if not tree.weights[node].any() or by_set or len(rows) < 2:
            continue
        left = tree.goes_left(node, search.x[rows])
        if left.all() or not left.any():
            tree.weights[node], tree.threshold[node] = 0.0, 1.0 if left.all() else -1.0
            continue
        better, own = _better_sides(search, tree, node, rows), tree.weights[node, : search.features]
        place = Place(search, rows, own, float(tree.threshold[node]), gap, better).found()
        if place is None:
            return None
        tree.weights[node, : search.features], tree.threshold[node] = place
    search.relabelled(tree)
    return tree


def shifted(tree: Candidate, x: np.ndarray, gap: float, inputs: Inputs) -> Candidate | None:
    """The tree with the threshold of each hyperplane in the nearest gap between points x (M, p)
    that is as wide as `gap` along weights whose 1-norm is 1; None where some branch has none.

    inputs: what the columns of x are; splits by sets of categories stay.
    """
    tree, rows = tree.copy(), {0: np.arange(len(x))}
    for node in tree.topology.branches.tolist():
        here, weights = rows[node], tree.weights[node]
        position = weighted(x[here], weights)
        if weights.any() and not inputs.is_by_set(weights):
            wanted = gap * (1 + CLEARLY) * float(np.abs(weights).sum())
            threshold = _nearest_gap(np.sort(position), float(tree.threshold[node]), wanted)
            if threshold is None:
                return None
            tree.threshold[node] = threshold
        left = tree.on_left(node, position)
        rows[int(tree.topology.left[node])] = here[left]
        rows[int(tree.topology.right[node])] = here[~left]
    return tree


def _nearest_gap(position: np.ndarray, threshold: float, gap: float) -> float | None:
    """The middle of the gap between sorted values that the fewest lie before; beyond all of them
    where the threshold is there, by as much below; None where no gap is wide enough."""
    at = int(np.searchsorted(position, threshold, side="right"))
    if at == len(position):
        return threshold
    if at == 0:
        return min(threshold, float(position[0]) - gap)
    after = np.flatnonzero(np.diff(position) >= gap) + 1
    if not len(after):
        return None
    at = int(after[np.abs(after - at).argmin()])
    return float(position[at - 1] + position[at]) / 2


class Place:
    """One branch's hyperplane, weights float64 (p,) and a threshold, among its points `rows`.

    better int8 (rows,): the side that is worth more for each point, -1 on the left and 1 on the
    right, 0 where it does not matter.
    """

    def __init__(
        self,
        search: Alternation,
        rows: np.ndarray,
        weights: np.ndarray,
        threshold: float,
        gap: float,
        better: np.ndarray | None = None,
    ) -> None:
        self.search, self.half = search, gap / 2 * (1 + CLEARLY)
        self.x = search.x[rows, : search.features]
        self.better = np.zeros(len(rows), np.int8) if better is None else better
        self.weights, self.threshold = weights, threshold
        self._scale()
        self.side = np.where(self.position > 0, 1, -1)
        self.put = np.full(len(rows), -RESTS - 1)  # the step at which it changed sides

    def found(self) -> tuple[np.ndarray, float] | None:
        """Weights (p,) and threshold of the place; None without one."""
        fewest, since = int(self._too_near.sum()), 0
        if fewest > len(self.weights):
            return None  # each feature gives room to avoid one point, and others come near
        for step in range(STEPS):
            if not self._too_near.any():
                return self._parting()
            if self.search.late or since > PATIENCE or not self._step(step):
                return None
            number = int(self._too_near.sum())
            since = 0 if number < fewest else since + 1
            fewest = min(fewest, number)
        return None

    def _parting(self) -> tuple[np.ndarray, float] | None:
        """The hyperplane, in the middle between the points; None where all are on one side."""
        position = self.x @ self.weights
        right = position > self.threshold
        if right.all() or not right.any():
            return None
        return self.weights, float(position[~right].max() + position[right].min()) / 2

    @property
    def position(self) -> np.ndarray:
        return np.asarray(self.x @ self.weights - self.threshold)

    @property
    def _too_near(self) -> np.ndarray:
        return np.asarray(np.abs(self.position) < self.half * (1 - SAME_WORTH))

    def _scale(self) -> None:
        size = np.abs(self.weights).sum()
        self.weights, self.threshold = self.weights / size, self.threshold / size

    def _step(self, step: int) -> bool:
        """One linear program, and the sides for the next one; False without an answer."""
        position = self.position
        near = np.flatnonzero(np.abs(position) < self.half + FAR * STEP)
        if len(near) > NEAR:
            near = near[np.argpartition(np.abs(position[near]), NEAR)[:NEAR]]
        values = self._program(near, position[near])
        if values is None:
            return False
        features = len(self.weights)
        self.weights = self.weights + values[:features] - values[features : 2 * features]
        self.threshold += float(values[2 * features])
        if not np.abs(self.weights).sum() > GAP_SLACK:
            return False
        self._scale()
        self._change_sides(step, near[values[2 * features + 1 :] > GAP_SLACK])
        return True

    def _change_sides(self, step: int, short: np.ndarray) -> None:
        """Of points too near those that are on the other side now; where none is, some at random,
        which leads on from a place that no step improves. The others are where they are."""
        position = self.position
        here = np.where(position > 0, 1, -1)
        over = np.union1d(short, np.flatnonzero(self._too_near))
        far = np.ones(len(here), bool)
        far[over] = False
        self.side[far] = here[far]
        over = over[step - self.put[over] > RESTS]
        changed = over[here[over] != self.side[over]]
        if not len(changed) and len(over):
            changed = self.search.rng.choice(over, max(1, len(over) // 3), replace=False)
        self.side[changed] *= -1
        self.put[changed] = step

    def _program(self, near: np.ndarray, position: np.ndarray) -> np.ndarray | None:
        """How coefficients rise and fall (p, p) and the threshold moves, and by how much each of
        the points `near` is too near then, for its side.

        The band is as wide as the 1-norm of the weights asks for, which grows with each that moves
        away from 0.
        """
        side, points = self.side[near].astype(float), len(near)
        sign = np.sign(self.weights)
        grows = np.concatenate([np.where(sign == 0, 1.0, sign), np.where(sign == 0, 1.0, -sign)])
        moves = np.hstack([self.x[near], -self.x[near]]) * side[:, None] - self.half * grows
        dense = np.hstack([-moves, side[:, None], -np.eye(points)])
        top = side * position - self.half
        cost = np.concatenate([np.full(len(grows), MOVED), [0.0], self._prices(near) / self.half])
        lower = np.zeros(len(cost))
        upper = np.full(len(cost), np.inf)
        lower[len(grows)], upper[: len(grows) + 1] = -STEP, STEP
        seconds = self.search.until - time.perf_counter()
        return solved_program(-cost, dense, top, lower, upper, max(LEAST, seconds))

    def _prices(self, near: np.ndarray) -> np.ndarray:
        """What a point costs on its side that is too near: more on the side that is better."""
        return 1.0 + 0.5 * self.side[near] * self.better[near]


def _better_sides(search: Alternation, tree: Candidate, node: int, rows: np.ndarray) -> np.ndarray:
    """The side of a branch that each of its points is worth more on, int8 (rows,)."""
    if_left, if_right = search.on_sides(tree, node, rows)
    left = tree.goes_left(node, search.x[rows])[:, None]
    all_left = search.totals(tree) + np.where(left, 0.0, if_left - if_right).sum(axis=0)
    branch = Branch(if_right - if_left, all_left, search.value)
    gain = HyperplaneStep(search.x[rows], branch, search.rng).gain
    return np.sign(np.where(np.abs(gain) > SAME_WORTH, gain, 0.0)).astype(np.int8)
