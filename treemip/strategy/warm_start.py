"""A warm start: a feasible solution to begin with."""

from __future__ import annotations

import time
from dataclasses import field, replace
from math import inf, isfinite
from typing import TYPE_CHECKING, cast

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.model.answer import Answer, Limits, OnProgress, Progress, Status
from treemip.model.fixing import fixed_columns
from treemip.model.model import Model
from treemip.model.tape_values import objective_value
from treemip.resolve.strategy_settings import NO_START, STARTS
from treemip.solving.interrupt import begin_search
from treemip.solving.solve import is_available
from treemip.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.source.suggest import listed
from treemip.strategy.concepts import NoStart
from treemip.strategy.failing import SHOWN, in_words
from treemip.strategy.from_tree import holds
from treemip.strategy.handover import has_time_for
from treemip.strategy.implied import with_implied
from treemip.strategy.incumbent import unsolved, with_start
from treemip.strategy.local_svm import Solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from treemip.search.candidate import Candidate
    from treemip.search.canonical import Split
    from treemip.search.start import Searched

SHARE = 0.25  # of the time limit, at most, for a start
SEARCH_SHARE = 0.5  # of a short time limit for a search, up to its SECONDS
ENGINE_SHARE = 0.75  # of a time limit for an exact engine, which proves what solvers seldom do
ENGINE_SECONDS = 120.0  # of an engine without a time limit
LEAST = 1.0  # seconds that it may take in any case, as far as the limit goes

WITHOUT = "; solving without a start"
"""How the message ends where there is no other start."""

WHO = {
    "cart": "CART's routing",
    "local_svm": "the Local SVM heuristic's routing",
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

    stated: the model before its reformulation, with which CART's tree may need no solver. A solver
    outside this process leaves that to one in memory, where there is one. asked: how
    to search. A start that
    is not feasible is a warning, W601. Raises E902 for another kind, NoStart where the formulation
    does not have what the start needs, and what the solver raises.
    """
    from treemip.strategy.cart import cart
    from treemip.strategy.failing import failing_rows
    from treemip.strategy.from_tree import of_cart
    from treemip.strategy.local_svm import local_svm, within
    from treemip.strategy.solvers import solve_with

    if not require_start(kind):
        return WarmStart()
    assert kind is not None
    own, tried, began = in_memory(solver), model, time.perf_counter()

    def solve(one: Model, seconds: float | None) -> Answer:
        nonlocal tried
        tried = one
        # Of convex quadratic programs without integers, HiGHS 1.15 solved 4 of 6 of the paper's.
        products = own == "auto" and bool(one.objective.quadratic.count)
        name = "scip" if products else own
        return solve_with(one, name, replace(limits, time=seconds, log=False))

    if isinstance(kind, OwnStarts):
        from treemip.strategy.own_starts import Problem, best_start

        def problem(left: Limits) -> Problem:
            return Problem(instance, stated, model, left, within(left.time, solve))

        def named(name: str, left: Limits) -> WarmStart:
            return warm_start(name, instance, model, solver, left, stated, asked)

        return best_start(kind, problem(limits), problem, named, asked.on_progress)
    timed = within(limits.time, solve)
    if kind == "search":
        return _searched(instance, stated or model, model, limits, solve, asked)
    if asked.first:
        engine = _engine_first(instance, stated or model, model, limits, solve, asked)
        if engine is not None and (engine[1] or engine[0].stopped is not None):
            return engine[0]
        other = warm_start(
            kind, instance, model, solver, limits, stated, replace(asked, first=False)
        )
        return other if engine is None else _better(model, engine[0], other)
    if kind == "cart":
        tree = of_cart(instance, cart(instance))
        return tree_start(kind, (instance, stated, model), [tree], limits, timed)
    answer = local_svm(instance, model, timed)
    values = None if answer.values is None else answer.values[: model.column_count]
    if answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=values, bound=None, gap=None))
    if values is None:
        rest = remaining(limits, time.perf_counter() - began)
        if answer.status == "infeasible":
            rows = failing_rows(instance, tried, rest)
            return _infeasible(kind, rows, model)
        return WarmStart(notes=(not_completed(kind, answer.status, limits),))
    return WarmStart(values, _worth(kind, model, values))


def tree_start(
    kind: str,
    problem: tuple[Instance, Model | None, Model],
    forms: Iterable[Candidate],
    limits: Limits,
    solve: Solve,
    as_given: bool = False,
) -> WarmStart:
    """The start that a tree is, or why it is none; `problem`, `forms` and `as_given` as for
    `from_tree`.

    kind: one of WHO, or whose the tree is in words. Without time the solver is not called.
    """
    from treemip.strategy.failing import failing_rows
    from treemip.strategy.from_tree import from_tree

    instance, _, model = problem
    began = time.perf_counter()
    begun = from_tree(*problem, forms, None if limits.time == 0 else solve, as_given)
    if begun.broken:
        return _infeasible(kind, begun.broken, model)
    answer = begun.answer
    if answer is not None and answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=begun.values, bound=None, gap=None))
    if begun.values is not None:
        return WarmStart(begun.values)
    if answer is not None and answer.status == "infeasible" and begun.fixed is not None:
        rest = remaining(limits, time.perf_counter() - began)
        return _infeasible(kind, failing_rows(instance, begun.fixed, rest), model)
    status = "time_limit" if answer is None else answer.status
    return WarmStart(notes=(not_completed(kind, status, limits),))


def _searched(
    instance: Instance,
    stated: Model,
    model: Model,
    limits: Limits,
    solve: Callable[[Model, float | None], Answer],
    asked: Asked,
) -> WarmStart:
    """The best tree there is, where an exact engine takes the spec, else that of a search."""
    from treemip.search.start import NoSums, refusal

    why = refusal(instance)
    if why:
        raise NoStart(Diagnostic.outside("E205", why, "leave it out, or try --start cart"))
    began = time.perf_counter()
    begin_search()
    try:
        best = _best_of(instance, stated, model, limits, asked)
    except NoSums as error:
        message = f"the spec cannot be searched: {error}"
        raise NoStart(Diagnostic.outside("E205", message, "leave it out")) from None
    return _begun(best, (stated, model), limits, asked, (solve, began))


def _engine_first(
    instance: Instance,
    stated: Model,
    model: Model,
    limits: Limits,
    solve: Callable[[Model, float | None], Answer],
    asked: Asked,
) -> tuple[WarmStart, bool] | None:
    """What an exact engine finds, and whether it is proven; None where there is none."""
    from treemip.search.sum_builder import NoSums
    from treemip.strategy import exact

    began = time.perf_counter()
    begin_search()
    try:
        found = exact.exact(instance, stated, asked.engine_seconds, asked.on_progress)
    except NoSums:
        return None
    if found is None:
        return None
    best = Best("engine", found, {"engine": time.perf_counter() - began})
    return _begun(best, (stated, model), limits, asked, (solve, began)), found.proven


def _better(model: Model, engine: WarmStart, other: WarmStart) -> WarmStart:
    """The start that is worth more, with the engine's bound."""
    sign = -1.0 if model.objective.sense == "maximize" else 1.0
    first, second = (
        np.inf if start.values is None else sign * objective_value(model, start.values)
        for start in (engine, other)
    )
    if first <= second and np.isfinite(first):
        return replace(engine, notes=other.notes, refuted=other.refuted)
    return replace(other, bound=engine.bound, seconds=engine.seconds)


def _begun(
    best: Best,
    models: tuple[Model, Model],
    limits: Limits,
    asked: Asked,
    timed: tuple[Callable[[Model, float | None], Answer], float],
) -> WarmStart:
    """What was found as a start, by a solver where variables are unknown.

    models: as stated, and reformulated. timed: a solve, and when the search for the start began.
    """
    (stated, model), (solve, began), found = models, timed, best.found
    if found.infeasible:
        stopped = unsolved("engine", "infeasible", found.seconds)
        return WarmStart(stopped=stopped, seconds=best.seconds)
    bound = found.bound if isfinite(found.bound) else None
    begun = WarmStart(bound=bound, seconds=best.seconds, notes=best.notes)
    if found.values is None:
        if found.stopped:
            return replace(begun, stopped=unsolved("search", "interrupted", found.seconds))
        return replace(begun, notes=(_nothing_found(found), *best.notes))
    values = with_implied(model, found.values)
    if not model.special_sets and not np.isnan(values).any() and holds(model, values):
        if found.stopped:
            answer = unsolved("search", "interrupted", found.seconds)
            return replace(begun, stopped=with_start(model, answer, values))
        return replace(begun, values=values, by=best.by, points=found.points)
    if len(found.values) == stated.column_count and not np.isnan(found.values).any():
        begun = replace(begun, stated=found.values, by=best.by)
    known = ~np.isnan(values) & model.integer
    fixed = replace(model, variables=fixed_columns(model.variables, known, values))
    rest = _least(limits.time, None if asked.whole is None else asked.left(began))
    if not has_time_for(model, rest):
        return replace(begun, notes=(_not_handed("time limit", begun, limits),))
    answer = solve(fixed, rest)
    if answer.status == "interrupted":
        return replace(begun, stopped=answer)
    if answer.values is None:
        return replace(begun, notes=(_not_handed(answer.status, begun, limits),))
    return replace(begun, values=answer.values, by=best.by)


def _not_handed(status: str, begun: WarmStart, limits: Limits) -> Diagnostic:
    """W601 for the tree of a search that the solver cannot begin with."""
    if begun.stated is None:
        return not_completed("search", cast("Status", status.replace(" ", "_")), limits)
    why = status.replace("_", " ")
    message = (
        f"the best tree of the search was not completed to a start of the solver ({why}); "
        "it remains the answer unless the solver finds a solution"
    )
    return Diagnostic("W601", message, None, severity=Severity.WARNING)


@dataclass(frozen=True)
class Best:
    """Who found the best tree, "engine" or "search"; the tree; the seconds of each; what would have
    helped."""

    by: str
    found: Searched
    seconds: dict[str, float]
    hint: str = ""

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        if not self.hint or self.found.values is None:
            return ()
        return (Diagnostic("W601", self.hint, None, severity=Severity.NOTE),)


def _least(*seconds: float | None) -> float | None:
    """The least of the limits that there are."""
    return min((s for s in seconds if s is not None), default=None)


def _best_of(instance: Instance, stated: Model, model: Model, limits: Limits, asked: Asked) -> Best:
    """The best tree there is: what an engine proves needs no search; what a search finds, the
    engine for oblique trees may prove. Raises NoSums."""
    from treemip.search.start import search
    from treemip.strategy import exact

    seconds: dict[str, float] = {}
    start = began = time.perf_counter()
    engine = problem = None
    if asked.engine:
        engine = exact.exact(instance, stated, asked.engine_seconds, asked.on_progress)
        problem = exact.oblique(instance, stated)
    if engine is not None:
        seconds["engine"] = time.perf_counter() - began
        if engine.proven:
            return Best("engine", engine, seconds)
    began = time.perf_counter()
    left = None if asked.whole is None else asked.left(start)
    provable = problem is not None and not exact.lacking() and len(problem.x) <= exact.PROVABLE
    short = exact.SEARCH if provable else None
    rest = _least(limits.time, left, asked.seconds, short)
    patient, tell = asked.seconds is not None, asked.on_progress
    found = search(instance, stated, model, rest, limits.seed, patient, tell)
    if (
        provable and found.values is None and not found.stopped
    ):  # a proof needs a tree to begin with
        rest = _least(
            limits.time, asked.seconds, None if asked.whole is None else asked.left(start)
        )
        found = search(instance, stated, model, rest, (limits.seed or 0) + 1, patient, tell)
    seconds["search"] = time.perf_counter() - began
    if problem is not None and not found.stopped:
        if exact.lacking():
            return Best("search", found, seconds, exact.HINT)
        began = time.perf_counter()
        if tell is not None:
            tell(Progress(0.0, None, None, None, 0, "engine"))
        rest = min(asked.engine_seconds, asked.left(start))
        found, by = exact.raised(instance, stated, problem, found, rest, limits.seed)
        seconds["engine"] = time.perf_counter() - began
        return Best(by, found, seconds)
    if engine is None:
        return Best("search", found, seconds)
    sign = 1.0 if stated.objective.sense == "minimize" else -1.0
    bound = sign * max(sign * engine.bound, sign * found.bound)
    better = found.values is None or sign * engine.objective <= sign * found.objective
    if engine.values is not None and better:
        return Best("engine", replace(engine, bound=bound), seconds)
    return Best("search", replace(found, bound=bound), seconds)


def _nothing_found(found: Searched) -> Diagnostic:
    """W601 for a search without a feasible tree, with the families that failed most."""
    worst = dict(sorted(found.failed.items(), key=lambda pair: -pair[1]))
    breaks = ", ".join(f"'{name}' {count}" for name, count in list(worst.items())[:SHOWN])
    what = f"none of {found.starts} trees that were tried is feasible"
    return _without(f"{what} (rows that they break: {breaks})" if breaks else what)


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
    least = min(SEARCH_SHARE * limits.time, SECONDS) if kind == "search" else LEAST
    return replace(limits, time=max(SHARE * limits.time, min(least, limits.time)))


def remaining(limits: Limits, seconds: float) -> Limits:
    """The limits after `seconds` of their time."""
    return limits if limits.time is None else replace(limits, time=max(0.0, limits.time - seconds))


def refused(kind: Start, error: NoStart) -> TreemipError:
    """E902 for a start that the caller asks for and the formulation cannot have."""
    (why,) = error.diagnostics
    message = f"the start '{kind}' cannot be had: {why.message}"
    return TreemipError(Diagnostic.outside("E902", message, why.remedy))


def set_aside(kind: Start, error: NoStart) -> Diagnostic:
    """W601 for a start that the spec asks for and the formulation cannot have."""
    (why,) = error.diagnostics
    message = f"the spec's start '{kind}' is left aside: {why.message}"
    return Diagnostic("W601", message, None, severity=Severity.WARNING)


def not_completed(kind: str, status: Status, limits: Limits) -> Diagnostic:
    """W601 for a start that the solver did not complete."""
    why = f"({status.replace('_', ' ')})"
    if status == "time_limit":
        why = f"within {limits.time:.3g} s"
    return _without(f"{WHO.get(kind, kind)} was not completed to a solution {why}")


def _infeasible(kind: str, rows: dict[str, int], model: Model) -> WarmStart:
    """`rows`: how many rows of which family the start breaks, empty where that is not known."""
    breaks = f": it breaks {in_words(rows)}" if rows else ""
    what = f"{WHO.get(kind, kind)} is not feasible for this model{breaks}"
    cuts = {block.name: block.span for block in model.rows if block.cut}
    if not rows or not rows.keys() <= cuts.keys():
        return WarmStart(notes=(_without(what),))
    (name, *_) = rows
    message = f"{what} alone, and a cut may cut off no solution{WITHOUT}"
    remedy = f"check the inequality, or leave '{name}' out of the cuts"
    note = Diagnostic("W601", message, cuts[name], remedy, severity=Severity.WARNING)
    return WarmStart(notes=(note,), refuted=tuple(rows))


def _without(what: str) -> Diagnostic:
    message = f"{what}{WITHOUT}"
    return Diagnostic("W601", message, None, severity=Severity.WARNING)


def _worth(kind: str, model: Model, values: np.ndarray) -> tuple[Diagnostic, ...]:
    """The objective of a start whose paper compares by it."""
    message = f"the {kind} start has the objective {objective_value(model, values):.9g}"
    return (Diagnostic("W601", message, None, severity=Severity.NOTE),)
