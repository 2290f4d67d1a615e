"""Objectives in turn: `minimize A then B;` is solved for A, then for B among the best trees.

The model of objective k has a row for each objective before it, which keeps that at the value that
was found (the lexicographic or preemptive method; Isermann 1982). It is a spec's model like any
other: the text with one objective and these rows, so search, engines, solvers and verification need
to know nothing of it, and a saved tree has that text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.answers.starts.problem import OwnStart, OwnStarts
from treemip.answers.starts.warm_start import default_start
from treemip.api.one_objective import objectives_of
from treemip.api.optimality import titled
from treemip.api.several_solves import Run, SharedLimit, later, summed
from treemip.api.starting import chosen
from treemip.api.starts import start_of
from treemip.api.store import finite
from treemip.core.model.answer import Limits
from treemip.core.model.tolerances import IN_TURN
from treemip.core.solving.interrupt import is_kept
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.core.strategy.solvers import require_taken
from treemip.core.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program
    from treemip.api.result import Result
    from treemip.core.model.answer import OnProgress
    from treemip.core.model.model import Model
    from treemip.core.strategy.settings import Settings


@dataclass(frozen=True)
class ObjectiveOutcome:
    """What came of one of several objectives. held: the value at which the later ones keep it."""

    text: str
    sense: str
    status: str
    value: float | None
    bound: float | None
    gap: float | None
    proven: bool
    solver: str
    seconds: float
    held: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "objective": self.text,
            "sense": self.sense,
            "status": self.status,
            "value": finite(self.value),
            "bound": finite(self.bound),
            "gap": finite(self.gap),
            "proven": self.proven,
            "held": finite(self.held),
            "solver": self.solver,
            "seconds": round(self.seconds, 6),
        }


def solve_in_turn(
    compiled: Compiled, given: Settings, run: Run, tell: OnProgress | None, spent: float = 0.0
) -> Result:
    """The result for the last objective that could be solved, with what came of each.

    compiled: the model of the first objective. Raises what the model of another one is refused for
    (E2xx to E6xx), before the first solve. Each solve begins with the tree of the one before.
    A time limit is of all solves together; `spent` seconds of it are gone, of which half of the
    limit stays free, and what one solve leaves is for the others. It ends early where a solve has
    no solution, where its tree is not verified, where it is interrupted, and where a later model
    cannot be built or solved (W607).
    """
    whole = compiled.all_objectives
    assert whole is not None
    count, shared = len(objectives_of(whole.file)), SharedLimit(given, whole.spec.strategy, spent)
    _require_solvable(whole, compiled, given)
    outcomes: list[ObjectiveOutcome] = []
    notes: list[Diagnostic] = []
    best: Result | None = None
    for stage in range(1, count + 1):
        gone, asked = shared.gone, shared.part(given, count - stage + 1)
        try:
            if best is not None:
                compiled = _following(whole, compiled, stage, outcomes)
                asked = _started(asked, given, best, compiled)
            result = run(compiled, asked, stage, later(tell, gone, stage))
        except (Exception, KeyboardInterrupt) as error:
            if best is None or not is_kept(error):
                raise
            notes.append(_unsolved(stage, _why(error)))  # what was solved is not lost
            break
        if result.answer.values is None and best is not None:
            status = result.status.replace("_", " ")
            notes.append(_unsolved(stage, f"the solver's status was: {status}"))
            break
        best = _after(best, result)
        outcomes.append(_outcome(whole.file, stage, result))
        if stage < count:
            said, ends = _before_the_next(stage, result, outcomes[-1])
            notes += said
            if ends:
                break
    assert best is not None
    if len(outcomes) < count or not all(one.proven for one in outcomes):
        best = _not_the_best(best)
    return replace(
        best, warnings=[*best.warnings, *notes], objectives=tuple(outcomes), time_limit=shared.limit
    )


def _before_the_next(
    stage: int, result: Result, outcome: ObjectiveOutcome
) -> tuple[list[Diagnostic], bool]:
    """The notes on an objective before the next one is solved, and whether to stop here."""
    if result.answer.values is None:
        return [], True
    if result.verdict == "not verified":
        # Rows would keep the objective at a value that the tree does not have.
        return [_unsolved(stage + 1, f"the tree of objective {stage} is not verified")], True
    notes = [] if outcome.proven else [_unproven(stage, outcome)]
    if result.status == "interrupted":
        return [*notes, _unsolved(stage + 1, "interrupted")], True
    return notes, False


def _not_the_best(result: Result) -> Result:
    """The result without the proof of its own objective, where another one has none: what is proven
    among trees as good as one that was found is not proven of the whole."""
    if result.optimality is None or not result.optimality.proven:
        return result
    answer = replace(result.answer, status="feasible", bound=None, gap=None)
    by = titled(answer.solver, answer.solver_version)
    optimality = replace(result.optimality, proven=False, by=by, gap=None)
    return replace(result, answer=answer, optimality=optimality)


LOOSE = 1e9
"""A value of an earlier objective that is no restriction, in place of the one not yet known."""


def _require_solvable(whole: Program, compiled: Compiled, given: Settings) -> None:
    """Raises TreemipError for a later objective whose model cannot be built, or that its solver
    does not take: nobody should wait for the first objective to learn it."""
    objectives = objectives_of(whole.file)
    target, way = compiled.asked_target, compiled.implied
    loose = [LOOSE if one.sense == "minimize" else -LOOSE for one in objectives]
    for stage in range(2, len(objectives) + 1):
        program = whole.stage(stage, loose[: stage - 1])
        try:
            later = program.compile(compiled.cuts, target=target, implications=way)
            name, settings, _ = chosen(later.choosing_model(), program.spec, given, None)
            asked = settings.solver or "auto"
            require_taken(later.for_solver(name).model, asked, program.spec.strategy.separates)
        except TreemipError as error:
            placed = [_at_objective(d, objectives, stage) for d in error.diagnostics]
            raise TreemipError(placed) from None


def _at_objective(error: Diagnostic, objectives: Sequence[n.Objective], stage: int) -> Diagnostic:
    """An error in a row that keeps an objective, at that objective, since no text of the user's has
    the row; one of the objective as a whole, where that stands."""
    span, whole = error.span, objectives[0].span
    if span is None or span.source.name != whole.source.name:
        return error
    if span.source.is_added(span.start):
        after = span.source.text.count("\n", span.start)  # rows end the text, one a line
        return replace(error, span=objectives[stage - 1 - after].value.span)
    is_whole = (span.start, span.end) == (whole.start, whole.end)
    return replace(error, span=objectives[stage - 1].value.span) if is_whole else error


def _following(
    whole: Program, compiled: Compiled, stage: int, outcomes: Sequence[ObjectiveOutcome]
) -> Compiled:
    """The model of an objective, with the rows that keep those before it."""
    program = whole.stage(stage, [one.held for one in outcomes if one.held is not None])
    target, way = compiled.asked_target, compiled.implied
    return program.compile(compiled.cuts, target=target, implications=way)


def _started(asked: Settings, given: Settings, best: Result, compiled: Compiled) -> Settings:
    """What is asked of a later solve: it begins with the best tree so far, and with a search or
    what else the user asks for. A spec without trees begins as it would alone."""
    if best.tree is None:
        return asked
    named = given.start if isinstance(given.start, str) else None
    usual = named or compiled.program.spec.strategy.start
    usual = usual or default_start(compiled.instance, Limits(asked.time_limit))
    tree = start_of(best, compiled)
    assert isinstance(tree, OwnStarts)
    if usual == "none":
        return replace(asked, start=tree)
    other = OwnStart(usual, kind=usual, usual=named is None)
    return replace(asked, start=OwnStarts((*tree.starts, other)))


def _after(before: Result | None, result: Result) -> Result:
    """The result, with the seconds and the warnings of those before it."""
    if before is None:
        return result
    known = {_key(w) for w in result.warnings}
    earlier = [w for w in before.warnings if _key(w) not in known]
    seconds = summed(before.seconds, result.seconds)
    kept = [w for w in result.warnings if not _is_of_the_start(w) and not _is_of_a_row(w)]
    return replace(result, warnings=[*earlier, *kept], seconds=seconds)


def _key(note: Diagnostic) -> tuple[str, str, int]:
    """What is the same of a warning that several models have."""
    return note.code, note.message, note.span.start if note.span else -1


def _is_of_a_row(note: Diagnostic) -> bool:
    """Whether its place is in a row that keeps an earlier objective, whose model had it too."""
    return note.span is not None and note.span.source.is_added(note.span.start)


def _is_of_the_start(note: Diagnostic) -> bool:
    """Whether it only says what the tree before is worth, which nobody asked for."""
    return note.code == "W601" and note.severity is Severity.NOTE


def _why(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, TreemipError):
        return error.diagnostics[0].message
    return f"{type(error).__name__}: {error}"


def _outcome(file: n.File, stage: int, result: Result) -> ObjectiveOutcome:
    objective, answer = objectives_of(file)[stage - 1], result.answer
    span = objective.value.span
    return ObjectiveOutcome(
        objective.name or " ".join(span.text.split()),
        objective.sense,
        answer.status,
        answer.objective,
        answer.bound,
        answer.gap,
        bool(result.optimality and result.optimality.proven),
        answer.solver,
        answer.seconds,
        None if answer.values is None else held_at(result),
    )


def held_at(result: Result) -> float:
    """The value at which later solves keep the objective of this one.

    That of the solution or, where it is worse, of the verified tree: so the tree is a start of the
    next solve. Whole numbers are kept exactly, others within `IN_TURN`, since solvers keep rows
    within a tolerance only.
    """
    compiled = result.compiled
    sign = compiled.stated.objective.sign
    report = result.report
    of_tree = (report.objective, report.tree_objective) if report else ()
    values = [result.objective, *of_tree]
    value = max(sign * v for v in values if v is not None)
    if takes_whole_values(compiled.stated) and abs(value - round(value)) < IN_TURN * max(
        1.0, abs(value)
    ):
        return sign * round(value)
    return sign * (value + IN_TURN * max(1.0, abs(value)))


def takes_whole_values(model: Model) -> bool:
    """Whether the objective is a whole number in every solution, as the model states it."""
    objective = model.objective
    if objective.slots is not None or objective.constant % 1:
        return False
    whole, products = model.integer, objective.quadratic
    for function in model.functions:
        whole[function.result : function.result + function.length] = False
    used = np.flatnonzero(objective.linear)
    coefficients = np.concatenate([objective.linear[used], products.coef])
    columns = np.concatenate([used, products.first, products.second])
    return bool(whole[columns].all() and not (coefficients % 1).any())


def _unproven(stage: int, outcome: ObjectiveOutcome) -> Diagnostic:
    bound = "no bound is known" if outcome.bound is None else f"its bound is {outcome.bound:.6g}"
    value = "nothing" if outcome.value is None else f"{outcome.value:.6g}"
    message = f"objective {stage}, '{outcome.text}', is not proven optimal: it is {value}, {bound}"
    remedy = "those after it are for trees as good as this one; a longer --time-limit may help"
    return Diagnostic("W607", message, None, remedy, severity=Severity.WARNING)


def _unsolved(stage: int, why: str) -> Diagnostic:
    message = f"objective {stage} was not solved: {why}"
    remedy = "the tree is that of the objectives before it"
    return Diagnostic("W607", message, None, remedy, severity=Severity.WARNING)
