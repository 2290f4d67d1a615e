"""From a compiled spec to an answer, and from an answer to a verified tree."""

from __future__ import annotations

import time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.api.bought import bought_note
from treemip.api.result import Result
from treemip.api.tolerance import tolerance_note
from treemip.model.answer import Answer, OnProgress
from treemip.source.diagnostic import Diagnostic
from treemip.strategy.settings import Settings, settled
from treemip.strategy.solvers import solve_with
from treemip.strategy.warm_start import remaining, warm_start
from treemip.tree.readout import by_name, readout, relabel, require_readable, routed_by_solution
from treemip.tree.repair import astray, repair, strayed_by
from treemip.tree.verify import verify

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled


def solve(
    compiled: Compiled,
    given: Settings,
    log: bool,
    keep: Path | None,
    on_progress: OnProgress | None,
) -> Result:
    """`Compiled.solve`: the start first, then the solver with what is left of the limits."""
    require_readable(compiled.program.spec)
    model = compiled.model
    settings, notes = settled(model, given, compiled.program.spec.strategy)
    solver, limits = settings.solver or "auto", settings.limits(log)
    stages: dict[str, float] = {}
    began = time.perf_counter()
    begun = warm_start(settings.start, compiled.instance, model, solver, limits)
    notes += begun.notes
    stages["start"] = time.perf_counter() - began
    if begun.stopped is not None:
        return result(compiled, begun.stopped, stages, list(notes), settings)
    began = time.perf_counter()
    left = remaining(limits, stages["start"])
    answer = solve_with(model, solver, left, begun.values, on_progress, settings.starts, keep)
    stages["solve"] = time.perf_counter() - began
    return result(compiled, answer, stages, list(notes), settings)


def result(
    compiled: Compiled,
    answer: Answer,
    stages: dict[str, float],
    notes: list[Diagnostic],
    asked: Settings | None = None,
) -> Result:
    """`Compiled.result`: values of the stated model, a tree of them, its verification.

    asked: what was asked of the solver, where it was called here.
    """
    stages = {**compiled.seconds, **stages}
    warnings = [*compiled.warnings, *notes]
    if answer.values is None:
        return Result(compiled, answer, None, None, {}, stages, warnings)
    began = time.perf_counter()
    instance, stated = compiled.instance, compiled.reformed.original
    values = by_name(stated, compiled.reformed.invert(answer.values))
    if compiled.program.spec.route is None:
        return Result(compiled, answer, None, None, values, stages, warnings)
    tree = relabel(instance, readout(instance, values))
    x, end = instance.table.inputs, routed_by_solution(instance, values)
    repaired: list[int] = []
    if end is not None and astray(tree, x, end).any():
        tree, repaired = repair(tree, x, end)
        tree = relabel(instance, tree)
    report = verify(instance, stated, values, tree, end, tuple(repaired))
    strayed = inf if end is None or report.verified else strayed_by(tree, x, end)
    loose = tolerance_note(compiled.model, answer.values, report, strayed, asked)
    warnings += loose or bought_note(instance, stated, values, report, answer.status)
    stages["verify"] = time.perf_counter() - began
    return Result(compiled, answer, tree, report, values, stages, warnings)
