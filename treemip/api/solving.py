"""From a compiled spec to an answer, and from an answer to a verified tree."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.api.bought import bought_note
from treemip.api.optimality import claimed, gap_of_tree, held_against
from treemip.api.result import Result
from treemip.api.tolerance import tolerance_note
from treemip.model.answer import Answer, Limits, OnProgress, Progress, relative_gap
from treemip.model.values import objective_value
from treemip.solving.interrupt import asked_to_stop, stopping_together
from treemip.solving.solve import choose
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.strategy.handover import has_time_for, is_hopeless, too_long
from treemip.strategy.incumbent import (
    reaches,
    staged,
    tighter,
    unsolved,
    with_own_bound,
    with_start,
    without_claim,
)
from treemip.strategy.settings import AUTOMATIC, Settings, settled
from treemip.strategy.solvers import (
    is_usage,
    load_packages,
    require_kept,
    require_known,
    solve_with,
    solver_failed,
)
from treemip.strategy.starts.concepts import NoStart
from treemip.strategy.starts.own_starts import BestStart
from treemip.strategy.starts.warm_start import (
    Asked,
    OwnStarts,
    Start,
    WarmStart,
    default_start,
    in_memory,
    refused,
    remaining,
    replaced_by_search,
    require_start,
    set_aside,
    share,
    warm_start,
)
from treemip.tree.from_values import tree_from_values
from treemip.tree.placement import unclear
from treemip.tree.prune_weights import prune_weights
from treemip.tree.readout import by_name, require_readable, routed_by_solution
from treemip.tree.repair import strayed_by
from treemip.tree.verify import VerifyReport, verify

if TYPE_CHECKING:
    import numpy as np

    from treemip.api.compiled import Compiled
    from treemip.model.model import Model
    from treemip.tree.tree import Tree


def solve(
    compiled: Compiled,
    given: Settings,
    log: bool,
    keep: Path | None,
    on_progress: OnProgress | None,
) -> Result:
    """`Compiled.solve`: the solver is chosen and the model reformulated for it, then the clock is
    started; the start comes first, then the solver with what is left of the limits."""
    spec = compiled.program.spec
    require_readable(spec)
    stated = compiled.choosing_model()
    settings, notes = settled(stated, given, spec.strategy)
    solver, limits = settings.solver or "auto", settings.limits(log)
    require_known(solver)
    require_kept(solver, keep)
    name = choose(stated) if solver in AUTOMATIC else solver
    compiled = compiled.for_solver(name)
    kind: Start | None = settings.start
    if kind is None:
        kind = default_start(compiled.instance, limits)
    model, wanted = compiled.model, require_start(kind)
    for needed in (name, in_memory(name)) if wanted else (name,):
        load_packages(needed, model)
    run = _Run(compiled, settings, limits, name, on_progress)
    with stopping_together():
        if wanted:
            notes += run.begin(kind, solver, given.start is not None)
        run.note_start()
        answer = run.solve(keep)
    if answer.values is None and run.begun.stated is not None:
        compiled = compiled.as_stated()
        answer = run.of_stated(answer, compiled.model)
    return result(compiled, answer, run.stages, [*notes, *run.notes], settings)


class _Run:
    """One solve, from the first second of its time limit on. `stages`: seconds of each."""

    def __init__(
        self,
        compiled: Compiled,
        settings: Settings,
        limits: Limits,
        solver: str,
        on_progress: OnProgress | None,
    ) -> None:
        self.compiled, self.model = compiled, compiled.model
        self.settings, self.limits, self.solver = settings, limits, solver
        self.on_progress = on_progress
        self.stages: dict[str, float] = {}
        self.begun, self.kind = WarmStart(), "start"
        self.notes: list[Diagnostic] = []
        self.began = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def begin(self, kind: Start, solver: str, explicit: bool) -> tuple[Diagnostic, ...]:
        """The start of that kind; `explicit`: the caller asks for it. Nothing is said where nobody
        does and there is none. Raises E902."""
        if self.on_progress is not None:
            self.on_progress(Progress(0.0, None, None, None, 0, "start"))
        self.kind = kind if isinstance(kind, str) else self.kind
        try:
            self.begun = self._started(kind, solver, self.limits)
        except NoStart as error:
            if explicit:
                raise refused(kind, error) from None
            return () if self.settings.start is None else (set_aside(kind, error),)
        left = remaining(self.limits, self.seconds)
        if isinstance(kind, OwnStarts) and self._may_search(kind):
            with suppress(NoStart):
                searched, best = self._started("search", solver, left), BestStart(self.model)
                best.add(replaced_by_search(self.begun))
                best.add(searched)
                self.begun = best.start
        return self.begun.notes

    def _may_search(self, kind: OwnStarts) -> bool:
        """Whether starts of one's own have come to nothing, and a search is what nobody asked for
        would get."""
        begun = self.begun
        empty = begun.values is None and begun.stated is None and begun.stopped is None
        searched = any(start.kind == "search" for start in kind.starts)
        wanted = default_start(self.compiled.instance, self.limits) == "search"
        return empty and not searched and wanted and not asked_to_stop()

    def _started(self, kind: Start, solver: str, left: Limits) -> WarmStart:
        """The start of that kind within its share of the limits. Raises NoStart."""
        tell = None if self.on_progress is None else self._tell
        limits = share(left, kind)
        if kind == "search" and not self._has_time(remaining(left, limits.time or 0.0)):
            limits = left
        if kind == "search" and self.settings.search_seed is not None:
            limits = replace(limits, seed=self.settings.search_seed)
        engine = solver == "auto"
        asked = Asked(engine, left.time, self.settings.search_seconds, tell, first=engine)
        way = "auto" if solver in AUTOMATIC else solver
        instance, stated = self.compiled.instance, self.compiled.stated
        return warm_start(kind, instance, self.model, way, limits, stated, asked)

    def note_start(self) -> None:
        """The seconds of the engine, of the search, and of what else a start took."""
        of_search = self.begun.seconds
        self.stages |= {**of_search, "start": self.seconds - sum(of_search.values())}

    def _tell(self, progress: Progress) -> None:
        """Hands on a report, its seconds those of the whole solve."""
        assert self.on_progress is not None
        self.on_progress(replace(progress, seconds=self.seconds))

    def solve(self, keep: Path | None) -> Answer:
        """The solver's answer, or the start's where that is as good as the objective can be, or
        where the solver finds nothing better."""
        if self.begun.stopped is not None:
            return self.begun.stopped
        start, refuted = self.begun.values, self.begun.refuted
        sound = tuple(block for block in self.model.rows if block.name not in refuted)
        most = tighter(self.model.with_(rows=sound), self.begun.bound)
        worth = None if start is None else objective_value(self.model, start)
        left, before = remaining(self.limits, self.seconds), self.seconds
        not_run = self._without_solver()
        if reaches(self.model, worth, most):
            note = f"the start cannot be improved, so {self.solver} was not run"
            answer = unsolved(not_run, "feasible", before, note)
        elif asked_to_stop():
            answer = unsolved(not_run, "interrupted", before)
        elif (start is not None or self.begun.stated is not None) and not self._has_time(left):
            note = too_long(self.model, self.solver)
            answer = unsolved(not_run, "time_limit", before, note)
        elif left.time == 0:
            answer = unsolved(not_run, "time_limit", before)
        else:
            answer = self._solver(left, keep, worth)
        self.stages["solve"] = self.seconds - before
        answer = without_claim(with_start(self.model, answer, start), refuted)
        answer = with_own_bound(self.model, answer, most)
        return replace(answer, proven_by="solver") if answer.solver == "engine" else answer

    def _without_solver(self) -> str:
        """Who stands for the answer where no solver is called: whose tree it is, else what looked
        for one."""
        begun = self.begun
        if begun.by:
            return begun.by
        if begun.values is not None or begun.stated is not None:
            return self.kind
        return next((name for name in ("search", "engine") if name in begun.seconds), "none")

    def of_stated(self, answer: Answer, stated: Model) -> Answer:
        """The start's solution of the stated model, where the solver has found none."""
        answer = replace(answer, solver=self.begun.by or answer.solver)
        most = tighter(stated, self.begun.bound)
        return with_own_bound(stated, with_start(stated, answer, self.begun.stated), most)

    def _has_time(self, left: Limits) -> bool:
        """Whether a solver has use for what is left of the limits: one that nobody asks for by
        name, if most of it remains after the model is handed over; one that is named, if any."""
        if (self.settings.solver or "auto") in AUTOMATIC:
            return has_time_for(self.model, left.time)
        return not is_hopeless(self.model, self.solver, left.time)

    def _solver(self, left: Limits, keep: Path | None, worth: float | None) -> Answer:
        before = self.seconds
        start, starts = self.begun.values, self.settings.starts
        tell = staged(self.on_progress, self.solver, before, self.model, worth)
        if tell is not None:
            tell(Progress(0.0, None, None, None, 0))
        try:
            points = self.begun.points
            return solve_with(self.model, self.solver, left, start, tell, starts, keep, points)
        except KeyboardInterrupt:
            if start is None:
                raise
            return unsolved(self.solver, "interrupted", self.seconds - before)
        except Exception as error:
            if start is None or is_usage(error):
                raise
            self.notes.append(solver_failed(error))
            return unsolved(self.solver, "no_solution", self.seconds - before)


def result(
    compiled: Compiled,
    answer: Answer,
    stages: dict[str, float],
    notes: list[Diagnostic],
    asked: Settings | None = None,
) -> Result:
    """`Compiled.result`: values of the stated model, a tree of them, its verification.

    asked: what was asked of the solver, where it was called here. Nothing that fails here loses
    what the solver found: the result then has its values and `failure`, and no tree.
    """
    stages = {**compiled.seconds, **stages}
    warnings = [*compiled.warnings, *notes]
    limit = None if asked is None else asked.time_limit
    bare = Result(compiled, answer, None, None, {}, stages, warnings, time_limit=limit)
    found = answer.values
    if found is None:
        return bare
    if answer.gap is None:
        answer = replace(answer, gap=relative_gap(answer.objective, answer.bound))
    values = _uncut(compiled.model, found)
    bare = replace(bare, answer=answer, values=values, optimality=claimed(answer))
    began = time.perf_counter()
    try:
        values = by_name(compiled.reformed.original, compiled.reformed.invert(found))
        bare = replace(bare, values=values)
        if compiled.program.spec.route is None:
            return bare
        read = _verified(bare, asked)
    except (Exception, KeyboardInterrupt) as error:
        read = bare.without_tree(error)
    stages["verify"] = time.perf_counter() - began
    return read


def _verified(bare: Result, asked: Settings | None) -> Result:
    """The result with its tree, what verification says of it, and what follows for the proof."""
    compiled, answer, values = bare.compiled, bare.answer, bare.values
    instance, stated = compiled.instance, compiled.reformed.original
    assert answer.values is not None
    end = routed_by_solution(instance, values)

    def judge(found: dict[str, np.ndarray]) -> tuple[Tree, VerifyReport]:
        tree, repaired, moved = tree_from_values(instance, found, end)
        return tree, verify(instance, stated, found, tree, end, tuple(repaired), moved)

    values, tree, report = prune_weights(instance, stated, values, judge)
    strayed = (
        inf if end is None or not report.problems else strayed_by(tree, instance.table.inputs, end)
    )
    loose = tolerance_note(compiled.model, answer.values, report, strayed, asked)
    notes = loose or bought_note(instance, stated, values, report, answer.status)
    sense = compiled.model.objective.sense
    answer, optimality, false = held_against(answer, report, sense)
    answer, optimality = gap_of_tree(answer, optimality, report, sense)
    return replace(
        bare,
        answer=answer,
        tree=tree,
        report=report,
        values=values,
        warnings=[*bare.warnings, *notes, *false, *unclear(instance, tree)],
        optimality=optimality,
    )


def _uncut(model: Model, values: np.ndarray) -> dict[str, np.ndarray]:
    """The solver's values as they are, by family of the model that it was given."""
    return {block.name: values[block.start : block.stop] for block in model.variables}


def failure_of(error: BaseException) -> tuple[Diagnostic, ...]:
    """Why there is no verified tree of a solution, in words."""
    if isinstance(error, TreemipError):
        return tuple(error.diagnostics)
    if isinstance(error, MemoryError):
        message = "there is not enough memory to verify the solution"
        return (Diagnostic.outside("E405", message, "verify it where there is more: -o keeps it"),)
    if isinstance(error, KeyboardInterrupt):
        return (Diagnostic.outside("E705", "interrupted before the solution was verified"),)
    return (
        Diagnostic.outside(
            "E705",
            f"no tree can be read out of the solution: {type(error).__name__}: {error}",
            "this is a fault of treemip: please report it with the spec and its data",
        ),
    )
