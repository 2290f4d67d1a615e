"""Oblique trees of depth 1 and 2 over points of few features, by every way to part the points.

The losses of all ways at the root with all ways below it are products of matrices. They bound the
losses of trees, whose hyperplanes keep a gap besides; the gap is checked only for those that would
be better than the best tree so far, in the order of their losses. Points that no hyperplane parts
by the gap rule out every way that parts them.
A hyperplane that separates points can be moved until it passes through as many points as there are
dimensions. So all partitions come from the planes through that many points (`dichotomies`): the
points off the plane keep their sides, and those on it are separated by a hyperplane within it, one
dimension lower (Cover 1965 counts the partitions). Some of the points, separated with a gap of g,
belong to a partition of all points: within the gap, some hyperplane is at least g / (2M + 2) from
each of them.

Points nearer to a plane than ON_PLANE count as on it. That loses no way with a gap of more than
twice as much, since its hyperplane separates the points' projections onto the plane as well.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb, inf

import numpy as np

from treemip.answers.engines.oblique.problem import ObliqueProblem
from treemip.answers.engines.oblique.routing import demand_time
from treemip.answers.engines.oblique.supports import Support, Supports
from treemip.answers.engines.refusal import Refusal
from treemip.core.model.tolerances import ON_PLANE, SPREAD

PRODUCTS = 1e11
"""Multiplications of ways, points and ways."""

CELLS = 1e8
"""Ways through all planes times points, before equal ones are one."""

CHUNK = 256  # ways at the root that are multiplied together

FEW = 4  # supports that are looked for at once

EXACT = 2**24  # whole numbers below it are exact in 32 bits

Offer = Callable[[tuple[int, ...], np.ndarray], bool]
"""Takes labels of the leaves and the nodes each point passes, bool (M, nodes), where that is better
than the best so far and a solution."""


def is_small(problem: ObliqueProblem) -> bool:
    """Whether all ways to part the points can be gone through: by Cover's count (1965), as many as
    there are for points in general position."""
    topology, (points, classes) = problem.topology, problem.loss.shape
    levels = int(topology.depth.max())
    if levels > 2 or len(topology.leaves) != 2**levels or problem.loss.sum() >= EXACT:
        return False
    if points > CELLS**0.5:
        return False
    rank = flattened(problem.x).shape[1]
    ways = sum(comb(points - 1, k) for k in range(rank + 1))
    cells = 2.0**rank * comb(points, rank) * points
    return cells <= CELLS and points * classes * float(ways) ** levels <= PRODUCTS


class Enumeration:
    """low: no tree loses less, in units. best: the losses of the best tree so far. Raises Refusal
    where rounding would decide which ways there are, and Late as `demand_time` does."""

    def __init__(
        self,
        problem: ObliqueProblem,
        finder: Supports,
        best: Callable[[], int],
        offer: Offer,
        until: float,
    ) -> None:
        self.problem, self.finder, self.until = problem, finder, until
        self.best, self.offer = best, offer
        self.low = int(problem.loss.min(axis=1).sum())
        self.ways = dichotomies(problem.x, until)
        self.loss = problem.loss.astype(np.float32)
        self.right = self.ways.astype(np.float32)
        self.gaps: dict[bytes, bool] = {}
        self.apart = np.zeros((0, len(problem.x)), bool)  # points of each support
        self.broken = np.zeros((0, len(self.ways)), bool)  # ways that part it
        self.known: set[Support] = set()

    def run(self) -> None:
        """Raises `low` to the best there is. Ends earlier where a better routing is not taken.

        Raises Late as `demand_time` does."""
        if len(self.problem.topology.branches) == 1:
            self._root_alone()
            return
        lower = self._least()
        for root in np.argsort(lower, kind="stable"):
            self.low = max(self.low, min(int(lower[root]), self.best()))
            if lower[root] >= self.best():
                return
            parted = self._keeps_gap(~self.ways[root], self.ways[root], int(root))
            if parted and not self._below_root(self.ways[root]):
                return
        self.low = self.best()

    def _root_alone(self) -> None:
        every = np.ones(len(self.problem.x), bool)
        loss, way = self._parted(every, self.best(), raising=True)
        if way is None or self.offer(self._labels([(every, way)]), self._passes([(every, way)])):
            self.low = self.best()
        else:
            self.low = loss

    def _below_root(self, right: np.ndarray) -> bool:
        """Whether the best tree with these points right of the root is known not to be better than
        the best tree, which it may have become."""
        sides = (~right, right)
        least = [int(self._losses(side).min()) for side in sides]
        best: list[tuple[np.ndarray, int]] = []
        for k, side in enumerate(sides):
            least[k], way = self._parted(side, self.best() - least[1 - k])
            if way is None:
                return True
            best.append((side, way))
        if sum(least) >= self.best():
            return True
        return self.offer(self._labels(best), self._passes(best))

    def _least(self) -> np.ndarray:
        """The least losses with each way at the root, whatever gaps there are, float32 (ways,)."""
        lower = np.empty(len(self.ways), np.float32)
        left = [(~self.ways * loss).astype(np.float32) for loss in self.loss.T]
        whole = [one.sum(axis=1) for one in left]
        totals = self.loss.sum(axis=0)
        for start in range(0, len(lower), CHUNK):
            demand_time(self.until)
            some = self.right[start : start + CHUNK]
            ends = [np.full((len(some), len(lower)), np.inf, np.float32) for _ in range(4)]
            for k, loss in enumerate(self.loss.T):
                above_left = some @ left[k].T
                below_left = whole[k] - above_left
                above = (some @ loss)[:, None]
                below = totals[k] - above
                parts = above_left, above - above_left, below_left, below - below_left
                for least, part in zip(ends, parts, strict=True):
                    np.minimum(least, part, out=least)
            one, other = ends[0] + ends[1], ends[2] + ends[3]
            lower[start : start + CHUNK] = one.min(axis=1) + other.min(axis=1)
        return lower

    def _losses(self, side: np.ndarray) -> np.ndarray:
        """What the points of one side lose with each way below, float32 (ways,); infinite where a
        support among them is parted."""
        loss = self.loss * side[:, None]
        right = self.right @ loss
        left = loss.sum(axis=0) - right
        losses = left.min(axis=1) + right.min(axis=1)
        inside = ~(self.apart & ~side).any(axis=1)
        if inside.any():
            losses[self.broken[inside].any(axis=0)] = np.inf
        return np.asarray(losses)

    def _parted(
        self, side: np.ndarray, limit: int, raising: bool = False
    ) -> tuple[int, int | None]:
        """The way that loses least and keeps the gap, with its losses; None where these are no
        less than the limit. raising: whether `low` follows the losses."""
        while True:
            demand_time(self.until)
            losses, known = self._losses(side), len(self.known)
            for way in np.argsort(losses, kind="stable"):
                loss = int(min(losses[way], limit))
                if raising:
                    self.low = max(self.low, loss)
                if loss >= limit:
                    return limit, None
                right = self.ways[way]
                if self._keeps_gap(side & ~right, side & right, None):
                    return loss, int(way)
                if len(self.known) > known:
                    break

    def _keeps_gap(self, left: np.ndarray, right: np.ndarray, way: int | None) -> bool:
        """Whether no support is parted. No certificate excludes a kept way; whether it makes a tree
        is for the model to say."""
        if way is not None and self.broken[:, way].any():
            return False
        key = np.packbits(np.concatenate([left, right])).tobytes()
        if key not in self.gaps:
            demand_time(self.until)
            supports = self.finder.among(
                np.flatnonzero(left), np.flatnonzero(right), FEW, self.until
            )
            self.gaps[key] = not supports
            self._bar([one for one in supports if one not in self.known])
        return self.gaps[key]

    def _bar(self, supports: list[Support]) -> None:
        apart, broken = [self.apart], [self.broken]
        for one, other in supports:
            self.known.add((one, other))
            points = np.zeros((1, len(self.problem.x)), bool)
            points[0, list(one + other)] = True
            first, second = self.ways[:, list(one)], self.ways[:, list(other)]
            parts = np.atleast_2d(~first.any(axis=1) & second.all(axis=1))
            parts |= first.all(axis=1) & ~second.any(axis=1)
            apart.append(points)
            broken.append(parts)
        self.apart, self.broken = np.concatenate(apart), np.concatenate(broken)

    def _labels(self, sides: list[tuple[np.ndarray, int]]) -> tuple[int, ...]:
        """The best label of each leaf, from left to right as in `topology.leaves`."""
        ends = self._ends(sides)
        return tuple(int(self.loss[ends[leaf]].sum(axis=0).argmin()) for leaf in self._leaves)

    def _passes(self, sides: list[tuple[np.ndarray, int]]) -> np.ndarray:
        topology, ends = self.problem.topology, self._ends(sides)
        passes = np.zeros((len(self.problem.x), topology.size), bool)
        for leaf, points in ends.items():
            passes[np.flatnonzero(points)[:, None], topology.upwards(leaf)] = True
        return passes

    @property
    def _leaves(self) -> list[int]:
        return [int(leaf) for leaf in self.problem.topology.leaves]

    def _ends(self, sides: list[tuple[np.ndarray, int]]) -> dict[int, np.ndarray]:
        """The points of each leaf; sides: points of each side of the root, and the way below."""
        topology = self.problem.topology
        above = (0,) if len(sides) == 1 else topology.children(0)
        ends = {}
        for node, (side, way) in zip(above, sides, strict=True):
            left, right = topology.children(node)
            ends[left], ends[right] = side & ~self.ways[way], side & self.ways[way]
        return ends


def flattened(x: np.ndarray) -> np.ndarray:
    """The points in coordinates of their affine hull, float64 (M, rank)."""
    centred = x - x.mean(axis=0)
    _, size, axes = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(centred @ axes[size > ON_PLANE].T)


def dichotomies(x: np.ndarray, until: float = inf) -> np.ndarray:
    """Ways to part distinct points x (M, p), bool (ways, M), the first point never True.

    All points on one side is one of them. They hold every way with a gap of more than 4 * ON_PLANE,
    and may hold others. Raises Refusal where rounding would decide, and Late after `until`.
    """
    sides = _ways(flattened(x), until)
    sides ^= sides[:, :1]
    return _distinct(sides)


def _ways(x: np.ndarray, until: float) -> np.ndarray:
    """Both orientations may be there or one of them; x in coordinates of its hull."""
    demand_time(until)
    count, rank = x.shape
    if rank == 0:
        return np.zeros((1, count), bool)
    if rank == 1:
        order = np.argsort(x[:, 0])
        place = np.empty(count, int)
        place[order] = np.arange(count)
        return np.asarray(place[None, :] >= np.arange(count)[:, None])
    above, on, normals = _planes(x)
    parts = [np.zeros((1, count), bool)]
    simple = on.sum(axis=1) == rank
    parts.append(_simple(above[simple], on[simple], rank))
    crowded = np.flatnonzero(~simple)
    for plane in crowded[_first_of_each(above[crowded], on[crowded])]:
        here = on[plane]
        within = _distinct(_both(_ways(_projected(x[here], normals[plane]), until)))
        ways = np.repeat(above[plane][None, :], len(within), axis=0)
        ways[:, here] = within
        parts.append(ways)
    every = np.concatenate(parts)
    return _distinct(every ^ every[:, :1])


def _planes(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each plane through points, which points are above and which on it, bool (planes, M), and
    its normal, float64 (planes, rank)."""
    count, rank = x.shape
    chosen = np.array(list(combinations(range(count), rank)))
    edges = x[chosen[:, 1:]] - x[chosen[:, :1]]
    _, size, axes = np.linalg.svd(edges, full_matrices=True)
    whole = size[:, -1] > ON_PLANE
    if (size[whole, -1] < SPREAD).any():
        raise Refusal("some points are too close to a common plane for the arithmetic")
    normal, start = axes[whole, -1], x[chosen[whole, 0]]
    height = normal @ x.T - (normal * start).sum(axis=1)[:, None]
    on = np.abs(height) <= ON_PLANE
    on[np.arange(len(on))[:, None], chosen[whole]] = True
    return (height > 0) & ~on, on, normal


def _projected(x: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Points near a plane in coordinates of their hull within it, at least one fewer than before.

    Their own spread may say otherwise: many points that are each near the plane add up.
    """
    return flattened(x - np.outer(x @ normal, normal))


def _simple(above: np.ndarray, on: np.ndarray, rank: int) -> np.ndarray:
    """Planes with no more points than they need: these part in every way."""
    if not len(above):
        return above
    place = np.nonzero(on)[1].reshape(-1, rank)
    rows = np.arange(len(above))[:, None]
    parts = []
    for code in range(2**rank):
        ways = above.copy()
        ways[rows, place] = (code >> np.arange(rank)) & 1 == 1
        parts.append(ways)
    return np.concatenate(parts)


def _first_of_each(above: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Of planes that part the points alike, the number of one."""
    if not len(above):
        return np.zeros(0, int)
    return np.unique(_keys(np.concatenate([above, on], axis=1)), return_index=True)[1]


def _both(ways: np.ndarray) -> np.ndarray:
    return np.concatenate([ways, ~ways])


def _distinct(ways: np.ndarray) -> np.ndarray:
    return np.asarray(ways[np.unique(_keys(ways), return_index=True)[1]])


def _keys(ways: np.ndarray) -> np.ndarray:
    packed = np.ascontiguousarray(np.packbits(ways, axis=1))
    return packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
