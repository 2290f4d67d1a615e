"""A warm start: a feasible solution to begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from treemip.answers.search.start import SECONDS, refusal
from treemip.answers.starts.from_tree import LEAST
from treemip.answers.starts.own_starts import BestStart, best_start
from treemip.answers.starts.problem import (
    AS_USUAL,
    Asked,
    OwnStarts,
    Problem,
    Start,
    WarmStart,
)
from treemip.answers.starts.searched_start import SearchedStart
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.model import Model
from treemip.core.registry import STARTS, start_named
from treemip.core.resolve.settings.strategy import NO_START
from treemip.core.solving.command import runs_as_process
from treemip.core.solving.solve import is_available
from treemip.core.source.diagnostic import fail
from treemip.core.source.suggest import listed
from treemip.core.strategy.solvers import solve_with

SHARE = 0.25  # of the time limit, at most, for a start
SHORT_SHARE = 0.5  # of a short time limit, up to LEAST, for a search up to its SECONDS


def default_start(instance: Instance, limits: Limits) -> str:
    """What a solve begins with where nobody says: a search, if the spec's trees can be searched."""
    return NO_START if limits.time == 0 or refusal(instance) else "search"


def require_start(kind: Start | None) -> bool:
    """Whether that is a start at all: not None or "none". Raises E902 for an unknown one."""
    if kind is None or kind == NO_START:
        return False
    if isinstance(kind, OwnStarts):
        return True
    if kind not in STARTS:
        known = f"there are {listed([*STARTS, NO_START])}"
        fail("E902", f"unknown start '{kind}'", remedy=known)
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
    """The start of that kind or the best of the user's, completed by the solver within its limits.

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
    problem = Problem(instance, stated, model, limits, _completed_by("auto", limits))
    found = SearchedStart(problem, asked).engine_alone()
    return found[0] if found and (found[1] or found[0].stopped is not None) else None


def _completed_by(solver: str, limits: Limits) -> Callable[[Model, float | None], Answer]:
    """What solves a model within seconds."""

    def solve(one: Model, seconds: float | None) -> Answer:
        # Of convex quadratic programs without integers, HiGHS 1.15 solved 4 of 6 of the paper's.
        products = solver == "auto" and bool(one.objective.alike.quadratic.count)
        name = "scip" if products else solver
        return solve_with(one, name, replace(limits, time=seconds, log=False))

    return solve


def _start(kind: Start, problem: Problem, asked: Asked) -> WarmStart:
    if isinstance(kind, OwnStarts):

        def named(name: str, left: Limits) -> WarmStart:
            return _start(name, problem.within(left), asked)

        return best_start(kind, problem, named, asked.on_progress)
    start = start_named(kind)
    start.require(problem)
    if asked.first and not start.searches:
        return _after_engine(kind, problem, asked)
    return start.begin(problem, asked)


def _after_engine(kind: str, problem: Problem, asked: Asked) -> WarmStart:
    """What an exact engine proves; else its best tree or the start of that kind, with its bound."""
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


def in_memory(solver: str) -> str:
    """The solver that completes a start: "auto" for one outside this process, if it can be had."""
    here = is_available("scip") or is_available("highs")
    return "auto" if runs_as_process(solver) and here else solver


def share(limits: Limits, kind: Start) -> Limits:
    """What a start may use of the limits of a solve."""
    if limits.time is None:
        return limits
    least = min(SHORT_SHARE * limits.time, SECONDS if kind == "search" else LEAST)
    return replace(limits, time=max(SHARE * limits.time, least))
