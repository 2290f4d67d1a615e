"""From a compiled spec to an answer, and from an answer to a verified tree."""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from treemip.api.bought import bought_note
from treemip.api.optimality import claimed, held_against
from treemip.api.result import Result
from treemip.api.tolerance import tolerance_note
from treemip.model.answer import Answer, OnProgress, relative_gap
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.strategy.settings import Settings, settled
from treemip.strategy.solvers import solve_with
from treemip.strategy.warm_start import remaining, warm_start
from treemip.tree.faint import without_faint
from treemip.tree.from_values import tree_from_values
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

    asked: what was asked of the solver, where it was called here. Nothing that fails here loses
    what the solver found: the result then has its values and `failure`, and no tree.
    """
    stages = {**compiled.seconds, **stages}
    warnings = [*compiled.warnings, *notes]
    bare = Result(compiled, answer, None, None, {}, stages, warnings)
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

    values, tree, report = without_faint(instance, stated, values, judge)
    strayed = (
        inf if end is None or not report.problems else strayed_by(tree, instance.table.inputs, end)
    )
    loose = tolerance_note(compiled.model, answer.values, report, strayed, asked)
    notes = loose or bought_note(instance, stated, values, report, answer.status)
    answer, optimality, false = held_against(answer, report, compiled.model.objective.sense)
    return replace(
        bare,
        answer=answer,
        tree=tree,
        report=report,
        values=values,
        warnings=[*bare.warnings, *notes, *false],
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
