"""A warm start: a feasible solution to begin with."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.starts.concepts import NoStart
from treemip.answers.starts.from_tree import LEAST, tree_start
from treemip.answers.starts.problem import (
    AS_USUAL,
    Asked,
    OwnStarts,
    Problem,
    Start,
    WarmStart,
    remaining,
)
from treemip.answers.starts.start_notes import infeasible, not_completed
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value
from treemip.core.resolve.settings.strategy import NO_START, STARTS
from treemip.core.solving.interrupt import asked_to_stop, begin_search
from treemip.core.solving.solve import is_available
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.core.source.suggest import listed
from treemip.core.strategy.incumbent import unsolved, with_start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from treemip.answers.search.candidate import Candidate


SHARE = 0.25  # of the time limit, at most, for a start
SHORT_SHARE = 0.5  # of a short time limit, up to LEAST, for a search up to its SECONDS


def default_start(instance: Instance, limits: Limits) -> str:
    """What a solve begins with where nobody says: a search, if the spec's trees can be searched."""
    from treemip.answers.search.start import refusal

    return NO_START if limits.time == 0 or refusal(instance) else "search"


def require_start(kind: Start | None) -> bool:
    """Whether that is a start at all: not None or "none". Raises E902 for an unknown one."""
    if kind is None or kind == NO_START:
        return False
    if isinstance(kind, OwnStarts):
        return True
    if kind not in STARTS:
        known = f"there are {listed([*STARTS, NO_START])}"
        raise TreemipError(Diagnostic.outside("E902", f"unknown start '{kind}'", known))
    return True


def warm_start(
    kind: Start | None,
    instance: Instance,
    model: Model,
    solver: str,
    limits: Limits,
    stated: Model | None = None,
    asked: Asked = AS_USUAL,
) -> WarmStart:
    """The start of that kind, or the best of one's own, completed by the solver within its limits.

    A solver outside this process leaves that to one in memory, where there is one. stated: the
    model before its reformulation, with which CART's tree may need no solver. asked: how to search.

    A start that is not feasible is a warning, W601. Raises E902 for another kind, NoStart where the
    formulation does not have what the start needs, and what the solver raises.
    """
    if not require_start(kind):
        return WarmStart()
    assert kind is not None
    solve = _completed_by(in_memory(solver), limits)
    return _start(kind, Problem(instance, stated, model, limits, solve), asked)


def proven_start(
    instance: Instance, model: Model, limits: Limits, stated: Model, asked: Asked
) -> WarmStart | None:
    """What an exact engine proves, or had found when a signal ended it; None without a proof."""
    from treemip.answers.starts.searched_start import SearchedStart

    problem = Problem(instance, stated, model, limits, _completed_by("auto", limits))
    found = SearchedStart(problem, asked).engine_alone()
    return found[0] if found and (found[1] or found[0].stopped is not None) else None


def _completed_by(solver: str, limits: Limits) -> Callable[[Model, float | None], Answer]:
    """What solves a model within seconds."""
    from treemip.core.strategy.solvers import solve_with

    def solve(one: Model, seconds: float | None) -> Answer:
        # Of convex quadratic programs without integers, HiGHS 1.15 solved 4 of 6 of the paper's.
        products = solver == "auto" and bool(one.objective.quadratic.count)
        name = "scip" if products else solver
        return solve_with(one, name, replace(limits, time=seconds, log=False))

    return solve


def _start(kind: Start, problem: Problem, asked: Asked) -> WarmStart:
    if isinstance(kind, OwnStarts):
        from treemip.answers.starts.own_starts import best_start

        def named(name: str, left: Limits) -> WarmStart:
            return _start(name, problem.within(left), asked)

        return best_start(kind, problem, named, asked.on_progress)
    if kind == "search":
        from treemip.answers.starts.searched_start import SearchedStart

        return SearchedStart(problem, asked).begin()
    if kind != "cart":
        _require_classes(problem.instance)
    if asked.first:
        _require_fit(kind, problem)
        return _after_engine(kind, problem, asked)
    return BY_NAME[kind](problem)


def _require_fit(kind: str, problem: Problem) -> None:
    """Raises NoStart for a start that does not fit the spec, also where an engine answers."""
    if kind == "svm_tree":
        from treemip.answers.starts.svm_tree import require_hyperplanes

        require_hyperplanes(problem.instance)
    elif kind == "local_svm":
        from treemip.answers.starts.local_svm import require_margins

        require_margins(problem.instance, problem.model)


def _require_classes(instance: Instance) -> None:
    """Raises NoStart where leaves have no classes that a start could give them."""
    other = instance.spec.other_answers
    why = f"these predict {other}" if other else ""
    if not why and instance.data is not None:
        why = instance.table.without_classes
    if why:
        message = f"it gives leaves classes, and {why}"
        raise NoStart(Diagnostic.outside("E205", message, "leave it out"))


def _after_engine(kind: str, problem: Problem, asked: Asked) -> WarmStart:
    """What an exact engine proves; else its best tree or the start of that kind, with its bound."""
    from treemip.answers.starts.own_starts import BestStart
    from treemip.answers.starts.searched_start import SearchedStart

    first = SearchedStart(problem, asked)
    engine = first.engine_alone()
    if engine is not None and (engine[1] or engine[0].stopped is not None):
        return engine[0]
    other = _start(kind, problem, replace(asked, first=False))
    if engine is None:
        return replace(other, obstacle=other.obstacle or first.obstacle)
    best = BestStart(problem.model)
    best.add(replace(engine[0], notes=first.withdrawn))
    best.add(other)
    return best.start


def _of_cart(problem: Problem) -> WarmStart:
    from treemip.answers.starts.cart import cart
    from treemip.answers.starts.from_tree import of_cart

    instance = problem.instance
    if instance.spec.other_answers:
        return tree_start("cart", problem, [_greedy(instance)])
    return tree_start("cart", problem, [of_cart(instance, cart(instance))])


def _greedy(instance: Instance) -> Candidate:
    """CART's tree where leaves answer something else than classes. Raises NoStart."""
    from treemip.answers.search.greedy import greedy_tree
    from treemip.answers.search.start import other_answers_refused
    from treemip.answers.search.sums import NoSums

    if instance.topology is None or instance.data is None:
        raise NoStart(Diagnostic.outside("E205", "it needs a tree and data", "leave it out"))
    why = other_answers_refused(instance)
    try:
        if not why:
            return greedy_tree(instance)
    except NoSums as error:
        why = f"no tree can be grown for this spec: {error}"
    raise NoStart(Diagnostic.outside("E205", why, "leave it out"))


def _of_local_svm(problem: Problem) -> WarmStart:
    from treemip.answers.starts.fixed import failing_rows
    from treemip.answers.starts.local_svm import local_svm

    kind, model, limits = "local_svm", problem.model, problem.limits
    tried, began = model, time.perf_counter()

    def solve(one: Model) -> Answer:
        nonlocal tried
        tried = one
        return problem.complete(one)

    answer = local_svm(problem.instance, model, solve)
    values = None if answer.values is None else answer.values[: model.column_count]
    if answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=values, bound=None, gap=None))
    if values is not None:
        return WarmStart(values, _worth(kind, model, values))
    if answer.status != "infeasible":
        return WarmStart(notes=(not_completed(kind, answer.status, limits),))
    rest = remaining(limits, time.perf_counter() - began)
    return infeasible(kind, failing_rows(problem.instance, tried, rest), model)


def _of_svm_tree(problem: Problem) -> WarmStart:
    """The SVM tree as a start; where a signal ends its growing, what was grown, as the answer."""
    from treemip.answers.search.gaps import in_widest_gaps
    from treemip.answers.starts.svm_tree import svm_tree

    instance, limits, began = problem.instance, problem.limits, time.perf_counter()
    begin_search()
    tree = svm_tree(instance, problem.stated, limits.time)
    stopped = asked_to_stop()
    seconds = time.perf_counter() - began
    left = replace(limits, time=0.0) if stopped else remaining(limits, seconds)

    def forms() -> Iterator[Candidate]:
        yield tree
        yield in_widest_gaps(tree, instance.table.inputs, LEAST)

    begun = tree_start("svm_tree", problem.within(left), forms())
    if not stopped:
        return begun
    answer = unsolved("svm_tree", "interrupted", seconds)
    return WarmStart(stopped=with_start(problem.model, answer, begun.values))


BY_NAME = {"cart": _of_cart, "local_svm": _of_local_svm, "svm_tree": _of_svm_tree}
"""Starts that are found once, without an engine."""


def in_memory(solver: str) -> str:
    """The solver that completes a start: "auto" for one outside this process, if it can be had."""
    from treemip.core.solving.command import runs_as_process

    here = is_available("scip") or is_available("highs")
    return "auto" if runs_as_process(solver) and here else solver


def share(limits: Limits, kind: Start) -> Limits:
    """What a start may use of the limits of a solve."""
    from treemip.answers.search.start import SECONDS

    if limits.time is None:
        return limits
    least = min(SHORT_SHARE * limits.time, SECONDS if kind == "search" else LEAST)
    return replace(limits, time=max(SHARE * limits.time, least))


def _worth(kind: str, model: Model, values: np.ndarray) -> tuple[Diagnostic, ...]:
    """The objective of a start whose paper compares by it."""
    message = f"the {kind} start has the objective {objective_value(model, values):.9g}"
    return (Diagnostic("W601", message, None, severity=Severity.NOTE),)
