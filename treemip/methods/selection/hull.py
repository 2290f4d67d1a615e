"""Points whose convex hull holds all the others: LP (7) of Zhu et al. (2020) for one cluster.

LP (7) is one program for each point with a column for every other. Here the columns are only the
extreme points known so far, in one program that stays warm from point to point (Clarkson, More
output-sensitive geometric algorithms, 1994). Where a point is outside, the program's dual is a
direction in which it is farther out than all of them, and the farthest point in that direction is
the next extreme one. For a point inside, all other points in the simplex of its basis are inside as
well and need no program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treemip.core.model.tolerances import HULL, HULL_TIE
from treemip.methods.selection.hull_program import HullProgram

SEED = 0
DIRECTIONS = 200
"""Random directions, in which the farthest point is extreme, beside those of the axes."""

PRODUCTS = 2e10
"""Multiplications spent on directions from the mean to each point."""

BLOCK = 512

CELL = 16
"""Rows that follow one another in any order."""

Tell = Callable[[int], None]
"""Called with the number of points that are decided."""


@dataclass(frozen=True)
class Cover:
    """`kept` bool (n,): the points whose hull holds the others.

    point, of int64 (m,), share float64 (m,): lambda[point, of] = share, for each point that is
    not kept a convex combination of kept ones with at most p + 1 shares: the feasible solution of
    (6) that T makes of a solution of (7), since `of` are kept points only. programs: linear
    programs solved.
    """

    kept: np.ndarray
    point: np.ndarray
    of: np.ndarray
    share: np.ndarray
    programs: int

    @property
    def inside(self) -> np.ndarray:
        return ~self.kept


def cover(x: np.ndarray, eps: float = 0.0, tell: Tell | None = None) -> Cover:
    """The points that hold all others in their hull.

    x float64 (n, p), rows distinct. eps: by how much each feature of a convex combination may
    differ from the point's. With 0 exactly the extreme points are kept, up to `HULL` of each
    feature's range. With more, every point that is not kept is within eps of the hull of those
    that are, and each kept one was farther from the hull of those before it; Theorem 4 (2), which
    promises an optimal solution of (6), does not hold.
    """
    low, spread = x.min(axis=0), np.ptp(x, axis=0)
    varied = spread > 0
    scaled = (x[:, varied] - low[varied]) / spread[varied]
    return _Search(scaled, eps / spread[varied], tell or _silent).run()


def _silent(decided: int) -> None:
    pass


UNKNOWN, KEPT, INSIDE = 0, 1, 2


class _Search:
    """The state of each point, and the program over the kept ones."""

    def __init__(self, x: np.ndarray, eps: np.ndarray, tell: Tell) -> None:
        self.x, self.eps, self.tell = x, eps, tell
        self.state = np.zeros(len(x), np.int8)
        self.certain = np.zeros(len(x), bool)  # proven extreme: the only farthest point
        self.combinations: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.program = HullProgram(x, eps)
        self.idle, self.waiting = 1, 0

    def run(self) -> Cover:
        if not self.eps.any():
            self._keep_farthest()
        self._decide(_neighbours(self.x))
        while not self.eps.any() and (again := self._recheck()):
            self._decide(np.array(again, np.int64))
        return self._cover()

    # ------------------------------------------------------- extreme without a program

    def _keep_farthest(self) -> None:
        """Keep the points that are farthest in some direction."""
        count, features = self.x.shape
        rng = np.random.default_rng(SEED)
        axes = np.concatenate([np.eye(features), -np.eye(features)])
        self._keep_along(np.concatenate([axes, rng.standard_normal((DIRECTIONS, features))]))
        tried = min(count, int(PRODUCTS / max(1, count * features)))
        chosen = np.sort(rng.permutation(count)[:tried])
        centre = self.x.mean(axis=0)
        for first in range(0, tried, BLOCK):
            self._keep_along(self.x[chosen[first : first + BLOCK]] - centre)

    def _keep_along(self, directions: np.ndarray) -> None:
        for first in range(0, len(directions), BLOCK):
            part = directions[first : first + BLOCK]
            heights = part @ self.x.T
            best = heights.argmax(axis=1)
            near = heights >= (heights[np.arange(len(part)), best] - HULL_TIE)[:, None]
            only = near.sum(axis=1) == 1
            for k in np.unique(best[only]).tolist():
                self._keep(k, certain=True)
            for row in np.flatnonzero(~only)[:1].tolist():
                self._keep(_last(self.x, np.flatnonzero(near[row])), certain=False)

    def _keep(self, k: int, certain: bool) -> None:
        self.certain[k] |= certain
        if self.state[k] != KEPT:
            self.state[k] = KEPT
            self.program.add(k)

    # --------------------------------------------------------------------- programs

    def _decide(self, order: np.ndarray) -> None:
        for step, j in enumerate(order.tolist()):
            while self.state[j] == UNKNOWN:
                self._test(j)
            if step % 256 == 0:
                self.tell(int(np.count_nonzero(self.state)))

    def _test(self, j: int) -> None:
        """Decide point j, or keep another that is farther out."""
        distance, direction = self.program.solve(self.x[j])
        if distance <= HULL:
            self._put_inside(j)
            return
        heights = self.x @ direction
        heights[self.state == KEPT] = -np.inf
        top = float(heights.max())
        near = np.flatnonzero(heights >= top - HULL_TIE * float(np.abs(direction).sum()))
        # Of points that are equally far out, the last in lexicographic order is extreme.
        k = j if len(near) == 1 and near[0] == j else _last(self.x, near)
        self._keep(k, certain=len(near) == 1)

    def _put_inside(self, j: int) -> None:
        of, share = self.program.combination()
        self.state[j] = INSIDE
        self.combinations[j] = of, share
        if len(of) == self.x.shape[1] + 1:
            self._put_simplex_inside(of)

    def _put_simplex_inside(self, of: np.ndarray) -> None:
        """All undecided points in the simplex of kept points `of` are inside.

        Where such simplices hold nothing else, they are tried less and less often.
        """
        self.waiting -= 1
        if self.waiting > 0:
            return
        undecided = np.flatnonzero(self.state == UNKNOWN)
        corners = np.vstack([self.x[of].T, np.ones(len(of))])
        hits = 0
        if len(undecided) and np.linalg.cond(corners) < 1 / HULL_TIE:
            inverse = np.linalg.inv(corners)
            shares = self.x[undecided] @ inverse[:, :-1].T + inverse[:, -1]
            within = shares.min(axis=1) >= 0
            hits = int(within.sum())
            for j, row in zip(undecided[within].tolist(), shares[within], strict=True):
                used = row > 0
                self.combinations[j] = of[used], row[used] / row[used].sum()
            self.state[undecided[within]] = INSIDE
        dense = hits * 20_000 * len(of) > len(undecided)
        self.idle = 1 if dense else min(64, 2 * self.idle)
        self.waiting = self.idle

    # ------------------------------------------------------------------ kept by a tie

    def _recheck(self) -> list[int]:
        """Makes undecided again the kept points that are in the hull of the others after all, and
        the points that they were combined to."""
        dropped = []
        for k in np.flatnonzero((self.state == KEPT) & ~self.certain).tolist():
            self.certain[k] = True
            if self.program.holds_without(k):
                self.program.remove(k)
                dropped.append(k)
        if not dropped:
            return []
        gone = np.zeros(len(self.x), bool)
        gone[dropped] = True
        again = dropped + [j for j, (of, _) in self.combinations.items() if gone[of].any()]
        for j in again:
            self.combinations.pop(j, None)
            self.state[j] = UNKNOWN
        return sorted(again)

    def _cover(self) -> Cover:
        inside = sorted(self.combinations)
        parts = [self.combinations[j] for j in inside]
        lengths = [len(of) for of, _ in parts]
        of = np.concatenate([of for of, _ in parts]) if parts else np.zeros(0, np.int64)
        share = np.concatenate([share for _, share in parts]) if parts else np.zeros(0)
        self.tell(len(self.x))
        point = np.repeat(np.array(inside, np.int64), lengths)
        return Cover(self.state == KEPT, point, of, share, self.program.solved)


def _neighbours(x: np.ndarray) -> np.ndarray:
    """All rows of x float64 (n, p), near ones after one another: halves along the widest column."""
    waiting, order = [np.arange(len(x))], []
    while waiting:
        rows = waiting.pop()
        if len(rows) <= CELL or not x.shape[1]:
            order.append(rows)
            continue
        column = x[rows, np.ptp(x[rows], axis=0).argmax()]
        halves = np.argsort(column, kind="stable")
        waiting += [rows[halves[len(rows) // 2 :]], rows[halves[: len(rows) // 2]]]
    return np.concatenate(order)


def _last(x: np.ndarray, rows: np.ndarray) -> int:
    """The row that is last in lexicographic order, which is extreme among its like."""
    return int(rows[np.lexsort(x[rows].T[::-1])[-1]]) if len(rows) > 1 else int(rows[0])
