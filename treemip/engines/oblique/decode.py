"""A routing of the points that are right as a tree, each hyperplane in the widest gap."""

from __future__ import annotations

import time

import numpy as np

from treemip.engines.oblique.problem import ObliqueProblem
from treemip.engines.oblique.supports import BAND
from treemip.search.candidate import Candidate
from treemip.search.gaps import widest_gap

SECONDS = 10.0  # for one hyperplane, at most
LEAST = 0.5  # and at least, so that a tree that is known already is not lost to the clock


def tree_of(
    problem: ObliqueProblem,
    labels: tuple[int, ...],
    passes: np.ndarray,
    until: float = np.inf,
) -> tuple[Candidate, set[int]]:
    """The tree, and the points that lie inside a gap, which the formulation does not allow.

    passes bool (M, nodes): where points go that are right; the others go where they fall. until: of
    time.perf_counter(), when hyperplanes should have their place.
    """
    topology = problem.topology
    tree = Candidate.empty(topology, problem.x.shape[1])
    tree.labels[:] = labels
    inside: set[int] = set()
    rows = {0: np.arange(len(problem.x))}
    for node in topology.branches:
        here = rows[int(node)]
        left, right = int(topology.left[node]), int(topology.right[node])
        seconds = min(SECONDS, max(LEAST, until - time.perf_counter()))
        sides = passes[:, left], passes[:, right]
        inside |= _place(problem, tree, int(node), here, sides, seconds)
        goes_left = tree.goes_left(int(node), problem.x[here])
        rows[left], rows[right] = here[goes_left], here[~goes_left]
    return tree, inside


def _place(
    problem: ObliqueProblem,
    tree: Candidate,
    node: int,
    here: np.ndarray,
    sides: tuple[np.ndarray, np.ndarray],
    seconds: float,
) -> set[int]:
    """Sets one hyperplane; returns the points inside its gap where no part is wide enough."""
    x, (left, right) = problem.x, sides
    if not left.any() or not right.any():
        tree.threshold[node] = 1.0 if left.any() or not right.any() else -1.0
        return set()
    gap = widest_gap(x[left], x[right], np.zeros(x.shape[1]), seconds)
    if gap is None:
        return set(here[~left[here] & ~right[here]].tolist())
    weights, low, width = gap
    free = here[~left[here] & ~right[here]]
    height = x[free] @ weights
    stops = np.sort(np.concatenate([[low], np.clip(height, low, low + width), [low + width]]))
    at = int(np.diff(stops).argmax())
    tree.weights[node] = weights
    tree.threshold[node] = (stops[at] + stops[at + 1]) / 2
    if stops[at + 1] - stops[at] >= problem.gap - 10 * BAND:
        return set()
    return set(free[(height > low) & (height < low + width)].tolist())
