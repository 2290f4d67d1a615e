"""NB-DEC: Ipopt on the columns of a few nodes at a time (Amaldi et al. 2023, Algorithms 1 and 2).

A step solves the subproblem (21) of a working set approximately. Its point is taken where it is a
solution and the objective does not rise, so the objective decreases monotonically, (23); else the
old point stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from treemip.core.model.answer import (
    NO_LIMITS,
    Answer,
    Decomposition,
    Limits,
    OnProgress,
    Progress,
    Status,
)
from treemip.core.model.model import Model
from treemip.core.model.tolerances import EQUAL, PROXIMAL, STALLED, STATIONARY
from treemip.core.model.values import objective_value, slot_values, violation
from treemip.core.resolve.settings.decompose import DecomposeSpec
from treemip.core.solvers.ipopt.solve import Ipopt, version
from treemip.core.solvers.ipopt.subproblem import Subproblem
from treemip.core.solving.interrupt import Watch
from treemip.core.strategy.multistart import STARTS, points_of
from treemip.methods.decomposition.stationarity import stationarity
from treemip.methods.decomposition.working_sets import WorkingSets, working_sets


def decompose(
    model: Model,
    plan: DecomposeSpec,
    branches: np.ndarray,
    limits: Limits = NO_LIMITS,
    starts: int | None = None,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
    points: np.ndarray | None = None,
) -> Answer:
    """The best of decompositions from `starts` points, those of `multistart`.

    branches: heap numbers of the tree's branches, int64. `start`: float64 (columns,), nan where
    unknown; a start that is a solution begins its run without iterations on the whole problem. Each
    macro-iteration counts as a node in what `on_progress` is told. Raises E601 as `working_sets`
    does, and what `multistart` raises.
    """
    run = _Run(model, plan, working_sets(model, plan, branches), limits, on_progress)
    count = STARTS if starts is None else starts
    near = start is not None and not np.isnan(start).any()
    answer = run.solve(points_of(run.ipopt, count, start, points), near)
    return replace(answer, start_accepted=None if start is None else True)


@dataclass
class _Course:
    """A run from one point: where it is and how it went.

    slots: of the model's tape at x; objective: in the model's own sense; random: for the order of
    the working sets; asked_at: by working set, the x that its last step began from; ended: a whole
    macro-iteration improved nothing.
    """

    x: np.ndarray
    slots: np.ndarray
    objective: float
    violation: float
    initial: float | None = None
    objectives: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    steps: int = 0
    refused: int = 0
    random: np.random.Generator = field(default_factory=np.random.default_rng)
    asked_at: dict[int, np.ndarray] = field(default_factory=dict)
    ended: bool = False


class _Run:
    """All runs of a decomposition; Ipopt's functions and the subproblems are built once."""

    def __init__(
        self,
        model: Model,
        plan: DecomposeSpec,
        sets: WorkingSets,
        limits: Limits,
        on_progress: OnProgress | None,
    ) -> None:
        self.model, self.plan, self.sets, self.limits = model, plan, sets, limits
        self.watch = Watch(limits.time, on_progress)  # building counts
        self.ipopt = Ipopt(model, limits)
        self.ipopt.watch = self.watch
        self.sign = model.objective.sign
        self.courses: list[_Course] = []
        self.macro_iterations = 0
        self._subproblems: dict[int, Subproblem] = {}

    def solve(self, points: Iterable[np.ndarray], near: bool) -> Answer:
        """The best of the runs from all points, float64 (columns,) each. near: whether the first of
        them is a start without unknowns."""

        def work() -> None:
            for number, point in enumerate(points):
                if self._ends():
                    break
                self._from(point, number, near and number == 0)
            for course in self._kept():
                self._go_on(course, self.plan.macro_iterations)

        interrupted = self.watch.run(work, stop=lambda: None)
        return self._answer(interrupted)

    # --------------------------------------------------------------------- one run

    def _from(self, point: np.ndarray, number: int, near: bool) -> None:
        """A run from a point: initialization and macro-iterations. Where runs are compared first,
        only the macro-iterations of the trial."""
        course = self._begun(point, near)
        self.courses.append(course)
        course.initial = None if self._misses(course) else course.objective
        self._report()
        course.random = np.random.default_rng([self.limits.seed or 0, number])
        most = self.plan.macro_iterations
        self._go_on(course, most if self.plan.keep is None else min(most, self.plan.trial))

    def _kept(self) -> list[_Course]:
        """The runs that go on after the trial, the best first."""
        worth = [(self._misses(c), self.sign * c.objective) for c in self.courses]
        order = sorted(range(len(worth)), key=worth.__getitem__)
        return [] if self.plan.keep is None else [self.courses[k] for k in order[: self.plan.keep]]

    def _go_on(self, course: _Course, macro_iterations: int) -> None:
        """Until it has had so many macro-iterations, or one improves nothing."""
        while len(course.objectives) < macro_iterations and not course.ended:
            before = course.objective, self._misses(course)
            for k in self._order(course.random):
                if self._ends():
                    return
                if course.asked_at.get(k) is not course.x:
                    self._step(course, k)
                    course.asked_at[k] = course.x
            self.macro_iterations += 1
            course.objectives.append(course.objective)
            course.seconds.append(self.watch.seconds)
            self._report()
            gained = self.sign * (before[0] - course.objective)
            small = gained <= STALLED * max(1.0, abs(course.objective))
            course.ended = small and not before[1]

    def _begun(self, point: np.ndarray, near: bool) -> _Course:
        """The point where the decomposition begins: a complete start as it is, any other after the
        initialization; made a solution if Ipopt finds one."""
        iterations = 0 if near else self.plan.initial_iterations
        given = self._at(point)
        if not iterations and not self._misses(given):
            return given
        advanced = self._at(self.ipopt.advance(point, iterations, near))
        return given if self._misses(advanced) and not self._misses(given) else advanced

    def _step(self, course: _Course, k: int) -> None:
        """One decomposition step: the subproblem of working set k."""
        found = self._at(self._subproblem(k).solve(course.x, course.slots, self.watch))
        course.steps += 1
        if self._improves(found, course):
            course.x, course.slots, course.objective = found.x, found.slots, found.objective
            course.violation = found.violation
        elif self._worsens(found, course):
            course.refused += 1

    def _at(self, x: np.ndarray) -> _Course:
        slots = slot_values(self.model.tape, x)
        missed = violation(self.model, x, slots)
        return _Course(x, slots, objective_value(self.model, x, slots), missed)

    def _misses(self, course: _Course) -> bool:
        return not course.violation <= self.ipopt.tolerance

    def _improves(self, found: _Course, old: _Course) -> bool:
        """Whether the new point is taken: a solution no worse, or nearer to the first solution."""
        if self._misses(found):
            return self._misses(old) and found.violation < old.violation
        return self._misses(old) or self.sign * (found.objective - old.objective) < 0

    def _worsens(self, found: _Course, old: _Course) -> bool:
        rise = self.sign * (found.objective - old.objective)
        return self._misses(found) or rise > EQUAL * max(1.0, abs(old.objective))

    def _order(self, random: np.random.Generator) -> Iterator[int]:
        """The working sets of a macro-iteration, each once."""
        shuffled = self.sets.shuffled
        first = random.permutation(shuffled).tolist()
        return chain(first, range(shuffled, len(self.sets.free)))

    def _subproblem(self, k: int) -> Subproblem:
        if k not in self._subproblems:
            plan = self.plan
            self._subproblems[k] = Subproblem(
                self.model,
                self.sets.free[k],
                self.sets.near,
                PROXIMAL if plan.proximal is None else plan.proximal,
                plan.inner_iterations,
                self.limits,
            )
        return self._subproblems[k]

    def _ends(self) -> bool:
        return self.watch.left(np.inf) <= 0 or self.watch.stopping.is_set()

    # ----------------------------------------------------------------------- all of them

    def _best(self) -> _Course | None:
        solutions = (course for course in self.courses if not self._misses(course))
        return min(solutions, key=lambda course: self.sign * course.objective, default=None)

    def _report(self) -> None:
        best = self._best()
        objective = None if best is None else best.objective
        done = self.macro_iterations
        self.watch.report(Progress(self.watch.seconds, objective, None, None, done))

    def _answer(self, interrupted: bool) -> Answer:
        best = self._best()
        ended = self.watch.left(np.inf) <= 0
        reached = None if best is None or interrupted else stationarity(self.ipopt, best.x)
        status: Status = "no_solution"
        if interrupted or ended:
            status = "interrupted" if interrupted else "time_limit"
        elif best is not None:
            critical = reached is not None and reached <= STATIONARY
            status = "locally_optimal" if critical else "feasible"
        went = None if best is None else self._went(best, reached)
        return Answer(
            status,
            None if best is None else best.x,
            None if best is None else best.objective,
            None,
            None,
            self.watch.seconds,
            self.macro_iterations,
            "ipopt",
            version(),
            message=_message(went, self.limits),
            decomposition=went,
        )

    def _went(self, best: _Course, reached: float | None) -> Decomposition:
        return Decomposition(
            self.plan.scheme,
            len(self.courses),
            min(len(self.courses), self.plan.keep or len(self.courses)),
            best.initial,
            tuple(best.objectives),
            tuple(best.seconds),
            best.steps,
            best.refused,
            self.sets.coupled,
            reached,
        )


def _message(went: Decomposition | None, limits: Limits) -> str:
    if went is None:
        words = ["decomposition: no solution to begin from"]
    else:
        count = len(went.objectives)
        words = [f"decomposition: {count} macro-iteration{'s' * (count != 1)}"]
        if went.runs > 1:
            words = [f"{words[0]}, the best of {went.runs} starts"]
        if went.kept < went.runs:
            words = [f"{words[0]}, of which {went.kept} went on after the trial"]
        if went.stationarity is not None:
            words.append(f"stationary to {went.stationarity:.1g}")
    if limits.gap or limits.absolute_gap:
        words.append("Ipopt proves no bound, so the gap limit has no effect")
    return "; ".join(words)
