"""The start of a solve whose model is not kept: engine and search work on the spec and its data,
and rows are made only to check the trees they find."""

from __future__ import annotations

import time

from treemip.answers.starts.warm_start import default_start
from treemip.api import pipeline
from treemip.api.compiled import Compiled
from treemip.api.solving import Run
from treemip.core.model.answer import OnProgress
from treemip.core.strategy.incumbent import of_all_stages
from treemip.core.strategy.settings import Settings


def search_alone(
    compiled: Compiled, given: Settings, log: bool, on_progress: OnProgress | None, began: float
) -> Run | None:
    """A run that has its start; None where somebody asks for a solver, or for a start that the
    solver's model has to complete. began: when the time limit began, by `time.perf_counter`."""
    plain = compiled.checked.with_(implications=())
    name, settings, notes = pipeline.chosen(plain, compiled.program.spec, given, None)
    limits = settings.limits(log)
    usual = default_start(compiled.instance, limits) == "search"
    if settings.solver != "auto" or settings.start not in (None, "search") or not usual:
        return None
    tell, gone = of_all_stages(on_progress, plain), time.perf_counter() - began
    run = Run(compiled.as_stated(), settings, limits, name, tell, spent=gone)
    run.notes += [*notes, *run.begin("search", explicit=False)]
    run.note_start()
    return run
