"""All partitions of points by a hyperplane, where there are few features.

A hyperplane that separates points can be moved until it passes through as many points as there are
dimensions. So all partitions come from the planes through that many points: the points off the
plane keep their sides, and those on it are separated by a hyperplane within it, one dimension lower
(Cover 1965 counts the partitions). Some of the points, separated with a gap of g, belong to a
partition of all points: within the gap, some hyperplane is at least g / (2M + 2) from each of them.

Points nearer to a plane than NEAR count as on it. That loses no way with a gap of more than twice
as much, since its hyperplane parts the points' projections onto the plane as well.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from treemip.engines.refusal import Refusal

NEAR = 1e-9
CLEAR = 1e-5
"""A plane through points is known to 1e-11 where these spread by this much in each direction."""


def flattened(x: np.ndarray) -> np.ndarray:
    """The points in coordinates of their affine hull, float64 (M, rank)."""
    centred = x - x.mean(axis=0)
    _, size, axes = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(centred @ axes[size > NEAR].T)


def dichotomies(x: np.ndarray) -> np.ndarray:
    """Ways to part distinct points x (M, p), bool (ways, M), the first point never True.

    All points on one side is one of them. They hold every way with a gap of more than 4 * NEAR,
    and may hold others. Raises Refusal where rounding would decide.
    """
    sides = _ways(flattened(x))
    sides ^= sides[:, :1]
    return _distinct(sides)


def _ways(x: np.ndarray) -> np.ndarray:
    """Both orientations may be there or one of them; x in coordinates of its hull."""
    count, rank = x.shape
    if rank == 0:
        return np.zeros((1, count), bool)
    if rank == 1:
        order = np.argsort(x[:, 0])
        place = np.empty(count, int)
        place[order] = np.arange(count)
        return np.asarray(place[None, :] >= np.arange(count)[:, None])
    above, on = _planes(x)
    parts = [np.zeros((1, count), bool)]
    simple = on.sum(axis=1) == rank
    parts.append(_simple(above[simple], on[simple], rank))
    for high, here in zip(*_distinct_planes(above[~simple], on[~simple]), strict=True):
        within = _distinct(_both(_ways(flattened(x[here]))))
        ways = np.repeat(high[None, :], len(within), axis=0)
        ways[:, here] = within
        parts.append(ways)
    found = np.concatenate(parts)
    return _distinct(found ^ found[:, :1])


def _planes(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each plane through points, which points are above and which on it, bool (planes, M)."""
    count, rank = x.shape
    chosen = np.array(list(combinations(range(count), rank)))
    edges = x[chosen[:, 1:]] - x[chosen[:, :1]]
    _, size, axes = np.linalg.svd(edges, full_matrices=True)
    whole = size[:, -1] > NEAR
    if (size[whole, -1] < CLEAR).any():
        raise Refusal("some points are so near to a common plane that rounding decides")
    normal, start = axes[whole, -1], x[chosen[whole, 0]]
    height = normal @ x.T - (normal * start).sum(axis=1)[:, None]
    on = np.abs(height) <= NEAR
    on[np.arange(len(on))[:, None], chosen[whole]] = True
    return (height > 0) & ~on, on


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


def _distinct_planes(above: np.ndarray, on: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not len(above):
        return above, on
    both = _distinct(np.concatenate([above, on], axis=1))
    return both[:, : above.shape[1]], both[:, above.shape[1] :]


def _both(ways: np.ndarray) -> np.ndarray:
    return np.concatenate([ways, ~ways])


def _distinct(ways: np.ndarray) -> np.ndarray:
    packed = np.ascontiguousarray(np.packbits(ways, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    return np.asarray(ways[np.unique(keys, return_index=True)[1]])
