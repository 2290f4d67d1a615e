"""A solver's Python package in this process, for rows that are separated while it runs.

Without such rows these solvers run as a process of their own (process.py), which a crash or a
licence's check cannot take this one down from; callbacks need the process of the rows' source.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import numpy as np

from treemip.core.model.answer import Answer, Limits, OnProgress
from treemip.core.model.model import Model
from treemip.core.solving.command import options_of
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.optional import needed
from treemip.core.solving.outcome import Outcome, settle
from treemip.core.solving.separation import Separation
from treemip.core.solving.solver import Native, Solver
from treemip.core.solving.start_completion import checked, whole_solution
from treemip.core.source.diagnostic import Diagnostic, TreemipError


def solve_native(
    entry: Solver,
    model: Model,
    limits: Limits,
    start: np.ndarray | None,
    on_progress: OnProgress | None,
    separation: Separation,
) -> Answer:
    """Solve with the package of a solver that has a `native`.

    start: float64 (columns,), nan where a value is unknown. Ctrl-C ends the search and keeps the
    incumbent. Raises E601 for what the solver does not take, E602 without the package, E604 when
    it fails, E607 for a start of the wrong length, E902 for a limit that it lacks, and what the
    source of the rows raises.
    """
    call, make = entry.package_call, entry.native
    assert call is not None and make is not None
    needed(entry.package, entry.extra)  # imported before time is counted
    watch = Watch(limits.time, on_progress)
    separation.watched(watch)
    start = None if start is None else checked(start, model.column_count)
    native: Native | None = None
    outcome: Outcome | None = None

    def work() -> None:
        nonlocal native, outcome
        try:
            native = make(model, separation, limits.log)
            if start is not None:
                _give_start(native, model, start, separation)
            left = None if limits.time is None else watch.left(inf)
            for option in options_of(entry, call, replace(limits, time=left)):
                native.set(*option.split("=", 1))
            if not watch.stopping.is_set():
                native.solve()
            outcome = _outcome(native)
        except TreemipError:
            raise
        except Exception as error:  # packages raise exceptions of their own
            raise _failure(entry.title, entry.licence, error) from error

    def stop() -> None:
        if native is not None:
            native.stop()

    watch.run(work, stop)
    assert native is not None
    assert outcome is not None
    return settle(
        model,
        limits,
        outcome,
        seconds=watch.seconds,
        solver=(entry.name, native.version),
        start_accepted=separation.start_accepted,
    )


def _give_start(native: Native, model: Model, start: np.ndarray, separation: Separation) -> None:
    """Pass on what is known; not all solvers ask about a start, so a whole one is checked here."""
    separation.seek(start)
    whole = whole_solution(model, start)
    if whole is not None and separation.of_candidate(whole) is not None:
        return
    known = np.flatnonzero(~np.isnan(start))
    if len(known) and (whole is not None or native.completes_starts):
        native.give(known, (start if whole is None else whole)[known])


def _outcome(native: Native) -> Outcome:
    report = native.report()
    status = report["status"]
    bound, nodes = report.get("bound", nan), report.get("nodes")
    return Outcome(status, native.values(), bound, nodes)


def _failure(title: str, licence: str, error: Exception) -> TreemipError:
    words = str(error) or type(error).__name__
    if any(word in words.lower() for word in ("license", "licence", "size limit", "too many")):
        message = f"{title} has no licence for this model: {words}"
        return TreemipError(Diagnostic.outside("E604", message, f"{licence}; or choose scip"))
    remedy = "solve with SCIP, or with the log on to see where it happens"
    return TreemipError(Diagnostic.outside("E604", f"{title} failed: {words}", remedy))
