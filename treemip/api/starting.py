"""A solve up to its start: which settings, which solver, its model, and what it begins with."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from treemip.api.compiled import Compiled
from treemip.api.solving import Run
from treemip.model.answer import OnProgress
from treemip.model.model import Model
from treemip.resolve.spec import Spec
from treemip.separation.separated_model import SeparatedModel
from treemip.solving.solve import choose
from treemip.source.diagnostic import Diagnostic
from treemip.strategy.incumbent import of_all_stages
from treemip.strategy.settings import AUTOMATIC, Settings, settled
from treemip.strategy.solvers import packages_absent, require_kept, require_known, require_taken
from treemip.strategy.starts.warm_start import default_start, in_memory, require_start


def begun(
    compiled: Compiled,
    given: Settings,
    log: bool,
    keep: Path | None,
    on_progress: OnProgress | None,
    began: float,
) -> Run:
    """A run that has its start, over the model as its solver takes it; arguments as of
    `pipeline.solve`. began: when the time limit began, by `time.perf_counter`. Raises what is
    wrong with the settings (E902), with the model for this solver (E5xx, E601), and E602."""
    early = None
    if not compiled.checked.is_kept:
        early = _search_alone(compiled, given, log, on_progress, began)
        if early is not None and not early.wants_solver:
            return early
    stated = compiled.choosing_model()
    name, settings, notes = chosen(stated, compiled.program.spec, given, keep)
    limits, compiled = settings.limits(log), compiled.for_solver(name)
    kind = settings.start
    if kind is None:
        kind = default_start(compiled.instance, limits)
    wanted = require_start(kind)
    absent = packages_absent((name, in_memory(name)) if wanted else (name,), compiled.model)
    if absent is not None and not (wanted and settings.solver == "auto"):
        raise absent
    separation, tell = _separation(compiled), of_all_stages(on_progress, stated)
    given_model = compiled.model if separation is None else separation.model
    require_taken(given_model, settings.solver or "auto", separation is not None)
    run = Run(compiled, settings, limits, name, tell, separation, time.perf_counter() - began)
    run.first_notes = notes
    if absent is not None:
        run.begin_with_proof(absent)
    elif early is not None:
        run.begun = early.begun.of_stated
    elif wanted:
        run.first_notes += run.begin(kind, given.start is not None)
    run.note_start()
    return run


def _search_alone(
    compiled: Compiled, given: Settings, log: bool, on_progress: OnProgress | None, began: float
) -> Run | None:
    """A run that has its start, for a model whose rows are not kept: engine and search work on the
    spec and its data, and rows are made only to check the trees they find. None where somebody asks
    for a solver, or for a start that the solver's model has to complete."""
    plain = compiled.checked.with_(implications=())
    name, settings, notes = chosen(plain, compiled.program.spec, given, None)
    limits = settings.limits(log)
    usual = default_start(compiled.instance, limits) == "search"
    if settings.solver != "auto" or settings.start not in (None, "search") or not usual:
        return None
    tell, gone = of_all_stages(on_progress, plain), time.perf_counter() - began
    run = Run(compiled.as_stated(), settings, limits, name, tell, spent=gone)
    run.notes += [*notes, *run.begin("search", explicit=False)]
    run.note_start()
    return run


def chosen(
    stated: Model, spec: Spec, given: Settings, keep: Path | None
) -> tuple[str, Settings, tuple[Diagnostic, ...]]:
    """The solver for a model, the settings of the solve, and warnings. Raises E601, E602, E902.

    The settings have the solver as it was asked for: "auto" and "mip" leave it to the model.
    """
    settings, notes = settled(stated, given, spec.strategy)
    solver = settings.solver or "auto"
    if solver == "auto" and spec.strategy.separates:
        solver = "mip"  # an engine in the solver's place separates nothing
    require_known(solver)
    require_kept(solver, keep)
    name = choose(stated) if solver in AUTOMATIC else solver
    return name, replace(settings, solver=solver), notes


def _separation(compiled: Compiled) -> SeparatedModel | None:
    """What the spec's strategy separates of its model. Raises E502, E504."""
    if not compiled.program.spec.strategy.separates:
        return None
    return SeparatedModel(compiled.instance, compiled.stated, compiled.model)
