"""A solve whose model is never whole: engine and search go to work on the spec and its data, and
rows are made only to check the trees that they find.

A solver is called where these prove nothing and where it has time and memory for the model, which
is then lowered.
"""

from __future__ import annotations

import time
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from treemip.model.answer import Answer, Limits, OnProgress, Status
from treemip.model.values import objective_value
from treemip.solving.handover import (
    AFTERWARDS,
    for_solving,
    has_room_for,
    has_time_for,
    why_not,
)
from treemip.solving.interrupt import asked_to_stop
from treemip.solving.solve import choose
from treemip.strategy.incumbent import (
    of_all_stages,
    reaches,
    unsolved,
    with_own_bound,
    with_start,
)
from treemip.strategy.settings import Settings, settled
from treemip.strategy.starts.concepts import NoStart
from treemip.strategy.starts.problem import Asked, Problem, WarmStart, remaining
from treemip.strategy.starts.searched_start import SearchedStart
from treemip.strategy.starts.warm_start import default_start, share

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.model.model import Model
    from treemip.source.diagnostic import Diagnostic


class SearchAlone:
    """What engine and search make of a program whose model is not kept.

    answer: theirs, where it is all that there will be; None where a solver has to be asked, to
    which `begun` is the start, if there is one. stages: seconds of each.
    began: when the time limit began, by `time.perf_counter`.
    """

    def __init__(
        self,
        compiled: Compiled,
        given: Settings,
        log: bool,
        on_progress: OnProgress | None,
        began: float,
    ) -> None:
        self.compiled, self.model, self.began = compiled, compiled.checked, began
        self.plain = self.model.with_(implications=())
        self.settings, notes = settled(self.plain, given, compiled.program.spec.strategy)
        self.notes: list[Diagnostic] = [*notes]
        self.stages: dict[str, float] = {}
        self.answer: Answer | None = None
        self.begun: WarmStart | None = None
        built = sum(compiled.seconds.get(stage, 0.0) for stage in ("read", "compile"))
        self.limits = self.settings.limits(log)
        left = for_solving(self.limits.time, self.seconds, AFTERWARDS * built)
        if self._is_asked_for():
            self._search(replace(self.limits, time=left), on_progress)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    @property
    def end(self) -> float | None:
        """Of the time limit, by `time.perf_counter`."""
        return None if self.limits.time is None else self.began + self.limits.time

    def _is_asked_for(self) -> bool:
        """Whether nobody asks for a solver, or for a start that its model has to complete."""
        by_default = (self.settings.solver or "auto") == "auto"
        usual = default_start(self.compiled.instance, self.limits) == "search"
        return by_default and usual and self.settings.start in (None, "search")

    def _search(self, left: Limits, on_progress: OnProgress | None) -> None:
        before, seconds = self.seconds, left.time
        tell = of_all_stages(on_progress, self.model)
        asked = Asked(True, seconds, self.settings.search_seconds, tell, first=True)
        of_search = share(left, "search")
        if not self._solver_has(remaining(left, of_search.time or 0.0)):
            of_search = left
        if self.settings.search_seed is not None:
            of_search = replace(of_search, seed=self.settings.search_seed)
        problem = Problem(self.compiled.instance, self.model, self.model, of_search, _unsolved)
        try:
            begun = SearchedStart(problem, asked).begin()
        except NoStart:
            return
        self.stages = {**begun.seconds}
        self.stages["start"] = self.seconds - before - sum(begun.seconds.values())
        self.notes += begun.notes
        self.answer = self._answered(begun, remaining(left, self.seconds - before))
        if self.answer is None:
            own = begun.stated if begun.values is None else begun.values
            self.begun = replace(begun, values=None, stated=own, notes=())
        elif begun.obstacle is not None and self.answer.status != "optimal":
            self.notes.append(begun.obstacle)

    def _solver_has(self, left: Limits) -> bool:
        """Whether a solver has use for what is left of the limits."""
        return has_time_for(self.model, left.time) and has_room_for(self.model)

    def _answered(self, begun: WarmStart, left: Limits) -> Answer | None:
        if begun.stopped is not None:
            return begun.stopped
        model, bound = self.model, begun.bound
        start = begun.stated if begun.values is None else begun.values
        most = model.objective.no_bound if bound is None else bound
        proven = start is not None and reaches(model, objective_value(model, start), most)
        stopped = asked_to_stop()
        if not (proven or stopped) and self._solver_has(left):
            return None
        who = begun.by or ("search" if "search" in begun.seconds else "engine")
        status: Status = "feasible" if proven else "interrupted" if stopped else "time_limit"
        note = "" if proven or stopped else why_not(model, choose(self.plain))
        answer = with_start(model, unsolved(who, status, self.seconds, note), start)
        if isfinite(most):
            answer = with_own_bound(model, answer, most)
        return replace(answer, proven_by="solver") if answer.solver == "engine" else answer


def _unsolved(model: Model, seconds: float | None) -> Answer:
    """In place of a solver, where there is none for a model."""
    return unsolved("search", "no_solution", 0.0)
