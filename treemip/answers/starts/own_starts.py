"""Starts that a user gives: trees and values, the best feasible one taken.

A tree is completed to a solution as CART's is. If its hyperplanes have another scale than the
formulation's, they are tried with weights of 1-norm 1, and in the widest gap between the points
that they part."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from treemip.answers.search.candidate import Candidate
from treemip.answers.search.gaps import in_widest_gaps
from treemip.answers.starts.concepts import NoStart
from treemip.answers.starts.from_tree import holds, tree_start
from treemip.answers.starts.given_trees import is_oblique, placed_in
from treemip.answers.starts.problem import OwnStart, OwnStarts, Problem, WarmStart, remaining
from treemip.answers.starts.start_notes import (
    WITHOUT,
    not_completed,
    refused,
    remark,
    whose,
    without_start,
)
from treemip.core.model.answer import Limits, OnProgress, Progress, relative_gap
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value
from treemip.core.solving.interrupt import is_kept
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.strategy.incumbent import unsolved, with_start
from treemip.core.strategy.solvers import is_usage, reason

GAP_SECONDS = 10.0
"""For the widest gap of one hyperplane."""

Named = Callable[[str, Limits], WarmStart]


def best_start(
    own: OwnStarts,
    problem: Problem,
    named: Named,
    on_progress: OnProgress | None = None,
) -> WarmStart:
    """The best of the starts, with the warnings of those that are none.

    named: the start of one of STARTS within limits. What fails in one start leaves the others; a
    signal in a `stoppable` block ends the solve with the best so far. Raises E902 for a named start
    that the formulation cannot have, and KeyboardInterrupt at a signal elsewhere, or before there
    is a start.
    """
    began, best, chosen = time.perf_counter(), BestStart(problem.model), None
    for number, start in enumerate(own.starts):
        left = remaining(problem.limits, time.perf_counter() - began)
        if left.time is not None:
            left = replace(left, time=left.time / (len(own.starts) - number))
        try:
            one = _begun(start, problem.within(left), named)
        except KeyboardInterrupt as error:
            if best.start.values is None or not is_kept(error):
                raise
            seconds = time.perf_counter() - began
            one = WarmStart(stopped=unsolved("start", "interrupted", seconds))
        except Exception as error:
            if is_usage(error):
                raise
            one = WarmStart(notes=(_failed(start.who, error),))
        chosen = start if best.add(one) else chosen
        if best.start.stopped is not None:
            break
        if on_progress is not None and best.worth is not None:
            seconds, bound = time.perf_counter() - began, best.start.bound
            gap = relative_gap(best.worth, bound)
            on_progress(Progress(seconds, best.worth, bound, gap, 0, "start"))
    result = best.result()
    if chosen is None or chosen.kind is not None:
        return result
    which = f", the best of {len(own.starts)} starts," if len(own.starts) > 1 else ""
    message = f"{chosen.who}{which} has the objective {best.worth:.9g}"
    return replace(result, notes=(*result.notes, remark(message)))


class BestStart:
    """`start`: the best one so far, with the notes, refuted cuts and seconds of all starts, and
    the tightest bound."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sign = model.objective.sign
        self.start = WarmStart()

    @property
    def worth(self) -> float | None:
        """The objective of the best start."""
        return self._worth(self.start)

    def add(self, one: WarmStart) -> bool:
        """Whether it is better than all before it. One that was stopped ends the starts: what
        stopped it is kept, with the best start as its solution where that is better."""
        worth, before = self._worth(one), self.worth
        better = worth is not None and (before is None or self.sign * worth < self.sign * before)
        so_far = self.start
        solution = one if better else so_far
        if solution.values is None and so_far.stated is None:
            solution = one  # what is a solution of the stated model alone
        seconds = dict(so_far.seconds)
        for stage, took in one.seconds.items():
            seconds[stage] = seconds.get(stage, 0.0) + took
        new = tuple(name for name in one.refuted if name not in so_far.refuted)
        self.start = replace(
            solution,
            notes=(*so_far.notes, *one.notes),
            stopped=one.stopped,
            bound=self._tightest(so_far.bound, one.bound),
            refuted=(*so_far.refuted, *new),
            seconds=seconds,
        )
        if one.stopped is not None and one.stopped.status == "interrupted":
            stopped = with_start(self.model, one.stopped, self.start.values)
            self.start = replace(self.start, stopped=stopped)
        return better

    def result(self) -> WarmStart:
        """The best start; no note then says that there is none."""
        if self.start.values is None:
            return self.start
        notes = (replace(n, message=n.message.removesuffix(WITHOUT)) for n in self.start.notes)
        return replace(self.start, notes=tuple(notes))

    def _worth(self, one: WarmStart) -> float | None:
        return None if one.values is None else objective_value(self.model, one.values)

    def _tightest(self, *bounds: float | None) -> float | None:
        known = [self.sign * bound for bound in bounds if bound is not None]
        return self.sign * max(known) if known else None


def _begun(start: OwnStart, problem: Problem, named: Named) -> WarmStart:
    """One start: named, from its values, or from its tree."""
    if start.kind is not None:
        try:
            return named(start.kind, problem.limits)
        except NoStart as error:
            if start.usual:
                return WarmStart()
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
    instance, topology = problem.instance, problem.instance.nodes
    assert start.tree is not None
    univariate, x = instance.spec.split == "univariate", instance.table.inputs
    tree = placed_in(topology, start.tree, x, univariate)
    if tree is None:
        return WarmStart(notes=(_no_room(start.who, int(topology.depth.max())),))
    begun = tree_start(start.who, problem, _forms(tree, x, univariate), as_given=True)
    if univariate and is_oblique(tree, instance):
        return replace(begun, notes=tuple(_for_oblique_splits(note) for note in begun.notes))
    return begun


def _for_oblique_splits(note: Diagnostic) -> Diagnostic:
    """The message that a tree is no start, with the reason of an oblique tree."""
    head = note.message.removesuffix(WITHOUT)
    link = ", since" if ": " in head else ":"
    reason = "it has oblique splits, and those of the spec are univariate"
    return replace(note, message=f"{head}{link} {reason}{WITHOUT}")


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
    yield in_widest_gaps(scaled, x, GAP_SECONDS)


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
    fixed = model.with_fixed(known, x)
    if problem.limits.time == 0:
        return WarmStart(notes=(not_completed(who, "time_limit", problem.limits),))
    answer = problem.complete(fixed)
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
    return without_start(f"{whose(who)} could not be completed to a solution ({reason(error)})")
