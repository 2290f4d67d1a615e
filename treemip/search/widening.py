"""A tree's hyperplanes with the widest gaps that its points allow.

Some points of a branch are worth the same on both sides. They may go either way, but the gap has to
be free of them too: a gap between the other points alone is cut into slices by them.
"""

from __future__ import annotations

import time

import numpy as np

from treemip.search.alternate import Alternation
from treemip.search.candidate import Candidate
from treemip.search.widest_gap import widest_gap

SECONDS, LEAST = 10.0, 0.1
"""Of one branch's linear programs, at most, and where the search has no time left."""

Gap = tuple[float, np.ndarray, float]
"""Width of a gap along weights whose 1-norm is 1, the weights, and the middle of the gap."""


def widened(search: Alternation, tree: Candidate, least: float) -> tuple[Candidate, float]:
    """The tree with wider gaps, from the root down, and the narrowest of them, infinite where no
    hyperplane parts anything.

    No point goes where it is worth less. least: the gap that is asked for; narrower ones need not
    be the widest.
    """
    tree, narrowest = tree.copy(), np.inf
    for node in tree.topology.branches:
        rows = search.members(tree, int(node))
        if tree.weights[node].any() and len(rows) > 1:
            narrowest = min(narrowest, _widen(search, tree, int(node), rows, least))
    return tree, narrowest


def _widen(
    search: Alternation, tree: Candidate, node: int, rows: np.ndarray, least: float
) -> float:
    """The same for one branch: the width of its gap, infinite where it parts nothing."""
    x, left = search.x[rows], tree.goes_left(node, search.x[rows])
    matter = search.matter(tree, node, rows)
    if not (left & matter).any() or not (~left & matter).any():
        tree.weights[node] = 0.0  # nothing is to be parted here
        tree.threshold[node] = -1.0 if (~left & matter).any() else 1.0
        return np.inf
    if search.inputs.is_by_set(tree.weights[node]):
        return np.inf
    used = np.flatnonzero(tree.weights[node])
    weights, until = tree.weights[node, used], _until(search)
    own = own_gap(x[:, used], left, weights)
    width, weights, middle = best_gap(x[:, used], left, matter, weights, until, least)
    if width <= own:
        return own
    tree.weights[node, used], tree.threshold[node] = weights, middle
    return width


def _until(search: Alternation) -> float:
    now = time.perf_counter()
    return now + min(SECONDS, max(LEAST, search.until - now))


def best_gap(
    x: np.ndarray,
    left: np.ndarray,
    matter: np.ndarray,
    weights: np.ndarray,
    until: float,
    least: float = 0.0,
) -> Gap:
    """The widest gap found between points x float64 (m, p) that go left and right; of width 0
    where there is none.

    matter bool (m,): the points that must stay on their side. First all others may be anywhere, and
    the widest slice that is free of them is taken. Then each keeps its side, the one of that
    slice or the one it had, and the hyperplane moves away from it. weights: where to begin. until:
    of the clock. least: as for `widened`.
    """

    def parted(sides: np.ndarray, some: np.ndarray, weights: np.ndarray) -> Gap | None:
        seconds = until - time.perf_counter()
        gap = widest_gap(x[sides & some], x[~sides & some], weights, seconds, least)
        return None if gap is None else (gap[2], gap[0], gap[1] + gap[2] / 2)

    free = parted(left, matter, weights)
    if free is None:
        return 0.0, weights, 0.0
    slices = _widest_slice(free, x[~matter])
    if slices[0] == free[0]:
        return slices
    best, everyone = slices, np.ones(len(x), bool)
    for sides in (x @ slices[1] <= slices[2], left):
        gap = parted(sides, everyone, slices[1])
        if gap is not None and gap[0] > best[0]:
            best = gap
    return best


def _widest_slice(gap: Gap, x: np.ndarray) -> Gap:
    """The widest part of a gap that has none of the points x."""
    width, weights, middle = gap
    low, high = middle - width / 2, middle + width / 2
    position = x @ weights
    inside = position[(position > low) & (position < high)]
    if not len(inside):
        return gap
    stops = np.sort(np.concatenate([[low], inside, [high]]))
    at = int(np.diff(stops).argmax())
    return float(stops[at + 1] - stops[at]), weights, float((stops[at] + stops[at + 1]) / 2)


def own_gap(x: np.ndarray, left: np.ndarray, weights: np.ndarray) -> float:
    """The gap between the points x float64 (m, p) on the two sides of a hyperplane as it stands."""
    if left.all() or not left.any():
        return np.inf
    position = x @ weights
    return float((position[~left].min() - position[left].max()) / np.abs(weights).sum())
