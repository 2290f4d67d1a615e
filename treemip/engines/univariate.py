"""The optimal univariate tree of a spec without a solver: which specs it takes, and the way to it.

`fits` is a closed list: a spec is taken only where everything in it is known to the engine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from treemip.engines.coupled import Coupled
from treemip.engines.duals import directions
from treemip.engines.plans import Plan
from treemip.engines.problem import (
    AS_OCT,
    Problem,
    Refusal,
    counts,
    problem_of,
    widths,
    with_splits,
)
from treemip.engines.reports import Reports
from treemip.engines.separable import Separable
from treemip.instance.derived import least_gap
from treemip.instance.instance import Instance
from treemip.lower.value_sources import mentioned
from treemip.model.answer import OnProgress
from treemip.model.tolerances import KNOWN_ROW, NO_COST, SAME_WORTH, UNIT_RATIO
from treemip.resolve.spec import Constraint
from treemip.resolve.typed import Typed
from treemip.search.agreement import agrees, by_sums
from treemip.search.candidate import Candidate
from treemip.search.complete import never
from treemip.search.sums import Sums
from treemip.source.suggest import listed

DEEPEST = 3

PRESCRIPTIVE = (
    "coef stop given enter hit",
    "split_or_stop leaf_stops one_treatment source conserve conserve_leaf left_cap right_cap "
    "sink_cap",
)

FORMULATIONS = {
    "binoct": (
        "coef bit reach label error",
        "one_feature one_leaf one_label bar_left bar_right constant extremes leaf_error",
    ),
    "oct": (
        "coef bias active reach occupied label loss",
        "loss_low loss_high one_label one_leaf open_leaf leaf_size one_used offset prune go_right "
        "go_left",
    ),
    "flow_oct": (
        "coef stop given enter hit",
        "split_or_stop leaf_stops one_label conserve conserve_leaf left_cap right_cap sink_cap "
        "hit_least",
    ),
    "ort": (
        "coef bias active reach occupied leaf_value predicted",
        "one_leaf open_leaf leaf_size one_used offset prune go_right go_left answer",
    ),
    "prescriptive_dm": PRESCRIPTIVE,
    "prescriptive_dr": PRESCRIPTIVE,
    "prescriptive_ipw": PRESCRIPTIVE,
}
"""Variables and families of rows that the engine knows the meaning of, by formulation."""

OPTIONAL = frozenset({"loss_high", "hit_least"})

VOCABULARY = frozenset(["reach", "active", "uses", "uses_anywhere", "occupied"])


def fits(instance: Instance, sums: Sums, late: Callable[[], bool] = never) -> str | None:
    """None where `best_tree` finds the optimum of the spec's model; else why it does not.

    The text completes "there is no engine for this spec: ...". late: whether the time for finding
    out is used up.
    """
    try:
        _demand_known(instance, sums)
        _demand_thresholds(instance)
        _demand_values(sums)
        x = np.unique(instance.table.inputs, axis=0)
        problem = problem_of(instance, sums, x, counts(instance, x))
        _demand_exact_losses(instance, problem)
        if problem.coupled:
            if sums.answers.values is not None:
                raise Refusal("its rows or prices couple leaves that have values")
            directions(problem)
    except Refusal as refusal:
        return str(refusal)
    if not agrees(instance, sums, x, problem.unsplit is not False, late=late):
        return "its value on random trees is not a sum over points"
    return None


def _demand_known(instance: Instance, sums: Sums) -> None:
    spec, topology = instance.spec, instance.topology
    if spec.split != "univariate" or spec.formulation not in FORMULATIONS:
        raise Refusal(f"it takes univariate splits by {listed(FORMULATIONS)}")
    if topology is None or topology.families != 1 or not _is_complete(instance):
        raise Refusal(f"it takes complete trees of depth 1 to {DEEPEST}")
    variables, families = (frozenset(t.split()) for t in FORMULATIONS[spec.formulation])
    for symbol in spec.variables:
        known = {spec.formulation: variables, "vocabulary": VOCABULARY}
        if symbol.name not in known.get(symbol.module, frozenset()):
            raise Refusal(f"'{symbol.name}' is a variable that it does not know")
    own = {c.name for c in spec.constraints if c.module == spec.formulation}
    if own | OPTIONAL != families | OPTIONAL:
        raise Refusal(f"the constraints of '{spec.formulation}' are not those of the library")
    for constraint in spec.constraints:
        if constraint.module not in ("spec", "vocabulary", spec.formulation):
            raise Refusal(f"constraint '{constraint.name}' is not one that it knows")
        if constraint.module == "spec" and constraint.guards:
            raise Refusal(f"constraint '{constraint.name}' is an implication")
    if "bias" in sums.families:
        raise Refusal("it depends on where thresholds are")
    if any(cut.module == "spec" for cut in spec.cuts):
        raise Refusal("the spec has cuts of its own")


def _demand_values(sums: Sums) -> None:
    """A leaf's best value is one of those listed, or follows from sums and is between those of a
    parabola, so that no point costs more than there."""
    if sums.answers.values is None or sums.answers.complete:
        return
    parabola = sums.parabola
    if parabola is None:
        raise Refusal(
            "the best value of a leaf need not be one of the label's, and does not "
            "follow from sums over its points"
        )
    worth = sums.sign * sums.shared[:, :, 0]
    least, ends = replace(parabola, low=-np.inf, high=np.inf).best(worth), sums.answers.values
    far = KNOWN_ROW * parabola.step
    if not np.isfinite(parabola.lowest(worth)).all():
        raise Refusal("some points have no best value")
    if (least < ends[0] - far).any() or (least > ends[-1] + far).any():
        raise Refusal("some points have their best value beyond those of the label")


def _demand_exact_losses(instance: Instance, problem: Problem) -> None:
    """A formulation's own loss is exact where it is minimized; and OCT's rows that give each leaf
    its majority's label forbid no optimum where the points that are wrong are all that costs."""
    spec = instance.spec
    own = {"loss", "error"} if spec.formulation in ("oct", "binoct") else set()
    sides = [e for c in spec.constraints if c.module == "spec" for e in _expressions(c)]
    if own & {s.name for s in mentioned(*sides)}:
        raise Refusal("a constraint of the spec counts on the formulation's own loss")
    value = [] if spec.objective is None else [spec.objective.value]
    majority = any(c.name == "loss_high" and c.module == "oct" for c in spec.constraints)
    if (majority or own & {s.name for s in mentioned(*value)}) and not _is_loss(instance, problem):
        raise Refusal("its objective changes what the formulation's own loss or labels are")


def _expressions(constraint: Constraint) -> list[Typed]:
    relation = constraint.relation
    sides = [relation.left, relation.right, relation.right2, *constraint.domain.guard]
    return [e for e in sides if e is not None]


def _is_loss(instance: Instance, problem: Problem) -> bool:
    """Whether each point with a wrong label costs the same number above 0."""
    table = instance.table
    of_point = np.unique(table.inputs, axis=0, return_inverse=True)[1].ravel()
    labels = len(table.classes)
    right = np.bincount(of_point * labels + table.y, minlength=len(problem.x) * labels)
    right = right.reshape(-1, labels)
    costs = problem.points[:, :, 0]
    less = costs.max(axis=1, keepdims=True) - costs
    more = right - right.min(axis=1, keepdims=True)
    if not more.any():
        return not less.any()
    at = np.unravel_index(int(more.argmax()), more.shape)
    unit = less[at] / max(1, more[at])
    return bool(unit > 0 and np.allclose(less, unit * more, rtol=UNIT_RATIO, atol=NO_COST))


def _is_complete(instance: Instance) -> bool:
    topology = instance.topology
    assert topology is not None
    depth = int(topology.depth.max())
    return 1 <= depth <= DEEPEST and topology.size == 2 ** (depth + 1) - 1


def _demand_thresholds(instance: Instance) -> None:
    """The engine's cuts are the formulation's."""
    x = instance.table.inputs
    if instance.table.categorical or x.shape[1] != instance.table.x.shape[1]:
        raise Refusal("splits may separate categories")
    if instance.spec.formulation not in AS_OCT:
        return
    gap = least_gap(x)
    if (instance.values["gap"].values.ravel() != gap).any():
        raise Refusal("'gap' is not that of the library")
    if instance.values["least"].values.ravel()[0] != gap.min():
        raise Refusal("'least' is not that of the library")
    if instance.values["most"].values.ravel()[0] != gap.max():
        raise Refusal("'most' is not that of the library")
    if float(instance.values["min_leaf"].values.ravel()[0]) < 1:
        raise Refusal("a leaf of fewer than one point may count as one that has points")


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
    on_progress: OnProgress | None = None,
    gaps: np.ndarray | None = None,
) -> EngineResult:
    """The optimum over trees of the spec's topology; x float64 (M, p), the points of `sums`.

    Call it where `fits` has no objection. incumbent: a tree to improve on, not used where it
    breaks a side constraint. on_progress: told of the best tree and the bound, about once a second.
    gaps float64 (p,): the optimum over trees that cut no feature between values closer than that.
    """
    began = time.perf_counter()
    problem = problem_of(instance, sums, x, counts(instance, x))
    if gaps is not None:
        least = gaps[problem.bins.column] * (1 - SAME_WORTH)
        problem, _ = with_splits(problem, widths(problem) >= least)
    problem = replace(problem, reports=Reports(on_progress, sums.sign))
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
    bound = value if complete else min(bound, value)
    sign = sums.sign
    took = time.perf_counter() - began
    return EngineResult(tree, sign * value, sign * bound, complete, took, evaluated)


def _separable(problem: Problem, goal: float, until: float) -> tuple[Plan | None, float, bool, int]:
    """The plan of a tree better than `goal`, None without one; a bound; whether it is proven."""
    task = separable(problem, until)
    constant = float(problem.constant[0]) + task.constant
    task.above_root = constant
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
    labels, answers = problem.sums.no_labels, problem.sums.answers
    rows = answers.table_rows if problem.sums.parabola is None else None
    tree = Candidate.empty(problem.topology, problem.x.shape[1], unsplit, labels, rows)
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
