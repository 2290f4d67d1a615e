"""A tree as a start: a solution computed from what each variable means on it, else one that a
solver finds with the tree's routing and labels fixed.

A reformulation appends columns and the rows that define them. Those of a solution of the stated
model are computed here, row by row (`with_implied`); a solver would have to be given the whole
model for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import Completion, as_columns, complete, never
from treemip.answers.search.propagate import (
    broken_by_routing,
    broken_by_thresholds,
    broken_rows,
    propagated,
)
from treemip.answers.starts.fixed import failing_rows, fix_tree
from treemip.answers.starts.problem import Problem, Solve, WarmStart, remaining
from treemip.answers.starts.start_notes import infeasible, not_completed
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.model import Model
from treemip.core.model.tolerances import COMPLETE
from treemip.core.model.values import slot_values, violation
from treemip.core.solving.handover import has_room_for, has_time_for
from treemip.core.solving.interrupt import is_kept
from treemip.core.source.diagnostic import TreemipError
from treemip.core.strategy.incumbent import unsolved, with_start
from treemip.core.tree.inputs import Inputs
from treemip.core.tree.residuals import guard_holds, row_distance
from treemip.core.tree.tree_map import TreeMap


@dataclass(frozen=True)
class Begun:
    """What became of a tree: `values` float64 (columns of the reformed model,), None without.

    answer: of the solver, where one was called. broken: how many rows of which family no solution
    with the tree's routing and labels keeps; empty where that is not known. fixed: the model that
    has them fixed, where the solver found it to have no solution. off: how many rows the tree
    breaks with its splits as they stand, by family; None where that was not found out.
    """

    values: np.ndarray | None
    answer: Answer | None = None
    broken: dict[str, int] | None = None
    fixed: Model | None = None
    off: dict[str, int] | None = None


def _completed(
    instance: Instance,
    stated: Model | None,
    model: Model,
    forms: Iterable[Candidate],
    as_given: bool,
    late: Callable[[], bool],
) -> tuple[Candidate, Completion | None, np.ndarray | None]:
    """The first form, the completion of a form that breaks the fewest rows, and the solution of
    `model` that it gives; None where there are none. Arguments are those of `from_tree`."""
    first = known = completion = None
    for form in forms:
        first = form if first is None else first
        if stated is None or _by_chance(instance) or not _is_settled(instance, form):
            break
        one = complete(instance, stated, form, as_given, late)
        if completion is None or len(one.violations) < len(completion.violations):
            completion = one
        known = solution(stated, model, one)
        if known is not None or late():
            break
    assert first is not None
    return first, completion, known


def from_tree(
    instance: Instance,
    stated: Model | None,
    model: Model,
    forms: Iterable[Candidate],
    solve: Solve | None,
    as_given: bool = False,
    late: Callable[[], bool] = never,
) -> Begun:
    """The start that a tree is.

    stated: `model` before its reformulation; None to leave it all to the solver. forms: the tree,
    with its hyperplanes in one scale and place after the other. solve: None for no time. A solution
    by meaning is the start where no other with this routing and these labels is better; else the
    solver looks for one that is. late: whether the time is used up; the first form is completed in
    any case.
    """
    first, completion, known = _completed(instance, stated, model, forms, as_given, late)
    tree = first if completion is None or completion.tree is None else completion.tree
    if stated is not None and completion is not None:
        own = as_given and bool(instance.spec.other_answers)  # others may be better than a user's
        if known is not None and (late() or (not own and _is_best(instance, stated, tree))):
            return Begun(known)
        broken = broken_rows(instance, stated, tree) if known is None else {}
        if broken:
            return Begun(None, broken=broken)
    off = None if stated is None or completion is None else _off(stated, completion)
    if solve is None or late():
        return Begun(known, off=off)
    ends, classes = ends_of(first, instance.table.inputs)
    fixed = fix_tree(instance, model, ends, {} if instance.spec.other_answers else classes)
    try:
        answer = solve(fixed)
    except (Exception, KeyboardInterrupt) as error:
        if known is None or not is_kept(error):
            raise
        stopped = isinstance(error, KeyboardInterrupt)
        return Begun(known, unsolved("", "interrupted", 0.0) if stopped else None)
    values = None if answer.values is None else answer.values[: model.column_count]
    if known is not None:
        values = with_start(model, replace(answer, values=values), known).values
    return Begun(values, answer, fixed=fixed, off=off)


def broken_by_tree(
    instance: Instance, stated: Model, tree: Candidate, late: Callable[[], bool] = never
) -> dict[str, int] | None:
    """How many rows of which family of the stated model a tree breaks by where it sends points and
    what its leaves answer, whatever its thresholds, in the form that breaks the fewest. None where
    that cannot be told.

    late: whether the time is used up, see `complete`.
    """
    if _by_chance(instance) or not _is_settled(instance, tree):
        return None
    completion = complete(instance, stated, tree, late=late)
    if not completion.violations:
        return {}
    if late():  # forms that were not tried may break fewer
        return None
    shaped = completion.tree or tree
    broken = broken_by_routing(instance, stated, shaped, integers=True)
    broken = broken or broken_by_thresholds(instance, stated, shaped)
    return broken or _own_off(instance, stated, completion)


def _own_off(instance: Instance, stated: Model, completion: Completion) -> dict[str, int]:
    """Of the rows of requirements that a module states, those that no place of the thresholds kept,
    as rows do that are about the features of splits (`monotone`). What else the spec says may be
    about thresholds of branches that part no points, which could be anywhere."""
    own = {c.span for c in instance.spec.constraints if c.module == "spec" and c.asked_as}
    names = {violation.name for violation in completion.violations if violation.span in own}
    return {name: n for name, n in _off(stated, completion).items() if name in names}


def _off(stated: Model, completion: Completion) -> dict[str, int]:
    """How many rows of which family a completion breaks."""
    x, counts = as_columns(stated, completion.values), dict[str, int]()
    slots = slot_values(stated.tape, x) if stated.tape.steps else None
    named = {violation.name for violation in completion.violations}
    with np.errstate(invalid="ignore"):
        for rows in stated.rows:
            if rows.name in named:
                off, allowed = row_distance(rows, x, slots)
                counts[rows.name] = int((off > allowed).sum())
        for block in stated.implications:
            if block.name in named:
                off, allowed = row_distance(block.body, x, slots)
                counts[block.name] = int((guard_holds(block, x) & (off > allowed)).sum())
    return {name: count for name, count in counts.items() if count}


def solution(stated: Model, model: Model, completion: Completion) -> np.ndarray | None:
    """A completion as a solution of the reformed model, float64 (columns,); None where a value is
    unknown, a row does not hold, or columns of the model's own are more than rows leave."""
    if completion.unknown or completion.violations or model.special_sets:
        return None
    values = with_implied(model, as_columns(stated, completion.values))
    if np.isnan(values).any() or not holds(model, values):
        return None
    return values


def with_implied(model: Model, known: np.ndarray) -> np.ndarray:
    """All columns of the model, float64 (columns,), the first of which are `known`, nan where
    unknown.

    A column gets its value where rows in which nothing else is unknown leave it one, or where they
    alone bound it and the objective presses it to an end. What else is unknown stays nan. Whether
    the values are a solution is for the caller to test.
    """
    values = np.full(model.column_count, np.nan)
    values[: len(known)] = known
    while np.isnan(values).any():
        low, high, alone = _left(model, values)
        implied = np.isnan(values) & (high - low <= COMPLETE)
        values[implied] = (low[implied] + high[implied]) / 2
        cost = model.objective.sign * model.costs
        end = np.where(cost > 0, low, high)
        pressed = np.isnan(values) & alone & (cost != 0) & np.isfinite(end)
        values[pressed] = end[pressed]
        whole = (implied | pressed) & model.integer
        values[whole] = np.round(values[whole])
        if not (implied | pressed).any():
            break
    return values


def _left(model: Model, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bounds of each column by its own and by rows where it alone is unknown, float64 (columns,),
    and whether it is in no other rows, bool (columns,)."""
    low, high = model.lower.copy(), model.upper.copy()
    unknown, alone = np.isnan(values), np.ones(len(values), bool)
    numbers = np.where(unknown, 0.0, values)
    for implication in model.implications:
        alone[implication.body.matrix.indices] = False
    for block in model.rows:
        matrix = block.matrix
        if block.quadratic.count or block.slots is not None:
            alone[matrix.indices] = False
            alone[block.quadratic.first] = alone[block.quadratic.second] = False
            continue
        open_entry = unknown[matrix.indices] & (matrix.data != 0)
        if not open_entry.any():
            continue
        body = np.bincount(
            matrix.row_of, matrix.data * numbers[matrix.indices], minlength=block.length
        )
        single = np.bincount(matrix.row_of, open_entry, minlength=block.length) == 1
        alone[matrix.indices[open_entry & ~single[matrix.row_of]]] = False
        at = np.flatnonzero(open_entry & single[matrix.row_of])
        row, column, factor = matrix.row_of[at], matrix.indices[at], matrix.data[at]
        first = (block.lower[row] - body[row]) / factor
        second = (block.upper[row] - body[row]) / factor
        np.maximum.at(low, column, np.where(factor > 0, first, second))
        np.minimum.at(high, column, np.where(factor > 0, second, first))
    return low, high, alone


def holds(model: Model, values: np.ndarray) -> bool:
    """Whether the values are a solution."""
    if (model.integer & (values != np.round(values))).any():
        return False
    if not violation(model, values) <= COMPLETE:
        return False
    slots = slot_values(model.tape, values) if model.tape.steps else None
    for block in model.implications:
        off, _ = row_distance(block.body, values, slots)
        if (guard_holds(block, values) & (off > COMPLETE)).any():
            return False
    return True


def _is_settled(instance: Instance, tree: Candidate) -> bool:
    """Whether each split is one of features, which `coef` settles, or one by a set of categories
    that the formulation's variables settle."""
    inputs = Inputs.of(instance)
    asks = tree.weights[:, inputs.features :].any(axis=1)
    if not asks.any():
        return True
    return TreeMap.of(instance).categories is not None and all(
        inputs.is_set(tree.weights[node], float(tree.threshold[node]))
        for node in np.flatnonzero(asks)
    )


def _by_chance(instance: Instance) -> bool:
    """Whether splits are probabilities, which no tree of hyperplanes says."""
    route = instance.spec.route
    return route is None or route.probability is not None


def _is_best(instance: Instance, stated: Model, tree: Candidate) -> bool:
    """Whether everything in the objective is settled by the tree's routing and labels."""
    objective = stated.objective
    if tree.answers is not None:
        return False
    if objective.quadratic.count or objective.slots is not None:
        return False
    return not np.isnan(propagated(instance, stated, tree)[np.flatnonzero(stated.costs)]).any()


def ends_of(tree: Candidate, x: np.ndarray) -> tuple[np.ndarray, dict[int, int]]:
    """The node that each point of x (M, p) ends in, int64 (M,), and these nodes' classes.

    A branch without a split, and with one class below, is such a node. Values have numbers in their
    order in place of classes.
    """
    topology, labels = tree.topology, tree.labels
    if labels.dtype.kind == "f":
        labels = tree.numbered_answers
    one_class = np.full(topology.size, -1)
    one_class[topology.leaves] = labels
    for node in topology.branches[::-1]:  # children come after their parents
        left, right = one_class[[topology.left[node], topology.right[node]]]
        if left == right and not tree.weights[node].any():
            one_class[node] = left
    top = np.arange(topology.size)
    for node in range(1, topology.size):
        above = topology.parent[node]
        top[node] = top[above] if one_class[above] >= 0 else node
    tops = np.unique(top[topology.leaves])
    return top[tree.ends(x)], dict(zip(tops.tolist(), one_class[tops].tolist(), strict=True))


# ------------------------------------------------------------------------ as a solve asks for it

LEAST = 1.0  # seconds that it may take of a short limit


def tree_start(
    kind: str, problem: Problem, forms: Iterable[Candidate], as_given: bool = False
) -> WarmStart:
    """The start that a tree is, or why it is none; `forms` and `as_given` as for `from_tree`.

    kind: one of STARTS, or whose the tree is in words. The solver is not called where handing over
    the model would take the time that is left.
    """
    instance, model, limits = problem.instance, problem.model, problem.limits
    began = time.perf_counter()

    def rest() -> Limits:
        return remaining(limits, time.perf_counter() - began)

    def solve(fixed: Model) -> Answer:
        left = rest().time
        if not (has_time_for(fixed, left) and has_room_for(fixed)):
            return unsolved("", "time_limit", time.perf_counter() - began)
        try:
            return problem.solve(fixed, left)
        except TreemipError as error:
            if any(d.code != "E601" for d in error.diagnostics):
                raise
            return unsolved("", "no_solution", time.perf_counter() - began)  # not for this solver

    until = inf if limits.time is None else began + (limits.time or LEAST)  # 0 calls no solver

    def late() -> bool:
        return time.perf_counter() > until

    begun = from_tree(instance, problem.stated, model, forms, solve, as_given, late)
    if begun.broken:
        return infeasible(kind, begun.broken, model)
    answer = begun.answer
    if answer is not None and answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=begun.values, bound=None, gap=None))
    if begun.values is not None:
        return WarmStart(begun.values)
    if answer is not None and answer.status == "infeasible" and begun.fixed is not None:
        return infeasible(kind, failing_rows(instance, begun.fixed, rest()), model)
    status = "time_limit" if answer is None else answer.status
    return WarmStart(notes=(not_completed(kind, status, limits, begun.off),))
