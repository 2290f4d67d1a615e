"""Trees as the univariate engine writes them down, and what is known of one side of a cut.

A plan is nested tuples of bins and labels and costs less than a `Candidate`; only the best one
becomes such a tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.answers.engines.problem import Problem
from treemip.answers.search.candidate import Label

Plan = tuple[int, "Plan", "Plan"] | Label
"""A tree: the bin of a split and the two sides, or the label of a leaf."""

NONE = -1  # no split


@dataclass(frozen=True)
class Side:
    """What is known of the points on one side: relaxed is at most the optimum, leaf conditions
    aside; exact is the optimum where that is below what was asked for, else infinite. bound float64
    (B,): what trees with each cut at the first branch are at least worth; None where unknown.
    below: the two sides of the first split, where the tree that was found is kept."""

    relaxed: float
    exact: float
    cut: int = NONE
    bound: np.ndarray | None = None
    below: tuple[Side, Side] | None = None


def of_heap(codes: np.ndarray, at: int = 0) -> Plan:
    """A tree of a list: codes int (2^(depth + 1) - 1,) are the bins of cuts in the order of a heap,
    or -1 - k for label k."""
    code = int(codes[at])
    if code < 0:
        return -1 - code
    return code, of_heap(codes, 2 * at + 1), of_heap(codes, 2 * at + 2)


def renumbered(plan: Plan, number: np.ndarray) -> Plan:
    """The plan with the bins by other numbers, int64 (B,)."""
    if not isinstance(plan, tuple):
        return plan
    return int(number[plan[0]]), renumbered(plan[1], number), renumbered(plan[2], number)


def rows_of(problem: Problem, plan: Plan) -> np.ndarray:
    """The rows of a tree, float64 (R,)."""
    used: set[int] = set()
    rows = problem.constant + rows_below(problem, plan, 0, np.arange(len(problem.x)), used)
    total: np.ndarray = rows + problem.anywhere[sorted(used)].sum(axis=0)
    return total


def rows_below(
    problem: Problem, plan: Plan, node: int, rows: np.ndarray, used: set[int]
) -> np.ndarray:
    if not isinstance(plan, tuple):
        assert not isinstance(plan, float)
        leaf: np.ndarray = problem.points[rows, plan].sum(axis=0) + problem.by_leaf * (
            len(rows) > 0
        )
        return leaf
    topology, bins = problem.topology, problem.bins
    feature = int(bins.feature[plan[0]])
    used.add(feature)
    left = bins.goes_left(plan[0], rows)
    own = problem.by_split[int(np.searchsorted(topology.branches, node)), feature]
    low = rows_below(problem, plan[1], int(topology.left[node]), rows[left], used)
    high = rows_below(problem, plan[2], int(topology.right[node]), rows[~left], used)
    total: np.ndarray = own + low + high
    return total
