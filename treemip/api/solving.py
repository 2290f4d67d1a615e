"""One solve, within its limits: a start first, then the solver, and the better of the two."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treemip.answers.engines.obstacle import settled_otherwise
from treemip.answers.engines.registry import engines
from treemip.answers.starts.concepts import NoStart, no_start
from treemip.answers.starts.own_starts import BestStart
from treemip.answers.starts.problem import Asked, OwnStarts, Start, WarmStart, remaining
from treemip.answers.starts.start_notes import (
    excluded,
    not_searched,
    refused,
    replaced_by_search,
    set_aside,
)
from treemip.answers.starts.warm_start import default_start, proven_start, share, warm_start
from treemip.api.first_try import first_try, is_tried
from treemip.core.model.answer import Answer, Limits, OnProgress, Progress
from treemip.core.model.values import objective_value
from treemip.core.reform.presolve.presolve import DEFAULT, Presolved, presolved
from treemip.core.resolve.settings.strategy import NO_START
from treemip.core.solving.handover import (
    AFTERWARDS,
    for_solving,
    has_room_for,
    has_time_for,
    is_hopeless,
    why_not,
)
from treemip.core.solving.interrupt import asked_to_stop, begin_search, is_kept
from treemip.core.source.deadline import TimeEnded, until
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.strategy.incumbent import (
    reaches,
    staged,
    tighter,
    unsolved,
    with_own_bound,
    with_start,
    without_claim,
)
from treemip.core.strategy.settings import AUTOMATIC, Settings
from treemip.core.strategy.solvers import is_usage, known_fault, solve_with, solver_failed
from treemip.methods.decomposition.decompose import decompose
from treemip.methods.separating import solve_separating

if TYPE_CHECKING:
    from treemip.answers.search.candidate import Label, Split
    from treemip.api.compiled import Compiled
    from treemip.core.model.model import Model
    from treemip.methods.separation.separated_model import SeparatedModel

SETTLED = ("optimal", "locally_optimal", "infeasible", "unbounded", "infeasible_or_unbounded")
"""Of an answer with such a status, a search would have changed nothing."""


IN_PLACE = 0.25
"""Of the limit, what a search has at least that takes the place of another start."""

LATER, LATER_SHARE = 20.0, 0.25
"""Seconds, and share of the time limit, that a start may take beyond it to check its tree."""


class Run:
    """One solve within its time limit. `stages`: seconds of each.

    spent: seconds of the limit that were gone before. What must follow the solver has its seconds
    kept, by what building the model took: as many passes over its rows.
    separation: what is separated, if anything; the solver then gets its model in place of the
    compiled one, and hyperplanes that it leaves open are completed.
    """

    def __init__(
        self,
        compiled: Compiled,
        settings: Settings,
        limits: Limits,
        solver: str,
        on_progress: OnProgress | None,
        separation: SeparatedModel | None = None,
        spent: float = 0.0,
    ) -> None:
        self.separation = separation
        self.compiled, self.model = compiled, compiled.solved.model
        self.settings, self.solver = settings, solver
        self.on_progress = on_progress
        self.stages: dict[str, float] = {}
        self.begun, self.kind = WarmStart(), "start"
        self.first_notes: tuple[Diagnostic, ...] = ()  # of settings and the start
        self.notes: list[Diagnostic] = []
        self.unsearched: Diagnostic | None = None
        self.early: Answer | None = None  # of the solver, before the start has come to its end
        self.began = time.perf_counter()
        self.own_bound = self._bound_of_rows(())
        built = sum(compiled.seconds.get(stage, 0.0) for stage in ("read", "compile"))
        after = AFTERWARDS * built + self.seconds  # the bound is one more look at all rows
        self.limits = replace(limits, time=for_solving(limits.time, spent, after))

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def notes_on(self, answer: Answer) -> list[Diagnostic]:
        """All warnings and notes of the solve that came to this answer."""
        faults = (*known_fault(answer), *self._on_engines(answer))
        return [*self.first_notes, *faults, *self.notes]

    def _on_engines(self, answer: Answer) -> tuple[Diagnostic, ...]:
        """Why search and engines left the answer unproven; or why its proof is the solver's, where
        there are engines for such trees."""
        said = self.begun.obstacle
        if answer.status not in SETTLED:
            said = said or self.unsearched
            return () if said is None else (said,)
        by_solver = answer.solver == self.solver and answer.proven_by == "solver"
        if said is None or not by_solver or not engines(self.compiled.instance.spec.split):
            return ()
        return (settled_otherwise(said),)

    def begin(self, kind: Start, explicit: bool) -> tuple[Diagnostic, ...]:
        """The start of that kind; `explicit`: the caller asks for it. Why there is no search that
        nobody asks for is said where it matters, once there is an answer. Raises E902."""
        if self.on_progress is not None:
            self.on_progress(Progress(0.0, None, None, None, 0, "start"))
        self.kind = kind if isinstance(kind, str) else self.kind
        try:
            self.begun = self._started(kind, self.limits)
        except NoStart as error:
            if explicit:
                raise refused(kind, error) from None
            if self.settings.start is not None:
                place = self.compiled.program.spec.strategy.places.get("start")
                return (set_aside(kind, error, place), *self._begin_as_usual(kind))
            self.unsearched = not_searched(error)
            return ()
        left = remaining(self.limits, self.seconds)
        if self._may_search(kind, left):
            own = kind.starts if isinstance(kind, OwnStarts) else ()
            with suppress(NoStart):
                trees = tuple(start.tree for start in own if start.tree is not None)
                if left.time is not None:
                    left = replace(left, time=max(left.time, IN_PLACE * (self.limits.time or 0.0)))
                searched, best = self._started("search", left, trees), BestStart(self.model)
                best.add(replaced_by_search(self.begun))
                best.add(searched)
                self.begun = best.start
        return self.begun.notes

    def begin_with_proof(self, absent: TreemipError) -> None:
        """The start where the solver's package is missing: what an exact engine proves without it.
        Raises `absent` where none does."""
        instance, stated, limits = self.compiled.instance, self.compiled.stated, self.limits
        begun = proven_start(instance, self.model, limits, stated, self._asked(limits))
        if begun is None or (begun.values is None and begun.stopped is None):
            raise absent
        self.begun = begun

    def _begin_as_usual(self, ignored: Start) -> tuple[Diagnostic, ...]:
        """What a solve begins with where nobody says, in place of a start that is ignored."""
        usual = default_start(self.compiled.instance, self.limits)
        if usual in (NO_START, ignored):
            return ()
        self.settings = replace(self.settings, start=None)
        return self.begin(usual, explicit=False)

    def _may_search(self, kind: Start, left: Limits) -> bool:
        """Whether a start failed, and a search takes its place: of the user's own, all of them; of
        another that a solver would have to do without, where it has no time for the model."""
        begun, own = self.begun, isinstance(kind, OwnStarts)
        empty = begun.values is None and begun.stated is None and begun.stopped is None
        kinds = [start.kind for start in kind.starts] if isinstance(kind, OwnStarts) else [kind]
        wanted = default_start(self.compiled.instance, self.limits) == "search"
        if not empty or not wanted or "search" in kinds or asked_to_stop():
            return False
        return own or not self._has_time(left)

    def _started(
        self, kind: Start, left: Limits, trees: tuple[Split | Label, ...] = ()
    ) -> WarmStart:
        """The start of that kind within its share of the limits. trees: as of Asked. Raises
        NoStart."""
        solver = self.settings.solver or "auto"
        limits = share(left, kind)
        if kind == "search" and not self._has_time(remaining(left, limits.time or 0.0)):
            limits = left
        if kind == "search" and self.settings.search_seed is not None:
            limits = replace(limits, seed=self.settings.search_seed)
        way = "auto" if solver in AUTOMATIC else solver
        instance, stated = self.compiled.instance, self.compiled.checked
        asked = replace(self._asked(left), trees=trees)
        with until(self._latest):
            try:
                return warm_start(kind, instance, self.model, way, limits, stated, asked)
            except TimeEnded as error:
                why = f"time was up while {error}; fewer thresholds mean fewer rows"
                raise no_start(why, "bin quantile(8)  has seven for each feature") from None

    @property
    def _latest(self) -> float:
        """When a start has to end although its tree is not checked yet, of the clock: a check is
        rarely as long as these seconds, and an answer late is better than none."""
        limit = self.limits.time
        return inf if limit is None else self.began + LATER + (1 + LATER_SHARE) * limit

    def _asked(self, left: Limits) -> Asked:
        engine = (self.settings.solver or "auto") == "auto"
        tell = None if self.on_progress is None else self._tell
        attempt = partial(first_try, self) if is_tried(self) else None
        return Asked(engine, left.time, self.settings.search_seconds, tell, engine, attempt)

    def note_start(self) -> None:
        """The seconds of the engine, of the search, and of what else a start took."""
        of_search = self.begun.seconds
        others = sum(of_search.values()) + self.stages.get("solve", 0.0)
        self.stages |= {**of_search, "start": self.seconds - others}

    def _tell(self, progress: Progress) -> None:
        """Hands on a report, its seconds those of the whole solve."""
        assert self.on_progress is not None
        self.on_progress(replace(progress, seconds=self.seconds))

    def solve(self, keep: Path | None) -> Answer:
        """The solver's answer, or the start's where that is as good as the objective can be, or
        where the solver finds nothing better."""
        if self.begun.stopped is not None:
            return self.begun.stopped
        start, refuted = self.begun.values, self._refuted()
        own = self._bound_of_rows(refuted) if refuted else self.own_bound
        most = self.model.objective.tighter(own, self.begun.bound)
        answer = self.early or self.answer_within(remaining(self.limits, self.seconds), keep, most)
        answer = without_claim(with_start(self.model, answer, start), refuted)
        answer = with_own_bound(self.model, answer, most)
        return replace(answer, proven_by="solver") if answer.solver == "engine" else answer

    def answer_within(
        self, left: Limits, keep: Path | None = None, most: float | None = None
    ) -> Answer:
        """The solver's answer, or the one where it is not called, for the start to be put into.
        most: what no tree is better than, where that is not what rows and start prove."""
        if most is None:
            most = self.model.objective.tighter(self.own_bound, self.begun.bound)
        before = self.seconds
        answer = self._without_solving(most, left) or self._solver(left, keep)
        self.stages["solve"] = self.stages.get("solve", 0.0) + self.seconds - before
        return answer

    @property
    def _worth(self) -> float | None:
        """The objective of the start."""
        start = self.begun.values
        return None if start is None else objective_value(self.model, start)

    def _without_solving(self, most: float, left: Limits) -> Answer | None:
        """The answer where no solver is called, for the start to be put into; None where one is."""
        begun, not_run, gone = self.begun, self._without_solver(), self.seconds
        if reaches(self.model, self._worth, most):
            note = f"the start cannot be improved, so {self.solver} was not run"
            return unsolved(not_run, "feasible", gone, note)
        if asked_to_stop():
            return unsolved(not_run, "interrupted", gone)
        begins = begun.values is not None or begun.stated is not None
        hopeless = is_hopeless(self.model, self.solver, left.time)
        if hopeless or (begins and not self._has_time(left)):
            return unsolved(not_run, "time_limit", gone, why_not(self.model, self.solver))
        return unsolved(not_run, "time_limit", gone) if left.time == 0 else None

    @property
    def wants_solver(self) -> bool:
        """Whether the start leaves something to a solver, and the time and memory that it takes."""
        if self.begun.stopped is not None:
            return False
        most, left = (
            self.model.objective.tighter(self.own_bound, self.begun.bound),
            remaining(self.limits, self.seconds),
        )
        return self._without_solving(most, left) is None and self._has_time(left)

    def _refuted(self) -> tuple[str, ...]:
        """Cuts that exclude a known solution: those that the start found out, and those that are
        separated and exclude the start."""
        start, separation, refuted = self.begun.values, self.separation, self.begun.refuted
        if start is None or separation is None:
            return refuted
        broken = separation.cut_off(start)
        if broken:
            self.notes.append(excluded("the start", broken))
        return (*refuted, *(row.name for row in broken if row.name not in refuted))

    def _bound_of_rows(self, refuted: tuple[str, ...]) -> float:
        """What the rows prove of the objective without any start: those of the model and, where
        its objective has products that its reformulation takes apart, those of the stated one."""
        if not self.model.is_kept:
            return self.model.objective.no_bound
        bound, stated = None, self.compiled.stated
        if stated.objective.quadratic.count:
            bound = tighter(_without(stated, refuted), None)
        return tighter(_without(self.model, refuted), bound)

    def _without_solver(self) -> str:
        """Who stands for the answer where no solver is called: whose tree it is, else what looked
        for one."""
        begun = self.begun
        if begun.by:
            return begun.by
        if begun.values is not None or begun.stated is not None:
            return self.kind
        return next((name for name in ("search", "engine") if name in begun.seconds), "none")

    def with_its_model(self, answer: Answer) -> tuple[Compiled, Answer]:
        """The answer, and the program over the model that its values belong to.

        That is the stated model for a start that is a solution of no other, and for hyperplanes
        that were left open and are completed; else the solver's.
        """
        separation, stated = self.separation, self.begun.stated
        if answer.values is None and stated is not None:
            return self.compiled.as_stated(), self._of_stated(answer, stated)
        if answer.values is not None and separation is not None and separation.left_out:
            compiled = self.compiled.as_stated()
            return compiled, replace(answer, values=answer.values[: compiled.model.column_count])
        return self.compiled, answer

    def _of_stated(self, answer: Answer, start: np.ndarray) -> Answer:
        """The start's solution of the stated model, where the solver has found none."""
        model = self.compiled.checked
        answer = replace(answer, solver=self.begun.by or answer.solver)
        most = self.model.objective.tighter(model.objective.no_bound, self.begun.bound)
        if model.is_kept:
            most = tighter(model, self.begun.bound)
        return with_own_bound(model, with_start(model, answer, start), most)

    def _has_time(self, left: Limits) -> bool:
        """Whether a solver has use for what is left of the limits: one that nobody asks for by
        name, if most of it remains after the model is handed over, and enough of the memory; one
        that is named, if any time does."""
        if (self.settings.solver or "auto") in AUTOMATIC:
            return has_time_for(self.model, left.time) and has_room_for(self.model)
        return not is_hopeless(self.model, self.solver, left.time)

    def _presolved(self) -> Presolved:
        wanted = self.settings.presolve
        return presolved(self.model, DEFAULT if wanted is None else wanted)

    def _solver(self, left: Limits, keep: Path | None) -> Answer:
        before = self.seconds
        start, starts = self.begun.values, self.settings.starts
        tell = staged(self.on_progress, self.solver, before, self.model, self._worth)
        if start is not None or self.begun.stated is not None:
            begin_search()  # from here on a signal ends the solver, and the start is the answer
        try:
            if tell is not None:
                tell(Progress(0.0, None, None, None, 0))
            points = self.begun.points
            if self.separation is not None:
                return self._separated(self.separation, left, keep, tell)
            plan, topology = self.settings.decompose, self.compiled.instance.topology
            if plan is not None and topology is not None:
                branches = topology.heap[topology.branches]
                return decompose(self.model, plan, branches, left, starts, start, tell, points)
            smaller = self._presolved()
            left = remaining(left, self.seconds - before)
            begun = None if start is None else smaller.forward(start)
            points = None if points is None else smaller.forward(points)
            return smaller.answer(
                solve_with(smaller.model, self.solver, left, begun, tell, starts, keep, points)
            )
        except KeyboardInterrupt as error:
            if (start is None and self.begun.stated is None) or not is_kept(error):
                raise
            return unsolved(self.solver, "interrupted", self.seconds - before)
        except Exception as error:
            if (start is None and self.begun.stated is None) or is_usage(error):
                raise
            self.notes.append(solver_failed(error))
            return unsolved(self.solver, "no_solution", self.seconds - before)

    def _separated(
        self, separation: SeparatedModel, left: Limits, keep: Path | None, tell: OnProgress | None
    ) -> Answer:
        """The answer of the model whose rows are separated, completed. Initial cuts have half of
        the time."""
        began = time.perf_counter()
        separation.add_initial(inf if left.time is None else began + left.time / 2)
        left = remaining(left, time.perf_counter() - began)
        start, model = self.begun.values, separation.model
        if start is not None:
            start = separation.as_start(start)
        answer = solve_separating(model, separation, self.solver, left, start, tell, keep)
        counted = separation.counted
        if answer.values is None or not separation.left_out:
            return replace(answer, separated=counted)
        whole = np.where(model.integer, np.round(answer.values), answer.values)
        values = separation.completed(whole)
        return replace(answer, values=values, separated=counted)


def _without(model: Model, refuted: tuple[str, ...]) -> Model:
    """The model without the rows of some families."""
    if not refuted:
        return model
    return model.with_(rows=tuple(block for block in model.rows if block.name not in refuted))
