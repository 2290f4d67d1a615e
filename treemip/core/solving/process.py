"""Solving with a solver that is installed beside treemip: file out, child process, file back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from math import inf, nan
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import numpy as np

from treemip.core.files.mps.writer import write_mps
from treemip.core.files.profiles import PORTABLE, Profile, reader_of
from treemip.core.files.requirements import require_taken
from treemip.core.files.search_hints import write_values
from treemip.core.files.solution_files import SolutionFile
from treemip.core.files.solution_formats import read_solution
from treemip.core.files.undo import undoing, uninterrupted
from treemip.core.model.answer import (
    CONCLUSIVE,
    NO_LIMITS,
    WITHOUT_SOLUTION,
    Answer,
    Limits,
    OnProgress,
    Status,
)
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value
from treemip.core.registry import solvers
from treemip.core.solving.child import Echo, Ended, run_child
from treemip.core.solving.command import COMMAND, Files, Log, arguments, called
from treemip.core.solving.interrupt import Watch
from treemip.core.solving.outcome import Outcome, settle
from treemip.core.solving.solution_values import model_values
from treemip.core.solving.solver import Solver
from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError, fail


def run_installed(
    model: Model,
    solver: str,
    limits: Limits = NO_LIMITS,
    start: np.ndarray | None = None,
    on_progress: OnProgress | None = None,
    keep: Path | None = None,
) -> Answer:
    """Solve with a solver of `registry.installed`, or ``command:`` and a command line.

    start: float64 (columns,), nan where unknown; a solver that takes none leaves it aside.
    keep: a new or empty folder for the model, the solution and the log, which are else removed.
    Ctrl-C, SIGTERM and SIGHUP end the child and keep its incumbent when it writes one. Raises E602
    when the solver is not installed, E601 for models it cannot take, E603 for a folder with files
    in it and where its files cannot be written, E902 for limits it has not, E604 when it fails,
    E606 and E607 for what it wrote.
    """
    entry, call, head = called(solver)
    _demand_products(model, entry)
    with _folder(keep) as folder:
        watch = Watch(limits.time, on_progress)
        files = Files(folder, call.suffix)
        write_mps(model, files.model, profile=_profile(solver, entry))
        given = call.start is not None and start is not None
        if given:
            assert call.start is not None and start is not None
            write_values(model, start, files.start, call.start[0])
        left = limits if limits.time is None else replace(limits, time=_rest(watch))
        command = [*head, *arguments(entry, call, left, files, given)]
        output = files.solution if call.prints else files.log
        files.log.write_text(f"{shlex.join(command)}\n")
        with Echo(output, limits.log):
            ended = run_child(command, folder, output, files.log, watch, limits.time)
        log = Log(files.log.read_text("utf-8", "replace"), call)
        accepted = None if start is None else given and log.has(call.log.accepted)
        solution = _solution(files.solution, ended)
        return _answer(model, entry, limits, solution, log, ended, watch.seconds, accepted)


def demand_model(model: Model, solver: str) -> None:
    """Raises E601 for what an MPS file for the solver cannot hold, E602 and E902 as `called`."""
    entry = called(solver)[0]
    _demand_products(model, entry)
    profile, report = _profile(solver, entry), Report()
    assert profile.caps.mps is not None, f"{profile.title} reads no MPS files"
    takes = replace(profile.caps.mps, nonlinear=False)
    require_taken(model, reader_of(profile, "MPS"), takes, report)
    report.raise_errors()


def _profile(solver: str, entry: Solver) -> Profile:
    return PORTABLE if solver.startswith(COMMAND) else entry


def demand_new(keep: Path) -> None:
    """E603 where the folder for a run's files is not new: what is in it may be somebody's work."""
    try:
        used = any(keep.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise _no_folder(keep, error) from error
    if used:
        message = f"cannot keep the solver's files in '{keep}': it is not empty"
        fail("E603", message, remedy="name a new folder")


def _rest(watch: Watch) -> float:
    """Seconds of the limit that are left to the child, to a hundredth, which is the least: to some
    solvers 0 is no limit."""
    return max(0.01, round(watch.left(inf), 2))


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The folder of the run, empty: `keep`, or one that is removed in the end.

    Raises E603 where `keep` has files, and E604 where there is no room for temporary ones.
    """
    if keep is not None:
        demand_new(keep)
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _no_folder(keep, error) from error
        yield keep.resolve()
        return
    with ExitStack() as stack:
        try:
            with uninterrupted():
                folder = TemporaryDirectory(prefix="treemip-", ignore_cleanup_errors=True)
                name = stack.enter_context(folder)
                stack.enter_context(undoing(partial(rmtree, name, ignore_errors=True)))
        except OSError as error:
            message = f"there is no folder for temporary files: {error.strerror or error}"
            remedy = "set TMPDIR to one with room, or name one with --keep"
            raise TreemipError(Diagnostic.outside("E603", message, remedy)) from error
        yield Path(name)


def _no_folder(keep: Path, error: OSError) -> TreemipError:
    message = f"cannot keep the solver's files in '{keep}': {error.strerror or error}"
    return TreemipError(Diagnostic.outside("E603", message, "name a new folder"))


def _demand_products(model: Model, entry: Solver) -> None:
    mps = entry.caps.mps
    if model.objective.quadratic.count and not (mps and mps.objective):
        takers = [solver.name for solver in solvers().values() if solver.caps.products]
        fail(
            "E601",
            f"{entry.title} takes no products of variables in the objective",
            model.objective.span,
            remedy=f"choose {', '.join(takers[:-1])} or {takers[-1]}",
        )


def _answer(
    model: Model,
    entry: Solver,
    limits: Limits,
    solution: SolutionFile | None,
    log: Log,
    ended: Ended,
    seconds: float,
    accepted: bool | None,
) -> Answer:
    status = _status(solution, log, ended, limits, seconds)
    if status is None:
        raise TreemipError(_failure(entry, log, ended))
    values = None
    if solution is not None and solution.has_solution and status not in WITHOUT_SOLUTION:
        values = model_values(model, solution)
    answer = settle(
        model,
        limits,
        Outcome(status, values, _bound(model, limits, status, values, solution, log), log.nodes),
        seconds=seconds,
        solver=(entry.name, log.version),
        start_accepted=accepted,
    )
    return replace(answer, message=log.tail) if status == "solver_limit" else answer


def _failure(entry: Solver, log: Log, ended: Ended) -> Diagnostic:
    """Of a run that wrote no solution and does not say why there is none."""
    if log.unlicensed:
        message = f"{entry.title} has no licence for this model: {log.unlicensed}"
        remedy = f"{entry.licence}; or choose scip or highs, which need none"
        return Diagnostic.outside("E604", message, remedy)
    said = f": {log.tail}" if log.tail else ""
    return Diagnostic.outside(
        "E604",
        f"{entry.title} ended with code {ended.code} and wrote no solution{said}",
        "keep its files with --keep FOLDER to see the model and the log",
    )


def _bound(
    model: Model,
    limits: Limits,
    status: Status,
    values: np.ndarray | None,
    solution: SolutionFile | None,
    log: Log,
) -> float:
    """The bound that log or file states; after a proof without a gap, the optimum itself."""
    told = log.bound
    if told is None and solution is not None:
        told = solution.bound
    if told is not None:
        return -told if model.objective.sense == "maximize" else told
    proven = status == "optimal" and not (limits.gap or limits.absolute_gap)
    return objective_value(model, values) if proven and values is not None else nan


def _solution(path: Path, ended: Ended) -> SolutionFile | None:
    """The solution file; a child that was killed may have left half of one, which is no error."""
    if not path.exists() or not path.stat().st_size:
        return None
    try:
        return read_solution(path)
    except TreemipError:
        if ended.code == 0 or not (ended.stopped or ended.overdue):
            raise
        return None


def _status(
    solution: SolutionFile | None, log: Log, ended: Ended, limits: Limits, seconds: float
) -> Status | None:
    """From the file when it is conclusive, else from the log, else from how and when it ended."""
    if solution is not None and solution.status in CONCLUSIVE:
        return solution.status
    asked: Status | None = (
        "interrupted" if ended.stopped else "time_limit" if ended.overdue else None
    )
    if log.status is not None:
        # Solvers take any signal for Ctrl-C.
        return asked or log.status if log.status == "interrupted" else log.status
    if asked is not None:
        return asked
    if solution is None:
        return None
    late = limits.time is not None and seconds >= limits.time
    return (
        "time_limit" if late and solution.status in ("feasible", "no_solution") else solution.status
    )
