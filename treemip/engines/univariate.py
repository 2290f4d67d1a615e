"""The optimal univariate tree of a spec without a solver: what it takes, and the way to it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from treemip.engines.coupled import Coupled
from treemip.engines.problem import Problem, counts, problem_of
from treemip.engines.separable import Separable
from treemip.engines.side import Plan
from treemip.instance.instance import Instance
from treemip.search.agreement import by_sums
from treemip.search.candidate import Candidate
from treemip.search.sums import Sums


@dataclass(frozen=True)
class EngineResult:
    """tree: None where none keeps all side constraints, or none was found in time. value and
    bound: of the spec's objective in its own sense; bound is what no tree is beyond. evaluated:
    the trees of depth 1 whose cuts were all evaluated."""

    tree: Candidate | None
    value: float
    bound: float
    proven: bool
    seconds: float
    evaluated: int


def best_tree(
    instance: Instance,
    sums: Sums,
    x: np.ndarray,
    seconds: float,
    incumbent: Candidate | None = None,
) -> EngineResult:
    """The optimum over trees of the spec's topology; x float64 (M, p), the points of `sums`.

    Call it where `fits` has no objection. incumbent: a tree to improve on, not used where it
    breaks a side constraint.
    """
    began = time.perf_counter()
    problem = problem_of(instance, sums, x, counts(instance, x))
    goal = np.inf
    if incumbent is not None:
        objective, violation = worth(instance, problem, incumbent)
        goal = objective if violation <= 1e-9 else np.inf
    way = _coupled if problem.coupled else _separable
    plan, bound, complete, evaluated = way(problem, goal, began + seconds)
    tree = incumbent if plan is None and np.isfinite(goal) else None
    if plan is not None:
        tree = candidate(problem, plan)
    value = worth(instance, problem, tree)[0] if tree is not None else np.inf
    bound = value if complete else min(bound, value)
    sign = sums.sign
    took = time.perf_counter() - began
    return EngineResult(tree, sign * value, sign * bound, complete, took, evaluated)


def _separable(problem: Problem, goal: float, until: float) -> tuple[Plan | None, float, bool, int]:
    """The plan of a tree better than `goal`, None without one; a bound; whether it is proven."""
    task = separable(problem, until)
    constant = float(problem.constant[0]) + task.constant
    every = np.arange(len(problem.x))
    root = task.solve(0, problem.depth, every, task.below(goal - constant))
    plan = None
    if np.isfinite(root.exact):
        plan = task.found(0, problem.depth, every, root)
    return plan, root.relaxed + constant, task.complete, task.evaluated


def _coupled(problem: Problem, goal: float, until: float) -> tuple[Plan | None, float, bool, int]:
    task = Coupled(problem, goal, until)
    bound = task.run()
    return task.plan, bound, task.complete, task.evaluated


def separable(problem: Problem, until: float) -> Separable:
    price = np.where(problem.allowed, problem.by_split[:, :, 0], np.inf)
    return Separable(problem, problem.points[:, :, 0], price[:, problem.bins.feature], until)


def candidate(problem: Problem, plan: Plan) -> Candidate:
    unsplit = problem.unsplit is not False
    tree = Candidate.empty(problem.topology, problem.x.shape[1], unsplit)
    _place(problem, tree, plan, 0)
    return tree


def _place(problem: Problem, tree: Candidate, plan: Plan, node: int) -> None:
    topology = problem.topology
    if not isinstance(plan, tuple):
        tree.labels[
            np.searchsorted(topology.leaves, topology.leaves_under.take(np.array([node])).items)
        ] = plan
        return
    bins = problem.bins
    tree.weights[node, bins.column[plan[0]]] = 1.0
    tree.threshold[node] = bins.threshold[plan[0]]
    _place(problem, tree, plan[1], int(topology.left[node]))
    _place(problem, tree, plan[2], int(topology.right[node]))


def worth(instance: Instance, problem: Problem, tree: Candidate) -> tuple[float, float]:
    """The objective, to be minimized, and the violation of a tree, by the sums."""
    value, violation = by_sums(instance, problem.sums, problem.x, tree)
    return problem.sums.sign * value, violation
