"""A warm start: a feasible solution to begin with."""

from __future__ import annotations

import time
from dataclasses import field, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from treemip.emit.optional import is_installed
from treemip.emit.solve import PACKAGES
from treemip.emit.watch import begin_search
from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.model.answer import Answer, Limits
from treemip.model.model import Model
from treemip.model.tape_values import objective_value
from treemip.resolve.strategy_settings import NO_START, STARTS
from treemip.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.source.suggest import listed
from treemip.strategy.by_meaning import holds
from treemip.strategy.concepts import NoStart
from treemip.strategy.failing import SHOWN, in_words
from treemip.strategy.incumbent import unsolved, with_start
from treemip.strategy.local_svm import Solve
from treemip.strategy.node_model import fixed_columns

if TYPE_CHECKING:
    from treemip.search.start import Searched

SHARE = 0.25  # of the time limit, at most, for a start
SEARCH_SHARE = 0.5  # of a short time limit for a search, up to its SECONDS
LEAST = 1.0  # seconds that it may take in any case, as far as the limit goes

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
    """

    values: np.ndarray | None = None
    notes: tuple[Diagnostic, ...] = ()
    stopped: Answer | None = None
    bound: float | None = None
    by: str = ""
    refuted: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """How a search is made. `engine`: whether an exact engine may answer in the solver's place.
    `seconds`: what the user asks for; all of them are used then."""

    engine: bool = True
    seconds: float | None = None


AS_USUAL = Asked()


def default_start(instance: Instance, limits: Limits) -> str:
    """What a solve begins with where nobody says: a search, if the spec's trees can be searched."""
    from treemip.search.start import refusal

    return NO_START if limits.time == 0 or refusal(instance) else "search"


def require_start(kind: str | None) -> bool:
    """Whether that is a start at all: not None or "none". Raises E902 for an unknown one."""
    if kind in (None, NO_START):
        return False
    if kind not in STARTS:
        known = f"there are {listed([*STARTS, NO_START])}"
        raise TreemipError(Diagnostic.outside("E902", f"unknown start '{kind}'", known))
    return True


def warm_start(
    kind: str | None,
    instance: Instance,
    model: Model,
    solver: str,
    limits: Limits,
    stated: Model | None = None,
    asked: Asked = AS_USUAL,
) -> WarmStart:
    """The start of that kind, one of STARTS, completed by the solver within its limits.

    stated: the model before its reformulation, with which CART's tree may need no solver. A solver
    outside this process leaves that to one in memory, where there is one. asked: how
    to search. A start that
    is not feasible is a warning, W601. Raises E902 for another kind, NoStart where the formulation
    does not have what the start needs, and what the solver raises.
    """
    from treemip.strategy.by_meaning import broken_rows, completed
    from treemip.strategy.cart import cart, fixed_model
    from treemip.strategy.failing import failing_rows
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

    timed, known = within(limits.time, solve), None
    if kind == "search":
        return _searched(instance, stated or model, model, limits, timed, asked)
    if kind == "cart":
        grown = cart(instance)
        known = None if stated is None else completed(instance, stated, model, grown)
        if known is not None and (known.best or limits.time == 0):
            return WarmStart(known.values)
        broken = {} if stated is None or known else broken_rows(instance, stated, grown)
        if broken:
            return _infeasible(kind, broken, model)
        answer = timed(fixed_model(instance, model, grown))
    else:
        answer = local_svm(instance, model, timed)
    values = None if answer.values is None else answer.values[: model.column_count]
    if known is not None:
        answer = with_start(model, replace(answer, values=values), known.values)
        values = answer.values
    if answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=values, bound=None, gap=None))
    if values is None:
        rest = remaining(limits, time.perf_counter() - began)
        if answer.status == "infeasible":
            rows = failing_rows(instance, tried, rest)
            return _infeasible(kind, rows, model)
        return WarmStart(notes=(_not_completed(kind, answer, limits),))
    return WarmStart(values, _worth(kind, model, values))


def _searched(
    instance: Instance, stated: Model, model: Model, limits: Limits, solve: Solve, asked: Asked
) -> WarmStart:
    """The best tree there is, where an exact engine takes the spec, else that of a search."""
    from treemip.search.start import NoSums, refusal

    why = refusal(instance)
    if why:
        raise NoStart(Diagnostic.outside("E205", why, "leave it out, or try --start cart"))
    begin_search()
    try:
        by, found, seconds = _best_of(instance, stated, limits, asked)
    except NoSums as error:
        message = f"the spec cannot be searched: {error}"
        raise NoStart(Diagnostic.outside("E205", message, "leave it out")) from None
    if found.infeasible:
        stopped = unsolved("engine", "infeasible", found.seconds)
        return WarmStart(stopped=stopped, seconds=seconds)
    bound = found.bound if isfinite(found.bound) else None
    begun = WarmStart(bound=bound, seconds=seconds)
    if found.values is None:
        return replace(begun, notes=(_nothing_found(found),))
    values = np.full(model.column_count, np.nan)
    values[: len(found.values)] = found.values
    if not np.isnan(values).any() and holds(model, values):
        return replace(begun, values=values, by=by)
    known = ~np.isnan(values) & model.integer
    answer = solve(replace(model, variables=fixed_columns(model.variables, known, values)))
    if answer.status == "interrupted":
        return replace(begun, stopped=answer)
    if answer.values is None:
        return replace(begun, notes=(_not_completed("search", answer, limits),))
    return replace(begun, values=answer.values, by=by)


def _best_of(
    instance: Instance, stated: Model, limits: Limits, asked: Asked
) -> tuple[str, Searched, dict[str, float]]:
    """Who found the best tree, "engine" or "search"; the tree; the seconds of each. Raises NoSums.

    What the engine proves needs no search. Of a time limit it gets half.
    """
    from treemip.search.start import search

    seconds: dict[str, float] = {}
    began = time.perf_counter()
    engine = None
    if asked.engine and instance.spec.split == "univariate":
        half = None if limits.time is None else limits.time / 2
        from treemip.strategy.exact import exact

        engine = exact(instance, stated, half)
    if engine is not None:
        seconds["engine"] = time.perf_counter() - began
        if engine.proven:
            return "engine", engine, seconds
    began = time.perf_counter()
    rest = remaining(limits, seconds.get("engine", 0.0)).time
    if asked.seconds is not None:
        rest = asked.seconds if rest is None else min(rest, asked.seconds)
    found = search(instance, stated, rest, limits.seed, asked.seconds is not None)
    seconds["search"] = time.perf_counter() - began
    if engine is None:
        return "search", found, seconds
    sign = 1.0 if stated.objective.sense == "minimize" else -1.0
    bound = sign * max(sign * engine.bound, sign * found.bound)
    better = found.values is None or sign * engine.objective <= sign * found.objective
    if engine.values is not None and better:
        return "engine", replace(engine, bound=bound), seconds
    return "search", replace(found, bound=bound), seconds


def _nothing_found(found: Searched) -> Diagnostic:
    """W601 for a search without a feasible tree, with the families that failed most."""
    worst = dict(sorted(found.failed.items(), key=lambda pair: -pair[1]))
    breaks = ", ".join(f"'{name}' {count}" for name, count in list(worst.items())[:SHOWN])
    what = f"none of {found.starts} trees that were tried is feasible"
    return _without(f"{what} (rows that they break: {breaks})" if breaks else what)


def in_memory(solver: str) -> str:
    """The solver that completes a start: "auto" for one outside this process, if it can be had."""
    from treemip.strategy.drive import is_driven

    here = is_installed(PACKAGES["scip"]) or is_installed(PACKAGES["highs"])
    return "auto" if is_driven(solver) and here else solver


def share(limits: Limits, kind: str) -> Limits:
    """What a start may use of the limits of a solve."""
    from treemip.search.start import SECONDS

    if limits.time is None:
        return limits
    least = min(SEARCH_SHARE * limits.time, SECONDS) if kind == "search" else LEAST
    return replace(limits, time=max(SHARE * limits.time, min(least, limits.time)))


def remaining(limits: Limits, seconds: float) -> Limits:
    """The limits after `seconds` of their time."""
    return limits if limits.time is None else replace(limits, time=max(0.0, limits.time - seconds))


def refused(kind: str, error: NoStart) -> TreemipError:
    """E902 for a start that the caller asks for and the formulation cannot have."""
    (why,) = error.diagnostics
    message = f"the start '{kind}' cannot be had: {why.message}"
    return TreemipError(Diagnostic.outside("E902", message, why.remedy))


def set_aside(kind: str, error: NoStart) -> Diagnostic:
    """W601 for a start that the spec asks for and the formulation cannot have."""
    (why,) = error.diagnostics
    message = f"the spec's start '{kind}' is left aside: {why.message}"
    return Diagnostic("W601", message, None, severity=Severity.WARNING)


def _not_completed(kind: str, answer: Answer, limits: Limits) -> Diagnostic:
    why = f"({answer.status.replace('_', ' ')})"
    if answer.status == "time_limit":
        why = f"in {limits.time:.3g} seconds"
    return _without(f"{WHO[kind]} was not completed to a solution {why}")


def _infeasible(kind: str, rows: dict[str, int], model: Model) -> WarmStart:
    """`rows`: how many rows of which family the start breaks, empty where that is not known."""
    breaks = f": it breaks {in_words(rows)}" if rows else ""
    what = f"{WHO[kind]} is not feasible for this model{breaks}"
    cuts = {block.name: block.span for block in model.rows if block.cut}
    if not rows or not rows.keys() <= cuts.keys():
        return WarmStart(notes=(_without(what),))
    (name, *_) = rows
    message = f"{what} alone, and a cut may cut off no solution; solving without a start"
    remedy = f"check the inequality, or leave '{name}' out of the cuts"
    note = Diagnostic("W601", message, cuts[name], remedy, severity=Severity.WARNING)
    return WarmStart(notes=(note,), refuted=tuple(rows))


def _without(what: str) -> Diagnostic:
    message = f"{what}; solving without a start"
    return Diagnostic("W601", message, None, severity=Severity.WARNING)


def _worth(kind: str, model: Model, values: np.ndarray) -> tuple[Diagnostic, ...]:
    """The objective of a start whose paper compares by it."""
    if kind == "cart":
        return ()
    message = f"the {kind} start has the objective {objective_value(model, values):.9g}"
    return (Diagnostic("W601", message, None, severity=Severity.NOTE),)
