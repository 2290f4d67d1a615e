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
from treemip.tree.faint import without_faint
from treemip.tree.placement import placed
from treemip.tree.readout import by_name, readout, relabel, require_readable, routed_by_solution
from treemip.tree.repair import astray, repair, strayed_by
from treemip.tree.verify import VerifyReport, verify

if TYPE_CHECKING:
    import numpy as np

    from treemip.api.compiled import Compiled
    from treemip.instance.instance import Instance
    from treemip.tree.tree import Tree


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
    end = routed_by_solution(instance, values)

    def judge(found: dict[str, np.ndarray]) -> tuple[Tree, VerifyReport]:
        tree, repaired = _mended(instance, found, end)
        return tree, verify(instance, stated, found, tree, end, tuple(repaired))

    values, tree, report = without_faint(instance, stated, values, judge)
    strayed = (
        inf if end is None or report.verified else strayed_by(tree, instance.table.inputs, end)
    )
    loose = tolerance_note(compiled.model, answer.values, report, strayed, asked)
    warnings += loose or bought_note(instance, stated, values, report, answer.status)
    tree, tight = placed(instance, tree, values)
    warnings += tight
    stages["verify"] = time.perf_counter() - began
    return Result(compiled, answer, tree, report, values, stages, warnings)


def _mended(
    instance: Instance, values: dict[str, np.ndarray], end: np.ndarray | None
) -> tuple[Tree, list[int]]:
    """The tree of values, and the heap numbers of the splits that were mended."""
    tree, x = relabel(instance, readout(instance, values)), instance.table.inputs
    if end is None or not astray(tree, x, end).any():
        return tree, []
    tree, repaired = repair(tree, x, end)
    return relabel(instance, tree), repaired
