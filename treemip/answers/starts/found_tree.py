"""What a search or an engine has found, as a start: a solution of the solver's model.

A reformulation may have columns that a tree says nothing of. Those that rows leave one value get
it; for others a solver is asked, with the integers that are known fixed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, cast

import numpy as np

from treemip.answers.starts.fixed import SHOWN
from treemip.answers.starts.from_tree import holds, with_implied
from treemip.answers.starts.problem import Problem, WarmStart
from treemip.answers.starts.start_notes import excluded, not_completed, remark, without_start
from treemip.core.model.answer import Limits, Status
from treemip.core.model.tolerances import EQUAL
from treemip.core.solving.handover import has_room_for, has_time_for
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.strategy.incumbent import unsolved, with_start

if TYPE_CHECKING:
    from treemip.answers.search.search_report import TooNarrow
    from treemip.answers.search.start import Searched


@dataclass(frozen=True)
class Said:
    """hint: what would have helped to prove the tree. obstacle: W609, why no exact engine takes the
    spec, or proves it. withdrawn: W608, where a proof of an engine is not claimed. seconds: of the
    engine and the search, where they ran."""

    hint: str
    obstacle: Diagnostic | None
    withdrawn: tuple[Diagnostic, ...]
    seconds: dict[str, float]


def as_start(problem: Problem, searched: Searched, said: Said, left: float) -> WarmStart:
    """What was found as a start, and the cuts that exclude a tree of the search. left: seconds for
    a solver; infinite without a limit."""
    begun, broken = _solution(problem, searched, said, left), searched.cut_off
    begun = replace(begun, notes=(*said.withdrawn, *begun.notes))
    if not broken:
        return begun
    notes = (*begun.notes, excluded("a tree of the search", broken))
    return replace(begun, notes=notes, refuted=tuple(row.name for row in broken))


def _solution(problem: Problem, searched: Searched, said: Said, left: float) -> WarmStart:
    model, stated = problem.model, problem.stated
    if searched.infeasible:
        stopped = unsolved("engine", "infeasible", searched.seconds)
        return WarmStart(stopped=stopped, seconds=said.seconds)
    bound = searched.bound if isfinite(searched.bound) else None
    begun = WarmStart(bound=bound, seconds=said.seconds, obstacle=said.obstacle)
    stopped = unsolved("search", "interrupted", searched.seconds)
    if searched.values is None:
        if searched.stopped:
            return replace(begun, stopped=stopped)
        return replace(begun, notes=(_nothing_found(searched),))
    remarks = [said.hint] if said.hint else []
    if searched.not_handed:
        remarks.append(f"the hyperplanes stay where the search put them: {searched.not_handed}")
    if searched.narrow is not None:
        remarks.append(_too_narrow(searched.narrow))
    begun = replace(begun, notes=tuple(map(remark, remarks)))
    values = with_implied(model, searched.values)
    whole = not model.special_sets and not np.isnan(values).any()
    checked = stated is None or model is stated  # every row of it, where the tree was completed
    if not whole or not (checked or holds(model, values)):
        return _by_solver(problem, begun, searched, values, left)
    if searched.stopped:
        return replace(begun, stopped=with_start(model, stopped, values))
    return replace(begun, values=values, by=searched.by, points=searched.points)


def _by_solver(
    problem: Problem, begun: WarmStart, searched: Searched, values: np.ndarray, left: float
) -> WarmStart:
    """The start with the integers that are known fixed and the rest left to a solver.

    values: of the solver's model, nan where unknown.
    """
    model, limits, own = problem.model, problem.limits, searched.values
    stated = model if problem.stated is None else problem.stated
    if own is not None and len(own) == stated.column_count and not np.isnan(own).any():
        begun = replace(begun, stated=own, by=searched.by)
    within = (values >= model.lower - EQUAL) & (values <= model.upper + EQUAL)
    known = within & model.integer  # one that rows imply may be beyond its bounds
    fixed = model.with_fixed(known, values)
    left = left if limits.time is None else min(limits.time, left)
    rest = left if isfinite(left) else None
    if not (model.is_kept and has_time_for(model, rest) and has_room_for(model)):
        return replace(begun, notes=(_not_handed("time limit", begun, limits),))
    answer = problem.solve(fixed, rest)
    if answer.status == "interrupted":
        return replace(begun, stopped=answer)
    if answer.values is None:
        return replace(begun, notes=(_not_handed(answer.status, begun, limits),))
    return replace(begun, values=answer.values, by=searched.by)


def _not_handed(status: str, begun: WarmStart, limits: Limits) -> Diagnostic:
    """W601 for the tree of a search that the solver cannot begin with."""
    if begun.stated is None:
        return not_completed("search", cast("Status", status.replace(" ", "_")), limits)
    why = status.replace("_", " ")
    message = (
        f"the best tree of the search could not be completed to a start for the solver ({why}); "
        "it remains the answer unless the solver finds a solution"
    )
    return Diagnostic("W601", message, None, severity=Severity.WARNING)


def _too_narrow(tree: TooNarrow) -> str:
    return (
        f"a tree with the objective {tree.objective:.9g} was found, but some points are only "
        f"{tree.gap:.2g} apart at one of its splits, and the rows ask for {tree.needed:.2g}: a "
        "smaller distance would let it in, or features that outliers do not press together "
        "(clipped or replaced by ranks)"
    )


def _nothing_found(searched: Searched) -> Diagnostic:
    """W601 for a search without a feasible tree, with the families that failed most."""
    worst = dict(sorted(searched.failed.items(), key=lambda pair: -pair[1]))
    breaks = ", ".join(f"'{name}' {count}" for name, count in list(worst.items())[:SHOWN])
    what = f"none of the {searched.starts} trees tried is feasible"
    return without_start(f"{what} (rows that they violate: {breaks})" if breaks else what)
