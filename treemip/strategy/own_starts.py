"""Starts of one's own: trees and values that a user gives, the best feasible one taken.

A tree is completed to a solution as CART's is. Where its hyperplanes stand in another scale than
the formulation's, they are tried with weights of 1-norm 1, and in the widest gap between the points
that they part.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.model.answer import Answer, Limits, OnProgress, Progress, relative_gap
from treemip.model.model import Model
from treemip.model.values import objective_value
from treemip.search.candidate import Candidate
from treemip.search.widest_gap import widest_gap
from treemip.source.diagnostic import Diagnostic, Severity
from treemip.strategy.concepts import NoStart
from treemip.strategy.from_tree import holds
from treemip.strategy.given_trees import placed_in
from treemip.strategy.incumbent import unsolved, with_start
from treemip.strategy.local_svm import Solve
from treemip.strategy.lost_solver import is_usage, reason
from treemip.strategy.node_model import fixed_columns
from treemip.strategy.warm_start import (
    WHO,
    WITHOUT,
    OwnStart,
    OwnStarts,
    WarmStart,
    not_completed,
    refused,
    remaining,
    tree_start,
)

GAP_SECONDS = 10.0
"""For the widest gap of one hyperplane."""

Named = Callable[[str, Limits], WarmStart]


@dataclass(frozen=True)
class Problem:
    """What starts are for: the stated model, the reformed one, and what completes a start."""

    instance: Instance
    stated: Model | None
    model: Model
    limits: Limits
    solve: Solve


def best_start(
    own: OwnStarts,
    problem: Problem,
    within: Callable[[Limits], Problem],
    named: Named,
    on_progress: OnProgress | None = None,
) -> WarmStart:
    """The best of the starts, with the warnings of those that are none.

    within: the same problem within other limits. named: the start of one of STARTS. What fails in
    one start leaves the others; a signal ends the solve with the best so far. Raises E902 for a
    named start that the formulation cannot have, and KeyboardInterrupt at a signal before there is
    a start.
    """
    began, found = time.perf_counter(), Best(problem.model, len(own.starts))
    for number, start in enumerate(own.starts):
        left = remaining(problem.limits, time.perf_counter() - began)
        if left.time is not None:
            left = replace(left, time=left.time / (len(own.starts) - number))
        try:
            one = _begun(start, within(left), named)
        except KeyboardInterrupt:
            if found.values is None:
                raise
            seconds = time.perf_counter() - began
            one = WarmStart(stopped=unsolved("start", "interrupted", seconds))
        except Exception as error:
            if is_usage(error):
                raise
            one = WarmStart(notes=(_failed(start.who, error),))
        found.add(start, one)
        if found.stopped is not None:
            break
        if on_progress is not None and found.values is not None:
            seconds = time.perf_counter() - began
            gap = relative_gap(found.worth, found.bound)
            on_progress(Progress(seconds, found.worth, found.bound, gap, 0, "start"))
    return found.result()


class Best:
    """The best start so far, and what is known beside it."""

    def __init__(self, model: Model, count: int) -> None:
        self.model, self.count = model, count
        self.sign = 1.0 if model.objective.sense == "maximize" else -1.0
        self.values: np.ndarray | None = None
        self.start: OwnStart | None = None
        self.by = ""
        self.bound: float | None = None
        self.notes: list[Diagnostic] = []
        self.refuted: tuple[str, ...] = ()
        self.stopped: Answer | None = None

    @property
    def worth(self) -> float | None:
        return None if self.values is None else objective_value(self.model, self.values)

    def add(self, start: OwnStart, one: WarmStart) -> None:
        self.notes += one.notes
        self.refuted += tuple(name for name in one.refuted if name not in self.refuted)
        if one.bound is not None:
            better = self.bound is None or self.sign * one.bound < self.sign * self.bound
            self.bound = one.bound if better else self.bound
        if one.stopped is not None:
            self.stopped = one.stopped
        worth = None if one.values is None else objective_value(self.model, one.values)
        if worth is not None and (self.worth is None or self.sign * worth > self.sign * self.worth):
            self.values, self.start, self.by = one.values, start, one.by

    def result(self) -> WarmStart:
        notes = tuple(self.notes)
        stopped = self.stopped
        if stopped is not None and stopped.status == "interrupted":
            stopped = with_start(self.model, stopped, self.values)
        if self.values is None or self.start is None:
            return WarmStart(None, notes, stopped, self.bound, self.by, self.refuted)
        notes = tuple(replace(n, message=n.message.removesuffix(WITHOUT)) for n in notes)
        if self.start.kind is None:
            which = f", the best of {self.count} starts," if self.count > 1 else ""
            message = f"{self.start.who}{which} has the objective {self.worth:.9g}"
            notes += (Diagnostic("W601", message, None, severity=Severity.NOTE),)
        return WarmStart(self.values, notes, stopped, self.bound, self.by, self.refuted)


def _begun(start: OwnStart, problem: Problem, named: Named) -> WarmStart:
    """One start: named, from its values, or from its tree."""
    if start.kind is not None:
        try:
            return named(start.kind, problem.limits)
        except NoStart as error:
            raise refused(start.kind, error) from None
    first: WarmStart | None = None
    for values in start.values:
        one = values_start(start.who, problem, values)
        if one.values is not None or one.stopped is not None:
            return one
        first = first or one
    return first if start.tree is None and first is not None else _of_tree(start, problem)


def _of_tree(start: OwnStart, problem: Problem) -> WarmStart:
    """The start that the tree is in the spec's topology."""
    instance, topology = problem.instance, problem.instance.topology
    assert topology is not None and start.tree is not None
    univariate, x = instance.spec.split == "univariate", instance.table.inputs
    tree = placed_in(topology, start.tree, x, univariate)
    if tree is None:
        return WarmStart(notes=(_no_room(start.who, int(topology.depth.max())),))
    models = instance, problem.stated, problem.model
    forms = _forms(tree, x, univariate)
    return tree_start(start.who, models, forms, problem.limits, problem.solve, as_given=True)


def _forms(tree: Candidate, x: np.ndarray, univariate: bool) -> Iterator[Candidate]:
    """The tree as it is given, in the scale of the 1-norm, and in the widest gaps."""
    yield tree
    if univariate:
        return
    scaled = tree.copy()
    size = np.abs(tree.weights).sum(axis=1)
    used = size > 0
    scaled.weights[used] /= size[used, None]
    scaled.threshold[used] /= size[used]
    yield scaled
    yield _widened(scaled, x)


def _widened(tree: Candidate, x: np.ndarray) -> Candidate:
    """Each hyperplane in the widest gap between the points x (M, p) that it parts."""
    tree, rows = tree.copy(), {0: np.arange(len(x))}
    for node in tree.topology.branches.tolist():
        here = rows[node]
        left = tree.goes_left(node, x[here])
        rows[int(tree.topology.left[node])] = here[left]
        rows[int(tree.topology.right[node])] = here[~left]
        used = np.flatnonzero(tree.weights[node])
        if not len(used) or left.all() or not left.any():
            continue
        inside = x[here][:, used]
        gap = widest_gap(inside[left], inside[~left], tree.weights[node, used], GAP_SECONDS)
        if gap is not None:
            tree.weights[node, used], low, width = gap
            tree.threshold[node] = low + width / 2
    return tree


def values_start(who: str, problem: Problem, values: np.ndarray) -> WarmStart:
    """The start that values of the model's first columns are, float64, nan where unknown.

    What is unknown is left to the solver, with the integers that are known fixed.
    """
    model = problem.model
    x = np.full(model.column_count, np.nan)
    x[: len(values)] = values
    if not np.isnan(x).any() and holds(model, x):
        return WarmStart(x)
    known = ~np.isnan(x)
    x[known & model.integer] = np.round(x[known & model.integer])
    if (known & model.integer).any():
        known &= model.integer
    fixed = replace(model, variables=fixed_columns(model.variables, known, x))
    if problem.limits.time == 0:
        return WarmStart(notes=(not_completed(who, "time_limit", problem.limits),))
    answer = problem.solve(fixed)
    if answer.values is None and answer.status != "interrupted":
        return WarmStart(notes=(not_completed(who, answer.status, problem.limits),))
    if answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, bound=None, gap=None))
    return WarmStart(answer.values)


def _no_room(who: str, depth: int) -> Diagnostic:
    message = f"{who} has splits below depth {depth}, where the spec's tree ends{WITHOUT}"
    remedy = "take a topology with more levels, or a tree with fewer"
    return Diagnostic("W601", message, None, remedy, severity=Severity.WARNING)


def _failed(who: str, error: Exception) -> Diagnostic:
    """W601 for a start that failed for a reason of its own."""
    what = f"{WHO.get(who, who)} was not completed to a solution ({reason(error)}){WITHOUT}"
    return Diagnostic("W601", what, None, severity=Severity.WARNING)
