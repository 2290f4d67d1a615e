"""A spec as sums over points with those rows of its formulation that trees may break.

Most rows of a formulation say what trees are, and hold for each. Some forbid trees: a least size of
leaves, a split at every branch. They are found by what they mean on random trees; those that sums
over one leaf, or limits on one branch, can say are part of the problem. What the others forbid is
left to the completion of the best tree, so that a bound may be too low and never too high.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.engines.problem import Problem, Refusal, counts, problem_of
from treemip.instance.instance import Instance
from treemip.search.agreement import broken_families, random_tree
from treemip.search.candidate import Candidate, canonical
from treemip.search.split_columns import SplitColumns
from treemip.search.sum_builder import NoSums, provable_sums
from treemip.search.sums import Sums
from treemip.search.tree_map import unsplit_left
from treemip.source.diagnostic import TreemipError

TREES = 20
MOST_ROWS = 64  # of a family


@dataclass(frozen=True)
class Summed:
    """x float64 (M, p): the distinct points. of_point int64 (N,): which of them each point is.
    families: constraints of the formulation that the sums count beside the spec's own."""

    x: np.ndarray
    of_point: np.ndarray
    sums: Sums
    families: frozenset[str] = frozenset()


def summed(instance: Instance) -> Summed:
    """The spec's own objective and constraints. Raises NoSums."""
    x, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    return Summed(x, of_point.ravel(), provable_sums(instance, of_point.ravel()))


def with_own_rows(instance: Instance, spec: Summed) -> Summed:
    """With rows of the formulation, as far as they leave a problem as separable as it is.

    Raises Refusal where there is no problem without them.
    """
    number, columns = counts(instance, spec.x), SplitColumns.of(instance)
    before = problem_of(instance, spec.sums, spec.x, number)
    trees = _random_trees(instance, spec)
    for name in sorted(broken_families(instance, trees, columns, MOST_ROWS)):
        families = spec.families | {name}
        try:
            sums = provable_sums(instance, spec.of_point, families)
            problem = problem_of(instance, sums, spec.x, number)
        except (NoSums, Refusal, TreemipError):
            continue
        if _is_as_separable(problem, before) and set(sums.opaque) <= set(spec.sums.opaque):
            spec = Summed(spec.x, spec.of_point, sums, families)
    return spec


def _is_as_separable(problem: Problem, before: Problem) -> bool:
    return len(problem.constant) == len(before.constant)


def _random_trees(instance: Instance, spec: Summed) -> list[Candidate]:
    """Trees in the shape that formulations have them in, each leaf with its best answer."""
    rng, left = np.random.default_rng(0), unsplit_left(instance)
    trees = []
    for _ in range(TREES):
        tree = random_tree(instance, spec.sums, spec.x, rng, left)
        leaf = np.searchsorted(tree.topology.leaves, tree.ends(spec.x))
        worth = spec.sums.sign * spec.sums.by_leaf(leaf)[:, :, 0]
        tree.labels[:] = spec.sums.choice.best(worth)
        trees.append(canonical(tree, spec.x, left))
    return trees
