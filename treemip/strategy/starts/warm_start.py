"""A warm start: a feasible solution to begin with."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from treemip.instance.instance import Instance
from treemip.model.answer import Answer, Limits, OnProgress, Status
from treemip.model.model import Model
from treemip.model.values import objective_value
from treemip.resolve.settings.strategy import NO_START, STARTS
from treemip.solving.interrupt import asked_to_stop, begin_search
from treemip.solving.solve import is_available
from treemip.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.source.suggest import listed
from treemip.strategy.handover import has_time_for
from treemip.strategy.incumbent import unsolved, with_start
from treemip.strategy.starts.concepts import NoStart
from treemip.strategy.starts.fixed import in_words
from treemip.strategy.starts.local_svm import Solve, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from treemip.search.candidate import Candidate, Split

SHARE = 0.25  # of the time limit, at most, for a start
SHORT_SHARE = 0.5  # of a short time limit, up to LEAST, for a search up to its SECONDS
ENGINE_SHARE = 0.75  # of a time limit for an exact engine, which proves what solvers seldom do
ENGINE_SECONDS = 120.0  # of an engine without a time limit
LEAST = 1.0  # seconds that it may take of a short limit

WITHOUT = "; solving without a start"
"""How the message ends where there is no other start."""

SEARCHED = "; the solve begins with a search"
"""How it ends where a search takes the place of starts of one's own."""

WHO = {
    "cart": "CART's routing",
    "local_svm": "the Local SVM heuristic's routing",
    "svm_tree": "the SVM tree's routing",
    "search": "the best tree of the search",
}


@dataclass(frozen=True)
class WarmStart:
    """`values` (columns,) are feasible, None where there are none; `notes` say why.

    `stopped`: the user ended the solve while the start was completed; this is its answer.
    `bound`: what no tree can be better than, as the start has found out; None where it has not.
    `by`: who found it, where that is not the start of that name.
    `refuted`: cuts that a tree breaks which keeps all other rows, so that they are none.
    `seconds`: of the engine and the search, where they ran.
    `stated` (columns of the stated model,): a complete solution of that, where the solver's model
    has not taken it: it is too narrow for its tolerances, or there was no time to complete it.
    `points` (k, columns): where a local solver may begin beside `values`, nan where unknown.
    """

    values: np.ndarray | None = None
    notes: tuple[Diagnostic, ...] = ()
    stopped: Answer | None = None
    bound: float | None = None
    by: str = ""
    refuted: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    points: np.ndarray | None = None
    stated: np.ndarray | None = None


@dataclass(frozen=True)
class Asked:
    """How a search is made. `engine`: whether an exact engine may answer in the solver's place.
    `whole`: seconds that the solve has, of which an engine may use a share; None without a limit.
    `seconds`: what the user asks for; all of them are used then. `on_progress`: told of the engine
    and the search. `first`: whether the engine comes before a start that is named."""

    engine: bool = True
    whole: float | None = None
    seconds: float | None = None
    on_progress: OnProgress | None = None
    first: bool = False

    @property
    def engine_seconds(self) -> float:
        return ENGINE_SECONDS if self.whole is None else ENGINE_SHARE * self.whole

    def left(self, began: float) -> float:
        """Seconds of the whole limit that are left for a start that began then; infinite without
        a limit."""
        if self.whole is None:
            return inf
        return max(0.0, self.whole - (time.perf_counter() - began))


AS_USUAL = Asked()


def default_start(instance: Instance, limits: Limits) -> str:
    """What a solve begins with where nobody says: a search, if the spec's trees can be searched."""
    from treemip.search.start import refusal

    return NO_START if limits.time == 0 or refusal(instance) else "search"


@dataclass(frozen=True)
class OwnStart:
    """One start: the name of one of STARTS, or what a user gives.

    who: whose it is, for messages. tree: over the spec's inputs. values: float64 (columns,), of the
    stated model or of the reformed one, nan where unknown; tried before the tree.
    """

    who: str
    kind: str | None = None
    tree: Split | int | None = None
    values: tuple[np.ndarray, ...] = ()


class OwnStarts:
    """Starts in the order that a user gives them; see `own_starts`."""

    def __init__(self, starts: tuple[OwnStart, ...]) -> None:
        self.starts = starts

    def __str__(self) -> str:
        return ", ".join(start.kind or start.who for start in self.starts)


Start = str | OwnStarts
"""One of STARTS or "none", or starts of one's own."""


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


@dataclass(frozen=True)
class Problem:
    """What a start is for, and what completes one.

    stated: the model before its reformulation, with which a tree may need no solver; None where
    only the reformulated `model` is known. limits: of the start. solve: a model within seconds,
    None without a limit.
    """

    instance: Instance
    stated: Model | None
    model: Model
    limits: Limits
    solve: Callable[[Model, float | None], Answer]

    @cached_property
    def complete(self) -> Solve:
        """Solves a model within the limits, whose time is counted from the first call on."""
        return within(self.limits.time, self.solve)

    def within(self, limits: Limits) -> Problem:
        """The same within other limits, none of whose time has passed."""
        return replace(self, limits=limits)


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


def _completed_by(solver: str, limits: Limits) -> Callable[[Model, float | None], Answer]:
    """What solves a model within seconds."""
    from treemip.strategy.solvers import solve_with

    def solve(one: Model, seconds: float | None) -> Answer:
        # Of convex quadratic programs without integers, HiGHS 1.15 solved 4 of 6 of the paper's.
        products = solver == "auto" and bool(one.objective.quadratic.count)
        name = "scip" if products else solver
        return solve_with(one, name, replace(limits, time=seconds, log=False))

    return solve


def _start(kind: Start, problem: Problem, asked: Asked) -> WarmStart:
    if isinstance(kind, OwnStarts):
        from treemip.strategy.starts.own_starts import best_start

        def named(name: str, left: Limits) -> WarmStart:
            return _start(name, problem.within(left), asked)

        return best_start(kind, problem, named, asked.on_progress)
    if kind == "search":
        from treemip.strategy.starts.searched_start import SearchedStart

        return SearchedStart(problem, asked).begin()
    if asked.first:
        return _after_engine(kind, problem, asked)
    return BY_NAME[kind](problem)


def _after_engine(kind: str, problem: Problem, asked: Asked) -> WarmStart:
    """What an exact engine proves; else its best tree or the start of that kind, with its bound."""
    from treemip.strategy.starts.own_starts import BestStart
    from treemip.strategy.starts.searched_start import SearchedStart

    engine = SearchedStart(problem, asked).engine_alone()
    if engine is not None and (engine[1] or engine[0].stopped is not None):
        return engine[0]
    other = _start(kind, problem, replace(asked, first=False))
    if engine is None:
        return other
    best = BestStart(problem.model)
    best.add(replace(engine[0], notes=()))
    best.add(other)
    return best.start


def _of_cart(problem: Problem) -> WarmStart:
    from treemip.strategy.starts.cart import cart
    from treemip.strategy.starts.from_tree import of_cart

    instance = problem.instance
    return tree_start("cart", problem, [of_cart(instance, cart(instance))])


def _of_local_svm(problem: Problem) -> WarmStart:
    from treemip.strategy.starts.fixed import failing_rows
    from treemip.strategy.starts.local_svm import local_svm

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
    return _infeasible(kind, failing_rows(problem.instance, tried, rest), model)


def _of_svm_tree(problem: Problem) -> WarmStart:
    """The SVM tree as a start; where a signal ends its growing, what was grown, as the answer."""
    from treemip.search.gaps import in_widest_gaps
    from treemip.strategy.starts.svm_tree import svm_tree

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


def tree_start(
    kind: str, problem: Problem, forms: Iterable[Candidate], as_given: bool = False
) -> WarmStart:
    """The start that a tree is, or why it is none; `forms` and `as_given` as for `from_tree`.

    kind: one of WHO, or whose the tree is in words. The solver is not called where handing over
    the model would take the time that is left.
    """
    from treemip.strategy.starts.fixed import failing_rows
    from treemip.strategy.starts.from_tree import from_tree

    instance, model, limits = problem.instance, problem.model, problem.limits
    began = time.perf_counter()

    def rest() -> Limits:
        return remaining(limits, time.perf_counter() - began)

    def solve(fixed: Model) -> Answer:
        left = rest().time
        if not has_time_for(fixed, left):
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
        return _infeasible(kind, begun.broken, model)
    answer = begun.answer
    if answer is not None and answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=begun.values, bound=None, gap=None))
    if begun.values is not None:
        return WarmStart(begun.values)
    if answer is not None and answer.status == "infeasible" and begun.fixed is not None:
        return _infeasible(kind, failing_rows(instance, begun.fixed, rest()), model)
    status = "time_limit" if answer is None else answer.status
    return WarmStart(notes=(not_completed(kind, status, limits, begun.off),))


def in_memory(solver: str) -> str:
    """The solver that completes a start: "auto" for one outside this process, if it can be had."""
    from treemip.solving.command import runs_as_process

    here = is_available("scip") or is_available("highs")
    return "auto" if runs_as_process(solver) and here else solver


def share(limits: Limits, kind: Start) -> Limits:
    """What a start may use of the limits of a solve."""
    from treemip.search.start import SECONDS

    if limits.time is None:
        return limits
    least = min(SHORT_SHARE * limits.time, SECONDS if kind == "search" else LEAST)
    return replace(limits, time=max(SHARE * limits.time, least))


def remaining(limits: Limits, seconds: float) -> Limits:
    """The limits after `seconds` of their time."""
    return limits if limits.time is None else replace(limits, time=max(0.0, limits.time - seconds))


def refused(kind: Start, error: NoStart) -> TreemipError:
    """E902 for a start that the caller asks for and the formulation cannot have."""
    (why,) = error.diagnostics
    message = f"the start '{kind}' is not available: {why.message}"
    return TreemipError(Diagnostic.outside("E902", message, why.remedy))


def set_aside(kind: Start, error: NoStart) -> Diagnostic:
    """W601 for a start that the spec asks for and the formulation cannot have."""
    (why,) = error.diagnostics
    message = f"the spec's start '{kind}' is ignored: {why.message}"
    return Diagnostic("W601", message, None, severity=Severity.WARNING)


def not_searched(error: NoStart) -> Diagnostic:
    """W601 for the search that a solve begins with where nobody asks for a start."""
    (why,) = error.diagnostics
    return without_start(why.message)


def replaced_by_search(begun: WarmStart) -> WarmStart:
    """A start that is none, whose messages say that a search takes its place."""
    notes = (
        replace(note, message=note.message.removesuffix(WITHOUT) + SEARCHED)
        if note.message.endswith(WITHOUT)
        else note
        for note in begun.notes
    )
    return replace(begun, notes=tuple(notes))


def not_completed(
    kind: str, status: Status, limits: Limits, off: dict[str, int] | None = None
) -> Diagnostic:
    """W601 for a start that the solver did not complete. off: how many rows of which family its
    tree breaks as it stands, which only a solver could have mended."""
    why = f"({status.replace('_', ' ')})"
    if status == "time_limit":
        why = f"within {limits.time:.3g} s"
    breaks = f": with its splits as they are it violates {in_words(off)}" if off else ""
    return without_start(
        f"{WHO.get(kind, kind)} could not be completed to a solution {why}{breaks}"
    )


def _infeasible(kind: str, rows: dict[str, int], model: Model) -> WarmStart:
    """`rows`: how many rows of which family the start breaks, empty where that is not known."""
    breaks = f": it violates {in_words(rows)}" if rows else ""
    what = f"{WHO.get(kind, kind)} is not feasible for this model{breaks}"
    cuts = {block.name: block.span for block in model.rows if block.cut}
    if not rows or not rows.keys() <= cuts.keys():
        return WarmStart(notes=(without_start(what),))
    (name, *_) = rows
    message = f"{what} only, and a cut must not exclude a solution{WITHOUT}"
    remedy = f"check the inequality, or leave '{name}' out of the cuts"
    note = Diagnostic("W601", message, cuts[name], remedy, severity=Severity.WARNING)
    return WarmStart(notes=(note,), refuted=tuple(rows))


def without_start(what: str) -> Diagnostic:
    """W601 for a start that is none, for that reason."""
    message = f"{what}{WITHOUT}"
    return Diagnostic("W601", message, None, severity=Severity.WARNING)


def _worth(kind: str, model: Model, values: np.ndarray) -> tuple[Diagnostic, ...]:
    """The objective of a start whose paper compares by it."""
    message = f"the {kind} start has the objective {objective_value(model, values):.9g}"
    return (Diagnostic("W601", message, None, severity=Severity.NOTE),)
