"""The optimal univariate tree of a spec without a solver: which specs it takes, and the way to it.

What decides is what a spec means: its objective and constraints are sums over points, leaves and
splits, by whatever formulation its trees come. Rows of the formulation that forbid a tree are seen
when it is completed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from treemip.answers.engines import on_workers
from treemip.answers.engines.coupled import Coupled
from treemip.answers.engines.duals import directions
from treemip.answers.engines.engine import Work
from treemip.answers.engines.first_bounds import bound_by_parts, first_tree
from treemip.answers.engines.own_rows import Summed
from treemip.answers.engines.plans import Plan
from treemip.answers.engines.problem import (
    Problem,
    deepest,
    has_shape,
    widths,
    with_splits,
    work_of,
)
from treemip.answers.engines.refusal import NO_TIME, Refusal
from treemip.answers.engines.reports import Reports
from treemip.answers.engines.separable import Separable
from treemip.answers.search.agreement import by_sums, reproduces_objective
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import never
from treemip.answers.search.leaf_answers import has_slopes
from treemip.answers.search.remembered import remembered
from treemip.answers.search.sums import Sums
from treemip.core.compiled.library import unbuilt
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import OnProgress
from treemip.core.model.tolerances import EQUAL, KNOWN_ROW, PROVEN, SAME_WORTH
from treemip.core.solving.backends import at_hand

HOPELESS = 1e4  # times as long, a proof is to be expected of parts of the points alone
SHARE = 0.15  # of the time, for a first bound then
DEEP = 4  # trees of which a first one is found before the cuts are swept
LONG = 1.0  # seconds that going through all trees takes, from which on there is a first one, too
HOPEFUL = 20.0  # times as long as there is time for, all trees may take: bounds rule out most


def fits(instance: Instance, spec: Summed, late: Callable[[], bool] = never) -> str | None:
    """None where `best_tree` finds the best tree by the spec's objective and constraints; else why
    it does not.

    The text completes "there is no engine for this spec: ...". late: whether the time for finding
    out is used up.
    """
    sums = spec.sums
    try:
        demand_form(instance, sums)
        problem = spec.problem
        if problem.coupled:
            if sums.answers.values is not None:
                raise Refusal("its rows or prices tie together leaves that answer numbers")
            directions(problem)
        demand_agreement(instance, spec, problem, late)
    except Refusal as refusal:
        return str(refusal)
    return None


def demand_agreement(
    instance: Instance, spec: Summed, problem: Problem, late: Callable[[], bool]
) -> None:
    """Raises Refusal where the sums are not what the spec means on random trees, or there is no
    time to see it."""
    left = problem.unsplit is not False
    rows = spec.families, spec.relaxed

    def agrees() -> bool:
        given = spec.lowered
        return reproduces_objective(instance, spec.sums, spec.x, left, late, *rows, given=given)

    if not remembered(("agreement", left, *rows), agrees, keep=bool):
        raise Refusal(NO_TIME if late() else "its objective or a row is no sum over points")


def demand_form(instance: Instance, sums: Sums) -> None:
    """Raises Refusal where trees or leaves are of another form than the engine's."""
    _demand_shape(instance)
    _demand_values(sums)


def _demand_shape(instance: Instance) -> None:
    spec, topology = instance.spec, instance.topology
    if spec.split != "univariate":
        raise Refusal("it takes univariate splits")
    if not has_shape(topology):
        raise Refusal(f"it takes complete trees of depth 1 to {deepest()}{unbuilt()}")
    if has_slopes(instance):
        raise Refusal("the values of its leaves depend on features")


def _demand_values(sums: Sums) -> None:
    """A leaf's best value is one of those listed, or follows from sums and is between those of a
    curve, so that no point costs more than there."""
    if sums.answers.values is None or sums.answers.complete:
        return
    curve = sums.curve
    if curve is None:
        raise Refusal(sums.answers.why_incomplete)
    why = curve.why_not(sums.sign * sums.shared[:, :, 0])
    if why:
        raise Refusal(why)


@dataclass(frozen=True)
class EngineResult:
    """tree: None where none keeps all side constraints, or none was found in time. value and
    bound: of the spec's objective in its own sense; bound is what no tree is beyond. evaluated:
    the trees of depth 1 whose cuts were all evaluated. unsure: by how much another tree may
    be better although all were gone through, because values so close are not told apart."""

    tree: Candidate | None
    value: float
    bound: float
    proven: bool
    seconds: float
    evaluated: int
    unsure: float = 0.0


def best_tree(
    instance: Instance,
    spec: Summed,
    seconds: float,
    incumbent: Candidate | None = None,
    on_progress: OnProgress | None = None,
    gaps: np.ndarray | None = None,
    threads: int = 1,
) -> EngineResult:
    """The optimum over trees of the spec's topology.

    Call it where `fits` has no objection. incumbent: a tree to improve on, not used where it
    breaks a side constraint. on_progress: told of the best tree and the bound, about once a second.
    gaps float64 (p,): the optimum over trees that cut no feature between values closer than that.
    threads: the most that the compiled kernel takes; the tree is the same for any number.
    """
    began, sums = time.perf_counter(), spec.sums
    problem = spec.problem
    if gaps is not None:
        least = gaps[problem.bins.column] * (1 - SAME_WORTH)
        problem, _ = with_splits(problem, widths(problem) >= least)
    problem = replace(problem, reports=Reports(on_progress, sums.sign), threads=threads)
    goal = np.inf
    if incumbent is not None:
        objective, violation = worth(instance, problem, incumbent)
        goal = objective if violation <= KNOWN_ROW else np.inf
    way = _coupled if problem.coupled else _separable
    plan, bound, complete, evaluated = way(problem, goal, began + seconds)
    tree = incumbent if plan is None and np.isfinite(goal) else None
    if plan is not None:
        tree = candidate(problem, plan)
    value = worth(instance, problem, tree)[0] if tree is not None else np.inf
    if problem.by_depth is not None and tree is not None:  # what was found may be worth more
        if value > goal:
            tree, value = incumbent, goal
        complete = complete and value <= bound + EQUAL * max(1.0, abs(value))
    bound, unsure = value if complete else min(bound, value), 0.0
    if complete and tree is not None:
        bound, unsure = _sure(problem, value)
    sign = sums.sign
    took = time.perf_counter() - began
    proven = complete and not unsure
    return EngineResult(tree, sign * value, sign * bound, proven, took, evaluated, unsure)


def _sure(problem: Problem, value: float) -> tuple[float, float]:
    """What no tree is below where the best found is worth `value`, and by how much less one may be
    worth; `value` and 0 where that is not more than a proof may leave open. Costs that span many
    digits are not told apart to the last of them."""
    task = separable(problem, np.inf)
    least = value - task.unsure
    if task.least_price >= 0 and task.leaf_price >= 0 and not problem.coupled:
        least = max(least, task.constant + float(problem.constant[0]))
    unsure = value - least
    return (least, unsure) if unsure > PROVEN * max(1.0, abs(value)) else (value, 0.0)


def work(problem: Problem) -> Work:
    """All trees of depth 1, below all cuts above them."""
    trees, seconds = work_of(problem, problem.depth, len(problem.x))
    return Work(trees, "trees of depth 1", seconds)


def _separable(problem: Problem, goal: float, until: float) -> tuple[Plan | None, float, bool, int]:
    """The plan of a tree better than `goal`, None without one; a bound; whether it is proven."""
    task = separable(problem, until)
    constant = float(problem.constant[0]) + task.constant
    if problem.by_depth is not None:
        return _of_each_depth(task, problem.by_depth + constant, goal)
    task.above_root = constant
    every, depth = np.arange(len(problem.x)), problem.depth
    best, plan, bound = goal - constant, None, -np.inf
    longest = work(problem).seconds
    if len(every) and (depth >= DEEP or (longest > LONG and np.isinf(goal))):
        value, first = first_tree(task, 0, depth, every)
        if value < task.below(best):
            best, plan = value, first
            task.report(depth, best)
        seconds = until - time.perf_counter()
        if depth >= DEEP and HOPELESS * seconds < longest < np.inf and seconds > 0:
            bound = min(best, bound_by_parts(task, depth, SHARE * seconds))
    hands = at_hand()
    if hands is not None and depth >= on_workers.LEAST_DEPTH and len(every):
        root = on_workers.solve(task, depth, task.below(best), hands)
    else:
        root = task.solve(0, depth, every, task.below(best))
    if np.isfinite(root.exact):
        plan = task.found(0, depth, every, root)
    return plan, max(root.relaxed, bound) + constant, task.complete, task.evaluated


def _of_each_depth(
    task: Separable, constant: np.ndarray, goal: float
) -> tuple[Plan | None, float, bool, int]:
    """The same where trees of each depth have a constant of their own, float64 (depth + 1,): of the
    least of them, which is a bound of what a tree is worth."""
    every, plan, bound = np.arange(len(task.problem.x)), None, np.inf
    for depth, more in enumerate(constant.tolist()):
        side = task.solve(0, depth, every, task.below(goal - more))
        bound = min(bound, side.relaxed + more)
        if side.exact + more < goal:
            goal, plan = side.exact + more, task.found(0, depth, every, side)
    return plan, goal if task.complete else min(bound, goal), task.complete, task.evaluated


def _coupled(problem: Problem, goal: float, until: float) -> tuple[Plan | None, float, bool, int]:
    task = Coupled(problem, goal, until)
    bound = task.run()
    return task.plan, bound, task.complete, task.evaluated


def separable(problem: Problem, until: float) -> Separable:
    price = np.where(problem.allowed, problem.by_split[:, :, 0], np.inf)
    return Separable(problem, problem.points[:, :, 0], price[:, problem.bins.feature], until)


def candidate(problem: Problem, plan: Plan) -> Candidate:
    unsplit = problem.unsplit is not False
    sums, features = problem.sums, problem.x.shape[1]
    tree = Candidate.empty(problem.topology, features, unsplit, sums.no_labels, sums.listed)
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
    for child, below in zip(topology.children(node), plan[1:], strict=True):
        _place(problem, tree, below, child)


def worth(instance: Instance, problem: Problem, tree: Candidate) -> tuple[float, float]:
    """The objective, to be minimized, and the violation of a tree, by the sums."""
    value, violation = by_sums(instance, problem.sums, problem.x, tree)
    return problem.sums.sign * value, violation
