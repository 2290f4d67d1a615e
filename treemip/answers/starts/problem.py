"""What a start is for, how it is asked for, and what became of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.model.answer import Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import Diagnostic

if TYPE_CHECKING:
    from treemip.answers.search.candidate import Label, Split

ENGINE_SHARE = 0.75  # of a time limit for an exact engine, which proves what solvers seldom do
ENGINE_SECONDS = 120.0  # of an engine without a time limit


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
    `obstacle`: W609, why no exact engine takes the spec, or proves it.
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
    obstacle: Diagnostic | None = None

    @property
    def of_stated(self) -> WarmStart:
        """Of a start found in the stated model, what it is to a model made from that."""
        own = self.stated if self.values is None else self.values
        return replace(self, values=None, stated=own, points=None, notes=())


@dataclass(frozen=True)
class Asked:
    """How a search is made. `engine`: whether an exact engine may answer in the solver's place.
    `whole`: seconds that the solve has, of which an engine may use a share; None without a limit.
    `seconds`: what the user asks for; all of them are used then. `on_progress`: told of the engine
    and the search. `first`: whether the engine comes before a start that is named. `attempt`: may
    settle the matter after a short search, or find a better start than that; its second argument
    says whether an engine may prove what a search finds. `trees`: which are no solutions, for a
    search to improve."""

    engine: bool = True
    whole: float | None = None
    seconds: float | None = None
    on_progress: OnProgress | None = None
    first: bool = False
    attempt: Attempt | None = None
    trees: tuple[Split | Label, ...] = ()

    @property
    def engine_seconds(self) -> float:
        return ENGINE_SECONDS if self.whole is None else ENGINE_SHARE * self.whole

    def left(self, began: float) -> float:
        """Seconds of the whole limit that are left for a start that began then; infinite without
        a limit."""
        if self.whole is None:
            return inf
        return max(0.0, self.whole - (time.perf_counter() - began))


Solve = Callable[[Model], Answer]

Attempt = Callable[[WarmStart, bool], tuple[bool, WarmStart]]

AS_USUAL = Asked()


@dataclass(frozen=True)
class OwnStart:
    """One start: the name of one of STARTS, or what a user gives.

    who: whose it is, for messages. tree: over the spec's inputs. values: float64 (columns,), of the
    stated model or of the reformed one, nan where unknown; tried before the tree. usual: a name
    that nobody asked for, which is left out where the spec cannot have that start.
    """

    who: str
    kind: str | None = None
    tree: Split | Label | None = None
    values: tuple[np.ndarray, ...] = ()
    usual: bool = False


class OwnStarts:
    """Starts in the order that a user gives them; see `own_starts`."""

    def __init__(self, starts: tuple[OwnStart, ...]) -> None:
        self.starts = starts

    def __str__(self) -> str:
        return ", ".join(start.kind or start.who for start in self.starts)


Start = str | OwnStarts
"""One of STARTS or "none", or starts of the user's own."""


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


def remaining(limits: Limits, seconds: float) -> Limits:
    """The limits after `seconds` of their time."""
    return limits if limits.time is None else replace(limits, time=max(0.0, limits.time - seconds))


def within(seconds: float | None, solve: Callable[[Model, float | None], Answer]) -> Solve:
    """`solve` with what is left of `seconds`, counted from the first call on."""
    began: list[float] = []

    def timed(model: Model) -> Answer:
        now = time.perf_counter()
        began.append(now)
        return solve(model, None if seconds is None else max(0.0, seconds - (now - began[0])))

    return timed


@dataclass(frozen=True)
class NamedStart:
    """A start that a strategy can name: the `START` of a module that `registry.STARTS` has.

    who: what it begins with, in messages. begin: finds it; raises NoStart where the spec cannot
    have it. require: raises that by what is known before, also where an engine answers in its
    place. searches: an exact engine is part of it, and is not asked before it.
    """

    who: str
    begin: Callable[[Problem, Asked], WarmStart]
    require: Callable[[Problem], None] = lambda problem: None
    searches: bool = False
