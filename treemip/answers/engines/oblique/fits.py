"""Which specs the engine for oblique trees proves a bound for: what decides is what a spec means.

Its objective is a sum over points by the `means` of concepts and variables, compared with the
evaluator on random trees, and the rows of its model keep a gap at every branch for hyperplanes of a
bounded norm. Then no tree whose completion is a solution of the model is better than the best way
to part the points by that gap. All other rows, the spec's own constraints among them, are relaxed:
they can only make trees worse, and a tree counts only if the whole stated model accepts it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from treemip.answers.engines.oblique.hyperplanes import Sides, hyperplanes_of
from treemip.answers.engines.oblique.norms import norms_of
from treemip.answers.engines.oblique.problem import ObliqueProblem, problem_of
from treemip.answers.engines.own_rows import POINTS, TREES, demand_meanings, without_constraints
from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.agreement import reproduces_objective
from treemip.answers.search.hyperplane_columns import HyperplaneColumns
from treemip.core.instance.instance import Instance
from treemip.core.model.model import Model
from treemip.core.model.tolerances import LEAST_PROVABLE_GAP
from treemip.core.tree.tree_map import TreeMap


def oblique_problem(instance: Instance, model: Model) -> ObliqueProblem:
    """model: as stated. Raises NoSums, and Refusal, whose text completes "there is no engine for
    this spec: ..."."""
    topology = instance.topology
    if topology is None or topology.families != 1 or topology.is_leaf[0]:
        raise Refusal("it takes one tree with at least one branch")
    spec = without_constraints(instance)
    if instance.table.categorical or spec.x.shape[1] != instance.table.x.shape[1]:
        raise Refusal("it splits a column by sets of its categories")
    if spec.x.min() < 0 or spec.x.max() > 1:
        raise Refusal("features are not in [0, 1]")
    problem = partial(problem_of, spec.sums, topology, spec.x)
    problem(gap=1.0)  # refuses an objective sooner than hyperplanes
    demand_meanings(instance, model)
    gap, norms = _gap(hyperplanes_of(instance, model))
    fewest, most = TREES
    trees = min(most, max(fewest, POINTS // len(spec.of_point)))
    left, relaxed = TreeMap.of(instance).unsplit_left, spec.relaxed
    if not reproduces_objective(instance, spec.sums, spec.x, left, relaxed=relaxed, trees=trees):
        raise Refusal("its objective or a row is no sum over points")
    return problem(gap=gap, norms=norms)


def _gap(columns: HyperplaneColumns) -> tuple[float, np.ndarray]:
    """The least gap at a branch for coefficients of 1-norm 1, and the greatest norm at each node,
    float64 (nodes,)."""
    branches = columns.topology.branches
    each, norms = Sides(columns).gaps.each, norms_of(columns)
    if not np.isfinite(norms).all() or (norms <= 0).any():
        raise Refusal("its rows do not bound the 1-norm of the coefficients")
    gap = float((each / norms).min())
    if not LEAST_PROVABLE_GAP <= gap <= 1:
        raise Refusal(f"the gap at a branch, {gap:.3g}, is not between {LEAST_PROVABLE_GAP} and 1")
    of_node = np.ones(columns.topology.size)
    of_node[branches] = norms
    return gap, of_node
