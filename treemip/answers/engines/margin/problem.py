"""A spec over margin trees as programs of single branches that points share.

A branch's hyperplane (w, b) has a point at w . x + b, and sends it left where that is below 0. What
a branch pays is |w|^2 / 2 by feature, for rows that its points miss, and for the features it uses.
Where only the greatest |w|^2 / 2 of all branches is paid, it is what branches pay by the best
shares, which add up to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from treemip.core.instance.trees import Forest

LEFT, RIGHT, BOTH = 0, 1, 2


@dataclass(frozen=True)
class PointRows:
    """Rows sign * (w . x + b) >= least of points at one branch, each (n,): sign 1 or -1.

    side int64: for points that go LEFT or RIGHT, or for BOTH. price: of a unit that the row is
    missed by, infinite where it must hold.
    """

    point: np.ndarray
    side: np.ndarray
    sign: np.ndarray
    least: np.ndarray
    price: np.ndarray

    @staticmethod
    def joined(parts: list[PointRows]) -> PointRows:
        names = [f.name for f in fields(PointRows)]
        return PointRows(*(np.concatenate([getattr(p, n) for p in parts]) for n in names))

    @property
    def sided(self) -> bool:
        """Whether it makes a difference to which side a point goes."""
        return bool((self.side != BOTH).any())

    def losses(self, heights: np.ndarray, left: np.ndarray, passed: np.ndarray) -> float:
        """What the points pay that pass the branch, bool (N,), at these heights (N,) and sides."""
        here = passed[self.point] & np.isfinite(self.price)
        here &= (self.side == BOTH) | ((self.side == LEFT) == left[self.point])
        short = self.least[here] - self.sign[here] * heights[self.point[here]]
        return float(self.price[here] @ np.maximum(short, 0.0))


@dataclass(frozen=True)
class MarginProblem:
    """x float64 (N, p). rows: by branch. square float64 (nodes, p): prices of w^2 / 2.
    widest: whether only the greatest sum of w^2 / 2, at these prices, is paid.

    counts float64 (nodes, p + 1): what a branch pays for so many features, beyond `constant`;
    infinite above a budget. needs int64 (nodes,): the branch that pays its charge, features or
    none, where this one has features; -1 for none. None where no branch needs another.
    """

    topology: Forest
    x: np.ndarray
    rows: dict[int, PointRows]
    square: np.ndarray
    counts: np.ndarray
    constant: float
    widest: bool = False
    needs: np.ndarray | None = None

    def tightened(self, by: float) -> MarginProblem:
        """With rows that must hold tightened, so that rounding does not break them."""
        rows = {
            node: replace(one, least=np.where(np.isinf(one.price), one.least + by, one.least))
            for node, one in self.rows.items()
        }
        return replace(self, rows=rows)

    def known_rows(self, branch: int, place: np.ndarray) -> np.ndarray:
        """The rows of a branch that follow from where points are, bool (n,): place int64 (N,), the
        node that each is known to reach."""
        rows, at = self.rows[branch], place[self.rows[branch].point]
        left, right = (
            self.under[below[branch], at] for below in (self.topology.left, self.topology.right)
        )
        one = (rows.side == LEFT) & left | (rows.side == RIGHT) & right
        return one | (rows.side == BOTH) & (left | right | (at == branch))

    @cached_property
    def under(self) -> np.ndarray:
        """Whether a node is another one or above it, bool (nodes, nodes)."""
        under = np.zeros((self.topology.size, self.topology.size), bool)
        for node in range(self.topology.size):
            under[self.topology.upwards(node), node] = True
        return under

    @cached_property
    def marginal(self) -> np.ndarray:
        """The price of one more feature by a convex function that is nowhere above `counts`,
        float64 (nodes, p), infinite above a budget; without the charge."""
        counts = np.column_stack([self.counts[:, :1], self.counts[:, 1:] - self.charge[:, None]])
        return np.array([_steps(row) for row in counts])

    @cached_property
    def charge(self) -> np.ndarray:
        """What the first feature costs more than one of the others does, float64 (nodes,)."""
        with np.errstate(invalid="ignore"):
            steps = np.diff(self.counts, axis=1)
        first, others = steps[:, 0], np.where(np.isfinite(steps[:, 1:]), steps[:, 1:], np.inf)
        least = others.min(axis=1, initial=np.inf)
        other = np.where(np.isfinite(least), least, 0.0)
        return np.where(np.isfinite(first), np.maximum(0.0, first - other), 0.0)

    def shared(self, share: np.ndarray) -> MarginProblem:
        """With shares (nodes,) of the greatest norm."""
        return replace(self, square=share[:, None] * self.square, widest=False)

    @cached_property
    def scale(self) -> np.ndarray:
        """By which coordinates are multiplied for prices of w^2 / 2 to be 1, float64 (nodes, p)."""
        with np.errstate(divide="ignore"):
            return np.where(self.square > 0, 1 / np.sqrt(self.square), 1.0)

    def value(self, weights: np.ndarray, threshold: np.ndarray) -> float:
        """Of the tree of hyperplanes float64 (nodes, p) and (nodes,), to be minimized."""
        total, passed = self.constant, {0: np.ones(len(self.x), bool)}
        norms = 0.5 * (self.square * weights**2).sum(axis=1)
        total += float(norms.max() if self.widest else norms.sum())
        for node in self.topology.branches.tolist():
            heights = self.x @ weights[node] - threshold[node]
            left = heights < 0
            total += self.rows[node].losses(heights, left, passed[node])
            total += float(self.counts[node, np.count_nonzero(weights[node])])
            passed[int(self.topology.left[node])] = passed[node] & left
            passed[int(self.topology.right[node])] = passed[node] & ~left
        return total


def _steps(counts: np.ndarray) -> np.ndarray:
    """The slopes of the lower convex hull of counts (p + 1,), the last ones infinite as they are;
    float64 (p,)."""
    last = int(np.flatnonzero(np.isfinite(counts)).max(initial=0))
    slopes, at = np.full(len(counts) - 1, np.inf), 0
    while at < last:
        ahead = (counts[at + 1 : last + 1] - counts[at]) / np.arange(1, last - at + 1)
        far = at + 1 + int(len(ahead) - 1 - np.argmin(ahead[::-1]))
        slopes[at:far] = ahead[far - at - 1]
        at = far
    return slopes
